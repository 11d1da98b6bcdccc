"""Fairness of indexing in the background, in virtual time."""

from collections.abc import Callable
from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from wavecrawl.domain.knowledge.passage import SiteId
from wavecrawl.domain.knowledge.turns import IndexTurns

SLICE = 60.0  # seconds


def site(tenant: str, name: str = "s") -> SiteId:
    return SiteId(tenant=tenant, site=name)


@dataclass
class Machine:
    """A number of slots in virtual time. Each site has seconds of work, done in slices."""

    slots: int
    work: dict[SiteId, float]
    turns: IndexTurns = field(default_factory=IndexTurns)
    now: float = 0.0
    running: dict[SiteId, float] = field(default_factory=dict)  # site -> when its slice ends
    first: dict[SiteId, float] = field(default_factory=dict)  # site -> when its first slice began
    done: dict[SiteId, float] = field(default_factory=dict)
    slices: list[str] = field(default_factory=list)  # tenants, in the order of their slices
    on_slice: Callable[[SiteId], None] = lambda _: None

    def fill(self) -> None:
        while len(self.running) < self.slots and (one := self.turns.next()) is not None:
            self.first.setdefault(one, self.now)
            self.slices.append(one.tenant)
            self.on_slice(one)
            self.running[one] = self.now + min(SLICE, self.work[one])

    def step(self) -> bool:
        """Go on to the end of the next slice; return False if there is none."""
        self.fill()
        if not self.running:
            return False
        one = min(self.running, key=lambda each: self.running[each])
        self.now = self.running.pop(one)
        self.work[one] -= min(SLICE, self.work[one])
        if not self.work[one]:
            self.done[one] = self.now
        self.turns.ended(one, is_done=not self.work[one])
        return True

    def run(self) -> None:
        while self.step():
            pass


def test_a_tenant_waits_for_one_slice_of_each_other_tenant_however_much_work_they_have() -> None:
    heavy = {site("a", f"s{number}"): 36_000.0 for number in range(50)} | {site("b"): 36_000.0}
    machine = Machine(slots=1, work=heavy | {site("c"): 90.0})
    for one in heavy:
        machine.turns.add(one)
    for _ in range(10):
        machine.step()
    begun = machine.now
    machine.turns.add(site("c"))
    while site("c") not in machine.done:
        machine.step()
    assert machine.first[site("c")] - begun <= 2 * SLICE
    assert machine.done[site("c")] - begun <= 90.0 + 4 * SLICE


def test_tenants_get_the_same_time_and_the_sites_of_one_take_turns() -> None:
    work = {site("a", "1"): 600.0, site("a", "2"): 600.0, site("b"): 1_200.0}
    machine = Machine(slots=1, work=dict(work))
    for one in work:
        machine.turns.add(one)
    machine.run()
    assert machine.slices[:20].count("a") == machine.slices[:20].count("b") == 10
    assert abs(machine.done[site("a", "1")] - machine.done[site("a", "2")]) <= 2 * SLICE


def test_one_tenant_uses_all_slots_while_no_other_waits() -> None:
    machine = Machine(slots=2, work={site("a", "1"): 60.0, site("a", "2"): 60.0})
    for one in machine.work:
        machine.turns.add(one)
    machine.run()
    assert machine.now == SLICE


def test_a_tenant_that_asks_again_and_again_does_not_jump_the_queue() -> None:
    turns = IndexTurns()
    turns.add(site("b", "1"))
    turns.add(site("b", "2"))
    served = []
    for _ in range(6):
        turns.add(site("a"))
        one = turns.next()
        assert one is not None
        served.append(one.tenant)
        turns.ended(one, is_done=one.tenant == "a")
    assert served == ["b", "a"] * 3


def test_a_site_waits_once_and_again_if_it_was_requested_during_its_slice() -> None:
    turns = IndexTurns()
    turns.add(site("a"))
    turns.add(site("a"))
    assert turns.next() == site("a")
    assert turns.next() is None
    turns.add(site("a"))
    assert turns.next() is None  # it is in work
    turns.ended(site("a"), is_done=True)
    assert turns.next() == site("a")
    turns.ended(site("a"), is_done=True)
    assert turns.next() is None


def test_sites_that_wait_are_forgotten() -> None:
    turns = IndexTurns()
    turns.add(site("a"))
    turns.next()
    turns.add(site("a"))
    turns.add(site("b"))
    turns.clear()
    turns.ended(site("a"), is_done=True)
    assert turns.next() is None


@given(
    st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 3), st.integers(1, 600)), min_size=1, max_size=20),
    st.integers(1, 3),
)
def test_while_a_tenant_waits_for_a_slot_each_other_gets_at_most_one_slice(
    jobs: list[tuple[str, int, int]], slots: int
) -> None:
    work = {site(tenant, str(number)): float(seconds) for tenant, number, seconds in jobs}
    machine = Machine(slots=slots, work=work)
    for one in work:
        machine.turns.add(one)
    passed: dict[str, set[str]] = {}  # tenant that waits, and has no slot -> tenants that got a slice meanwhile

    def check(chosen: SiteId) -> None:
        for tenant in "abcd":
            waits = any(left and one not in machine.running for one, left in work.items() if one.tenant == tenant)
            if waits and tenant not in {one.tenant for one in machine.running} and tenant != chosen.tenant:
                assert chosen.tenant not in passed.setdefault(tenant, set())
                passed[tenant].add(chosen.tenant)
            else:
                passed.pop(tenant, None)

    machine.on_slice = check
    machine.run()
    assert {*machine.done} == {*work}
