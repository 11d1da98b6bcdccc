"""The resources that a page loads: images, scripts and stylesheets, not resolved."""

from collections.abc import Iterable, Iterator

from msgspec import Struct
from selectolax.lexbor import LexborHTMLParser

from wavecrawl.domain.checks.kinds import CheckKind
from wavecrawl.domain.media.kinds import MediaKind
from wavecrawl.domain.pages.extraction.media import media_of
from wavecrawl.domain.pages.page import RawMedia, RawResource

_SELECTORS = (
    (CheckKind.SCRIPT, "script[src]", "src"),
    (CheckKind.STYLESHEET, "link[rel~='stylesheet' i][href]", "href"),
)


class MediaSearch(Struct, frozen=True, kw_only=True):
    """What to look for in a page besides its links."""

    media: bool = False
    resources: bool = False
    image_width: int = 1_920  # pixels; of an image in several sizes the widest up to it is taken

    def of(
        self, tree: LexborHTMLParser, *, most: int
    ) -> tuple[tuple[RawMedia, ...] | None, tuple[RawResource, ...] | None]:
        """Return the first `most` media, and the first `most` resources of a page; None for what is not searched."""
        if not (self.media or self.resources):
            return None, None
        found = media_of(tree, image_width=self.image_width, most=most)
        return found if self.media else None, _resources(tree, found, most) if self.resources else None


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
