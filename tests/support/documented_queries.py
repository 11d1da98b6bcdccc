"""The queries of docs/sql.md, by number."""

import re
from pathlib import Path
from textwrap import dedent

_PAGE = Path(__file__).parents[2] / "docs" / "sql.md"


def documented_queries() -> dict[int, str]:
    """Return the numbered queries of the section 'Twenty queries'."""
    section = _PAGE.read_text(encoding="utf-8").partition("## Twenty queries")[2]
    found = re.findall(r"^(\d+)\. [^\n]*\n\n *```sql\n(.*?)\n *```", section, re.MULTILINE | re.DOTALL)
    return {int(number): dedent(query) for number, query in found}
