"""The link filter: resolves the links of a page, classifies them and keeps each target once.

Pages of a site have many links in common (navigation, footers), so the filter caches the target of each reference and
is kept as long as its worker.
"""

from typing import TypeVar

from msgspec import Struct, structs

from wavecrawl.domain.crawl.record import SKIPPED_KINDS, FragmentLink, Link, Reason
from wavecrawl.domain.pages.page import LinkKind, RawFragment, RawLink, common_rel
from wavecrawl.domain.urls.cut_urls import cut_url, invalid_url
from wavecrawl.domain.urls.scope import Scope
from wavecrawl.domain.urls.spellings import are_spellings
from wavecrawl.domain.urls.url import MEMORABLE, Identity, PageUrl, base_for, folder_of, resolve
from wavecrawl.errors import InvalidUrlError

ASSET_EXTENSIONS = frozenset(
    (  # images
        "png jpg jpeg jpe gif webp avif svg svgz ico bmp tif tiff apng heic psd "
        # styles, scripts, fonts and their maps
        "css js mjs map wasm woff woff2 ttf otf eot "
        # audio and video
        "mp3 m4a ogg oga wav flac aac mp4 m4v webm avi mov wmv mkv mpg mpeg ogv flv "
        # archives, images of disks, programs
        "zip gz tgz bz2 xz 7z rar tar zst dmg iso exe msi apk deb rpm bin jar "
        # documents
        "pdf doc docx xls xlsx ppt pptx odt ods odp epub rtf"
    ).split()
)
"""File extensions that are never queued as pages. Text, XML and JSON are fetched, but have no links."""

MOST_CHARACTERS = 20_000_000  # of the URLs of one page; further links are left out
MOST_INVALID = 100
"""Links of one page that are no URLs; further ones are left out."""
_ANCHOR = LinkKind.ANCHOR  # a lookup of the enum member per link would be slow
_DECLARED = (LinkKind.CANONICAL, LinkKind.ALTERNATE)  # nobody follows them: they say what the page's URL is
_LEAST_CUT = MOST_CHARACTERS // 70_000  # links: no URL is longer
_CACHE_SIZE = 10_000  # references, about 11 MB; a warm worker has the filters of several crawls

_K = TypeVar("_K")


class Target(Struct, frozen=True, kw_only=True, gc=False):
    """The target of a reference."""

    page: PageUrl  # its URL is cut (`cut_urls`) if it is too long
    skip: Reason  # why the URL itself must not be crawled; NONE = may enter the frontier


class LinkFilter:
    """A resolver and filter of links for one crawl. Safe to share between threads."""

    __slots__ = ("_by_reference", "_by_url", "_identity", "_max_length", "_scope")

    def __init__(self, scope: Scope, identity: Identity, *, max_length: int) -> None:
        self._scope = scope
        self._identity = identity
        self._max_length = max_length
        self._by_reference: dict[tuple[str, str], Target | None] = {}
        self._by_url: dict[str, Target | None] = {}

    def links(self, raw_links: tuple[RawLink, ...], *, base: str, page_key: str = "") -> tuple[Link, ...]:
        """Return the links of a page with the base URL `base`, one per target, at the position of the first.

        A target is nofollow, ugc, sponsored or no page only if all links to it say so.
        Links after `MOST_CHARACTERS` of URLs are left out.
        `page_key`: url key of the page. A canonical or alternate link to its other spelling names the page itself.
        """
        folder = folder_of(base)
        room = MOST_CHARACTERS
        invalid = 0
        found: dict[str, Link] = {}
        for raw in raw_links:
            target = self._target(raw.href, base, folder)
            if target is None:
                continue
            if target.skip is Reason.INVALID_URL:
                invalid += 1
                if invalid > MOST_INVALID or raw.kind in _DECLARED:
                    continue
            page = target.page
            key, skip = page.key, target.skip
            if raw.kind is not _ANCHOR:  # most are anchors
                key = key_of_declared(raw.kind, key, page_key)
                skip = skip or SKIPPED_KINDS.get(raw.kind, Reason.NONE)
            known = found.get(key)
            if known is not None and not _adds(raw, known, skip):
                continue
            if known is None:
                if room <= 0:
                    continue
                room -= len(page.url)
            first = known or raw
            found[key] = Link(
                url=known.url if known else page.url,
                key=key,
                kind=raw.kind if known and known.skip and not skip else first.kind,
                region=first.region,
                text=first.text,
                nofollow=raw.nofollow and first.nofollow,
                skip=skip and (known.skip if known else skip),
                rel=raw.rel if known is None else common_rel(known.rel, raw.rel),
            )
        return tuple(found.values())

    def fragments(
        self, raw_fragments: tuple[RawFragment, ...], links: tuple[Link, ...], *, base: str, page_key: str
    ) -> tuple[FragmentLink, ...]:
        """Return the links of a page that lead to a part of one of its `links`, or of the page with `page_key` itself.

        A reference that is only a fragment leads to the base URL `base` of the page, which can be that of another one.
        """
        if not raw_fragments:
            return ()
        folder, own = folder_of(base), self.target(base)
        positions = {link.key: position for position, link in enumerate(links, 1) if not link.skip}
        positions[page_key] = 0
        of_hrefs: dict[str, int | None] = {}  # many links of a page lead to the same pages
        found = list[FragmentLink]()
        for raw in raw_fragments:
            if raw.href not in of_hrefs:
                target = self._target(raw.href, base, folder) if raw.href else own
                of_hrefs[raw.href] = positions.get(target.page.key) if target is not None else None
            position = of_hrefs[raw.href]
            if position is not None:
                found.append(FragmentLink(link=position, line=raw.line, fragment=raw.fragment))
        return tuple(found)

    def target(self, absolute: str) -> Target | None:
        """Return the target of an absolute URL, or None if it is not an http(s) URL."""
        known = self._by_url.get(absolute)
        if known is not None or absolute in self._by_url:
            return known
        try:
            page = self._identity.page_url(absolute)
        except InvalidUrlError:
            page = None
        return self._classify(absolute, page)

    def _target(self, href: str, base: str, folder: str) -> Target | None:
        reference = (base_for(href, base, folder), href)
        known = self._by_reference.get(reference)
        if known is not None or reference in self._by_reference:
            return known
        resolved = resolve(href, base)
        if resolved is None:
            page = self._identity.invalid_page_url(invalid_url(href, base, most=self._max_length))
            target: Target | None = Target(page=page, skip=Reason.INVALID_URL)
        else:
            target = self._by_url.get(resolved)
            if target is None:
                target = self._classify(resolved, self._identity.page_url_of(resolved))
        if len(href) <= MEMORABLE:
            _remember(self._by_reference, reference, target)
        return target

    def _classify(self, absolute: str, page: PageUrl | None) -> Target | None:
        target = None
        if page is not None:
            skip = self._reason_to_skip(page)
            if len(page.url) > self._max_length:
                page = structs.replace(page, url=cut_url(page.url, most=self._max_length, key=page.key))
            target = Target(page=page, skip=skip)
        if len(absolute) <= MEMORABLE:
            _remember(self._by_url, absolute, target)
        return target

    def _reason_to_skip(self, page: PageUrl) -> Reason:
        outside = self._scope.reason_outside(page)
        if outside:
            return outside
        if len(page.url) > self._max_length:
            return Reason.TOO_LONG
        return Reason.ASSET if is_asset(page.path) else Reason.NONE


def key_of_declared(kind: LinkKind, key: str, page_key: str) -> str:
    """Return the url key of a link's target: that of the page with the link, if it declares its other spelling."""
    return page_key if kind in _DECLARED and are_spellings(key, page_key) else key


def _adds(raw: RawLink, known: Link, skip: Reason) -> bool:
    """Return whether a further link to the same target changes what is known of it."""
    return bool(
        (known.nofollow and not raw.nofollow) or (known.skip and not skip) or (known.rel and known.rel != raw.rel)
    )


def are_cut(links: tuple[Link, ...]) -> bool:
    """Return whether links of a page may have been left out, as their URLs are too long together."""
    return len(links) > _LEAST_CUT and sum(len(link.url) for link in links) >= MOST_CHARACTERS


def is_asset(path: str) -> bool:
    """Return whether the URL path has the file extension of an asset.

    A folder is none, and neither is a name with a colon: wikis have pages about files, such as `/wiki/File:Logo.png`.
    """
    name = path[path.rfind("/") + 1 :]
    dot = name.rfind(".")
    return dot > 0 and ":" not in name and name[dot + 1 :].lower() in ASSET_EXTENSIONS


def _remember(cache: dict[_K, Target | None], key: _K, target: Target | None) -> None:
    if len(cache) >= _CACHE_SIZE:
        cache.clear()
    cache[key] = target
