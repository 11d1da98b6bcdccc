"""The outline of a page: its block elements, in document order, with their amounts of text.

The parser serializes the cleaned body in C, and one split yields its tags and texts. The serialized form is strict:
every element is closed, and "<" and ">" in texts and attributes are escaped (HTML, section 13.3). This is several times
faster than visiting the nodes of the tree one by one.
"""

import re
from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from itertools import accumulate

from msgspec import Struct
from selectolax.lexbor import LexborNode

from wavecrawl.domain.pages.extraction.code_listings import clean_listings
from wavecrawl.domain.pages.extraction.footnotes import mark_footnotes
from wavecrawl.domain.pages.extraction.formulas import write_formulas
from wavecrawl.domain.pages.extraction.serialized_tags import BOX, BOX_END, LINK, LINK_END, Tag, tags_and_texts
from wavecrawl.domain.pages.extraction.style_sheets import block_selector
from wavecrawl.domain.pages.extraction.survey import Survey
from wavecrawl.domain.pages.extraction.tags import (
    BLOCK_NAMES,
    BUTTON,
    IFRAME,
    INPUT,
    LEVEL_OF,
    NOSCRIPT,
)
from wavecrawl.domain.pages.extraction.tasks import is_task
from wavecrawl.domain.pages.extraction.word_boundaries import part_words

_SPAN = re.compile("<span(?: [^>]*)?>")  # half of the tags of highlighted code, and without meaning here
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_STYLED = '[style*="display:none" i], [style*="display: none" i]'
_LEAST_FALLBACK = 200  # characters of a `<noscript>` that may be the content; shorter ones are messages and images
_LONGEST_REQUEST = 2_000  # characters, with white space, of a request to enable JavaScript
_MAX_HTML = 20_000_000  # characters that are read; only hostile pages have more


class Box(Struct, gc=False):
    """A block element or custom element. Amounts are characters of text, without surrounding white space."""

    tag: str
    attributes: str  # as serialized
    parent: int  # index of the enclosing box
    begin: int  # index of the start tag
    finish: int = 0  # index of the end tag
    after: int = 0  # index of the first box that is not inside
    own: int = 0  # text outside inner boxes
    own_linked: int = 0  # of it in links
    text: int = 0  # all text
    linked: int = 0  # of it in links
    dropped: bool = False


class Outline(Struct, gc=False):
    """A page in tags, with the text after each, and boxes; the first box is the body."""

    tags: list[Tag]
    texts: list[str]  # serialized
    boxes: list[Box]
    is_cut: bool = False  # whether the page is longer
    has_notes: bool = False  # whether it has footnotes with references
    source: bytes = b""  # the page as it was sent
    controlled: frozenset[bytes] | None = None  # ids of what buttons show; None = not looked for yet
    has_posts: bool = False  # whether it has posts, of a forum or of questions and answers

    def inside(self, index: int) -> list[int]:
        """Return the boxes directly inside a box that are not dropped."""
        found = []
        boxes = self.boxes
        inner, after = index + 1, boxes[index].after
        while inner < after:
            if not boxes[inner].dropped:
                found.append(inner)
            inner = boxes[inner].after
        return found

    def without(self, dropped: list[int]) -> list[int]:
        """Take the text of dropped boxes from those around them; return the other boxes, in document order.

        `dropped`: indices of boxes that are not inside each other, in document order.
        """
        boxes = self.boxes
        lost: dict[int, tuple[int, int]] = {}  # by box: the text inside it that is dropped, and of it in links
        kept: list[int] = []
        begin = 0
        for index in dropped:
            box = boxes[index]
            text, linked = lost.get(box.parent, (0, 0))
            lost[box.parent] = text + box.text, linked + box.linked
            kept += range(begin, index)
            begin = box.after
        kept += range(begin, len(boxes))
        inner_first = [-index for index in lost]
        heapify(inner_first)
        while inner_first:
            index = -heappop(inner_first)
            box = boxes[index]
            box.text -= lost[index][0]
            box.linked -= lost[index][1]
            if index:
                if box.parent not in lost:
                    heappush(inner_first, -box.parent)
                text, linked = lost.get(box.parent, (0, 0))
                lost[box.parent] = text + lost[index][0], linked + lost[index][1]
        return kept


def outline(page: Survey) -> Outline | None:
    """Return the outline of a page's body, or None if it has none. Removes what is never text from the tree."""
    body = page.tree.body
    if body is None:
        return None  # a frameset
    styled = block_selector(page)
    names = " ".join({attributes.get("class") or "" for _, attributes in page.boxes})
    has_notes = mark_footnotes(page, names)
    fallback = _scriptless_content(page)
    copies = {node.mem_id: node for node in write_formulas(page)}
    for node in (*page.scripts, *page.noise, *[node for node in page.links if node.tag_id == IFRAME]):
        if node is not fallback and not _is_read(node):
            copies.pop(node.mem_id, None)
            node.decompose(recursive=False)
    for node in copies.values():
        node.decompose(recursive=False)
    if fallback is not None and 2 * _size(fallback) < _size(body):
        fallback.decompose(recursive=False)
    for node in _hidden_words(page):
        node.decompose(recursive=False)
    clean_listings(page, names)
    part_words(page, styled)
    html = body.html or ""
    is_cut = len(html) > _MAX_HTML
    if is_cut:
        html = f"{html[:_MAX_HTML]}</body>"
    if "!--" in html:  # without the common first character, the search is several times faster
        html = _COMMENT.sub("", html)
    html = _SPAN.sub("", html.replace("</span>", ""))
    found = _boxes(*tags_and_texts(html, is_escaped=not page.has_raw_text))
    found.is_cut, found.has_notes = is_cut, has_notes
    found.source = page.tree.raw_html
    return found


def _scriptless_content(page: Survey) -> LexborNode | None:
    """Return the longest `<noscript>` with the text that scripts show otherwise, or None.

    Discourse and Flarum write whole discussions into one, for search engines. Most others ask to enable JavaScript.
    """
    found, most = None, _LEAST_FALLBACK
    for node in page.noise:
        if node.tag_id == NOSCRIPT:
            text = node.text_lexbor() or ""
            if len(text) > most and (len(text) > _LONGEST_REQUEST or "javascript" not in text.lower()):
                found, most = node, len(text)
    return found


def _is_read(node: LexborNode) -> bool:
    """Return whether a form control is part of the text."""
    return (node.tag_id == BUTTON and _is_question(node)) or (node.tag_id == INPUT and is_task(node))


def _is_question(button: LexborNode) -> bool:
    """Return whether a button is the heading of a text that it shows (ARIA Authoring Practices, accordion)."""
    outer = button.parent
    return outer is not None and outer.tag_id in LEVEL_OF and "aria-expanded" in button.attrs


def _size(node: LexborNode) -> int:
    return len("".join((node.text_lexbor() or "").split()))


def _hidden_words(page: Survey) -> Iterator[LexborNode]:
    """Yield hidden inline elements. Rules decide about hidden boxes."""
    # A search in the bytes is several times faster than a CSS query.
    source = page.tree.raw_html
    queries = []
    if b"aria-hidden" in source:
        queries.append('[aria-hidden="true" i]')
    if b" hidden" in source:
        queries.append('[hidden]:not([hidden="until-found" i])')
    if b"mw-editsection" in source:
        queries.append(".mw-editsection")
    if b"display:none" in source or b"display: none" in source:
        queries.append(_STYLED)
    for query in queries:
        for node in page.root.css(query):
            name = node.tag or ""
            if name not in BLOCK_NAMES and "-" not in name:
                yield node


def _boxes(tags: list[Tag], texts: list[str]) -> Outline:
    lengths = list(accumulate(map(len, map(str.strip, texts)), initial=0))  # of the texts before each tag
    current = Box("body", "", -1, 0)
    boxes = [current]
    open_boxes = [0]
    linking = False
    counted = linked = 0  # characters so far
    for position, tag in enumerate(tags):
        use = tag.use
        if not use:
            continue  # most tags are inline
        here = lengths[position]
        if here > counted:
            current.own += here - counted
            if linking:
                current.own_linked += here - counted
                linked += here - counted
            counted = here
        if use == LINK:
            linking = True
        elif use == LINK_END:
            linking = False
        elif use == BOX:
            current = Box(tag.name, tag.attributes, open_boxes[-1], position)
            current.text, current.linked = counted, linked  # before it
            open_boxes.append(len(boxes))
            boxes.append(current)
        elif use == BOX_END and tag.name[1:] == current.tag and len(open_boxes) > 1:
            current.finish, current.after = position, len(boxes)
            current.text, current.linked = counted - current.text, linked - current.linked
            open_boxes.pop()
            current = boxes[open_boxes[-1]]
    for index in open_boxes:
        box = boxes[index]
        box.finish, box.after = len(tags), len(boxes)
        box.text, box.linked = counted - box.text, linked - box.linked
    return Outline(tags, texts, boxes)
