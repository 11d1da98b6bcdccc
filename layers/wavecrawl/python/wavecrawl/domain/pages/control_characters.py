"""Control characters in the texts of pages, which could command the terminal that shows them, or reorder its text."""

import re
from typing import Final

CONTROLS: Final = "[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\u202a-\u202e\u2066-\u2069]"
"""ECMA-48: C0 without tab, LF and CR; DEL; C1. Unicode: embeddings, overrides and isolates of the writing direction
(https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters)."""

_CONTROLS: Final = re.compile(CONTROLS)


def without_controls(text: str) -> str:
    """Return the text with U+FFFD in place of each control character; white space stays."""
    return _CONTROLS.sub("\ufffd", text)
