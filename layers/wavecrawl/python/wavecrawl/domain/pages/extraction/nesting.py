"""The elements around an element, and those beside it."""

from collections.abc import Iterator

from selectolax.lexbor import LexborNode

_MOST_SPACES = 20  # texts of white space one after another that are passed


def ancestors(node: LexborNode, most: int = 10_000) -> Iterator[LexborNode]:
    """Yield at most `most` elements around a node, from the innermost."""
    outer = node.parent
    while outer is not None and most:
        yield outer
        outer = outer.parent
        most -= 1


def is_white_space(node: LexborNode) -> bool:
    """Return whether a node is a text of white space."""
    return node.is_text_node and not (node.text() or "").strip()


def next_of(node: LexborNode | None) -> LexborNode | None:
    """Return a node, or the first one after it that is not white space."""
    return _without_spaces(node, forward=True)


def previous_of(node: LexborNode | None) -> LexborNode | None:
    """Return a node, or the first one before it that is not white space."""
    return _without_spaces(node, forward=False)


def _without_spaces(node: LexborNode | None, *, forward: bool) -> LexborNode | None:
    for _ in range(_MOST_SPACES):
        if node is None or not is_white_space(node):
            break
        node = node.next if forward else node.prev
    return node
