"""Text of elements: white space folded, words separated at block boundaries."""

from selectolax.lexbor import LexborNode

from wavecrawl.domain.pages.extraction.tags import BLOCKS, BREAKS

_PARTING = BLOCKS | BREAKS

SEPARATOR = "\f"
"""The white space that `text_of` inserts. In code, where white space counts, it is left out again."""


def folded(text: str | None, limit: int) -> str:
    """Return the text with each run of white space replaced by one space.

    It has at most `limit` characters. A text that is cut ends with "…".
    """
    if not text:
        return ""
    if len(text) <= limit:
        return " ".join(text.split())
    text = text.strip()
    words = " ".join(text[: 8 * limit].split())  # leaves enough characters after folding
    return words if len(words) <= limit and len(text) <= 8 * limit else f"{words[: limit - 1].rstrip()}…"


def text_of(node: LexborNode, limit: int) -> str:
    """Return the text of a link or heading as `folded` does. White space is inserted into the tree between its blocks.

    The parser's own text of an element is then correct. Few links and headings have blocks inside, so this is much
    faster than collecting the text in pieces.
    """
    child = node.first_child
    if child is not None and (child.next is not None or child.first_child is not None):
        _part_blocks([inner for inner in node.traverse() if inner.tag_id in _PARTING])
    return folded(node.text_lexbor(), limit)


def _part_blocks(blocks: list[LexborNode]) -> None:
    for block in blocks:
        before = block.prev
        if before is None or not before.is_empty_text_node:
            _part_begin(block, before)
        after = block.next
        if after is None or not after.is_empty_text_node:
            _part_end(block, after)


def _part_begin(block: LexborNode, before: LexborNode | None) -> None:
    outermost = block
    while before is None:
        parent = outermost.parent
        if parent is None or parent.tag_id in BLOCKS:
            return  # nothing precedes it, or the parent is a block itself
        outermost = parent
        before = outermost.prev
    outermost.insert_before(SEPARATOR)


def _part_end(block: LexborNode, after: LexborNode | None) -> None:
    outermost = block
    while after is None:
        parent = outermost.parent
        if parent is None or parent.tag_id in BLOCKS:
            return
        outermost = parent
        after = outermost.next
    if after.tag_id not in BLOCKS and block.tag_id not in BREAKS:  # a block inserts its own space before it
        outermost.insert_after(SEPARATOR)
