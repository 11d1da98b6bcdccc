"""The main text of a page: its content without noise.

The content is <main> (or role=main), else the page's only <article>, else <body>. Three kinds of noise are removed:

- elements that are never text: scripts, styles, templates, form controls, SVG, frames;
- elements marked as not content: nav, aside, header and footer of the page, their ARIA roles, hidden elements;
- elements whose class or id suggests noise, such as a sidebar, a menu or a cookie bar. This is a guess. It never
  removes an element that contains an <h1>, an <article> or the content itself. If less than a tenth of the words would
  remain, no guess is applied.

Removal changes the tree, so read links and facts first.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from selectolax.lexbor import LexborNode

from wavecrawl.domain.pages.extraction.regions import Landmark, role_of
from wavecrawl.domain.pages.extraction.survey import Attributes, Nearest, Survey
from wavecrawl.domain.pages.extraction.tags import ARTICLE, HEADER_OR_FOOTER, IFRAME, LEVEL_OF, MAIN
from wavecrawl.domain.pages.page import Region

_NOISE_REGIONS = frozenset((Region.NAV, Region.ASIDE, Region.HEADER, Region.FOOTER))
_LEAST_LEFT = 0.1  # of the words; if less is left, the guesses were wrong
# Whole words of a class or id. "widget" counts only at the start, as page builders wrap all content in
# "...-widget-...". A class such as "has-sidebar" is about the children of the element.
_GUESS = re.compile(
    r"(?!(?:has|with|without|no|is|show|hide|toggle|open)[-_])(?:"
    r"(?:[a-z0-9]+[-_]+)*(?:[a-z]*sidebar|cookies?|cookie-?(?:bar|banner|consent|notice|law)|consent|breadcrumbs?|menu)"
    r"(?:[-_]+(?!open|visible|active)[a-z0-9]+)*"
    r"|widgets?(?:[-_][a-z0-9_-]*)?"
    r")",
    re.ASCII,
)
_TEXT_LIMIT = 5_000_000  # characters of the main text; its words need ten times as much memory
_NAME_LENGTH = 100  # characters; longer class names and ids are ignored


def main_words(page: Survey, marks: list[Landmark]) -> list[str]:
    """Return the words of the page's main text, given its landmarks. Removes the noise from the tree."""
    body = page.tree.body
    if body is None:
        return []  # a frameset
    content = _content(page, marks) or body
    sheltered = _with_ancestors(content)
    for node in _certain_noise(page, marks):
        if node.mem_id not in sheltered:
            node.decompose(recursive=False)
    for node in _guessed_noise(page, content, sheltered):
        node.decompose(recursive=False)
    words = _words(content)
    if words or content.mem_id == body.mem_id:
        return words
    return _words(body)  # <main> is empty: a script would fill it


def _words(node: LexborNode) -> list[str]:
    return node.text_lexbor()[:_TEXT_LIMIT].split()


def _content(page: Survey, marks: list[Landmark]) -> LexborNode | None:
    candidates = [(mark.node, mark.attributes) for mark in marks if mark.region is Region.MAIN]
    if not candidates:
        articles = [box for box in page.boxes if box[0].tag_id == ARTICLE]
        candidates = articles if len(articles) == 1 else []
    return next((node for node, attributes in candidates if not _hidden(attributes)), None)


def _with_ancestors(node: LexborNode) -> set[int]:
    addresses = set[int]()
    ancestor: LexborNode | None = node
    while ancestor is not None:
        addresses.add(ancestor.mem_id)
        ancestor = ancestor.parent
    return addresses


def _certain_noise(page: Survey, marks: list[Landmark]) -> Iterator[LexborNode]:
    """Yield elements that are never text or are marked as not content."""
    yield from page.scripts
    yield from page.noise
    yield from [node for node in page.links if node.tag_id == IFRAME]
    yield from _marked_noise(page, marks)
    yield from [node for node, attributes in page.boxes if _hidden(attributes)]
    # A search in the bytes is several times faster than a CSS query.
    before = {piece[-5:] for piece in page.tree.raw_html.split(b"hidden")[:-1]}
    if b"aria-" in before:
        yield from page.root.css('[aria-hidden="true" i]')
    if any(piece.endswith(b" ") for piece in before):
        yield from [node for node in page.root.css("[hidden]") if _hidden(node.attributes)]


def _hidden(attributes: Attributes) -> bool:
    """Return whether an element is hidden (HTML 6.1; WAI-ARIA aria-hidden); `until-found` is not hidden."""
    if "aria-hidden" in attributes and (attributes["aria-hidden"] or "").lower() == "true":
        return True
    return "hidden" in attributes and (attributes["hidden"] or "").lower() != "until-found"


def _marked_noise(page: Survey, marks: list[Landmark]) -> list[LexborNode]:
    """Return elements that a landmark or role=search marks as not content."""
    noise = [node for node, attributes in page.boxes if "role" in attributes and role_of(attributes) == "search"]
    parts = {mark.node.mem_id: True for mark in marks if mark.region is Region.MAIN}
    parts |= {node.mem_id: True for node, _ in page.boxes if node.tag_id == ARTICLE}
    within = Nearest(parts, default=False)
    for mark in marks:
        # The header of an article or of <main> is content, as it has the heading.
        inner = mark.node.tag_id in HEADER_OR_FOOTER and within.above(mark.node)
        if mark.region in _NOISE_REGIONS and not inner:
            noise.append(mark.node)
    return noise


def _guessed_noise(page: Survey, content: LexborNode, sheltered: set[int]) -> list[LexborNode]:
    """Return the outermost elements of the content that look like noise; [] if too little text would be left."""
    suspects = [node for node, attributes in page.boxes if _suspicious(attributes) and node.tag_id != MAIN]
    inside = Nearest({content.mem_id: True}, default=False)
    suspects = [node for node in suspects if inside.above(node)]
    if not suspects:
        return []
    safe = set(sheltered)
    for node, _ in page.boxes:
        if node.tag_id == ARTICLE:
            safe |= _with_ancestors(node)
    for node in page.headings:
        if LEVEL_OF[node.tag_id] == 1:
            safe |= _with_ancestors(node)
    suspects = [node for node in suspects if node.mem_id not in safe]
    nested = Nearest({node.mem_id: True for node in suspects}, default=False)
    outermost = [node for node in suspects if not nested.above(node)]
    if not outermost:
        return []
    every = len(_words(content))
    cut = sum(len(_words(node)) for node in outermost)
    return outermost if every - cut >= _LEAST_LEFT * every else []


def _suspicious(attributes: Attributes) -> bool:
    names = attributes.get("class")
    if names and _suggests_noise(names):
        return True
    name = attributes.get("id")
    return bool(name) and _suggests_noise(name or "")


@lru_cache(maxsize=4_096)
def _suggests_noise(names: str) -> bool:
    return any(len(name) <= _NAME_LENGTH and _GUESS.fullmatch(name) for name in names.lower().split())
