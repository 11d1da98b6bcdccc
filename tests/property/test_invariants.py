"""The invariants of a crawl under crashes, duplicate messages, stalls and repeated waves.

The second half breaks the build on purpose and shows that the checks fail. Each class there names what it breaks.
"""

from collections.abc import Callable, Iterator
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.campaign import examples, slow
from tests.support.simulation import Parts, Step, Web, simulate

from wavecrawl.adapters.embedded.batches import SqliteBatches
from wavecrawl.application import crawl_state
from wavecrawl.application.crawl_state import CrawlStates, Snapshot
from wavecrawl.application.gather_wave import WaveGatherer
from wavecrawl.application.request_budget import RequestBudget
from wavecrawl.application.robots_waits import RobotsWaits
from wavecrawl.application.run_wave import Planner
from wavecrawl.domain.crawl.batching import PlannedBatch
from wavecrawl.domain.crawl.job import BatchId, CrawlId
from wavecrawl.domain.crawl.record_view import RecordView
from wavecrawl.errors import CorruptDataError
from wavecrawl.ports.batches import BatchSums, Lease
from wavecrawl.ports.claims import Claimant

PAGES = st.integers(min_value=0, max_value=11)
WEBS = st.builds(
    Web,
    st.lists(st.lists(PAGES, max_size=5).map(tuple), min_size=1, max_size=12).map(tuple),
    st.dictionaries(PAGES.filter(bool), st.integers(min_value=1, max_value=4), max_size=3),
)
CRASHES = ["", "before fetch", "after fetch", "before record", "before completion", "after completion"]
STEPS = st.builds(
    Step,
    job=st.integers(min_value=0, max_value=5),
    crash=st.sampled_from(CRASHES),
    after=st.integers(min_value=0, max_value=3),
    overtaken=st.booleans(),
    before_claim=st.booleans(),
    rival=st.sampled_from(CRASHES),
    seconds=st.sampled_from([0.0, 1.0, 99.0, 101.0]),
    again=st.sampled_from([False, False, False, True]),
)
SCRIPTS = st.lists(STEPS, max_size=12)
CALM = Web(tuple((*range(n + 1, min(n + 4, 12)), n // 2) for n in range(12)), {3: 1, 5: 2, 7: 9})
"""A web that is large enough for every fault to strike."""


@settings(max_examples=examples(60))
@given(web=WEBS, script=SCRIPTS)
def test_no_fault_breaks_an_invariant(web: Web, script: list[Step]) -> None:
    """`simulate` checks each wave. At the end it checks that no URL is stranded and none was fetched twice."""
    outcome, served = simulate(web, script)
    assert outcome.fetched == sum(row[1] == "fetched" for row in outcome.ledger)
    assert outcome.fetched <= len(served.served)


@settings(max_examples=examples(60))
@given(web=WEBS, script=SCRIPTS, max_pages=st.sampled_from([1, 4, 7, 1_000]))
def test_faults_do_not_change_the_result(web: Web, script: list[Step], max_pages: int) -> None:
    undisturbed, _ = simulate(web, [], max_pages=max_pages)
    if any(step.crash or step.overtaken for step in script):
        web = Web(web.links)  # a page that is requested twice has failed twice: compare only what no fault can change
        undisturbed, _ = simulate(web, [], max_pages=max_pages)
    disturbed, _ = simulate(web, script, max_pages=max_pages)
    assert disturbed == undisturbed


@settings(max_examples=examples(30))
@given(web=WEBS, max_pages=st.sampled_from([3, 6, 1_000]))
def test_a_pause_that_a_host_asks_for_does_not_change_the_result(web: Web, max_pages: int) -> None:
    """A pause postpones the other URLs of its batch. A batch of one URL has no others."""
    web = Web(web.links, web.fails, retry_after="5")
    alone, _ = simulate(web, [], max_pages=max_pages, batch_size=1)
    together, _ = simulate(web, [], max_pages=max_pages, batch_size=6)
    assert together == alone


@settings(max_examples=examples(15), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(web=WEBS, script=SCRIPTS)
def test_a_planner_that_starts_from_whole_states_plans_the_same(
    monkeypatch: pytest.MonkeyPatch, web: Web, script: list[Step]
) -> None:
    """Every step of a simulation has a new planner if its script says so; here each restores a whole state."""
    from_snapshots, _ = simulate(web, script)
    with monkeypatch.context() as patch:
        patch.setattr(crawl_state, "WHOLE_EVERY", 1)
        patch.setattr(crawl_state, "URLS_PER_OBJECT", 3)
        from_whole_states, _ = simulate(web, script)
    assert from_whole_states == from_snapshots


@settings(max_examples=examples(30))
@given(web=WEBS)
def test_without_faults_every_page_is_fetched_once(web: Web) -> None:
    _, served = simulate(web, [])
    assert set(served.served.values()) <= {1}


def scripts(random: Random) -> Iterator[list[Step]]:
    """Yield scripts of every kind of fault."""
    for _ in range(60):
        yield [
            Step(
                job=random.randrange(6),
                crash=random.choice(CRASHES),  # type: ignore[arg-type]
                after=random.randrange(3),
                overtaken=random.random() < 0.5,
                rival=random.choice(CRASHES),  # type: ignore[arg-type]
                seconds=random.choice((0.0, 101.0)),
                again=random.random() < 0.2,
                before_claim=random.random() < 0.5,
            )
            for _ in range(12)
        ]


def is_caught(parts: Parts) -> bool:
    """Return whether any script makes the checks fail for a broken build."""
    undisturbed, _ = simulate(Web(CALM.links), [])
    for script in scripts(Random(3)):
        try:
            disturbed, _ = simulate(Web(CALM.links), script, parts=parts)
            assert disturbed == undisturbed
        except (AssertionError, CorruptDataError):
            return True
    return False


class EveryClaimSucceeds:
    """Breaks "one worker per page": every worker may fetch every page."""

    def claim(self, _crawl: CrawlId, _key: str, _by: Claimant) -> bool:
        return True

    def holder(self, _crawl: CrawlId, _key: str) -> Claimant | None:
        return None


class EveryLeaseIsGranted(SqliteBatches):
    """Breaks "one worker per batch": a leased batch is leased again, and the old holder may complete it."""

    def lease(self, id_: BatchId, *, owner: str, now: float, seconds: float) -> Lease | None:
        self._database.change(
            "UPDATE batch SET leased_until = 0, done = 0 WHERE crawl = ? AND wave = ? AND batch = ?",
            str(id_.crawl),
            id_.wave,
            id_.batch,
        )
        return super().lease(id_, owner=owner, now=now, seconds=seconds)


class TheOldHolderMayFinish(SqliteBatches):
    """Breaks "one worker per batch": completion does not check the lease."""

    def complete(self, lease: Lease, sums: BatchSums) -> bool:
        rows = self.of_wave(lease.id.crawl, lease.id.wave)
        row = next(row for row in rows if row.id == lease.id)
        latest = Lease(id=lease.id, attempt=row.attempts, owner=row.owner, expires_at=0.0)
        return super().complete(latest, sums)


class EveryCompletionCounts(SqliteBatches):
    """Breaks "a batch is counted once": each completion counts."""

    def complete(self, lease: Lease, sums: BatchSums) -> bool:
        done = super().complete(lease, sums)
        with self._database.transaction():
            self._waves.count(lease.id.crawl, lease.id.wave, BatchSums(), done=1)
        return done


class InOrderOfArrival(Planner):
    """Breaks "the order of arrival does not matter": records are folded as batches arrive, last attempts first."""

    def _previous_wave(self, waits: RobotsWaits, budget: RequestBudget) -> WaveGatherer:
        wave = super()._previous_wave(waits, budget)
        return GatheredAsItArrives(
            wave.crawl, wave.rules, wave.ports, wave.states, wave.state, wave.gatherer, wave.budget
        )


class GatheredAsItArrives(WaveGatherer, frozen=True):
    """Gathers batches in the order of their owners, and follows links in that order."""

    def _records(self, wave: Snapshot, *, cancelled: bool) -> Iterator[tuple[PlannedBatch, list[RecordView]]]:
        owners = {number: row.owner for number, row in self._done(wave.wave).items()}
        yield from sorted(super()._records(wave, cancelled=cancelled), key=lambda found: owners[found[0].number])


class PlansAnew(Planner):
    """Breaks "a repeated wave has the same plan": the wave is planned again, with the results that arrived since."""

    def run_wave(self, *arguments: object, **named: object) -> object:  # type: ignore[override]
        self._states = Forgetful(self._states._objects)
        return super().run_wave(*arguments, **named)  # type: ignore[arg-type]


class Forgetful(CrawlStates):
    """A store that finds no plan for the wave and overwrites the old plan with the new one."""

    reads = 0

    def snapshot(self, crawl: CrawlId, wave: int) -> Snapshot | None:
        self.reads += 1
        return None if self.reads == 1 else super().snapshot(crawl, wave)

    def store(self, crawl: CrawlId, snapshot: Snapshot) -> bool:
        turned = Snapshot(
            wave=snapshot.wave,
            phase=snapshot.phase,
            planned_at=snapshot.planned_at,
            clock=snapshot.clock,
            counters=snapshot.counters,
            stopped=snapshot.stopped,
            batches=tuple(reversed(snapshot.batches)),
            rows=snapshot.rows,
        )
        return super().store(crawl, turned)


BROKEN: dict[str, Callable[[], Parts]] = {
    "every claim succeeds": lambda: Parts(claims=lambda _store: EveryClaimSucceeds()),
    "every lease is granted": lambda: Parts(batches=lambda store: EveryLeaseIsGranted(store.database)),
    "the old holder may finish": lambda: Parts(batches=lambda store: TheOldHolderMayFinish(store.database)),
    "every completion counts": lambda: Parts(batches=lambda store: EveryCompletionCounts(store.database)),
    "records in order of arrival": lambda: Parts(planner=InOrderOfArrival),
    "a repeated wave is planned again": lambda: Parts(planner=PlansAnew),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_build_is_caught(name: str) -> None:
    assert is_caught(BROKEN[name]())


@slow
def test_the_real_build_passes_what_the_broken_ones_fail() -> None:
    assert not is_caught(Parts())
