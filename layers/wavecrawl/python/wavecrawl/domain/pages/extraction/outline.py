"""The outline of a page: its block elements, in document order, with their amounts of text.

The parser serializes the cleaned body in C, and one split at "<" yields its tags and texts. The serialized form is
strict: every element is closed, and "<" and ">" in texts and attributes are escaped (HTML, section 13.3). This is
several times faster than visiting the nodes of the tree one by one.
"""

import re
from collections.abc import Iterator

from msgspec import Struct
from selectolax.lexbor import LexborNode

from wavecrawl.domain.pages.extraction.survey import Survey
from wavecrawl.domain.pages.extraction.tags import BLOCK_NAMES, IFRAME, INLINE_NAMES

_SPAN = re.compile("<span(?: [^>]*)?>")  # half of the tags of highlighted code, and without meaning here
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_STYLED = '[style*="display:none" i], [style*="display: none" i]'
_UNKNOWN = -1
_LINK, _LINK_END, _BOX, _BOX_END = 1, 2, 3, 4
_USES = (
    dict.fromkeys((*INLINE_NAMES, *(f"/{name}" for name in INLINE_NAMES)), 0)
    | dict.fromkeys(BLOCK_NAMES, _BOX)
    | {f"/{name}": _BOX_END for name in BLOCK_NAMES}
    | {"a": _LINK, "/a": _LINK_END, "": 0, "body": 0, "/body": 0}
)
_MAX_HTML = 20_000_000  # characters that are read; only hostile pages have more


class Box(Struct, gc=False):
    """A block element or custom element. Amounts are characters of text, without surrounding white space."""

    tag: str
    attributes: str  # as serialized
    parent: int  # index of the enclosing box
    begin: int  # token with the start tag
    finish: int = 0  # token with the end tag
    after: int = 0  # index of the first box that is not inside
    own: int = 0  # text outside inner boxes
    own_linked: int = 0  # of it in links
    text: int = 0  # all text
    linked: int = 0  # of it in links
    dropped: bool = False


class Outline(Struct, gc=False):
    """A page in tokens ("tag attributes>text") and boxes; the first box is the body."""

    tokens: list[str]
    boxes: list[Box]
    is_cut: bool = False  # whether the page is longer

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

    def kept(self) -> list[int]:
        """Return all boxes that are neither dropped nor inside a dropped one, in document order."""
        found = []
        boxes = self.boxes
        index = 0
        while index < len(boxes):
            if boxes[index].dropped:
                index = boxes[index].after
            else:
                found.append(index)
                index += 1
        return found

    def count(self) -> list[int]:
        """Sum up the text of all boxes without the dropped ones; return the kept boxes."""
        boxes = self.boxes
        kept = self.kept()
        for index in kept:
            box = boxes[index]
            box.text, box.linked = box.own, box.own_linked
        for index in reversed(kept[1:]):
            box = boxes[index]
            outer = boxes[box.parent]
            outer.text += box.text
            outer.linked += box.linked
        return kept


def outline(page: Survey) -> Outline | None:
    """Return the outline of a page's body, or None if it has none. Removes what is never text from the tree."""
    body = page.tree.body
    if body is None:
        return None  # a frameset
    for node in (*page.scripts, *page.noise, *[node for node in page.links if node.tag_id == IFRAME]):
        node.decompose(recursive=False)
    for node in _hidden_words(page):
        node.decompose(recursive=False)
    html = body.html or ""
    is_cut = len(html) > _MAX_HTML
    html = html[:_MAX_HTML]
    if "<!--" in html:
        html = _COMMENT.sub("", html)
    found = _boxes(_SPAN.sub("", html.replace("</span>", "")).split("<"))
    found.is_cut = is_cut
    return found


def _hidden_words(page: Survey) -> Iterator[LexborNode]:
    """Yield hidden inline elements. Rules decide about hidden boxes."""
    # A search in the bytes is several times faster than a CSS query.
    source = page.tree.raw_html
    before = {piece[-5:] for piece in source.split(b"hidden")[:-1]}
    queries = []
    if b"aria-" in before:
        queries.append('[aria-hidden="true" i]')
    if any(piece.endswith(b" ") for piece in before):
        queries.append('[hidden]:not([hidden="until-found" i])')
    if b"display:none" in source or b"display: none" in source:
        queries.append(_STYLED)
    for query in queries:
        for node in page.root.css(query):
            name = node.tag or ""
            if name not in BLOCK_NAMES and "-" not in name:
                yield node


def _boxes(tokens: list[str]) -> Outline:
    boxes = [Box("body", "", -1, 0)]
    open_boxes = [0]
    current = boxes[0]
    linking = False
    uses = _USES.get
    for position, token in enumerate(tokens):
        tag, _, text = token.partition(">")
        name, _, attributes = tag.partition(" ")
        use = uses(name, _UNKNOWN)
        if use:  # most tags are inline and have no use
            if use == _LINK:
                linking = "href=" in attributes
            elif use == _LINK_END:
                linking = False
            elif use == _BOX or (use == _UNKNOWN and "-" in name and name[0] != "/"):
                current = Box(name, attributes, open_boxes[-1], position)
                open_boxes.append(len(boxes))
                boxes.append(current)
            elif name[1:] == current.tag and len(open_boxes) > 1:
                current.finish, current.after = position, len(boxes)
                open_boxes.pop()
                current = boxes[open_boxes[-1]]
        length = len(text.strip())
        if length:
            current.own += length
            if linking:
                current.own_linked += length
    for index in open_boxes:
        boxes[index].finish, boxes[index].after = len(tokens), len(boxes)
    return Outline(tokens, boxes)
