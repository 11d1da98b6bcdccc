"""Limits of every crawl in the cloud."""

from wavecrawl.application.crawl_limits import CrawlLimits
from wavecrawl.ports.crawls import CrawlRow

LONGEST_CRAWL = 28 * 86_400.0
"""Seconds after which a crawl ends with what it has. Its claims and snapshots expire two days later."""

LONGEST_WAIT = 1.0
"""Seconds that a function waits for its turn at a host. For longer waits the state machine pauses, which is cheaper."""


def ends_at(crawl: CrawlRow) -> float:
    """Return when the time of a crawl is over, in Unix seconds."""
    return CrawlLimits(crawl, LONGEST_CRAWL).ends_at
