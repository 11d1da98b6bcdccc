"""Text as people read it: white space folded, words parted where blocks begin and end, and nowhere else."""

from selectolax.lexbor import LexborNode

from wavecrawl.domain.pages.extraction.tags import BLOCKS, BREAKS


def folded(text: str | None, limit: int) -> str:
    """Return the text with every run of white space as one space, cut to `limit` characters."""
    if not text:
        return ""
    if len(text) > limit:
        text = text.lstrip()[: 8 * limit]  # so much white space folds to nothing that more need not be looked at
    return " ".join(text.split())[:limit].rstrip()


def part_blocks(blocks: list[LexborNode]) -> None:
    """Put white space into the tree wherever a block (or line break) parts words and none stands there yet.

    In most pages it stands there nearly everywhere, so this is much quicker than to collect text piece by piece; and
    then the parser's own text of any element is right.
    """
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
            return  # nothing stands before it, or the parent is parted from that
        outermost = parent
        before = outermost.prev
    outermost.insert_before(" ")


def _part_end(block: LexborNode, after: LexborNode | None) -> None:
    outermost = block
    while after is None:
        parent = outermost.parent
        if parent is None or parent.tag_id in BLOCKS:
            return
        outermost = parent
        after = outermost.next
    if after.tag_id not in BLOCKS and block.tag_id not in BREAKS:  # a block parts itself from what stands before it
        outermost.insert_after(" ")
