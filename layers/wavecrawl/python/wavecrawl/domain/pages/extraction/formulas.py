"""Formulas of a page, each written once into its tree as `<math>` with TeX as its only text.

Programs that typeset mathematics leave several copies of a formula in the page: for eyes, for screen readers, and the
source. KaTeX, MathJax 2 to 4, MediaWiki, LaTeXML, Sphinx, Pandoc and others are read.
"""

import re
from collections.abc import Iterator

from msgspec import Struct
from selectolax.lexbor import LexborNode

from wavecrawl.domain.pages.extraction.mathematics import clean_tex, delimited_tex, tex_of
from wavecrawl.domain.pages.extraction.nesting import ancestors, previous_of
from wavecrawl.domain.pages.extraction.survey import Survey
from wavecrawl.domain.pages.extraction.tags import MATH

_AROUND = 8  # elements around a formula that can be a copy of it
_WRAPPER = re.compile(r"(?:^| )(?:katex(?:-display|-block)?|mwe-math-element\S*|MathJax\S*|MJX\S*|mjx-chtml)(?= |$)")
_TYPESET = re.compile("MathJax|MJX|mjx")
_DISPLAYED = re.compile(r"katex-(?:display|block)|MathJax_(?:SVG_)?Display|mwe-math-\S*(?:display|block)")
_FORMULA_IMAGES = frozenset("mwe-math-fallback-image-inline mwe-math-fallback-image-display tex latex math".split())
_DELIMITED = ".math, .arithmatex, .math-container"


class _Formula(Struct, gc=False):
    """A formula and the node that it replaces."""

    node: LexborNode
    tex: str
    displayed: bool


def write_formulas(page: Survey) -> list[LexborNode]:
    """Insert each formula before its copies; return the copies, which are to be removed."""
    copies: dict[int, LexborNode] = {}
    for formula in _formulas(page, copies):
        copies[formula.node.mem_id] = formula.node
        if formula.tex:
            written = page.tree.create_node("math")
            written.insert_child(formula.tex)
            if formula.displayed:
                written.attrs["display"] = "block"
            formula.node.insert_before(written)
    return list(copies.values())


def _formulas(page: Survey, copies: dict[int, LexborNode]) -> Iterator[_Formula]:
    """Yield the formulas outside `copies`, to which the caller adds the node of each."""
    for script in page.scripts:
        kind = script.attributes.get("type") or ""
        if kind.startswith("math/tex"):
            for copy in _copies_before(script):
                copies[copy.mem_id] = copy
            yield _Formula(script, clean_tex(script.text()), "display" in kind)
    for node in (*page.maths, *page.images):
        if _is_copied(node, copies):  # such as mathematics inside another formula, which is converted with that
            continue
        tex = tex_of(node) if node.tag_id == MATH else _tex_of_image(node)
        outer = _outermost(node) if tex or node.tag_id == MATH else node
        if (tex or node.tag_id == MATH) and not _is_copied(outer, copies):
            yield _Formula(outer, tex, _is_displayed(node) or _is_displayed(outer))
    yield from _containers(page, copies)
    source = page.tree.raw_html
    if (b"\\" in source or b"$" in source) and (b"math" in source or b"arithmatex" in source):
        yield from _delimited(page, copies)


def _containers(page: Survey, copies: dict[int, LexborNode]) -> Iterator[_Formula]:
    """Yield the formulas that MathJax 4 has typeset without MathML for screen readers."""
    for node, attributes in page.boxes:
        if "jax" in attributes and not _is_copied(node, copies):
            inner = node.css_first("[data-latex]")
            if inner is not None and node.css_first("math") is None:
                yield _Formula(node, clean_tex(inner.attributes.get("data-latex") or ""), _is_displayed(node))


def _delimited(page: Survey, copies: dict[int, LexborNode]) -> Iterator[_Formula]:
    """Yield the formulas that are still to be typeset."""
    for node in page.root.css(_DELIMITED):
        inner = node.first_child
        is_text = inner is not None and inner.next is None and inner.is_text_node
        found = delimited_tex(inner.text()) if inner is not None and is_text else None
        if found and not _is_copied(node, copies):
            tex, displayed = found
            yield _Formula(node, tex, displayed or node.tag == "div")


def _tex_of_image(image: LexborNode) -> str:
    attributes = image.attributes
    names = attributes.get("class")
    if not names or not attributes.get("alt") or _FORMULA_IMAGES.isdisjoint(names.split()):
        return ""
    return clean_tex(attributes["alt"] or "")


def _copies_before(script: LexborNode) -> Iterator[LexborNode]:
    """Yield what MathJax 2 has typeset of a formula, before the element with its source."""
    before = previous_of(script.prev)
    while before is not None and _TYPESET.search(before.attributes.get("class") or ""):
        yield before
        before = previous_of(before.prev)


def _outermost(node: LexborNode) -> LexborNode:
    """Return the outermost element around a formula that has nothing but its copies."""
    found = node
    for outer in ancestors(node, _AROUND):
        if outer.tag == "mjx-container" or _WRAPPER.search(outer.attributes.get("class") or ""):
            found = outer
    return found


def _is_copied(node: LexborNode, copies: dict[int, LexborNode]) -> bool:
    """Return whether a node is one of the copies or inside one."""
    return bool(copies) and (node.mem_id in copies or any(outer.mem_id in copies for outer in ancestors(node)))


def _is_displayed(node: LexborNode) -> bool:
    attributes = node.attributes
    return attributes.get("display") in ("block", "true") or bool(_DISPLAYED.search(attributes.get("class") or ""))
