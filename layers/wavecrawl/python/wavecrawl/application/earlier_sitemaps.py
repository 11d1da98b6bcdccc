"""The sitemap files that earlier crawls of a site have read."""

from collections.abc import Iterator
from functools import cached_property

from wavecrawl.application.sitemap_listing import SitemapListing, load_listing
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.errors import CorruptDataError
from wavecrawl.ports.crawls import Crawls
from wavecrawl.ports.objects import Objects

_LOOKED_AT = 20  # crawls


class EarlierSitemaps:
    """`read_sitemaps.EarlierFiles`, from the listings of the site's crawls. They are loaded at the first call."""

    def __init__(self, crawl: CrawlId, crawls: Crawls, objects: Objects) -> None:
        self._crawl = crawl
        self._crawls = crawls
        self._objects = objects

    def __call__(self, url: str) -> bool:
        """Return whether the last earlier crawl that could tell has read the file at a URL."""
        for listing in self._listings:
            if url in listing.files:
                return True
            if all(one.subject != url for one in listing.blockers):
                return False  # that crawl looked for it, and there was no such file
        return False

    @cached_property
    def _listings(self) -> tuple[SitemapListing, ...]:
        """The listings of the earlier crawls, the newest first."""
        return tuple(self._load())

    def _load(self) -> Iterator[SitemapListing]:
        crawl = self._crawl
        for row in self._crawls.of_site(crawl.tenant, crawl.site, limit=_LOOKED_AT, before=crawl.crawl):
            try:
                listing = load_listing(self._objects, row.id)
            except CorruptDataError:
                continue
            if listing is not None:
                yield listing
