"""The feeds of a site that are read for their URLs, as a stored value."""

import msgspec

from wavecrawl.domain.crawl.frontier import Frontier
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.ports.objects import Objects

MOST_FEEDS = 3
"""Feeds per crawl. A site has few feeds with different pages: often one of posts and one of comments."""

_NAME = "sitemaps/feeds.msgpack"


def store_feeds(objects: Objects, crawl: CrawlId, frontier: Frontier) -> None:
    """Store the first feeds that the root or several pages declare. Feeds of one other page are left out."""
    feeds = frontier.site_feeds(MOST_FEEDS)
    if feeds:
        objects.put(crawl, _NAME, msgspec.msgpack.encode(feeds))


def load_feeds(objects: Objects, crawl: CrawlId) -> tuple[str, ...]:
    """Return the URLs of the stored feeds."""
    data = objects.get(crawl, _NAME)
    return () if data is None else msgspec.msgpack.decode(data, type=tuple[str, ...])
