"""From the links of a page, as written, to the links of its record: resolved, filtered, each target once (spec [4]).

Pages of one site repeat each other's links (navigation, footers), so a filter lives as long as its worker and
remembers what a reference meant; within a page, references are already unique before anything is resolved.
"""

from typing import TypeVar

from msgspec import Struct

from wavecrawl.domain.crawl.record import Link, Reason
from wavecrawl.domain.pages.page import RawLink
from wavecrawl.domain.urls.scope import Scope
from wavecrawl.domain.urls.url import MEMORABLE, Identity, PageUrl, resolve
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
        # office documents
        "doc docx xls xlsx ppt pptx odt ods odp"
    ).split()
)
"""Path endings that are never queued as pages. Text, XML, JSON and PDF are fetched: they answer without links."""

_MEMORY = 10_000  # references remembered, some 11 MB; a warm worker has the filters of several crawls

_K = TypeVar("_K")


class Target(Struct, frozen=True, kw_only=True, gc=False):
    """What a resolved reference points to."""

    page: PageUrl
    skip: Reason  # a reason of the URL itself; NONE = may enter the frontier


class LinkFilter:
    """Resolves and filters links for one crawl. Not shared between processes; safe to share between threads."""

    __slots__ = ("_by_reference", "_by_url", "_identity", "_max_length", "_scope")

    def __init__(self, scope: Scope, identity: Identity, *, max_length: int) -> None:
        self._scope = scope
        self._identity = identity
        self._max_length = max_length
        self._by_reference: dict[tuple[str, str], Target | None] = {}
        self._by_url: dict[str, Target | None] = {}

    def links(self, raw_links: tuple[RawLink, ...], *, base: str) -> tuple[Link, ...]:
        """Return the links of a page whose base URL is `base`; a target named twice keeps its first place.

        A target that is followed once is followed, however often it stands there with nofollow.
        """
        directory = base[: base.find("?")] if "?" in base else base
        directory = directory[: directory.rfind("/") + 1]
        found: dict[str, Link] = {}
        for raw in raw_links:
            target = self._target(raw.href, base, directory)
            if target is None:
                continue
            page = target.page
            known = found.get(page.key)
            if known is not None and (raw.nofollow or not known.nofollow):
                continue
            first = known or raw
            found[page.key] = Link(
                url=known.url if known else page.url,
                key=page.key,
                kind=first.kind,
                region=first.region,
                text=first.text,
                nofollow=raw.nofollow,
                skip=target.skip,
            )
        return tuple(found.values())

    def target(self, absolute: str) -> Target | None:
        """Return what an absolute URL points to, or None where it is no http(s) URL."""
        known = self._by_url.get(absolute)
        if known is not None or absolute in self._by_url:
            return known
        try:
            page = self._identity.page_url(absolute)
        except InvalidUrlError:
            page = None
        return self._judge(absolute, page)

    def _target(self, href: str, base: str, directory: str) -> Target | None:
        # What "?..." and "" mean depends on the whole base URL, everything else on its directory alone.
        reference = (base if href[:1] in ("", "?") else directory, href)
        known = self._by_reference.get(reference)
        if known is not None or reference in self._by_reference:
            return known
        resolved = resolve(href, base)
        target = self._by_url.get(resolved) if resolved else None
        if target is None and resolved:
            target = self._judge(resolved, self._identity.page_url_of(resolved))
        if len(href) <= MEMORABLE:
            _remember(self._by_reference, reference, target)
        return target

    def _judge(self, absolute: str, page: PageUrl | None) -> Target | None:
        target = None if page is None else Target(page=page, skip=self._reason_to_skip(page))
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


def is_asset(path: str) -> bool:
    """Tell whether the URL path ends like an asset, not like a page."""
    path = path.removesuffix("/")  # identity does not tell `/a.png/` from `/a.png`
    name = path[path.rfind("/") + 1 :]
    dot = name.rfind(".")
    return dot > 0 and name[dot + 1 :].lower() in ASSET_EXTENSIONS


def _remember(memory: dict[_K, Target | None], key: _K, target: Target | None) -> None:
    if len(memory) >= _MEMORY:
        memory.clear()
    memory[key] = target
