"""The limits of a crawl: pages, tries, dollars, time."""

from sys import maxsize

from msgspec import Struct

from wavecrawl.domain.crawl.bill import pages_within, priced
from wavecrawl.domain.crawl.counters import Counters
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.ports.batches import Waves
from wavecrawl.ports.crawls import CrawlRow


class CrawlLimits(Struct, frozen=True):
    """The limits of one crawl."""

    crawl: CrawlRow
    longest: float  # seconds from its start, which the settings cannot exceed

    @property
    def ends_at(self) -> float:
        """Return when the crawl's time is over, in Unix seconds. Time in the queue does not count."""
        settings, crawl = self.crawl.settings, self.crawl
        own = crawl.waited + settings.max_seconds if settings.max_seconds else self.longest
        return crawl.started_at + min(own, self.longest)

    def reason_to_stop(
        self,
        counters: Counters,
        *,
        now: float,
        cancelled: bool,
        spent: bool = False,
        full: bool = False,
        requests_left: bool = True,
    ) -> Reason:
        """Return why the crawl must stop, NONE if it may continue.

        `spent`: a limit of the month's costs is reached. `full`: its planner has no more memory. `requests_left`:
        whether it may request further URLs.
        """
        settings = self.crawl.settings
        limits = (
            (Reason.CANCELLED, cancelled),
            (Reason.TIME_LIMIT, now >= self.ends_at),
            (Reason.MONTHLY_BUDGET, spent),
            (Reason.BUDGET, settings.budget_usd and not self._affordable(counters)),
            (Reason.PLANNER_MEMORY, full),
            (Reason.MAX_REQUESTS, not requests_left),
            (Reason.MAX_PAGES, counters.fetched >= settings.max_pages),
            (Reason.MAX_TRIES, settings.max_tries and counters.tries >= settings.max_tries),
        )
        return next((reason for reason, is_reached in limits if is_reached), Reason.NONE)

    def room(self, counters: Counters) -> int:
        """Return how many more pages the crawl may try, counting each as fetched."""
        settings = self.crawl.settings
        room = settings.max_pages - counters.fetched
        if settings.max_tries:
            room = min(room, settings.max_tries - counters.tries)
        return min(room, self._affordable(counters)) if settings.budget_usd else room

    def later_room(self, counters: Counters) -> int:
        """Return how many more URLs the crawl may try after its pages. Each costs about as much as a page."""
        return self._affordable(counters) if self.crawl.settings.budget_usd else maxsize

    def _affordable(self, counters: Counters) -> int:
        """Return how many more pages the crawl's dollars pay for."""
        return pages_within(self.crawl.settings.budget_usd, usage=counters.usage, pages=counters.fetched)


def is_budget_spent(crawl: CrawlRow, waves: Waves) -> bool:
    """Return whether the completed batches of a crawl cost at least its `budget_usd`."""
    budget = crawl.settings.budget_usd
    return budget > 0 and priced(waves.usage(crawl.id)).total >= budget
