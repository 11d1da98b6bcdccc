"""The URL fragments that lead to the headings of a page."""

import re
from collections import defaultdict, deque
from collections.abc import Iterator
from typing import Final
from urllib.parse import quote

from selectolax.lexbor import LexborHTMLParser, LexborNode

from wavecrawl.domain.pages.extraction.nesting import ancestors
from wavecrawl.domain.pages.plain_text import LineReader, without_markup

_HEADINGS: Final = "h1, h2, h3, h4, h5, h6"
_HEADING = re.compile("#{1,6} (.*)")
_SAFE: Final = "!$&'()*+,;=:@/?-._~"  # RFC 3986, section 3.5
_LONGEST: Final = 300  # characters of a fragment, and of a heading that is compared
_MOST: Final = 10_000  # headings of a page
_OUTER: Final = 5  # elements around a heading that may have its id
_BESIDE: Final = ("nav", "aside", "footer")
_DEPTH: Final = 20  # elements around a heading that are looked at for that
_BEFORE: Final = 5  # nodes without text before a heading or an element around it


def heading_fragments(tree: LexborHTMLParser, markdown: str) -> tuple[tuple[int, str], ...]:
    """Return the fragments of the headings of a Markdown text, with their lines from 0.

    A heading of the page is found again by its letters and digits, in the order of the page.
    """
    places: dict[str, deque[tuple[int, str]]] = defaultdict(deque)
    for number, node in enumerate(tree.css(_HEADINGS)[:_MOST]):
        if not _is_beside(node):
            places[_key(node.text())].append((number, _fragment(node)))
    found: list[tuple[int, str]] = []
    last = -1
    for line, heading in _headings(markdown):
        same = places.get(_key(heading), deque())
        while same and same[0][0] <= last:
            same.popleft()
        if same:
            last, fragment = same.popleft()
            if fragment:
                found.append((line, fragment))
    return tuple(found)


def _headings(markdown: str) -> Iterator[tuple[int, str]]:
    """Yield the texts of headings outside code, with their lines."""
    reader = LineReader()
    for number, line in enumerate(markdown.split("\n")):
        if reader.fence or "```" in line:
            reader.read(line)
        elif line.startswith("#"):
            match = _HEADING.match(line[: 2 * _LONGEST])
            if match:
                yield number, without_markup(match[1])


def _key(text: str) -> str:
    return "".join(filter(str.isalnum, text[:_LONGEST]))


def _fragment(heading: LexborNode) -> str:
    """Return the fragment of the link in a heading that leads to it, or its id, or that of an element around it."""
    link = heading.css_first('a[href^="#"]')
    target = (link.attributes.get("href") or "")[1:] if link else ""
    if 0 < len(target) <= _LONGEST:
        return quote(target, safe=_SAFE + "%")
    inner = heading.css_first("[id], a[name]")
    before = heading.prev
    anchor = before if before is not None and before.tag == "a" and not before.text() else None
    for node in (heading, inner, anchor, *_around(heading)):
        name = (node.attributes.get("id") or node.attributes.get("name") or "") if node else ""
        if 0 < len(name) <= _LONGEST:
            return quote(name, safe=_SAFE)
    return ""


def _is_beside(node: LexborNode) -> bool:
    """Return whether a heading is in a part of the page that is not its main text."""
    return any(outer.tag in _BESIDE for outer in ancestors(node, _DEPTH))


def _around(node: LexborNode) -> Iterator[LexborNode]:
    """Yield the elements that begin with a heading, from the inside outwards."""
    for _ in range(_OUTER):
        parent = node.parent
        if parent is None or parent.tag in ("body", "html") or not _is_first(node):
            return
        yield parent
        node = parent


def _is_first(node: LexborNode) -> bool:
    """Return whether there is no element and no text before a node in its parent."""
    before = node.prev
    for _ in range(_BEFORE):
        if before is None:
            return True
        if before.tag not in ("-text", "-comment") or (before.tag == "-text" and (before.text() or "").strip()):
            return False
        before = before.prev
    return False
