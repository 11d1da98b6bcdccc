"""What is left of a crawl's requests while it is planned, and while its sitemaps are read."""

from collections.abc import Iterable, Iterator
from sys import maxsize

import msgspec
from msgspec.structs import replace

from wavecrawl.application.crawl_state import CrawlState, CrawlStates
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.plan import Plan
from wavecrawl.domain.crawl.request_budget import requested_origins, with_requests
from wavecrawl.domain.urls.url import origin_of
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.objects import Objects

_SITEMAPS = "sitemaps/requests.msgpack"


class SitemapRequests(msgspec.Struct, frozen=True, kw_only=True):
    """The requests that were sent for the sitemaps of a crawl."""

    count: int = 0
    origins: tuple[str, ...] = ()  # whose robots.txt is counted; without that of the root


class RequestBudget(msgspec.Struct, frozen=True):
    """The requests that a crawl may still send. Without a limit, nothing is counted here.

    The robots.txt of each origin counts as one request, whether it is cached or requested several times: that depends
    on other crawls and on the workers, and plans may not.
    """

    limit: int  # 0 = none
    state: CrawlState
    elsewhere: int  # requests that no record has: to find the root, and for sitemaps

    @property
    def left(self) -> int:
        """How many requests are left."""
        if not self.limit:
            return maxsize
        state = self.state
        return max(0, self.limit - self.elsewhere - state.counters.requests - state.media_counters.requests)

    def room(self, each: int) -> int:
        """Return how many URLs may be planned if each may need so many requests."""
        return self.left // each

    def plan(self, plan: Plan) -> Plan:
        """Return the plan with the limits of its URLs, after the robots.txt files that they need are counted."""
        if not self.limit:
            return plan
        for origin in sorted(requested_origins(plan.batches)):
            self.may_look(origin)
        return replace(plan, batches=with_requests(plan.batches, self.left))

    def may_look(self, url: str) -> bool:
        """Return whether the robots.txt of a URL may be requested; count it if it is new."""
        if not self.limit:
            return True
        origin = origin_of(url)
        if origin not in self.state.origins:
            if not self.left:
                return False
            self.state.origins[origin] = self.state.wave + 1
            self.state.counters.requests += 1
        return True

    def lookable(self, urls: Iterable[str]) -> Iterator[str]:
        """Yield the URLs whose robots.txt may be requested."""
        return (url for url in urls if self.may_look(url))


def budget_of(crawl: CrawlRow, state: CrawlState, objects: Objects) -> RequestBudget:
    """Return what is left of a crawl's requests."""
    limit = crawl.settings.max_requests
    elsewhere = crawl.opening_requests + load_sitemap_requests(objects, crawl.id).count if limit else 0
    return RequestBudget(limit, state, elsewhere)


def left_for_sitemaps(crawl: CrawlRow, objects: Objects) -> int:
    """Return how many requests the sitemaps of a crawl may take, those included that were sent for them before."""
    limit = crawl.settings.max_requests
    if not limit:
        return maxsize
    robots = 1  # of the root, which no page may have needed yet
    sent = CrawlStates(objects).summary(crawl.id).counters.requests
    return max(0, limit - crawl.opening_requests - max(robots, sent))


def load_sitemap_requests(objects: Objects, crawl: CrawlId) -> SitemapRequests:
    """Return the requests that were sent for the sitemaps of a crawl."""
    data = objects.get(crawl, _SITEMAPS)
    return SitemapRequests() if data is None else msgspec.msgpack.decode(data, type=SitemapRequests)


def store_sitemap_requests(objects: Objects, crawl: CrawlId, sent: SitemapRequests) -> None:
    """Store the requests that were sent for the sitemaps of a crawl."""
    objects.put(crawl, _SITEMAPS, msgspec.msgpack.encode(sent))
