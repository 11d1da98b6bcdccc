"""The main text of a page: what is left of its content when the noise is cut (spec [9]).

The content is <main> (or role=main), else the page's only <article>, else <body>. Three kinds of noise are cut:

- what is never text: scripts, styles, templates, form controls, drawings, frames;
- what its author marks as no content: nav, aside, header and footer of the page, their ARIA roles, hidden elements;
- what its class or id *suggests* is no content, such as a sidebar, a menu or a cookie bar. That is a guess: it never
  takes an element that holds a heading of level 1 or the content itself, and all guesses are dropped together where
  they would leave less than a tenth of the words.

Cutting changes the tree: read links and facts first.
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
_LEAST_LEFT = 0.1  # of the words; below, the guesses were wrong
# Whole words of a class or id. A widget only where the name begins with it: page builders wrap all content in
# "...-widget-...". A layout's "has-sidebar" tells about its children, not about itself.
_GUESS = re.compile(
    r"(?!(?:has|with|without|no|is|show|hide|toggle|open)[-_])(?:"
    r"(?:[a-z0-9]+[-_]+)*(?:[a-z]*sidebar|cookies?|cookie-?(?:bar|banner|consent|notice|law)|consent|breadcrumbs?|menu)"
    r"(?:[-_]+(?!open|visible|active)[a-z0-9]+)*"
    r"|widgets?(?:[-_][a-z0-9_-]*)?"
    r")",
    re.ASCII,
)
_TEXT_LIMIT = 5_000_000  # characters of the main text: its words take ten times as much memory
_NAME_LENGTH = 100  # characters; longer class names and ids are no words


def main_words(page: Survey, marks: list[Landmark]) -> list[str]:
    """Return the words of the page's main text, given its landmarks. Cuts the noise from the tree."""
    body = page.tree.body
    if body is None:
        return []  # a frameset
    content = _content(page, marks) or body
    sheltered = _with_ancestors(content)
    for node in _certain_noise(page, marks):
        if node.mem_id not in sheltered:
            node.decompose(recursive=False)  # unlinks it; taking its children apart too would be work for nothing
    for node in _guessed_noise(page, content, sheltered):
        node.decompose(recursive=False)
    words = _words(content)
    if words or content.mem_id == body.mem_id:
        return words
    return _words(body)  # an empty <main>, which a script would fill


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
    """Yield what is never text, and what its author marks as no content. Decides before anything is cut."""
    yield from page.scripts
    yield from page.noise
    yield from [node for node in page.links if node.tag_id == IFRAME]
    yield from _marked_noise(page, marks)
    yield from [node for node, attributes in page.boxes if _hidden(attributes)]
    # Looking into the bytes is several times cheaper than a query, and looking once half as dear as looking twice.
    before = {piece[-5:] for piece in page.tree.raw_html.split(b"hidden")[:-1]}
    if b"aria-" in before:
        yield from page.root.css('[aria-hidden="true" i]')
    if any(piece.endswith(b" ") for piece in before):
        yield from [node for node in page.root.css("[hidden]") if _hidden(node.attributes)]


def _hidden(attributes: Attributes) -> bool:
    """Tell whether an element is hidden (HTML 6.1; WAI-ARIA aria-hidden). `until-found` may be searched, so counts."""
    if "aria-hidden" in attributes and (attributes["aria-hidden"] or "").lower() == "true":
        return True
    return "hidden" in attributes and (attributes["hidden"] or "").lower() != "until-found"


def _marked_noise(page: Survey, marks: list[Landmark]) -> list[LexborNode]:
    """Return what a landmark or role=search says is no content."""
    noise = [node for node, attributes in page.boxes if "role" in attributes and role_of(attributes) == "search"]
    parts = {mark.node.mem_id: True for mark in marks if mark.region is Region.MAIN}
    parts |= {node.mem_id: True for node, _ in page.boxes if node.tag_id == ARTICLE}
    within = Nearest(parts, default=False)
    for mark in marks:
        # The header of an article or of <main> is content: its heading stands there.
        inner = mark.node.tag_id in HEADER_OR_FOOTER and within.above(mark.node)
        if mark.region in _NOISE_REGIONS and not inner:
            noise.append(mark.node)
    return noise


def _guessed_noise(page: Survey, content: LexborNode, sheltered: set[int]) -> list[LexborNode]:
    """Return the outermost elements of the content that look like noise; none where too little would be left."""
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
