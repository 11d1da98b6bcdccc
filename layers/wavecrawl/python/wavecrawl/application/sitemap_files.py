"""The sitemap files that a crawl has read, as stored values."""

from collections.abc import Iterator

import msgspec

from wavecrawl.application.sitemap_listing import SitemapListing
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.graph.completeness import Blocker
from wavecrawl.domain.sitemaps.dates import time_of
from wavecrawl.domain.sitemaps.parser import SitemapContent
from wavecrawl.domain.urls.url import Identity
from wavecrawl.errors import CorruptDataError
from wavecrawl.ports.analytics import SitemapAlternate, SitemapEntryLine
from wavecrawl.ports.objects import Objects


class ReadFile(msgspec.Struct, frozen=True, kw_only=True):
    """The result of reading a sitemap file. Stored immediately, so that no file is requested again after a crash."""

    content: SitemapContent | None
    problem: str = ""
    blocker: Blocker | None = None  # what was not read of it
    tries: int = 1
    retry_at: float = 0.0  # Unix seconds; 0 = it is not requested again


def name_of_file(url: str, identity: Identity) -> str:
    """Return the name of the object with the file at a URL."""
    return f"sitemaps/{identity.page_url(url).key}.msgpack"


def decode_file(data: bytes | None, *, url: str, crawl: CrawlId) -> ReadFile:
    """Return a stored file; raise CorruptDataError if it is missing or damaged."""
    if data is None:
        raise CorruptDataError(f"the stored sitemap {url} of crawl {crawl} is missing")
    try:
        return msgspec.msgpack.decode(data, type=ReadFile)
    except msgspec.MsgspecError as error:
        raise CorruptDataError(f"the stored sitemap {url} of crawl {crawl} cannot be read: {error}") from error


def entries_of(
    crawl: CrawlId, listing: SitemapListing, objects: Objects, identity: Identity
) -> Iterator[SitemapEntryLine]:
    """Yield the entries of the files of a listing, in order. One file is held in memory at a time."""
    for url in listing.files:
        content = decode_file(objects.get(crawl, name_of_file(url, identity)), url=url, crawl=crawl).content
        for position, entry in enumerate(content.entries if content is not None else ()):
            page = identity.page_url_of(entry.loc)
            yield SitemapEntryLine(
                sitemap=url,
                position=position,
                url=entry.loc,
                key=page.key if page is not None else "",
                lastmod=entry.lastmod,
                changed_at=time_of(entry.lastmod),
                changefreq=entry.changefreq,
                priority=entry.priority,
                alternates=tuple(_alternate(language, to, identity) for language, to in entry.alternates),
                images=entry.images,
            )


def _alternate(language: str, url: str, identity: Identity) -> SitemapAlternate:
    page = identity.page_url_of(url)
    return SitemapAlternate(language=language, url=url, key=page.key if page is not None else "")
