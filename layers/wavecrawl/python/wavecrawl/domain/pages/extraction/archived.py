"""What a browser loads to show a page: stylesheets, scripts, images of every size, icons, not resolved."""

from collections.abc import Iterator
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from wavecrawl.domain.media.kinds import MediaKind, MediaSource
from wavecrawl.domain.pages.css_urls import loaded_urls
from wavecrawl.domain.pages.extraction.media import OUTER, first_references
from wavecrawl.domain.pages.extraction.srcset import all_candidates
from wavecrawl.domain.pages.page import RawMedia

_SELECTOR: Final = (
    "link[href], link[imagesrcset], script[src], img, picture source, video[poster], input[src], image, use, "
    "[background], style, [style*='url(' i]"
)
_ICONS: Final = frozenset(
    ("icon", "apple-touch-icon", "apple-touch-icon-precomposed", "mask-icon", "manifest", "preload", "modulepreload")
)
_SOURCES: Final = {
    "src": ("img", "input"),
    "data-src": ("img", "source"),
    "poster": ("video",),
    "href": ("image", "use"),
    "xlink:href": ("image", "use"),
}
_SRCSETS: Final = {"srcset": ("img", "source"), "data-srcset": ("img", "source"), "imagesrcset": ("link",)}


def archived_of(tree: LexborHTMLParser, *, most: int) -> tuple[RawMedia, ...]:
    """Return the first `most` resources of a page, in document order.

    Which image of a `srcset` a browser loads depends on its window, so all of them are resources, and so are those that
    scripts load when the page is scrolled (`data-src`). Sound, videos and the documents of frames are none.
    """
    return first_references(tree, _SELECTOR, _resources_of_element, most=most)


def _resources_of_element(node: LexborNode) -> Iterator[RawMedia]:
    for url, source in _of_element(node):
        if url[:1] != "#" and url[:5].lower() != "data:":
            yield RawMedia(url=url, kind=MediaKind.RESOURCE, source=source)


def _of_element(node: LexborNode) -> Iterator[tuple[str, MediaSource]]:
    """Yield the URLs that an element names, with what they are."""
    attributes, tag = node.attributes, node.tag or ""
    if tag == "script":
        yield _value(attributes.get("src")), MediaSource.SCRIPT
    elif tag == "link":
        relations = (attributes.get("rel") or "").lower().split()
        if "stylesheet" in relations:
            yield _value(attributes.get("href")), MediaSource.STYLESHEET
        elif not _ICONS.isdisjoint(relations):
            yield _value(attributes.get("href")), MediaSource.ICON
    for name, tags in _SOURCES.items():
        if tag in tags:
            yield _value(attributes.get(name)), MediaSource.IMG
    for name, tags in _SRCSETS.items():
        if tag in tags:
            yield from ((url, MediaSource.IMG) for url in all_candidates(attributes.get(name) or ""))
    yield _value(attributes.get("background")), MediaSource.BACKGROUND
    css = node.text(deep=False) if tag == "style" else attributes.get("style")
    yield from ((url, MediaSource.CSS) for url in loaded_urls(css or ""))


def _value(attribute: str | None) -> str:
    return (attribute or "").strip(OUTER)
