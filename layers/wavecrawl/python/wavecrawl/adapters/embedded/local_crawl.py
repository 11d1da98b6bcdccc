"""One crawl on one machine: the steps of its state machine over the embedded adapters."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from wavecrawl.application.read_sitemaps import Later, SitemapReader
from wavecrawl.application.run_wave import Planner, WaveResult
from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.domain.crawl.settings import Discovery
from wavecrawl.ports.crawls import CrawlRow, Crawls
from wavecrawl.ports.job_queue import JobQueue
from wavecrawl.ports.signals import Signals


class Pool(JobQueue, Signals, Protocol):
    """Workers and their queue."""

    def wait_for(self, token: str, *, poll: Callable[[], None]) -> None:
        """Deliver jobs until the token is signalled; call `poll` from time to time."""
        ...

    def close(self) -> None:
        """End all workers."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalSteps:
    """`state_machine.Steps` for one crawl."""

    crawl: CrawlRow
    crawls: Crawls
    planner: Planner
    sitemaps: SitemapReader
    pool: Pool
    poll: Callable[[], None]

    def discovery(self) -> Discovery:
        """Return how URLs enter the frontier."""
        return self.crawl.settings.discovery

    def last_wave(self) -> tuple[int, Phase, bool]:
        """Return number and phase of the last planned wave, and whether it has batches."""
        return self.planner.last_wave()

    def run_wave(self, phase: Phase, wave: int, token: str) -> WaveResult:
        """Plan and dispatch a wave."""
        row = self.crawls.read(self.crawl.id)
        return self.planner.run_wave(phase, wave, token, cancelled=row is not None and row.cancel_asked)

    def wait_for(self, token: str) -> None:
        """Wait until the wave's last batch is done."""
        self.pool.wait_for(token, poll=self.poll)

    def read_sitemaps(self) -> bool:
        """Read the sitemaps unless that was done before; return whether they may name further URLs."""
        read = self.sitemaps.read()
        return isinstance(read, Later) or read.leads_on
