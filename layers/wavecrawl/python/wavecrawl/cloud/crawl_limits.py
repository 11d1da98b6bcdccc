"""Limits of every crawl in the cloud."""

from typing import TYPE_CHECKING

from wavecrawl.application.crawl_limits import CrawlLimits
from wavecrawl.ports.crawls import CrawlRow

if TYPE_CHECKING:
    from wavecrawl.bootstrap.cloud import Cloud

LONGEST_CRAWL = 28 * 86_400.0
"""Seconds after which a crawl ends with what it has. Its claims and snapshots expire two days later."""

LONGEST_WAIT = 1.0
"""Seconds that a function waits for its turn at a host. For longer waits the state machine pauses, which is cheaper."""


def wake_up(cloud: "Cloud", crawl: CrawlRow, until: float) -> float:
    """Return when a crawl that pauses until a time looks whether it must stop, in Unix seconds; 0.0 if it does not."""
    return min(until, cloud.clock.now() + cloud.settings.longest_pause, ends_at(crawl)) if until else 0.0


def ends_at(crawl: CrawlRow) -> float:
    """Return when the time of a crawl is over, in Unix seconds."""
    return CrawlLimits(crawl, LONGEST_CRAWL).ends_at
