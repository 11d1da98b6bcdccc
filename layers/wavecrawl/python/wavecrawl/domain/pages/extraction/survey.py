"""One walk over a parsed page that sorts its elements by use."""

from collections.abc import Mapping
from typing import Generic, TypeAlias, TypeVar, cast

from msgspec import Struct
from selectolax.lexbor import LexborHTMLParser, LexborNode

from wavecrawl.domain.pages.extraction import tags
from wavecrawl.domain.pages.extraction.foreign_elements import Languages, links_with_foreign
from wavecrawl.domain.pages.extraction.shadow_roots import open_shadow_roots

_T = TypeVar("_T")

Attributes: TypeAlias = Mapping[str, str | None]
"""The attributes of an element: lower-cased names; None if there is no value."""


class Survey(Struct, frozen=True, kw_only=True, gc=False):
    """The elements of one page by use, each list in document order."""

    tree: LexborHTMLParser
    languages: Languages
    root: LexborNode  # <html>
    boxes: list[tuple[LexborNode, Attributes]]  # possible landmarks or noise
    links: list[LexborNode]  # without those in SVG and MathML that are no links there
    references: list[str | None]  # of each link: its attribute href, or src of a frame
    has_svg: bool
    metas: list[tuple[LexborNode, Attributes]]
    bases: list[LexborNode]
    titles: list[LexborNode]
    headings: list[LexborNode]
    scripts: list[LexborNode]
    noise: list[LexborNode]
    maths: list[LexborNode]
    codes: list[LexborNode]  # <pre>
    raised: list[LexborNode]  # <sup>
    readings: list[LexborNode]  # <rt> and <rtc>
    images: list[LexborNode]  # and <source>, <track>
    has_raw_text: bool  # whether it has <plaintext> or <xmp>


def survey(tree: LexborHTMLParser) -> Survey:
    """Sort the page's elements by use. Declarative shadow roots become part of the tree."""
    root = cast("LexborNode", tree.root)  # the parser creates a missing root
    found = _sorted(root)
    if open_shadow_roots(found[tags.NOISE]):
        found = _sorted(root)
    links, languages = found[tags.LINKS], Languages()
    has_svg = any(node.tag_id == tags.SVG for node in found[tags.NOISE])
    if has_svg or found[tags.MATHS]:
        links = links_with_foreign(root, links, languages, has_math=bool(found[tags.MATHS]))
    return Survey(
        tree=tree,
        languages=languages,
        root=root,
        boxes=[(node, node.attributes) for node in found[tags.BOXES]],
        links=links,
        references=[node.attrs.get("src" if node.tag_id in tags.FRAMES else "href") for node in links],
        has_svg=has_svg,
        metas=[(node, node.attributes) for node in found[tags.METAS]],
        bases=[node for node in found[tags.BASES] if languages.of(node) is None],
        titles=found[tags.TITLES],
        headings=found[tags.HEADINGS],
        scripts=found[tags.SCRIPTS],
        noise=found[tags.NOISE],
        maths=found[tags.MATHS],
        codes=found[tags.CODES],
        raised=found[tags.RAISED],
        readings=found[tags.READINGS],
        images=found[tags.IMAGES],
        has_raw_text=bool(found[tags.RAW_TEXTS]),
    )


def _sorted(root: LexborNode) -> tuple[list[LexborNode], ...]:
    """Return the elements of a tree by use."""
    found: tuple[list[LexborNode], ...] = tuple([] for _ in range(tags.USES))
    use_of, boxes = tags.USE_OF.get, tags.BOXES
    for node in root.traverse():
        use = use_of(node.tag_id, boxes)
        if use:
            found[use].append(node)
    return found


class Nearest(Generic[_T]):
    """A lookup of the nearest marked ancestor; results are cached along each path."""

    __slots__ = ("_default", "_known")

    def __init__(self, marked: Mapping[int, _T], default: _T) -> None:
        """`marked` maps elements, by `LexborNode.mem_id`, to values; `default` is for elements outside all of them."""
        self._known = dict(marked)
        self._default = default

    def above(self, node: LexborNode) -> _T:
        """Return the value of the nearest marked ancestor; the element itself does not count."""
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
