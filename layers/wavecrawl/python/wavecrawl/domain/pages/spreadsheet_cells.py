"""Texts as cells of CSV files, which spreadsheets must not run as formulas.

https://owasp.org/www-community/attacks/CSV_Injection
"""

import re
from typing import Final

from wavecrawl.domain.pages.control_characters import CONTROLS, without_controls

_SPACE: Final = "\\x00-\\x20\\x7f-\\xa0\u00ad\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff"
"""White space, control characters, and characters without width such as the byte order mark, in a character class."""

FORMULA: Final = f"^[{_SPACE}]*[=+\\-@\uff1d\uff0b\uff0d\uff20]|^[\\t\\r\\n]"
"""A text that a spreadsheet may read as a formula, also after white space and with full-width signs.

Both Python and RE2 (DuckDB) read this pattern, and that of control characters.
"""

_FORMULA: Final = re.compile(FORMULA)


def cell(text: str) -> str:
    """Return the text without control characters; after an apostrophe if a spreadsheet could read it as a formula."""
    clean = without_controls(text)
    return f"'{clean}" if _FORMULA.search(text) else clean


def sql_cell(column: str) -> str:
    """Return the SQL expression of a text column as `cell` returns it."""
    mark = f"if(regexp_matches({column}, '{FORMULA}'), '''', '')"
    return f"{mark} || regexp_replace({column}, '{CONTROLS}', '\ufffd', 'g')"
