"""Whether anything runs on a page: a page without scripts and frames has all its content when it is parsed.

The rule errs on the side of scripts, as it reads the response and not the document: a script may remove itself.
"""

import re
from collections.abc import Iterable
from typing import Final

_ACTIVE: Final = re.compile(
    rb"[<:](?:script|iframe|frame|object|embed)"  # elements, in XML also with a prefix
    rb"|[\s\"'/]on[a-z]+\s*="  # attributes that handle events
    rb"|http-equiv\s*=\s*[\"']?\s*refresh"
    rb"|<\?xml-|<!entity"  # a style sheet of XML can make the page, and an entity a script
    rb"|[\x00\x1b]",  # an encoding whose letters are not those of ASCII
    re.IGNORECASE,
)


def is_active(body: bytes, headers: Iterable[tuple[str, str]]) -> bool:
    """Return whether a browser may run scripts on the page of a response, load a frame, or go on to another page."""
    return any(name.lower() == "refresh" for name, _ in headers) or _ACTIVE.search(body) is not None
