"""Waits between the steps of a crawl on one machine."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.support.still_clock import StillClock

from wavecrawl.adapters.embedded.local_crawl import LocalSteps, Waits, open_patiently
from wavecrawl.application.stop_signal import StopSignal
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.errors import RootFailedError, RootUnreachableError
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.signals import Following, NextStep


@dataclass(slots=True)
class Waiting:
    """A pool whose waves have all ended; what follows is a wait."""

    until: float
    polls: list[float] = field(default_factory=list)

    def wait_for(self, token: str, **_: Any) -> Following:  # noqa: ARG002 - as the pool's
        """Return what follows."""
        return Following(next=NextStep.WAIT, until=self.until)


@pytest.mark.parametrize(("cancelled_after", "waited"), [(None, 15.5), (4, 4.0)])
def test_a_wait_ends_at_its_time_or_if_the_crawl_is_cancelled(
    tmp_path: Path, cancelled_after: int | None, waited: float
) -> None:
    clock, store = StillClock(), LocalStore(tmp_path)
    row = store.start("https://site.example/", CrawlSettings())
    pool: Any = Waiting(until=clock.time + 15.5)
    began = clock.time

    def poll() -> None:
        pool.polls.append(clock.time)
        if len(pool.polls) == cancelled_after:
            store.crawls.ask_to_cancel(row.id)

    unused: Any = None
    stop = StopSignal(row, store.crawls, store.waves, clock)
    waits = Waits(crawl=row.id, crawls=store.crawls, clock=clock, stop=stop, poll=poll)
    steps = LocalSteps(crawl=row, planner=unused, sitemaps=unused, pool=pool, waits=waits, poll=poll)
    assert steps.wait_for("token") is NextStep.WAIT
    assert clock.time - began == waited
    store.close()


@pytest.mark.parametrize(("seconds", "reports"), [(4.0, [False, False]), (60.0, [True, False])])
def test_a_long_wait_is_reported_as_a_pause(tmp_path: Path, seconds: float, reports: list[bool]) -> None:
    clock, store = StillClock(), LocalStore(tmp_path)
    row = store.start("https://site.example/", CrawlSettings())
    heard: list[bool] = []
    waits = Waits(
        crawl=row.id,
        crawls=store.crawls,
        clock=clock,
        stop=StopSignal(row, store.crawls, store.waves, clock),
        poll=lambda: None,
        on_pause=heard.append,
    )
    waits.until(clock.time + seconds)
    assert heard == reports
    store.close()


def test_a_crawl_is_opened_again_after_growing_waits_until_it_is_given_up(tmp_path: Path) -> None:
    clock, store = StillClock(), LocalStore(tmp_path)
    row = store.start("https://site.example/", CrawlSettings())
    stop = StopSignal(row, store.crawls, store.waves, clock)
    waits = Waits(crawl=row.id, crawls=store.crawls, clock=clock, stop=stop, poll=lambda: None)
    failures, began = 2, clock.time
    tries: list[float] = []
    notes: list[str] = []

    def open_() -> CrawlRow:
        tries.append(clock.time - began)
        if len(tries) > failures:
            return row
        raise RootUnreachableError("HTTP 503.")

    assert open_patiently(open_, waits, notes.append) == row
    assert tries == [0.0, 15.0, 45.0]
    assert notes == ["HTTP 503. The next try is in 15 s.", "HTTP 503. The next try is in 30 s."]
    failures, began = 100, clock.time
    tries.clear()
    with pytest.raises(RootFailedError, match=r"HTTP 503\."):
        open_patiently(open_, waits, notes.append)
    assert tries == [0.0, 15.0, 45.0, 105.0, 225.0, 465.0]
    store.close()
