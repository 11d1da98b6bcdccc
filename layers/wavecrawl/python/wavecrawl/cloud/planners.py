"""What the functions that crawl are made of: the same use cases as on one machine, over the adapters of the cloud."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass

from wavecrawl.application.crawl_limits import CrawlLimits
from wavecrawl.application.dispatch import Dispatcher
from wavecrawl.application.open_crawl import open_crawl
from wavecrawl.application.read_sitemaps import Later, Patience, SitemapReader
from wavecrawl.application.run_wave import Planner, PlannerPorts
from wavecrawl.application.site_rules import SiteRules, site_rules
from wavecrawl.application.sitemap_listing import SitemapListing
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.page_clients import page_client
from wavecrawl.bootstrap.recent import Recent
from wavecrawl.cloud.charging import charge_sitemaps
from wavecrawl.domain.crawl.bill import SETUP, priced
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.page_client import PageClient

LONGEST_CRAWL = 28 * 86_400.0
"""Seconds after which a crawl stops with what it has: claims and snapshots expire two days later."""

_LONGEST_SLEEP = 1.0  # seconds; nobody is paid to wait longer (design 2)

_SHORT_LOOK = 10.0  # seconds; a site with sitemaps that take longer has a function of its own read them

_CRAWLS_KEPT = 2  # a planner holds its crawl's whole frontier
"""How many crawls a warm planner function keeps at hand."""


class CloudPlanners:
    """The planners of the crawls this process planned last. A planner keeps its crawl's state between waves."""

    def __init__(self, cloud: Cloud) -> None:
        self._cloud = cloud
        self._kept: Recent[CrawlId, _Planning] = Recent(_CRAWLS_KEPT, on_end=lambda kept: kept.client.close())

    def of(self, crawl: CrawlRow) -> Planner:
        """Return the planner of a crawl whose root is settled."""
        return self._kept_of(crawl).planner

    def finds_no_sitemaps(self, crawl: CrawlRow) -> bool:
        """Tell whether a short look shows that the site has no sitemaps, so that nobody else has to be asked."""
        now = self._cloud.clock.now()
        ends_at = CrawlLimits(crawl, LONGEST_CRAWL).ends_at
        patience = Patience(seconds=_LONGEST_SLEEP, until=now + _SHORT_LOOK, ends_at=ends_at)
        return self._kept_of(crawl).sitemaps.finds_none(patience)

    @contextmanager
    def dropped_on_error(self, crawl: CrawlId) -> Iterator[None]:
        """Drop what is kept of a crawl where the block fails: nobody knows what that is worth then."""
        try:
            yield
        except BaseException:
            self._kept.forget(crawl)
            raise

    def _kept_of(self, crawl: CrawlRow) -> "_Planning":
        return self._kept.get(crawl.id, lambda _: self._build(crawl))

    def _build(self, crawl: CrawlRow) -> "_Planning":
        client = page_client(crawl.settings)
        rules = site_rules(crawl, client=client, cache=self._cloud.robots, clock=self._cloud.clock)
        planner = Planner(crawl, rules, _planner_ports(self._cloud))
        return _Planning(planner=planner, sitemaps=_sitemap_reader(self._cloud, crawl, rules, client), client=client)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Planning:
    """What plans one crawl."""

    planner: Planner
    sitemaps: SitemapReader
    client: PageClient


def _planner_ports(cloud: Cloud) -> PlannerPorts:
    return PlannerPorts(
        batches=cloud.batches,
        waves=cloud.waves,
        archive=cloud.archive,
        objects=cloud.objects,
        memories=cloud.memories,
        hosts=cloud.hosts,
        clock=cloud.clock,
        announcer=cloud.announcer,
        longest_crawl=LONGEST_CRAWL,
        dispatcher=Dispatcher(
            batches=cloud.batches,
            waves=cloud.waves,
            hosts=cloud.hosts,
            queue=cloud.queue,
            signals=cloud.signals,
            clock=cloud.clock,
        ),
    )


def open_in_cloud(cloud: Cloud, crawl: CrawlRow) -> CrawlRow:
    """Settle a crawl's root."""
    with closing(page_client(crawl.settings)) as client:
        opened = open_crawl(
            crawl,
            crawls=cloud.crawls,
            client=client,
            cache=cloud.robots,
            clock=cloud.clock,
            announcer=cloud.announcer,
        )
    cloud.waves.add_usage(crawl.id, SETUP, cloud.meter.take())
    return opened


def read_sitemaps_in_cloud(cloud: Cloud, crawl: CrawlRow, *, seconds: float) -> SitemapListing | Later:
    """Read a crawl's sitemaps, unless that was done before, for so many seconds at most."""
    now = cloud.clock.now()
    is_over = crawl.cancel_asked or _is_spent(cloud, crawl)
    ends_at = now if is_over else CrawlLimits(crawl, LONGEST_CRAWL).ends_at
    patience = Patience(seconds=_LONGEST_SLEEP, until=now + seconds, ends_at=ends_at)
    with closing(page_client(crawl.settings)) as client:
        rules = site_rules(crawl, client=client, cache=cloud.robots, clock=cloud.clock)
        read = _sitemap_reader(cloud, crawl, rules, client).read(patience)
    charge_sitemaps(cloud.meter, paused=isinstance(read, Later))
    cloud.waves.add_usage(crawl.id, SETUP, cloud.meter.take())
    return read


def _sitemap_reader(cloud: Cloud, crawl: CrawlRow, rules: SiteRules, client: PageClient) -> SitemapReader:
    return SitemapReader(crawl.id, rules, client=client, objects=cloud.objects, hosts=cloud.hosts, clock=cloud.clock)


def _is_spent(cloud: Cloud, crawl: CrawlRow) -> bool:
    budget = crawl.settings.budget_usd
    return budget > 0 and priced(cloud.waves.usage(crawl.id)).total >= budget
