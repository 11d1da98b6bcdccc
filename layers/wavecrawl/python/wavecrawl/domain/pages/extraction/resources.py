"""The resources that a page loads, such as images and scripts, and what an archive stores, not resolved."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from wavecrawl.domain.checks.kinds import CheckKind
from wavecrawl.domain.pages.css_urls import CssUse, used_urls
from wavecrawl.domain.pages.extraction.archived import archived_of
from wavecrawl.domain.pages.extraction.media import ALT_LIMIT, OUTER, media_of
from wavecrawl.domain.pages.extraction.srcset import all_candidates
from wavecrawl.domain.pages.extraction.texts import folded
from wavecrawl.domain.pages.page import MediaSearch, RawMedia, RawResource

RESOURCE_RULES: Final = 2
"""Version of the rules below. Raise it if pages have other resources: those of unchanged pages are then read again."""

_LOADED: Final = (
    (CheckKind.SCRIPT, "script[src]", "src"),
    # Browsers load alternative stylesheets, but no disabled ones (HTML, link type "stylesheet").
    (CheckKind.STYLESHEET, "link[rel~='stylesheet' i][href]:not([disabled])", "href"),
)
_OTHERS: Final = (
    "img, source, video, audio, track[src], object[data], embed[src], input[type='image' i], image, use, "
    "link:is([rel~='icon' i], [rel~='apple-touch-icon' i], [rel~='apple-touch-icon-precomposed' i], "
    "[rel~='mask-icon' i], [rel~='manifest' i], [rel~='preload' i], [rel~='modulepreload' i]), "
    "[background], style, [style*='url(' i]"
)
_PRELOADED: Final = {
    "image": CheckKind.IMAGE,
    "script": CheckKind.SCRIPT,
    "style": CheckKind.STYLESHEET,
    "fetch": CheckKind.RESOURCE,
    "font": CheckKind.RESOURCE,
    "track": CheckKind.RESOURCE,
}
_CSS: Final = {
    CssUse.IMPORT: CheckKind.STYLESHEET,
    CssUse.IMAGE: CheckKind.IMAGE,
    CssUse.FONT: CheckKind.RESOURCE,
}


def media_and_resources(
    tree: LexborHTMLParser, search: MediaSearch, *, most: int
) -> tuple[tuple[RawMedia, ...] | None, tuple[RawResource, ...] | None]:
    """Return the first `most` media, and the first `most` resources of a page; None for what is not searched."""
    media: tuple[RawMedia, ...] | None = None
    if search.media or search.archived:
        found = media_of(tree, image_width=search.image_width, most=most) if search.media else ()
        media = (*found, *(archived_of(tree, most=most) if search.archived else ()))
    return media, _resources(tree, most) if search.resources else None


def resources_of_css(css: str, *, most: int) -> tuple[RawResource, ...]:
    """Return the first `most` resources that a style sheet loads."""
    found: dict[str, RawResource] = {}
    for use, url in used_urls(css):
        found.setdefault(url, RawResource(url=url, kind=_CSS[use]))
        if len(found) >= most:
            break
    return tuple(found.values())


def _resources(tree: LexborHTMLParser, most: int) -> tuple[RawResource, ...]:
    found: dict[str, RawResource] = {}
    for one in (*_loaded(tree), *_others(tree)):
        if one.url and one.url[:5].lower() != "data:":
            found.setdefault(one.url, one)
        if len(found) >= most:
            break
    return tuple(found.values())


def _loaded(tree: LexborHTMLParser) -> Iterator[RawResource]:
    for kind, selector, attribute in _LOADED:
        for node in tree.css(selector):
            yield RawResource(url=_value(node, attribute), kind=kind)


def _others(tree: LexborHTMLParser) -> Iterator[RawResource]:
    """Yield what is neither a script nor a stylesheet of its own element, in document order.

    Which candidate of an image a browser loads depends on its window and display (HTML, section 4.8.4.3), so all of
    them are resources. So are those that scripts load when the page is scrolled (`data-src`).
    """
    before = 0
    for node in tree.css(_OTHERS):
        if node.mem_id == before:
            continue  # it matches two selectors
        before = node.mem_id
        tag = node.tag or ""
        yield from _READERS.get(tag, _nothing)(node)
        yield RawResource(url=_value(node, "background"), kind=CheckKind.IMAGE)
        for use, url in used_urls((node.text(deep=False) if tag == "style" else node.attributes.get("style")) or ""):
            yield RawResource(url=url, kind=_CSS[use])


def _image(node: LexborNode) -> Iterator[RawResource]:
    text = folded(node.attributes.get("alt"), ALT_LIMIT)
    for prefix in ("", "data-"):
        for url in (_value(node, f"{prefix}src"), *all_candidates(node.attributes.get(f"{prefix}srcset") or "")):
            yield RawResource(url=url, kind=CheckKind.IMAGE, text=text)


def _source(node: LexborNode) -> Iterator[RawResource]:
    """Yield the candidates of a source of a picture, or the file of one of a video or sound (HTML, section 4.8.2)."""
    parent = node.parent.tag if node.parent else None
    if parent == "picture":
        yield from _images(*(node.attributes.get(name) for name in ("srcset", "data-srcset")))
    elif parent in ("video", "audio"):
        yield from _file(node)


def _video(node: LexborNode) -> Iterator[RawResource]:
    yield RawResource(url=_value(node, "poster"), kind=CheckKind.IMAGE)
    yield from _file(node)


def _file(node: LexborNode) -> Iterator[RawResource]:
    yield RawResource(url=_value(node, "data" if node.tag == "object" else "src"), kind=CheckKind.RESOURCE)


def _button(node: LexborNode) -> Iterator[RawResource]:
    text = folded(node.attributes.get("alt"), ALT_LIMIT)
    yield RawResource(url=_value(node, "src"), kind=CheckKind.IMAGE, text=text)


def _drawn(node: LexborNode) -> Iterator[RawResource]:
    """Yield what an image or a use element of a drawing shows, unless it is an element of the page (`#id`)."""
    url = _value(node, "href") or _value(node, "xlink:href")
    if url[:1] != "#":
        yield RawResource(url=url, kind=CheckKind.IMAGE)


def _link(node: LexborNode) -> Iterator[RawResource]:
    """Yield an icon, a manifest, or what a page preloads: nothing without a known `as` (HTML, link type "preload")."""
    relations = (node.attributes.get("rel") or "").lower().split()
    kind: CheckKind | None = CheckKind.IMAGE
    if "modulepreload" in relations:
        kind = CheckKind.SCRIPT
    elif "preload" in relations:
        kind = _PRELOADED.get((node.attributes.get("as") or "").lower())
    elif "manifest" in relations:
        kind = CheckKind.RESOURCE
    if kind is not None:
        yield RawResource(url=_value(node, "href"), kind=kind)
    if kind is CheckKind.IMAGE:
        yield from _images(node.attributes.get("imagesrcset"))


def _images(*srcsets: str | None) -> Iterator[RawResource]:
    for srcset in srcsets:
        for url in all_candidates(srcset or ""):
            yield RawResource(url=url, kind=CheckKind.IMAGE)


def _nothing(node: LexborNode) -> Iterable[RawResource]:  # noqa: ARG001 - the signature of readers
    return ()


def _value(node: LexborNode, attribute: str) -> str:
    return (node.attributes.get(attribute) or "").strip(OUTER)


_READERS: Final[Mapping[str, Callable[[LexborNode], Iterable[RawResource]]]] = {
    "img": _image,
    "source": _source,
    "video": _video,
    "audio": _file,
    "track": _file,
    "object": _file,
    "embed": _file,
    "input": _button,
    "image": _drawn,
    "use": _drawn,
    "link": _link,
}
