"""The pace towards one host, as the host sees it: several crawls of several tenants, in virtual time.

Each batch runs in a process of its own, as in AWS, and starts when its message says. The promises are checked against
the starts of requests alone, which the host records.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count, groupby, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs
from tests.support.campaign import examples
from tests.support.simulation import ORIGIN, Simulation, Web
from tests.support.virtual_time import VirtualTime

from wavecrawl.application.dispatch import _turns as turns_of
from wavecrawl.application.stop_signal import LOOK_EVERY
from wavecrawl.domain.crawl.job import BatchJob
from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.domain.fetching.exchange import Exchange, FetchRequest
from wavecrawl.domain.politeness.settings import PoliteSettings
from wavecrawl.domain.politeness.windows import Turns

HOST = "site.example"
PAGES = 12
LINKS = (tuple(range(1, PAGES)), *((),) * (PAGES - 1))
ROUNDING = 1e-4  # seconds; a float of today's Unix time has a resolution of 2e-7


@dataclass(frozen=True, slots=True)
class Start:
    """A request, as the host sees it."""

    at: float
    crawl: int
    status: int
    retry_after: float


@dataclass(frozen=True, slots=True)
class Plan:
    """A crawl: its settings, and how the host treats it."""

    interval: float
    suffix: str
    begins: float  # seconds after the first crawl
    refused: frozenset[int]  # numbers of its requests with 429
    retry_after: int  # seconds; 0 = none
    batch_size: int


@dataclass(slots=True)
class Host(Web):
    """The host of all crawls."""

    links: tuple[tuple[int, ...], ...] = LINKS
    plan: Plan = Plan(0.5, "", 0.0, frozenset(), 0, 4)
    number: int = 0
    delay: float = 0.0  # of robots.txt
    latency: float = 0.0
    log: list[Start] = field(default_factory=list)
    clock: VirtualTime = field(default_factory=VirtualTime)
    sent: int = 0

    def fetch(self, request: FetchRequest) -> Exchange:
        if request.url == f"{ORIGIN}/robots.txt":
            text = f"User-agent: *\nCrawl-delay: {self.delay:g}\n".encode() if self.delay else b""
            return Exchange(url=request.url, method="GET", status=200, body=text, raw_body=text)
        if request.method == "HEAD":
            return Web.fetch(self, request)
        began = self.clock.now()
        self.sent += 1
        refused = self.sent in self.plan.refused and request.url != f"{ORIGIN}/"
        asked = self.plan.retry_after if refused else 0
        self.log.append(Start(began, self.number, 429 if refused else 200, asked))
        self.clock.sleep(self.latency)
        if refused:
            headers = (("Retry-After", str(asked)),) if asked else ()
            exchange = Exchange(url=request.url, method="GET", status=429, headers=headers)
        else:
            exchange = Web.fetch(self, request)
        return structs.replace(exchange, started_at=began, elapsed=self.latency, first_byte_after=self.latency)


def crawls_of(plans: Sequence[Plan], folder: Path, *, delay: float, latency: float) -> list[Simulation]:
    clock = VirtualTime()
    log: list[Start] = []
    found: list[Simulation] = []
    with patch("tests.support.simulation.StillClock", lambda: clock):
        for number, plan in enumerate(plans):
            web = Host(plan=plan, number=number, delay=delay, latency=latency, log=log, clock=clock)
            web.now = clock.now
            polite = PoliteSettings(interval=plan.interval, in_flight=1, adapt=False)
            found.append(
                Simulation(
                    web,
                    folder,
                    beside=found[-1] if found else None,
                    polite=polite,
                    batch_size=plan.batch_size,
                    user_agent_suffix=plan.suffix,
                )
            )
    return found


def run_crawl(simulation: Simulation, clock: VirtualTime, plan: Plan) -> None:
    """Run the waves of a crawl; each batch in a thread, from the time in its message."""
    clock.sleep(plan.begins)
    for wave in count(1):
        simulation.jobs.clear()
        simulation.planner().run_wave(Phase.BFS, wave, f"token {wave}")
        jobs = list(simulation.jobs)
        if not jobs:
            break
        left = {job.id.batch for job in jobs}

        def work(job: BatchJob, left: set[int]) -> None:
            simulation.deliver(job)
            left.remove(job.id.batch)

        for job in jobs:
            clock.start(partial(work, job, left), at=job.starts_at)
        while left:
            clock.sleep(1.0)
    simulation.give_back()


def seen(plans: Sequence[Plan], *, delay: float = 0.0, latency: float = 0.0) -> tuple[list[Start], float]:
    """Return the requests that the host sees, and for how long a new crawl has to wait after the last one."""
    with TemporaryDirectory() as folder:
        crawls = crawls_of(plans, Path(folder), delay=delay, latency=latency)
        web = crawls[0].web
        assert isinstance(web, Host)
        clock = web.clock
        tasks = [partial(run_crawl, one, clock, plan) for one, plan in zip(crawls, plans, strict=True)]
        clock.run(tasks)
        for one in crawls:
            assert one.planner().state.counters.fetched + one.planner().state.frontier.pending >= 1
            assert not one.planner().state.frontier.pending, "a URL is stranded"
        new = Turns(holder="new", count=1, interval=0.042)
        waits = crawls[0].hosts.reserve(HOST, new, now=clock.now()).opens_at - clock.now()
        crawls[0].close()
    return sorted(web.log, key=lambda start: start.at), waits


def gaps(starts: Sequence[Start]) -> list[float]:
    return [later.at - sooner.at for sooner, later in pairwise(starts)]


def problems(plans: Sequence[Plan], starts: Sequence[Start], *, delay: float, latency: float = 0.0) -> Iterator[str]:
    """Yield the broken promises."""
    for number, plan in enumerate(plans):
        own = [start for start in starts if start.crawl == number]
        if min(gaps(own), default=plan.interval) < max(plan.interval, delay) - ROUNDING:
            yield f"crawl {number}: its own interval"
        for start in own:
            heard = start.at + LOOK_EVERY + latency  # by all workers
            early = [one for one in own if heard < one.at < start.at + latency + start.retry_after - ROUNDING]
            if early:
                yield f"crawl {number}: Retry-After of {start.retry_after} s"
    if delay and min(gaps(starts), default=delay) < delay - ROUNDING:
        yield "Crawl-delay between crawls"


PLANS = st.builds(
    Plan,
    interval=st.sampled_from([0.5, 1.0, 3.0, 20.0]),
    suffix=st.sampled_from(["", "", "audit/1.0"]),
    begins=st.sampled_from([0.0, 0.0, 0.1, 7.0]),
    refused=st.frozensets(st.integers(2, 14), max_size=2),
    retry_after=st.sampled_from([0, 7, 90]),
    batch_size=st.sampled_from([1, 4]),
)


@given(
    plans=st.lists(PLANS, min_size=1, max_size=4),
    delay=st.sampled_from([0.0, 0.0, 2.0, 10.0]),
    latency=st.sampled_from([0.0, 0.1, 0.4]),
)
@settings(max_examples=examples(25), deadline=None)
def test_the_host_sees_what_is_promised(plans: list[Plan], delay: float, latency: float) -> None:
    starts, waits = seen(plans, delay=delay, latency=latency)
    assert len(starts) >= PAGES * len(plans)
    assert list(problems(plans, starts, delay=delay, latency=latency)) == []
    longest = max(plan.interval for plan in plans)
    assert waits <= 2 * max(delay, 0.5, longest), "turns are lost"


@pytest.mark.parametrize("delay", [0.0, 5.0])
def test_crawls_of_one_host_advance_side_by_side(delay: float) -> None:
    plans = [Plan(1.0, "", 0.0, frozenset(), 0, 4) for _ in range(3)]
    starts, _ = seen(plans, delay=delay)
    last = [max(start.at for start in starts if start.crawl == number) for number in range(3)]
    whole = max(start.at for start in starts) - starts[0].at
    assert max(last) - min(last) <= 0.7 * whole
    order = [number for number, _ in groupby(start.crawl for start in starts)]
    assert set(order[:3]) == {0, 1, 2}, "the first wave of each comes before the second wave of any"


def test_a_crawl_that_is_slower_than_the_crawl_delay_keeps_others_at_that_delay() -> None:
    plans = [Plan(20.0, "", 0.0, frozenset(), 0, 4), Plan(0.5, "", 0.0, frozenset(), 0, 4)]
    starts, _ = seen(plans, delay=10.0)
    assert list(problems(plans, starts, delay=10.0)) == []
    fast = [start for start in starts if start.crawl == 1]
    assert fast[-1].at - fast[0].at <= 40.0 * PAGES, "it uses the time that the slow one leaves"


def test_it_bites_if_turns_do_not_include_the_delays_at_random() -> None:
    plans = [Plan(1.0, "", 0.0, frozenset(), 0, 4)] * 2
    assert not list(problems(plans, seen(plans)[0], delay=0.0))
    with patch("wavecrawl.domain.politeness.pace.DRIFT", 0.0):
        starts, _ = seen(plans)
    assert list(problems(plans, starts, delay=0.0)) == ["crawl 0: its own interval", "crawl 1: its own interval"]


def test_it_bites_if_workers_do_not_tell_each_other_of_a_pause() -> None:
    plans = [Plan(0.5, "", 0.0, frozenset({2}), 90, 1)]
    assert not list(problems(plans, seen(plans)[0], delay=0.0))
    with patch("wavecrawl.application.stop_signal.StopSignal.note_pause", lambda *_: None):
        starts, _ = seen(plans)
    assert list(problems(plans, starts, delay=0.0)) == ["crawl 0: Retry-After of 90 s"]


def test_it_bites_if_turns_are_not_taken_where_they_are_used() -> None:
    plans = [Plan(20.0, "", 0.0, frozenset(), 0, 4), Plan(0.5, "", 0.0, frozenset(), 0, 4)]

    def together(*arguments: Any) -> Turns:
        return structs.replace(turns_of(*arguments), apart=False)

    with patch("wavecrawl.application.dispatch._turns", together):
        starts, _ = seen(plans, delay=10.0)
    assert "Crawl-delay between crawls" in list(problems(plans, starts, delay=10.0))
