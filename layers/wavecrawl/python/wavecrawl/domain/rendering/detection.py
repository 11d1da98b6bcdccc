"""Detection of shells: HTML with little content of its own, which JavaScript fills in a browser.

The rules are generous: a page that a server rendered may be found too, as its HTML does not show what its scripts add.
`domain.rendering.learning` then learns where rendering adds nothing.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from msgspec import Struct
from selectolax.lexbor import LexborNode

from wavecrawl.domain.counts import counted
from wavecrawl.domain.pages.extraction import tags
from wavecrawl.domain.pages.extraction.survey import Attributes, Survey
from wavecrawl.domain.rendering.settings import DetectSettings

_FIRST_BOXES = 20  # of a page; the root of an application is one of the first
_LITTLE_TEXT = 300  # characters; a page with less may only say that it is loading
_FEW_LINKS = 10  # a page with more says more than that, and need not be read
_NO_CONTENT = tags.tag_ids("script noscript style link meta template title base")
_NO_TEXT = tags.tag_ids("script style template title")
_SHOWN = "img, picture, svg, canvas, video, audio, iframe, object, embed, input, button, select, textarea"
_UNSHOWN_TEXT = _NO_TEXT | {tags.NOSCRIPT}


class _Roots(Struct, frozen=True, gc=False):
    """The roots of applications, by what names them."""

    ids: frozenset[str]
    tags: frozenset[str]
    attributes: frozenset[str]


def shell_evidence(page: Survey, *, size: int, detect: DetectSettings) -> str:
    """Return in one line why a page is taken for a shell; "" if it is none.

    `size`: characters of its HTML. The tree must be complete. A page without scripts is no shell.
    """
    scripts, body = len(page.scripts), page.tree.body
    if not scripts or body is None:
        return ""
    if size < detect.min_html:
        return f"{size} characters of HTML with {counted(scripts, 'script')}"
    children = _content_children(body, detect.min_children)
    if (children < detect.min_children or scripts > detect.max_scripts) and (root := _root(page, body, detect.roots)):
        if children < detect.min_children:
            return f"{root}, {counted(children, 'element')} in the body"
        text = sum(map(len, _texts(body)))
        if text < scripts * detect.min_script_characters:
            return f"{root}, {counted(scripts, 'script')}, {text} characters of text"
    return "" if _has_many_links(page) else _loading(body, detect.loading)


def unfilled(page: Survey, detect: DetectSettings) -> str:
    """Return in one line what a rendered page still lacks; "" if scripts have filled it."""
    body = page.tree.body
    if body is None:  # a document of frames
        return ""
    length = 0
    for text in _texts(body, _UNSHOWN_TEXT):
        length += len(text)
        if length > _LITTLE_TEXT:
            return ""
    if not length and body.css_first(f"{_SHOWN}, a[href]") is None:
        return "the page is empty after its scripts ran"
    roots = [node for selector in detect.roots if selector[:1] == "#" for node in body.css(f'[id="{selector[1:]}"]')]
    if roots and not any(map(_is_filled, roots)):
        return f"#{roots[0].attributes['id']} is empty after the scripts of the page ran"
    return ""


def _is_filled(root: LexborNode) -> bool:
    return bool((root.text() or "").strip()) or root.css_first(f"{_SHOWN}, a[href]") is not None


def _has_many_links(page: Survey) -> bool:
    links = (node for node in page.links if node.tag_id == tags.A)
    return len(list(islice(links, _FEW_LINKS + 1))) > _FEW_LINKS


def _loading(body: LexborNode, words: tuple[str, ...]) -> str:
    """Return the evidence of a page with almost no text: it has none, or says that it is loading."""
    texts: list[str] = []
    length = 0
    for text in _texts(body):
        texts.append(text)
        length += len(text)
        if length > _LITTLE_TEXT:
            return ""
    if not texts:
        return "no text"
    found = " ".join(texts).lower()
    word = next((word for word in words if word.lower() in found), "")
    return f"{length} characters of text with {word!r}" if word else ""


def _texts(body: LexborNode, without: frozenset[int] = _NO_TEXT) -> Iterator[str]:
    """Yield the pieces of text, without white space around them, and not those of the elements `without`."""
    for node in body.traverse(include_text=True):
        if node.is_text_node and (text := (node.text_content or "").strip()):
            parent = node.parent
            if parent is None or parent.tag_id not in without:
                yield text


def _content_children(body: LexborNode, most: int) -> int:
    """Return the number of the body's child elements that can show something, counted up to `most`."""
    count, child = 0, body.child
    while child is not None and count < most:
        count += child.is_element_node and child.tag_id not in _NO_CONTENT
        child = child.next
    return count


def _root(page: Survey, body: LexborNode, selectors: tuple[str, ...]) -> str:
    """Return the root of an application as a selector: of the page's first boxes, its body or <html>; "" if none is."""
    roots = _roots_of(selectors)
    for node, attributes in page.boxes[:_FIRST_BOXES]:
        if node.tag in roots.tags:
            return str(node.tag)
        if found := _marked(attributes, roots):
            return found
    return _marked(body.attributes, roots) or _marked(page.root.attributes, roots)


def _marked(attributes: Attributes, roots: _Roots) -> str:
    if attributes.get("id") in roots.ids:
        return f"#{attributes['id']}"
    if not roots.attributes.isdisjoint(attributes):
        return f"[{next(name for name in attributes if name in roots.attributes)}]"
    return ""


@lru_cache(maxsize=8)
def _roots_of(selectors: tuple[str, ...]) -> _Roots:
    return _Roots(
        ids=frozenset(one[1:] for one in selectors if one.startswith("#")),
        tags=frozenset(one.lower() for one in selectors if one[:1] not in "#["),
        attributes=frozenset(one[1:-1].lower() for one in selectors if one.startswith("[")),
    )
