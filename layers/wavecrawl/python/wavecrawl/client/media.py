"""Operations on media of crawls and on stored assets."""

from collections.abc import Iterator
from functools import partial
from typing import TypedDict, Unpack

from wavecrawl.api_models.media import Asset, MediaList, MediaUrl, MediaUse, MediaUseList
from wavecrawl.client.operations import Operations, items, v1
from wavecrawl.client.transport import Call
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.media.kinds import MediaKind


class MediaFilters(TypedDict, total=False):
    """Which media URLs to list, and how many per request."""

    kind: MediaKind | None
    state: UrlState | None
    duplicate: bool | None
    downloads: bool | None
    limit: int | None


class MediaOperations(Operations):
    """Operations on media."""

    def list_media(self, crawl: str, *, cursor: str | None = None, **filters: Unpack[MediaFilters]) -> MediaList:
        """List the media URLs of a crawl, with URLs of their files if `downloads` is true."""
        return self._get(MediaList, "crawls", crawl, "media", cursor=cursor, **filters)

    def iter_media(self, crawl: str, **filters: Unpack[MediaFilters]) -> Iterator[MediaUrl]:
        """Yield all media URLs of a crawl, `limit` per request."""
        return items(partial(self.list_media, crawl, **filters), lambda page: page.media)

    def list_media_uses(
        self, crawl: str, asset: str, *, cursor: str | None = None, limit: int | None = None
    ) -> MediaUseList:
        """List the pages of a crawl that use an asset, which is named by its hash."""
        return self._get(MediaUseList, "crawls", crawl, "media", asset, "uses", cursor=cursor, limit=limit)

    def iter_media_uses(self, crawl: str, asset: str, *, limit: int | None = None) -> Iterator[MediaUse]:
        """Yield all uses of an asset in a crawl, `limit` per request."""
        return items(partial(self.list_media_uses, crawl, asset, limit=limit), lambda page: page.uses)

    def get_asset(self, asset: str) -> Asset:
        """Get a stored asset by its hash, with a download URL."""
        return self._get(Asset, "media", asset)

    def delete_asset(self, asset: str, *, force: bool | None = None) -> None:
        """Delete a stored asset; with `force`, also if pages use it."""
        self._transport.send(Call(method="DELETE", path=v1("media", asset), query={"force": force}))
