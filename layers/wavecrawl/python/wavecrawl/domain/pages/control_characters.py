"""Control characters in the texts of pages, which could command the terminal that shows them."""

import re

_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")  # ECMA-48: C0 without tab, LF and CR; DEL; C1


def without_controls(text: str) -> str:
    """Return the text with U+FFFD in place of each control character; white space stays."""
    return _CONTROLS.sub("\ufffd", text)
