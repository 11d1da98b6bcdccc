"""Request a crawl where a state machine of its own runs each: start it, and set it going."""

from dataclasses import replace

from wavecrawl.application.start_crawl import start_crawl
from wavecrawl.domain.job import CrawlId
from wavecrawl.domain.settings import CrawlSettings
from wavecrawl.errors import CrawlRunningError
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.crawls import CrawlRow, Crawls, CrawlStatus
from wavecrawl.ports.launcher import Launcher


def request_crawl(
    id_: CrawlId, start_url: str, settings: CrawlSettings, *, crawls: Crawls, launcher: Launcher, clock: Clock
) -> CrawlRow:
    """Return the crawl as stored, under way. Asking again with the same id changes nothing.

    Whoever asks may die between the two steps. So a crawl that holds its site's lock is launched by whoever finds it
    there: launching what runs does nothing, and a lock without a crawl behind it cannot last.

    Raise InvalidUrlError or InvalidSettingsError where the input does not hold, CrawlRunningError where another crawl
    of the site is under way.
    """
    try:
        crawl = start_crawl(id_, start_url, settings, crawls=crawls, clock=clock)
    except CrawlRunningError as error:
        launcher.launch(replace(id_, crawl=error.crawl))
        raise
    if crawl.status is CrawlStatus.RUNNING:
        launcher.launch(id_)
    return crawl
