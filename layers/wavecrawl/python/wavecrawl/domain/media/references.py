"""References of pages to assets: resolved, with a key of their own, and the reason why an asset is not requested."""

from hashlib import blake2b

from msgspec import structs

from wavecrawl.domain.crawl.record import MediaReference, Reason
from wavecrawl.domain.media.kinds import MediaKind, MediaSource
from wavecrawl.domain.media.settings import MediaSettings
from wavecrawl.domain.pages.page import RawMedia
from wavecrawl.domain.urls.scope import Scope
from wavecrawl.domain.urls.url import Identity, PageUrl, resolve


def media_key(url_key: str) -> str:
    """Return the key of the asset at a URL. It differs from that of the page, as a URL can be both."""
    return blake2b(b"media " + url_key.encode(), digest_size=16).hexdigest()


class MediaRules:
    """Which assets of a crawl's pages are requested. Assets may be on any host, so the site's scope does not apply."""

    __slots__ = ("_identity", "_kinds", "_max_length", "_scope")

    def __init__(self, scope: Scope, identity: Identity, settings: MediaSettings, *, max_length: int) -> None:
        self._scope = scope
        self._identity = identity
        self._kinds = settings.kinds
        self._max_length = max_length

    def references(self, raw: tuple[RawMedia, ...], *, base: str) -> tuple[MediaReference, ...]:
        """Return the assets that a page with this base URL uses, one per URL, at the position of the first."""
        found: dict[str, MediaReference] = {}
        for one in raw:
            resolved = resolve(one.url, base)
            page = self._identity.page_url_of(resolved) if resolved else None
            if page is None:
                continue
            key = media_key(page.key)
            if key not in found:
                found[key] = MediaReference(
                    url=page.url,
                    key=key,
                    kind=one.kind,
                    source=one.source,
                    text=one.text,
                    skip=self._reason_to_skip(page, one.kind),
                )
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

    def checked(self, references: tuple[MediaReference, ...]) -> tuple[MediaReference, ...]:
        """Return the references of an earlier crawl under the settings of this one."""
        pages = [(one, self._identity.page_url_of(one.url)) for one in references]
        return tuple(
            structs.replace(one, url=page.url, key=media_key(page.key), skip=self._reason_to_skip(page, one.kind))
            for one, page in pages
            if page is not None
        )

    def _reason_to_skip(self, page: PageUrl, kind: MediaKind) -> Reason:
        if kind is MediaKind.EMBED:
            return Reason.EMBED
        if kind not in self._kinds:
            return Reason.MEDIA_KIND
        if self._scope.excludes(page):
            return Reason.EXCLUDED
        return Reason.TOO_LONG if len(page.url) > self._max_length else Reason.NONE
