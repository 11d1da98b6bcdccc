"""Boundaries of words that are in the page's style, or in the meaning of elements, and not in its text."""

import re

from selectolax.lexbor import LexborNode

from wavecrawl.domain.pages.extraction.nesting import ancestors, next_of, previous_of
from wavecrawl.domain.pages.extraction.style_sheets import BLOCKS
from wavecrawl.domain.pages.extraction.survey import Survey
from wavecrawl.domain.pages.extraction.tags import BLOCK_NAMES

_DISPLAY = re.compile(r"(?:^|;)\s*display\s*:\s*([\w-]+)", re.IGNORECASE)
_NEVER = BLOCK_NAMES | frozenset("img br wbr hr input math".split())
_READINGS = frozenset(("rt", "rtc"))
_AROUND = 8  # elements between a line of code and its code block

_INVISIBLE = re.compile(
    "["
    "\u00ad"  # soft hyphen
    "\u200b\u2060\ufeff"  # zero width space, word joiner, byte order mark
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidirectional controls
    "\u180e\u2061-\u2064"  # Mongolian vowel separator, invisible operators
    "]"
)
"""Characters without a width or a meaning of their own. A word is the same with and without them.

Those that choose the form of a letter or an emoji (zero width joiner and non-joiner, variation selectors) stay.
"""


def without_invisible(text: str) -> str:
    """Return a text without invisible characters."""
    return _INVISIBLE.sub("", text)


def part_words(page: Survey, styled: str) -> None:
    """Insert into the tree what parts words: around elements with the style of a block, and around ruby text.

    `styled`: a selector of elements that style sheets make blocks, or "".
    """
    if b"display" in page.tree.raw_html:
        for node in page.root.css('[style*="display"]'):
            if _display_of(node) in BLOCKS:
                _part_block(page, node)
    for node in page.root.css(styled) if styled else ():
        if not _display_of(node):
            _part_block(page, node)
    for node in page.readings:
        if node.parent is not None and node.parent.tag == "ruby":
            _enclose_reading(node)


def _display_of(node: LexborNode) -> str:
    """Return the value of `display` in the style of an element, or ""."""
    found = _DISPLAY.search(node.attributes.get("style") or "")
    return found[1].lower() if found else ""


def _part_block(page: Survey, node: LexborNode) -> None:
    name = node.tag or ""
    if name in _NEVER or "-" in name:
        return
    if any(outer.tag == "pre" for outer in ancestors(node, _AROUND)):
        if node.next is not None and not (node.text() or "").endswith("\n") and not _begins_with_line_end(node.next):
            node.insert_after("\n")
        return
    node.insert_before(page.tree.create_node("div"))
    node.insert_after(page.tree.create_node("div"))


def _begins_with_line_end(node: LexborNode) -> bool:
    return node.tag == "br" or (node.is_text_node and (node.text() or "").startswith("\n"))


def _enclose_reading(node: LexborNode) -> None:
    """Enclose the reading of characters in parentheses if the page has none (`<rp>`) for it."""
    before, after = previous_of(node.prev), next_of(node.next)
    if before is None or before.tag not in {"rp", *_READINGS}:
        node.insert_before("(")
    if after is None or after.tag not in {"rp", *_READINGS}:
        node.insert_after(")")
