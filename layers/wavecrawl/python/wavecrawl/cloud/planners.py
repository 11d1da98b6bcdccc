"""The planners that a warm run_wave process keeps."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

import msgspec

from wavecrawl.adapters.process_memory import resident_bytes
from wavecrawl.application.earlier_sitemaps import EarlierSitemaps
from wavecrawl.application.planner_ports import planner_ports
from wavecrawl.application.read_sitemaps import SitemapReader
from wavecrawl.application.request_budget import left_for_sitemaps
from wavecrawl.application.run_wave import Planner
from wavecrawl.application.site_rules import site_rules
from wavecrawl.application.sitemap_requests import ReadingLimits
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.http_clients import crawl_client
from wavecrawl.cloud.crawl_limits import LONGEST_CRAWL, LONGEST_WAIT, ends_at
from wavecrawl.cloud.recent import Recent
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.planner_memory import fits, is_nearly_full
from wavecrawl.domain.crawl.url_log import MESSAGE
from wavecrawl.domain.rendering.settings import RenderMode
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.page_client import PageClient
from wavecrawl.telemetry import logger

_SHORT_LOOK = 10.0
"""Seconds that run_wave looks for sitemaps; if it cannot tell by then, read_sitemaps does."""

_CRAWLS_KEPT = 2
"""Crawls whose planners a warm process keeps, if it has room; a planner holds its crawl's whole frontier."""


class CloudPlanners:
    """The planners of the crawls that this process planned last. A planner keeps its crawl's state between waves."""

    def __init__(self, cloud: Cloud, *, resident: Callable[[], int] = resident_bytes) -> None:
        self._cloud = cloud
        self._resident = resident
        self._kept: Recent[CrawlId, _Planning] = Recent(_CRAWLS_KEPT, on_end=lambda kept: kept.client.close())

    def of(self, crawl: CrawlRow) -> Planner:
        """Return the planner of a crawl whose root is settled."""
        return self._kept_of(crawl).planner

    def has_room(self, crawl: CrawlRow, wave: int, *, memory: int, measured: bool) -> bool:
        """Return whether a wave can be run in `memory` bytes. Drop the planners of other crawls if they take too much.

        A wave that is planned already needs no state. `measured`: whether this process must have room, too, once it has
        restored the state. A planner that has no room is dropped.
        """
        planner = self.of(crawl)
        needed = planner.bytes_for(wave)
        if not needed:
            return True
        others = self._kept.others(crawl.id)
        has_room = fits(needed, memory)
        if has_room and not fits(needed + sum(kept.planner.held_bytes for kept in others.values()), memory):
            self._forget(others)
        if has_room and measured:
            planner.restore(wave - 1)
            if is_nearly_full(self._resident(), memory):
                self._forget(others)
                has_room = not is_nearly_full(self._resident(), memory)
        if not has_room:
            self._kept.forget(crawl.id)
        return has_room

    def _forget(self, crawls: Iterable[CrawlId]) -> None:
        for crawl in crawls:
            self._kept.forget(crawl)

    def finds_no_sitemaps(self, crawl: CrawlRow) -> bool:
        """Return whether a short look shows that the site has no sitemaps: then read_sitemaps need not run."""
        deadline = self._cloud.clock.now() + _SHORT_LOOK
        limits = ReadingLimits(
            max_wait=LONGEST_WAIT,
            deadline=deadline,
            crawl_ends_at=ends_at(crawl),
            max_requests=left_for_sitemaps(crawl, self._cloud.objects),
        )
        return self._kept_of(crawl).sitemaps.finds_none(limits)

    @contextmanager
    def dropped_on_error(self, crawl: CrawlId) -> Iterator[None]:
        """Forget a crawl's planner if the block fails: its state may no longer match what is stored."""
        try:
            yield
        except BaseException:
            self._kept.forget(crawl)
            raise

    def _kept_of(self, crawl: CrawlRow) -> "_Planning":
        kept = self._kept.get(crawl.id, lambda _: self._build(crawl))
        if kept.resumes != crawl.resumes:
            self._kept.forget(crawl.id)
            kept = self._kept.get(crawl.id, lambda _: self._build(crawl))
        return kept

    def _build(self, crawl: CrawlRow) -> "_Planning":
        cloud, client = self._cloud, crawl_client(crawl, self._cloud)
        rules = site_rules(crawl, client=client, cache=cloud.robots, clock=cloud.clock)
        reader = SitemapReader(
            crawl.id,
            rules,
            client=client,
            objects=cloud.objects,
            hosts=cloud.hosts,
            clock=cloud.clock,
            earlier=EarlierSitemaps(crawl.id, cloud.crawls, cloud.objects),
        )
        ports = planner_ports(
            cloud,
            queue=cloud.queues,
            signals=cloud.signals,
            folds=cloud.folds,
            longest_crawl=LONGEST_CRAWL,
            renders=cloud.renders and crawl.settings.render.mode is not RenderMode.NEVER,
            log_url=_log_url,
        )
        return _Planning(planner=Planner(crawl, rules, ports), sitemaps=reader, client=client, resumes=crawl.resumes)


def _log_url(fields: Mapping[str, object]) -> None:
    logger.info(MESSAGE, extra=fields)


class _Planning(msgspec.Struct, frozen=True, kw_only=True):
    """The planner of one crawl, and what belongs to it."""

    planner: Planner
    sitemaps: SitemapReader
    client: PageClient
    resumes: int  # of the crawl; a planner does not outlive them, as its limits change
