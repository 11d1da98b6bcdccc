"""One walk over a parsed page that sorts its elements by use, so that nothing is searched for twice."""

from collections.abc import Mapping
from typing import Generic, TypeAlias, TypeVar, cast

from msgspec import Struct
from selectolax.lexbor import LexborHTMLParser, LexborNode

from wavecrawl.domain.pages.extraction import tags
from wavecrawl.domain.pages.extraction.texts import part_blocks

_T = TypeVar("_T")

Attributes: TypeAlias = Mapping[str, str | None]
"""The attributes of an element: names lower-cased, None where no value is written."""


class Survey(Struct, frozen=True, kw_only=True, gc=False):
    """The elements of one page by use, each list in document order."""

    tree: LexborHTMLParser
    root: LexborNode  # <html>
    boxes: list[tuple[LexborNode, Attributes]]  # what may be a landmark or noise
    links: list[LexborNode]
    metas: list[tuple[LexborNode, Attributes]]
    bases: list[LexborNode]
    titles: list[LexborNode]
    headings: list[LexborNode]
    scripts: list[LexborNode]
    noise: list[LexborNode]


def survey(tree: LexborHTMLParser) -> Survey:
    """Walk the page once, and part its words at its blocks."""
    root = cast("LexborNode", tree.root)  # a whole document always has one: the parser makes it where it is missing
    found: tuple[list[LexborNode], ...] = tuple([] for _ in range(tags.USES))
    use_of, boxes = tags.USE_OF.get, tags.BOXES
    for node in root.traverse():
        use = use_of(node.tag_id, boxes)
        if use:
            found[use].append(node)
    # Custom elements are boxes too, but part no words: they are inline unless a style says otherwise.
    own_blocks = [node for node in found[tags.BOXES] if node.tag_id in tags.BLOCKS]
    part_blocks(own_blocks + found[tags.HEADINGS] + found[tags.BLOCK])
    return Survey(
        tree=tree,
        root=root,
        boxes=[(node, node.attributes) for node in found[tags.BOXES]],
        links=found[tags.LINKS],
        metas=[(node, node.attributes) for node in found[tags.METAS]],
        bases=found[tags.BASES],
        titles=found[tags.TITLES],
        headings=found[tags.HEADINGS],
        scripts=found[tags.SCRIPTS],
        noise=found[tags.NOISE],
    )


class Nearest(Generic[_T]):
    """Finds the nearest ancestor of interest. Remembers every path, so that deep pages cost one climb, not many."""

    __slots__ = ("_default", "_known")

    def __init__(self, marked: Mapping[int, _T], default: _T) -> None:
        """Take what the marked elements (by address, `LexborNode.mem_id`) stand for; `default` is above them all."""
        self._known = dict(marked)
        self._default = default

    def above(self, node: LexborNode) -> _T:
        """Return what the nearest marked ancestor stands for; the element itself does not count."""
        known, passed = self._known, []
        value, ancestor = self._default, node.parent
        while ancestor is not None:
            address = ancestor.mem_id
            if address in known:
                value = known[address]
                break
            passed.append(address)
            ancestor = ancestor.parent
        for address in passed:
            known[address] = value
        return value
