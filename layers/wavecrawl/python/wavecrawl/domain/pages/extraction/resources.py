"""The resources that a page loads: images, scripts and stylesheets, and what an archive stores, not resolved."""

from collections.abc import Iterable, Iterator

from selectolax.lexbor import LexborHTMLParser

from wavecrawl.domain.checks.kinds import CheckKind
from wavecrawl.domain.media.kinds import MediaKind
from wavecrawl.domain.pages.extraction.archived import archived_of
from wavecrawl.domain.pages.extraction.media import media_of
from wavecrawl.domain.pages.page import MediaSearch, RawMedia, RawResource

_SELECTORS = (
    (CheckKind.SCRIPT, "script[src]", "src"),
    # Browsers load alternative stylesheets, but no disabled ones (HTML, link type "stylesheet").
    (CheckKind.STYLESHEET, "link[rel~='stylesheet' i][href]:not([disabled])", "href"),
)


def media_and_resources(
    tree: LexborHTMLParser, search: MediaSearch, *, most: int
) -> tuple[tuple[RawMedia, ...] | None, tuple[RawResource, ...] | None]:
    """Return the first `most` media, and the first `most` resources of a page; None for what is not searched."""
    if not (search.media or search.resources or search.archived):
        return None, None
    found = media_of(tree, image_width=search.image_width, most=most) if search.media or search.resources else ()
    media = (*(found if search.media else ()), *(archived_of(tree, most=most) if search.archived else ()))
    return (
        media if search.media or search.archived else None,
        _resources(tree, found, most) if search.resources else None,
    )


def _resources(tree: LexborHTMLParser, media: Iterable[RawMedia], most: int) -> tuple[RawResource, ...]:
    found: dict[str, RawResource] = {}
    for one in (*_loaded(tree), *_images(media)):
        if one.url:
            found.setdefault(one.url, one)
        if len(found) >= most:
            break
    return tuple(found.values())


def _loaded(tree: LexborHTMLParser) -> Iterator[RawResource]:
    for kind, selector, attribute in _SELECTORS:
        for node in tree.css(selector):
            yield RawResource(url=(node.attributes.get(attribute) or "").strip(), kind=kind)


def _images(media: Iterable[RawMedia]) -> Iterator[RawResource]:
    for one in media:
        if one.kind is MediaKind.IMAGE:
            yield RawResource(url=one.url, kind=CheckKind.IMAGE, text=one.text)
