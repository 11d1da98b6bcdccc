"""The URLs listed by the sitemaps of a crawl, as a stored value."""

from collections.abc import Iterator

import msgspec

from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.ledger import Notice
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.graph.completeness import SiteBlocker, unread_sitemap
from wavecrawl.errors import CorruptDataError
from wavecrawl.ports.objects import Objects

_NAME = "sitemaps/listing.msgpack"


class ListedUrl(msgspec.Struct, frozen=True, kw_only=True):
    """One URL of a sitemap."""

    url: str  # fetch URL
    key: str
    sitemap: str  # URL of the file that lists it
    lastmod: str = ""  # W3C date or date and time
    skip: Reason = Reason.NONE  # why the URL must not be crawled; NONE = it may be


class SitemapListing(msgspec.Struct, frozen=True, kw_only=True):
    """The URLs of all files, each once, with the first file that lists it."""

    entries: tuple[ListedUrl, ...] = ()
    notices: tuple[Notice, ...] = ()
    files: tuple[str, ...] = ()  # URLs of the files that could be read, in order
    cut_short: bool = False  # whether the crawl's time or budget was over before all files were read
    incomplete: bool = False  # the same as `blockers`, in listings of earlier versions
    feeds: tuple[ListedUrl, ...] = ()  # URLs that only feeds list; `sitemap` is the feed
    blockers: tuple[SiteBlocker, ...] = ()  # files, or parts of files, that were not read

    @property
    def leads_on(self) -> bool:
        """Return whether a wave of the sitemap phase is needed: for its URLs, or to report an early end."""
        return bool(self.entries) or bool(self.feeds) or self.cut_short

    def unread(self, root: str) -> tuple[SiteBlocker, ...]:
        """Return the files that were not read, or only in part. `root`: the URL of the start page."""
        if self.incomplete and not self.blockers:
            return (SiteBlocker(subject=root, blocker=unread_sitemap("see the notices")),)
        return self.blockers


def store_listing(objects: Objects, crawl: CrawlId, listing: SitemapListing) -> None:
    """Store the listing of a crawl."""
    objects.put(crawl, _NAME, msgspec.msgpack.encode(listing))


def load_listing(objects: Objects, crawl: CrawlId) -> SitemapListing | None:
    """Return the listing of a crawl, or None if its sitemaps have not been read."""
    data = objects.get(crawl, _NAME)
    if data is None:
        return None
    try:
        return msgspec.msgpack.decode(data, type=SitemapListing)
    except msgspec.MsgspecError as error:
        raise CorruptDataError(f"the sitemap listing of crawl {crawl} cannot be read: {error}") from error


class _Urls(msgspec.Struct):
    """The URLs of a listing. They are decoded one by one, as there may be a million."""

    entries: list[msgspec.Raw] = []
    feeds: list[msgspec.Raw] = []


_URL_DECODER = msgspec.msgpack.Decoder(ListedUrl)


def listed_urls(objects: Objects, crawl: CrawlId) -> tuple[Iterator[ListedUrl], Iterator[ListedUrl]]:
    """Return the URLs of sitemaps, and those that only feeds list; none if the sitemaps have not been read."""
    data = objects.get(crawl, _NAME)
    if data is None:
        return iter(()), iter(())
    try:
        found = msgspec.msgpack.decode(data, type=_Urls)
    except msgspec.MsgspecError as error:
        raise CorruptDataError(f"the sitemap listing of crawl {crawl} cannot be read: {error}") from error
    return map(_URL_DECODER.decode, found.entries), map(_URL_DECODER.decode, found.feeds)


class _Files(msgspec.Struct):
    """The part of a listing that names its files."""

    files: tuple[str, ...] = ()


def load_files(objects: Objects, crawl: CrawlId) -> tuple[str, ...]:
    """Return the URLs of the sitemap files that a crawl could read; none if its listing is missing or damaged."""
    try:
        data = objects.get(crawl, _NAME)
        return msgspec.msgpack.decode(data, type=_Files).files if data is not None else ()
    except (CorruptDataError, msgspec.MsgspecError):
        return ()
