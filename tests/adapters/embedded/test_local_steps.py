"""Waits between the steps of a crawl on one machine."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.support.still_clock import StillClock

from wavecrawl.adapters.embedded.local_crawl import LocalSteps
from wavecrawl.application.stop_signal import StopSignal
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.ports.signals import Following, NextStep


@dataclass(slots=True)
class Waiting:
    """A pool whose waves have all ended; what follows is a wait."""

    until: float
    polls: list[float] = field(default_factory=list)

    def wait_for(self, token: str, *, poll: Callable[[], None], stop: Callable[[], bool]) -> Following:  # noqa: ARG002
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
    steps = LocalSteps(
        crawl=row,
        crawls=store.crawls,
        planner=unused,
        sitemaps=unused,
        pool=pool,
        clock=clock,
        stop=StopSignal(row, store.crawls, clock),
        poll=poll,
    )
    assert steps.wait_for("token") is NextStep.WAIT
    assert clock.time - began == waited
    store.close()
