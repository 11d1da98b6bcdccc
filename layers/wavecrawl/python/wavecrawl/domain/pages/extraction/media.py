"""The media of a page: images, backgrounds, videos, players and linked documents, not resolved."""

import re
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser, LexborNode

from wavecrawl.domain.media.kinds import MediaKind, MediaSource
from wavecrawl.domain.pages.css_urls import backgrounds
from wavecrawl.domain.pages.extraction.srcset import best_candidate
from wavecrawl.domain.pages.extraction.tags import tag_id
from wavecrawl.domain.pages.extraction.texts import folded, text_of
from wavecrawl.domain.pages.page import RawMedia
from wavecrawl.domain.urls.documents import is_document

_DOCUMENTS = ", ".join(f"a[href*='.{name}' i]" for name in "pdf doc ppt xls odt ods odp epub rtf".split())
_SELECTOR = f"img, source, video, iframe, {_DOCUMENTS}, style, [style*='url(' i]"
ALT_LIMIT = 200  # characters
OUTER = "".join(map(chr, range(0x21)))  # C0 controls and space: URL parsers strip them at both ends
_PICTURE, _VIDEO, _STYLE = tag_id("picture"), tag_id("video"), tag_id("style")
_YOUTUBE = ("youtube.com", "youtube-nocookie.com")
_PLAYERS = ("youtu.be", "player.vimeo.com")


def media_of(tree: LexborHTMLParser, *, image_width: int, most: int) -> tuple[RawMedia, ...]:
    """Return the first `most` media of a page, in document order."""
    return first_references(tree, _SELECTOR, lambda node: _media_of_element(node, image_width), most=most)


def first_references(
    tree: LexborHTMLParser, selector: str, read: Callable[[LexborNode], Iterable[RawMedia]], *, most: int
) -> tuple[RawMedia, ...]:
    """Return the first `most` references that `read` finds in matching elements, one per URL, in document order."""
    found: dict[str, RawMedia] = {}
    before = 0
    for node in tree.css(selector):
        if node.mem_id == before:
            continue  # it matches two selectors
        before = node.mem_id
        for media in read(node):
            if media.url and media.url not in found:
                found[media.url] = media
        if len(found) >= most:
            break
    return tuple(found.values())[:most]


def _media_of_element(node: LexborNode, image_width: int) -> Iterator[RawMedia]:
    read = _READERS.get(node.tag_id)
    if read is not None:
        yield from read(node, image_width)
    css = node.text(deep=False) if node.tag_id == _STYLE else node.attributes.get("style")
    for url in backgrounds(css or ""):
        yield RawMedia(url=url, kind=MediaKind.IMAGE, source=MediaSource.BACKGROUND)


def _image(node: LexborNode, image_width: int) -> Iterator[RawMedia]:
    text = folded(node.attributes.get("alt"), ALT_LIMIT)
    url = _chosen(node, image_width)
    yield RawMedia(url=url, kind=MediaKind.IMAGE, source=MediaSource.IMG, text=text)


def _source(node: LexborNode, image_width: int) -> Iterator[RawMedia]:
    parent = node.parent.tag_id if node.parent else None
    if parent == _PICTURE:
        yield RawMedia(url=_chosen(node, image_width), kind=MediaKind.IMAGE, source=MediaSource.PICTURE)
    elif parent == _VIDEO:
        yield RawMedia(url=_attribute(node, "src"), kind=MediaKind.VIDEO, source=MediaSource.VIDEO)


def _video(node: LexborNode, image_width: int) -> Iterator[RawMedia]:  # noqa: ARG001 - the signature of readers
    yield RawMedia(url=_attribute(node, "poster"), kind=MediaKind.IMAGE, source=MediaSource.POSTER)
    yield RawMedia(url=_attribute(node, "src"), kind=MediaKind.VIDEO, source=MediaSource.VIDEO)


def _frame(node: LexborNode, image_width: int) -> Iterator[RawMedia]:  # noqa: ARG001 - the signature of readers
    for name in ("src", "data-src"):
        url = _attribute(node, name)
        if _is_player(url):
            text = folded(node.attributes.get("title"), ALT_LIMIT)
            yield RawMedia(url=url, kind=MediaKind.EMBED, source=MediaSource.FRAME, text=text)
            return


def _anchor(node: LexborNode, image_width: int) -> Iterator[RawMedia]:  # noqa: ARG001 - the signature of readers
    url = _attribute(node, "href")
    if is_document(re.split("[?#]", url, maxsplit=1)[0]):
        text = text_of(node, ALT_LIMIT)
        yield RawMedia(url=url, kind=MediaKind.DOCUMENT, source=MediaSource.LINK, text=text)


_READERS: dict[int, Callable[[LexborNode, int], Iterator[RawMedia]]] = {
    tag_id("img"): _image,
    tag_id("source"): _source,
    _VIDEO: _video,
    tag_id("iframe"): _frame,
    tag_id("a"): _anchor,
}


def _chosen(node: LexborNode, image_width: int) -> str:
    """Return the URL of an image: of those in `srcset` the best, else `src`; of a lazy image those in `data-`."""
    for prefix in ("", "data-"):
        url = best_candidate(node.attributes.get(f"{prefix}srcset") or "", width=image_width)
        url = url or _attribute(node, f"{prefix}src")
        if url and url[:5].lower() != "data:":
            return url
    return ""


def _attribute(node: LexborNode, name: str) -> str:
    return (node.attributes.get(name) or "").strip(OUTER)


def _is_player(url: str) -> bool:
    """Return whether a URL is that of a player of YouTube or Vimeo."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").removeprefix("www.")
    except ValueError:
        return False
    if host in _YOUTUBE:
        return parts.path.startswith("/embed/")
    return host in _PLAYERS and len(parts.path) > 1
