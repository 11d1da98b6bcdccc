"""What `fetch_batch` needs in the cloud."""

from collections.abc import Callable
from dataclasses import dataclass

from wavecrawl.application.fetch_batch import BatchWorkshop
from wavecrawl.application.fetch_page import PageFetcher
from wavecrawl.application.site_rules import site_rules
from wavecrawl.application.throttle import Throttle
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.crawl_meter import CrawlMeter
from wavecrawl.bootstrap.page_clients import page_client
from wavecrawl.bootstrap.recent import Recent
from wavecrawl.domain.crawl.job import BatchId, CrawlId
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.ports.batches import Batches, BatchRow, BatchSums, Lease
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.page_client import PageClient

_CRAWLS_KEPT = 8
"""How many crawls a warm worker keeps connections and rules of."""

_LOOK_AGAIN = 60.0
"""Seconds for which a crawl that was seen to run is taken to run still."""


class CloudWorkshops:
    """The workshops of the crawls this process fetched for last."""

    def __init__(self, cloud: Cloud, on_takeover: Callable[[], None]) -> None:
        """`on_takeover` is told of every lease that somebody else let expire."""
        self._cloud = cloud
        self.meter = CrawlMeter(cloud.meter)
        self._on_takeover = on_takeover
        self._kept: Recent[CrawlId, tuple[BatchWorkshop, PageClient]] = Recent(
            _CRAWLS_KEPT, on_end=lambda kept: kept[1].close()
        )
        self._seen_running: dict[CrawlId, float] = {}  # Unix seconds

    def of(self, crawl: CrawlId) -> BatchWorkshop | None:
        """Return the workshop of a crawl, or None where it has ended: a message may come long after its crawl's end.

        The workshop's owner is to be replaced by whoever takes leases; it watches nothing by itself.
        """
        now = self._cloud.clock.now()
        if now - self._seen_running.get(crawl, 0.0) > _LOOK_AGAIN:
            row = self._cloud.crawl(crawl)
            if row.status is not CrawlStatus.RUNNING:
                self._kept.forget(crawl)
                return None
            self._seen_running = {crawl: now}
            return self._kept.get(crawl, lambda _: self._build(row))[0]
        return self._kept.get(crawl, lambda id_: self._build(self._cloud.crawl(id_)))[0]

    def _build(self, crawl: CrawlRow) -> tuple[BatchWorkshop, PageClient]:
        cloud = self._cloud
        client = page_client(crawl.settings)
        rules = site_rules(crawl, client=client, cache=cloud.robots, clock=cloud.clock)
        pages = PageFetcher(
            client=client, links=rules.links, robots=rules.robots, archive=cloud.archive, settings=crawl.settings
        )
        workshop = BatchWorkshop(
            batches=_WatchedBatches(cloud.batches, self._on_takeover),
            waves=cloud.waves,
            claims=cloud.claims,
            memories=cloud.memories,
            archive=cloud.archive,
            signals=_LateSignals(cloud),
            clock=cloud.clock,
            throttle=Throttle(cloud.clock),
            pages=pages,
            settings=crawl.settings,
            meter=self.meter,
            owner="",
            watch=lambda _: None,
        )
        return workshop, client


@dataclass(frozen=True, slots=True)
class _WatchedBatches:
    """`ports.batches.Batches`, with an eye on leases that are not the first ones of their batch."""

    batches: Batches
    on_takeover: Callable[[], None]

    def of_wave(self, crawl: CrawlId, wave: int) -> list[BatchRow]:
        return self.batches.of_wave(crawl, wave)

    def of_crawl(self, crawl: CrawlId) -> list[BatchRow]:
        return self.batches.of_crawl(crawl)

    def lease(self, id_: BatchId, *, owner: str, now: float, seconds: float) -> Lease | None:
        lease = self.batches.lease(id_, owner=owner, now=now, seconds=seconds)
        if lease is not None and lease.attempt > 1:
            self.on_takeover()
        return lease

    def complete(self, lease: Lease, sums: BatchSums) -> bool:
        return self.batches.complete(lease, sums)

    def give_back(self, lease: Lease) -> bool:
        return self.batches.give_back(lease)

    def release(self, crawl: CrawlId, *, owner: str | None = None) -> int:
        return self.batches.release(crawl, owner=owner)


@dataclass(frozen=True, slots=True)
class _LateSignals:
    """`ports.signals.Signals`, whose client is built when a wave is over: most workers never tell of one."""

    cloud: Cloud

    def succeed(self, token: str) -> None:
        self.cloud.signals.succeed(token)
