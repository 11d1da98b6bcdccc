"""One crawl on one machine: the steps of its state machine over the embedded adapters."""

from collections.abc import Callable
from math import inf
from typing import Protocol

import msgspec
from msgspec.structs import replace

from wavecrawl.adapters.embedded.pause_reports import SHORTEST_PAUSE
from wavecrawl.application.crawl_limits import CrawlLimits
from wavecrawl.application.next_step import after_sitemaps, after_wave, first_step
from wavecrawl.application.open_crawl import ROOT_WAITS
from wavecrawl.application.read_sitemaps import SitemapReader, Unfinished
from wavecrawl.application.run_wave import LastWave, Planner, WaveResult
from wavecrawl.application.sitemap_requests import ReadingLimits
from wavecrawl.application.stop_signal import StopSignal
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.errors import RootFailedError, RootUnreachableError
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.crawls import CrawlRow, Crawls
from wavecrawl.ports.job_queue import JobQueue
from wavecrawl.ports.signals import Following, NextStep, Signals

LOOK_AGAIN = 1.0
"""Seconds after which a crawl that only waits looks whether it must stop."""


class Pool(JobQueue, Signals, Protocol):
    """Workers and their job queue."""

    def wait_for(self, token: str, *, poll: Callable[[], None], stop: Callable[[], bool]) -> Following:
        """Deliver jobs until `token` is completed; return its output. `poll` is called now and then.

        Once `stop` returns True, jobs need not wait for their start: workers postpone their URLs.
        """
        ...

    def is_paused(self) -> bool:
        """Return whether at most one request starts within `SHORTEST_PAUSE` seconds."""
        ...

    def close(self) -> None:
        """Stop all workers."""
        ...


class Waits(msgspec.Struct, frozen=True, kw_only=True):
    """The waits of one crawl between its steps. They end early if it must stop."""

    crawl: CrawlId
    crawls: Crawls
    clock: Clock
    stop: StopSignal
    poll: Callable[[], None]  # called now and then
    on_pause: Callable[[bool], None] = lambda _: None  # called with whether the crawl is paused
    all_stopped: Callable[[], bool] = lambda: False  # whether the operator has stopped all crawls

    def until(self, time: float) -> None:
        """Wait until a Unix time."""
        self.on_pause(time - self.clock.now() >= SHORTEST_PAUSE)
        while (left := time - self.clock.now()) > 0 and not self.stop.is_set():
            self.clock.sleep(min(left, LOOK_AGAIN))
            self.poll()
        self.on_pause(False)

    def is_cancelled(self) -> bool:
        """Return whether the crawl was cancelled. If all crawls were stopped, it is."""
        if self.all_stopped():
            self.crawls.ask_to_cancel(self.crawl)
        row = self.crawls.read(self.crawl)
        return row is not None and row.cancel_asked


def open_patiently(open_: Callable[[], CrawlRow], waits: Waits, on_wait: Callable[[str], None]) -> CrawlRow:
    """Open a crawl; while its root's robots.txt cannot be fetched, try again as the state machine does.

    `on_wait` is called with the reason for each wait. Raise RootFailedError after the last one.
    """
    for seconds in ROOT_WAITS:
        try:
            return open_()
        except RootUnreachableError as error:
            on_wait(f"{error} The next try is in {seconds:.0f} s.")
            waits.until(waits.clock.now() + seconds)
    try:
        return open_()
    except RootUnreachableError as error:
        raise RootFailedError(str(error)) from error


class LocalSteps(msgspec.Struct, frozen=True, kw_only=True):
    """`state_machine.Steps` for one crawl."""

    crawl: CrawlRow
    planner: Planner
    sitemaps: SitemapReader
    pool: Pool
    waits: Waits
    poll: Callable[[], None]

    def first_step(self) -> NextStep:
        """Return the step that follows the opening of the crawl."""
        return first_step(self.crawl.settings.discovery)

    def last_wave(self) -> LastWave:
        """Return the last planned wave."""
        last = self.planner.last_wave()
        return replace(last, is_final=last.is_final and not self.waits.is_cancelled())

    def run_wave(self, phase: Phase, wave: int, token: str) -> WaveResult:
        """Plan and dispatch a wave. If there are no batches to wait for, complete its token."""
        result = self.planner.run_wave(phase, wave, token, cancelled=self.waits.is_cancelled())
        following = after_wave(result, phase, self.crawl.settings.discovery)
        if following.next is not NextStep.WAVE or result.cancelled:
            self.pool.succeed(token, following)
        return result

    def wait_for(self, token: str) -> NextStep:
        """Wait until `token` is completed, and until what follows may begin; return that."""

        def poll() -> None:
            self.waits.on_pause(self.pool.is_paused())
            self.poll()

        following = self.pool.wait_for(token, poll=poll, stop=self.waits.stop.is_set)
        self.waits.until(following.until)
        return following.next

    def read_sitemaps(self) -> NextStep:
        """Read the sitemaps, unless that was done before; return what follows."""
        while isinstance(read := self.sitemaps.read(self._reading_limits()), Unfinished):
            self.waits.until(read.resume_at)
        return after_sitemaps(self.crawl.settings, leads_on=read.leads_on)

    def _reading_limits(self) -> ReadingLimits:
        """Return limits that end a long wait for the host, and the reading if the crawl must stop."""
        waits = self.waits
        ends_at = waits.clock.now() if waits.stop.is_set() else CrawlLimits(self.crawl, inf).ends_at
        return ReadingLimits(max_wait=LOOK_AGAIN, crawl_ends_at=ends_at, max_requests=self.planner.left_for_sitemaps())
