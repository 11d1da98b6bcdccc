"""References of pages to assets and resources: resolved, with keys of their own, and why they are not requested."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final

from msgspec import structs

from wavecrawl.domain.archive.settings import ArchiveSettings
from wavecrawl.domain.checks.kinds import check_key
from wavecrawl.domain.crawl.record import MediaReference, Reason, ResourceReference
from wavecrawl.domain.media.kinds import MediaKind, MediaSource, media_key
from wavecrawl.domain.media.settings import MediaSettings
from wavecrawl.domain.pages.css_urls import loaded_urls
from wavecrawl.domain.pages.page import Extraction, MediaSearch, RawMedia, RawResource
from wavecrawl.domain.urls.cut_urls import cut_url, is_cut
from wavecrawl.domain.urls.scope import Scope
from wavecrawl.domain.urls.url import Identity, PageUrl, resolve

MOST_CHARACTERS: Final = 10_000_000
"""Characters of the URLs of one page's assets, and of its resources; further ones are left out."""


class MediaRules:
    """Which assets of a crawl's pages are stored, which resources are archived, and which are checked.

    They may be on any host, so the site's scope does not apply.
    """

    __slots__ = ("_identity", "_kinds", "_max_length", "_scope", "archives", "search")

    def __init__(
        self,
        scope: Scope,
        identity: Identity,
        settings: MediaSettings,
        *,
        max_length: int,
        resources: bool = False,
        archive: ArchiveSettings | None = None,
    ) -> None:
        """`resources`: whether the resources of pages are checked. `archive`: None = pages only."""
        self.archives = archive is not None and archive.is_full
        self.search = MediaSearch(
            media=bool(settings.include),
            resources=resources,
            archived=self.archives,
            image_width=settings.max_width,
        )
        self._scope = scope
        self._identity = identity
        self._kinds = settings.kinds
        self._max_length = max_length

    def references(self, extraction: Extraction) -> tuple[MediaReference, ...] | None:
        """Return the assets that a page uses, one per URL, at the position of the first; None if they were not read."""
        if extraction.media is None:
            return None
        return self._resolved(extraction.media, extraction.base_url)

    def loaded_by(self, css: str, base: str, *, most: int) -> tuple[MediaReference, ...]:
        """Return the first `most` resources that a stylesheet at the URL `base` loads, one per URL."""
        urls = islice(dict.fromkeys(loaded_urls(css)), most)
        return self._resolved(
            (RawMedia(url=url, kind=MediaKind.RESOURCE, source=MediaSource.CSS) for url in urls), base
        )

    def with_requested(
        self, references: tuple[MediaReference, ...] | None, urls: Iterable[str]
    ) -> tuple[MediaReference, ...] | None:
        """Return the assets of a page, and what it requested while it was rendered if resources are archived."""
        if not self.archives:
            return references
        raw = (RawMedia(url=url, kind=MediaKind.RESOURCE, source=MediaSource.BROWSER) for url in urls)
        known = {one.key for one in references or ()}
        return (*(references or ()), *(one for one in self._resolved(raw, "") if one.key not in known))

    def _resolved(self, media: Iterable[RawMedia], base: str) -> tuple[MediaReference, ...]:
        found: dict[str, MediaReference] = {}
        room = MOST_CHARACTERS
        for one in media:
            if room <= 0:
                break
            page = self._page_url(one.url, base)
            if page is None or (self.archives and one.kind is MediaKind.IMAGE and one.kind not in self._kinds):
                continue  # an archive has it as a resource
            key = media_key(page.key)
            if key not in found:
                found[key] = MediaReference(
                    url=self._kept_url(page),
                    key=key,
                    kind=one.kind,
                    source=one.source,
                    text=one.text,
                    skip=self._reason_to_skip(page, one.kind),
                )
                room -= len(found[key].url)
        return tuple(found.values())

    def resources(self, extraction: Extraction) -> tuple[ResourceReference, ...] | None:
        """Return the resources that a page loads, one per URL; None if they were not read."""
        if extraction.resources is None:
            return None
        return self.resources_at(extraction.resources, extraction.base_url)

    def resources_at(self, raw: Iterable[RawResource], base: str) -> tuple[ResourceReference, ...]:
        """Return the resources that a page or a stylesheet at the URL `base` loads, one per URL."""
        found: dict[str, ResourceReference] = {}
        room = MOST_CHARACTERS
        for one in raw:
            if room <= 0:
                break
            page = self._page_url(one.url, base)
            if page is None:
                continue
            key = check_key(page.key)
            if key not in found:
                skip = self._reason_against(page)
                found[key] = ResourceReference(
                    url=self._kept_url(page), key=key, kind=one.kind, text=one.text, skip=skip
                )
                room -= len(found[key].url)
        return tuple(found.values())

    def document(self, page: PageUrl) -> MediaReference:
        """Return the reference to a document that was requested as a page."""
        return MediaReference(
            url=page.url,
            key=media_key(page.key),
            kind=MediaKind.DOCUMENT,
            source=MediaSource.LINK,
            skip=self._reason_to_skip(page, MediaKind.DOCUMENT),
        )

    def may_check(self, url: str) -> bool:
        """Return whether the settings allow to check a URL that pages link to."""
        page = None if is_cut(url) else self._identity.page_url_of(url)
        return page is not None and not self._reason_against(page)

    def known_media(self, references: tuple[MediaReference, ...]) -> tuple[MediaReference, ...]:
        """Return the assets that an earlier crawl found in a page, under the settings of this one.

        Resources are left out unless this crawl archives them.
        """
        return tuple(
            structs.replace(one, url=page.url, key=media_key(page.key), skip=self._reason_to_skip(page, one.kind))
            if (page := self._known_url(one.url)) is not None
            else one
            for one in references
            if self.archives or one.kind is not MediaKind.RESOURCE
        )

    def covers(self, references: tuple[MediaReference, ...] | None) -> bool:
        """Return whether an earlier crawl searched a page for all that this one needs, as far as its references show.

        A full archive has images as resources unless the crawl stores images.
        """
        if references is None:
            return False
        kinds = {one.kind for one in references}
        if MediaKind.RESOURCE not in kinds:
            return not self.archives
        if self.search.media and len(kinds) == 1:
            return False
        return (MediaKind.IMAGE in kinds) == (not self.archives or MediaKind.IMAGE in self._kinds)

    def known_resources(self, references: tuple[ResourceReference, ...]) -> tuple[ResourceReference, ...]:
        """Return the resources that an earlier crawl found in a page, under the settings of this one."""
        return tuple(
            structs.replace(one, url=page.url, key=check_key(page.key), skip=self._reason_against(page))
            if (page := self._known_url(one.url)) is not None
            else one
            for one in references
        )

    def _known_url(self, url: str) -> PageUrl | None:
        """Return a URL that an earlier crawl found; None if it is cut, so that nothing else can be said of it."""
        return None if is_cut(url) else self._identity.page_url_of(url)

    def _kept_url(self, page: PageUrl) -> str:
        return cut_url(page.url, most=self._max_length, key=page.key)

    def _reason_to_skip(self, page: PageUrl, kind: MediaKind) -> Reason:
        if kind is MediaKind.EMBED:
            return Reason.EMBED
        if kind is not MediaKind.RESOURCE and kind not in self._kinds:
            return Reason.MEDIA_KIND
        return self._reason_against(page)

    def _page_url(self, url: str, base: str) -> PageUrl | None:
        resolved = resolve(url, base) if base else url
        return self._identity.page_url_of(resolved) if resolved else None

    def _reason_against(self, page: PageUrl) -> Reason:
        if self._scope.excludes(page):
            return Reason.EXCLUDED
        return Reason.TOO_LONG if len(page.url) > self._max_length else Reason.NONE


def are_cut(references: Sequence[MediaReference] | Sequence[ResourceReference] | None, *, most: int) -> bool:
    """Return whether assets or resources of a page may have been left out, as they are `most` or have too long URLs."""
    if not references:
        return False
    return len(references) >= most or sum(len(one.url) for one in references) >= MOST_CHARACTERS
