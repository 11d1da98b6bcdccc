"""Control characters in the texts of pages, which could command the terminal that shows them, or reorder its text.

Stored data and machine-readable formats keep what a site sent. Each place that shows texts to people passes them
through `shown_text` or `shown_line`: the terminal (`cli/console.py`), the report (`report/markup.py`), workbooks
(`spreadsheets/workbook.py`). The dashboard does the same (`dashboard/src/ui/shownText.ts`).
"""

import re
from typing import Final

CONTROLS: Final = "[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\u202a-\u202e\u2066-\u2069\ufffe\uffff]"
"""ECMA-48: C0 without tab, LF and CR; DEL; C1. Unicode: embeddings, overrides and isolates of the writing direction
(https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters). Two noncharacters that XML cannot contain
(https://www.w3.org/TR/xml/#charsets): no program could open a JUnit file or a workbook with them."""

_CONTROLS: Final = re.compile(CONTROLS)
_MARKS: Final = re.compile("[\u061c\u200e\u200f]")  # of the writing direction; common in right-to-left texts
_BREAKS: Final = re.compile("[\u2028\u2029]")
_LINE_BREAKS: Final = re.compile(r"[\r\n]+")
_NOT_IN_JSON: Final = re.compile(f"{CONTROLS}|{_MARKS.pattern}|{_BREAKS.pattern}")


def without_controls(text: str) -> str:
    """Return the text with U+FFFD in place of each control character; white space stays."""
    return _CONTROLS.sub("\ufffd", text)


def shown_text(text: str) -> str:
    """Return a text for people: without control characters and marks of the writing direction.

    Marks are removed, as they are common; other characters that change the direction are replaced like controls.
    """
    if text.isascii():
        return without_controls(text)
    return _BREAKS.sub(" ", _MARKS.sub("", without_controls(text)))


def shown_line(text: str) -> str:
    """Return the same in one line, for URLs and titles."""
    return _LINE_BREAKS.sub(" ", shown_text(text))


def escaped_json(text: str) -> str:
    """Return a JSON text in which these characters are escape sequences. Its values stay what they are."""
    return _NOT_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
