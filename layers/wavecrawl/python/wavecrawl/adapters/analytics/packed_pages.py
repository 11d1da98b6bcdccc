"""What a package has besides the WARC files of its crawl: its pages, and what earlier crawls and the store have."""

from collections.abc import Iterator

import duckdb

from wavecrawl.adapters.analytics.database import streamed
from wavecrawl.adapters.analytics.pages import read_pages
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.ports.analytics import ReadPage


def packed_pages(db: duckdb.DuckDBPyConnection, settings: CrawlSettings) -> Iterator[ReadPage]:
    """Yield the pages of a package, root first; of a full archive, then its unchanged resources and stored media."""
    yield from read_pages(db, with_unchanged=settings.packs_unchanged)
    if settings.archive.is_full:
        yield from _resources(db)
        yield from _assets(db)


def _resources(db: duckdb.DuckDBPyConnection) -> Iterator[ReadPage]:
    """Yield the resources whose response an earlier crawl stored."""
    for key, url, fetched_at, place in streamed(
        db,
        """
        SELECT key, url, fetched_at, body_at FROM part_media WHERE kind = 'resource'
        QUALIFY row_number() OVER (PARTITION BY key ORDER BY wave DESC) = 1 AND state = 'unchanged' AND body_at <> ''
        ORDER BY id
        """,
    ):
        yield ReadPage(key=key, url=url, title="", fetched_at=fetched_at, place=place, is_page=False)


def _assets(db: duckdb.DuckDBPyConnection) -> Iterator[ReadPage]:
    """Yield the media that the crawl stored, or found unchanged."""
    for key, url, fetched_at, hash_, media_type, size in streamed(
        db,
        """
        SELECT key, url, fetched_at, hash, media_type, coalesce(stored_bytes, 0) FROM media
        WHERE hash IS NOT NULL AND state IN ('fetched', 'unchanged') ORDER BY id
        """,
    ):
        yield ReadPage(
            key=key,
            url=url,
            title="",
            fetched_at=fetched_at,
            is_page=False,
            asset=hash_,
            media_type=media_type,
            asset_bytes=size,
        )
