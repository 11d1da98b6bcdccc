"""Where in a page JSON-LD cannot be read."""

from collections.abc import Iterable
from itertools import islice
from json import JSONDecodeError

_MOST = 5  # problems that are named per page


def json_problems(unreadable: Iterable[tuple[str, ValueError | RecursionError]], source: bytes) -> tuple[str, ...]:
    """Return what is wrong with scripts, at most 5: `message: line 3, column 14`.

    `unreadable`: the text of each script, in document order, and the error of `script_json`. `source`: the page in
    UTF-8. Lines and columns count from 1, columns in characters. A script whose text is not
    in the source as it is in the tree has no position.
    """
    page, at, found = "", 0, list[str]()
    for text, error in islice(unreadable, _MOST):
        page = page or _as_parsed(source)
        start = page.find(f">{text}</", at)
        position, message = (error.pos, error.msg) if isinstance(error, JSONDecodeError) else (0, "Cannot be read")
        if start < 0:
            found.append(message)
            continue
        at = start + 1
        place = at + position
        column = place - page.rfind("\n", 0, place)
        found.append(f"{message}: line {page.count(chr(10), 0, place) + 1}, column {column}")
    return tuple(found)


def _as_parsed(source: bytes) -> str:
    """Return a page with line breaks and NUL as a parser has them in scripts (HTML 13.2.3.5 and 13.2.5.4)."""
    text = source.decode("utf-8", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
