"""Crawls of one host by two tenants: the settings of one change nothing for the other, except that they share it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs
from tests.support.campaign import examples
from tests.support.simulation import ORIGIN, Simulation, Web

from wavecrawl.domain.crawl.gather import FeedbackSum
from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.domain.fetching.exchange import Exchange, FetchRequest, TransportFault
from wavecrawl.domain.fetching.limits import FetchLimits
from wavecrawl.domain.politeness.pace import Pace
from wavecrawl.domain.politeness.settings import PoliteSettings

TURN = 0.042  # seconds of the host's time per request: the default interval, and the mean delay at random
LATENCY = 0.15  # seconds that the host takes for each page but the root
LONGEST = 10  # waves; the crawl has three
LINKS = (tuple(range(1, 31)), *((),) * 30)

POLITE = st.builds(
    PoliteSettings,
    in_flight=st.sampled_from([1, 5, 1_000]),
    interval=st.sampled_from([0.0, 0.01, 0.04, 1.0, 60.0, 86_400.0]),
    obey_robots=st.booleans(),
    adapt=st.booleans(),
    max_interval=st.sampled_from([0.0, 30.0, 86_400.0]),
    max_retry_after=st.sampled_from([0.0, 86_400.0]),
    cooldown=st.sampled_from([0.0, 30.0, 86_400.0]),
    max_cooldowns=st.sampled_from([0, 5, 100]),
    max_delay=st.sampled_from([0.0, 300.0, 86_400.0]),
)
LIMITS = st.builds(
    FetchLimits, timeout=st.sampled_from([0.05, 0.1, 10.0, 600.0]), max_bytes=st.sampled_from([1, 13, 1_000_000])
)


@dataclass(frozen=True, slots=True)
class Other:
    """A crawl of the other tenant: its settings, what it does before and between the waves, and if it gives up."""

    polite: PoliteSettings
    limits: FetchLimits
    waves: int  # planned before the first crawl starts
    finished: int  # of these, how many are also fetched
    ended: bool  # whether its end gives back what it reserved


OTHERS = st.builds(Other, POLITE, LIMITS, st.integers(1, 3), st.integers(0, 3), st.booleans())


class Host(Web):
    """A host whose responses depend on the URL alone. A crawl that does not wait long enough gets none."""

    def fetch(self, request: FetchRequest) -> Exchange:
        exchange = Web.fetch(self, request)
        if request.method == "HEAD" or request.url == f"{ORIGIN}/":
            return structs.replace(exchange, started_at=self.now())
        timeout = request.limits.timeout
        if timeout < LATENCY:
            timed_out = {"status": None, "fault": TransportFault.TIMEOUT, "fault_detail": "", "body": b""}
            return structs.replace(exchange, started_at=self.now(), elapsed=timeout, **timed_out)
        return structs.replace(exchange, started_at=self.now(), elapsed=LATENCY, first_byte_after=LATENCY)


@dataclass(slots=True)
class Wave:
    """What one wave of a crawl does, with times relative to its plan."""

    urls: list[list[str]] = field(default_factory=list)
    starts: list[float] = field(default_factory=list)  # seconds after the first batch's start
    paces: list[Pace] = field(default_factory=list)
    waits: float = 0.0  # seconds from the plan to the first batch's start


def run_wave(crawl: Simulation, wave: int) -> Wave:
    """Plan a wave; return what it will do."""
    crawl.jobs.clear()
    now = crawl.clock.now()
    crawl.planner().run_wave(Phase.BFS, wave, f"token {wave}")
    if not crawl.jobs:
        return Wave()
    first = min(job.starts_at for job in crawl.jobs)
    return Wave(
        urls=[[item.url for item in job.items] for job in crawl.jobs],
        starts=[round(job.starts_at - first, 6) for job in crawl.jobs],
        paces=[job.pace for job in crawl.jobs],
        waits=first - now,
    )


def fetch_all(crawl: Simulation) -> None:
    for job in list(crawl.jobs):
        crawl.clock.time = max(crawl.clock.time, job.starts_at)  # the queue delivers it then
        crawl.deliver(job)


def crawl_beside(other: Other | None) -> tuple[list[Wave], int]:
    """Crawl the host with the default settings; return the waves, and how many turns the other crawl may hold."""
    with TemporaryDirectory() as folder:
        mine = Simulation(Host(LINKS), Path(folder), polite=PoliteSettings())
        mine.web.now = mine.clock.now
        held = 0
        if other is not None:
            web = Host(LINKS)
            web.now = mine.clock.now
            theirs = Simulation(web, Path(folder), polite=other.polite, limits=other.limits, beside=mine)
            for wave in range(1, other.waves + 1):
                held = sum(map(len, run_wave(theirs, wave).urls))
                if wave > other.finished:
                    break  # its batches are not fetched while the first crawl runs
                fetch_all(theirs)
            if other.ended:
                theirs.give_back()
                held = 1
        waves: list[Wave] = []
        while not waves or (waves[-1].urls and len(waves) < LONGEST):
            waves.append(run_wave(mine, len(waves) + 1))
            fetch_all(mine)
        mine.close()
        return waves, held


ALONE, _ = crawl_beside(None)


def check(other: Other) -> None:
    waves, held = crawl_beside(other)
    assert [wave.urls for wave in waves] == [wave.urls for wave in ALONE]
    assert [wave.starts for wave in waves] == [wave.starts for wave in ALONE]
    assert [wave.paces for wave in waves] == [wave.paces for wave in ALONE]
    for wave, alone in zip(waves, ALONE, strict=True):
        assert wave.waits <= alone.waits + (held + 1) * TURN + 1e-6  # and the last of the wave before


def test_a_crawl_alone_fetches_everything() -> None:
    assert sum(len(urls) for wave in ALONE for urls in wave.urls) == len(LINKS)


@settings(max_examples=examples(20), deadline=None)
@given(OTHERS)
def test_no_setting_of_one_tenant_changes_the_crawl_of_another(other: Other) -> None:
    check(other)


OWN_TURNS = Other(PoliteSettings(interval=60.0), FetchLimits(), 2, 1, ended=False)
IMPATIENT = Other(PoliteSettings(), FetchLimits(timeout=0.05), 3, 3, ended=False)
UNFINISHED = Other(PoliteSettings(), FetchLimits(), 2, 1, ended=True)


@pytest.mark.parametrize(
    ("other", "part", "broken"),
    [
        (OWN_TURNS, "wavecrawl.application.host_speeds.turn", lambda own, _: own.interval),
        (IMPATIENT, "wavecrawl.application.gather_wave.FeedbackSum", lambda **_: FeedbackSum()),
        (UNFINISHED, "tests.support.simulation.give_back_turns", lambda *_, **__: None),
    ],
    ids=["a turn is as long as the crawl's own interval", "every timeout counts", "turns are not given back"],
)
def test_it_bites(other: Other, part: str, broken: Callable[..., object], monkeypatch: pytest.MonkeyPatch) -> None:
    check(other)
    monkeypatch.setattr(part, broken)
    with pytest.raises(AssertionError):
        check(other)
