"""Queries over the media in a crawl's exports."""

from wavecrawl.adapters.analytics.opened_exports import Export, OpenedExports
from wavecrawl.adapters.analytics.result_parts import read_part
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.media.kinds import MediaKind
from wavecrawl.ports.media_results import AssetUse, MediaRow, PageMedia
from wavecrawl.ports.results import Mark, Part

_MEDIA = """
    SELECT m.key, m.url, m.kind, m.state, m.reason, coalesce(m.detail, '') AS detail, m.status,
           coalesce(m.hash, '') AS hash, coalesce(m.media_type, '') AS media_type, coalesce(m.bytes, 0) AS bytes,
           m.size, m.stored_bytes, m.width, m.height, coalesce(m.problem, '') AS problem,
           m.file_name, m.provider, m.thumbnail, m.embed_code,
           coalesce(m.title, '') AS title, m.pages, m.duplicate_of, coalesce(u.uses, 0) AS uses, m.row
    FROM media m
    LEFT JOIN (SELECT key, count(DISTINCT page_key) AS uses FROM media_uses GROUP BY key) u USING (key)
    WHERE ($kind = '' OR m.kind = $kind) AND ($state = '' OR m.state = $state)
      AND ($duplicate::BOOLEAN IS NULL OR (m.duplicate_of <> '') = $duplicate) AND ($url = '' OR m.url = $url)
      AND m.row > $row
    ORDER BY m.row LIMIT $limit
"""
_OF_PAGE = """
    SELECT url, key, coalesce(hash, '') AS hash, kind, source, text, position, state, reason, row FROM media_uses
    WHERE page_key = $page AND row > $row ORDER BY row LIMIT $limit
"""
_USES = """
    SELECT page AS url, page_key AS key, url AS media_url, source, text, position, row FROM media_uses
    WHERE hash = $hash AND row > $row ORDER BY row LIMIT $limit
"""


class MediaQueries:
    """The part of `ports.results.Results` about media."""

    _exports: OpenedExports

    def media(
        self,
        crawl: CrawlId,
        *,
        kind: MediaKind | None = None,
        state: UrlState | None = None,
        duplicate: bool | None = None,
        url: str = "",
        limit: int,
        after: Mark | None = None,
    ) -> Part[MediaRow]:
        """Return media URLs in the order in which pages name them."""
        values: dict[str, object] = {"kind": kind or "", "state": state or "", "duplicate": duplicate, "url": url}
        with self._exports.tables({"": crawl}, Export.MEDIA, Export.MEDIA_USES) as db:
            return read_part(db, _MEDIA, MediaRow, values, limit=limit, after=after)

    def media_of(self, crawl: CrawlId, page: str, *, limit: int) -> Part[PageMedia]:
        """Return what a page uses, in page order."""
        with self._exports.tables({"": crawl}, Export.MEDIA_USES) as db:
            return read_part(db, _OF_PAGE, PageMedia, {"page": page}, limit=limit, after=None)

    def uses_of(self, crawl: CrawlId, hash_: str, *, limit: int, after: Mark | None = None) -> Part[AssetUse]:
        """Return the uses of an asset, in crawl order of the pages."""
        with self._exports.tables({"": crawl}, Export.MEDIA_USES) as db:
            return read_part(db, _USES, AssetUse, {"hash": hash_}, limit=limit, after=after)
