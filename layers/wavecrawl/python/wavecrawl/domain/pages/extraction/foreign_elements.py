"""Elements of SVG and MathML, which may have the names of HTML elements."""

from selectolax.lexbor import LexborNode

from wavecrawl.domain.pages.extraction.tags import LINK_ELEMENTS, MATH, SVG, A

_WITH_HTML = frozenset(("foreignobject", "desc", "title", "mi", "mo", "mn", "ms", "mtext", "annotation-xml"))
"""Elements of SVG and MathML whose content is HTML (HTML, 13.2.6.5, "integration point")."""


class Languages:
    """A lookup of the language of elements: SVG, MathML or HTML. Results are cached along each path."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[int, int | None] = {}  # of the content of an element, by its `mem_id`

    def of(self, node: LexborNode) -> int | None:
        """Return the tag id of `svg` or `math` if an element inside one is of that language, None if it is of HTML."""
        known, passed = self._known, []
        language = None
        ancestor = node.parent
        while ancestor is not None:
            address = ancestor.mem_id
            if address in known:
                language = known[address]
                break
            passed.append(address)
            tag = ancestor.tag_id
            if tag in (SVG, MATH):
                language = tag
                break
            if (ancestor.tag or "").lower() in _WITH_HTML:
                break
            ancestor = ancestor.parent
        for address in passed:
            known[address] = language
        return language


def links_with_foreign(
    root: LexborNode, links: list[LexborNode], languages: Languages, *, has_math: bool
) -> list[LexborNode]:
    """Return the links of a page with SVG or MathML, in document order.

    Of SVG, `<a>` is a link (SVG 2, 16.2). Of MathML, each element with `href` is one (MathML 3, 2.1.6).
    """
    if not has_math:
        return [node for node in links if node.tag_id == A or languages.of(node) is None]
    found = dict[int, LexborNode]()
    for node in root.css("a, area, frame, iframe, link, math[href], math [href]"):
        language = MATH if node.tag_id == MATH else languages.of(node)
        is_link = node.tag_id in LINK_ELEMENTS if language is None else language == MATH or node.tag_id == A
        if is_link:
            found[node.mem_id] = node
    return list(found.values())
