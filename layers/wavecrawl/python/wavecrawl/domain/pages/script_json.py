"""JSON in the scripts of pages, in the forms that people write.

Templates and editors wrap JSON-LD in comments that hid scripts from browsers of the nineties, leave a comma behind the
last element, or break lines inside strings. JSON (RFC 8259) allows none of that, but readers of structured data do.
"""

import json
import re
from typing import Final

_OPENING: Final = re.compile(r"\ufeff?\s*+(?://|/\*)?\s*+(?:<!\[CDATA\[|<!--)\s*+(?:\*/)?|\ufeff")
_CLOSING: Final = re.compile(r"(?://|/\*)?\s*(?:\]\]>|-->)\s*(?:\*/)?\s*$")
_LONGEST_CLOSING: Final = 100  # characters

_NOT_JSON: Final = re.compile(
    r"""
    "(?:[^"\\]|\\.)*+"?                # a string, which stays
    | (?P<extra>
        /\*(?:(?!\*/).)*+(?:\*/)?       # a comment
        | //[^\n]*+
        | ,(?=\s*+[}\]])                # a comma before the end of a list or object
        | ;\s*+$
    )
    """,
    re.VERBOSE | re.DOTALL,
)
"""Possessive repetitions keep it linear, also for a string or comment without an end."""


def script_json(text: str) -> object:
    """Return the value of a text; raise ValueError or RecursionError if it cannot be read.

    The position of a JSONDecodeError is that in `text`.
    """
    try:
        return json.loads(text, strict=False)  # control characters in strings
    except ValueError:
        opening = _OPENING.match(text)
        closing = _CLOSING.search(text, max(len(text) - _LONGEST_CLOSING, 0))
        begin = opening.end() if opening else 0
        inner = _blank(text[:begin]) + text[begin : closing.start() if closing else len(text)]
        for _ in range(2):  # a comment may stand between a comma and the end
            inner = _NOT_JSON.sub(_without_extra, inner)
        return json.loads(inner, strict=False)


def _without_extra(found: re.Match[str]) -> str:
    return _blank(found[0]) if found["extra"] else found[0]


def _blank(text: str) -> str:
    """Return spaces in place of a text, so that the positions of errors stay."""
    return " " * len(text)
