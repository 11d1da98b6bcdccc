"""The operator's controls as a process sees them."""

import pytest
from tests.support.still_clock import StillClock

from wavecrawl.application.operator_controls import FRESH, CurrentControls, change_controls
from wavecrawl.domain.tenants.operator_controls import OperatorControls
from wavecrawl.errors import ConflictError, StoreBusyError


class Stored:
    """`ports.controls.Controls` that counts its reads, and fails if it should."""

    def __init__(self, *, fails: bool = False) -> None:
        self.controls = OperatorControls(denied_hosts=("a.example",), version=3)
        self.fails = fails
        self.reads = 0

    def read(self) -> OperatorControls:
        self.reads += 1
        if self.fails:
            raise StoreBusyError("the table does not respond")
        return self.controls

    def update(self, controls: OperatorControls) -> bool:
        if self.controls.version != controls.version - 1:
            return False
        self.controls = controls
        return True


def test_controls_are_read_once_a_minute() -> None:
    stored, clock = Stored(), StillClock(1_000.0)
    current = CurrentControls(stored, clock)
    assert [current.denies(host) for host in ("a.example", "b.example", "a.example")] == [True, False, True]
    clock.time += FRESH - 0.5
    assert (current.denies("b.example"), stored.reads) == (False, 1)
    stored.controls = OperatorControls(denied_hosts=("b.example",))
    clock.time += 0.5
    assert (current.denies("b.example"), stored.reads) == (True, 2)


def test_known_controls_hold_while_the_store_does_not_respond() -> None:
    stored, clock = Stored(), StillClock(1_000.0)
    current = CurrentControls(stored, clock)
    assert current.denies("a.example")
    stored.fails = True
    clock.time += FRESH
    assert current.denies("a.example")
    assert current.denies("a.example")
    assert stored.reads == 2


def test_nothing_is_requested_while_the_controls_are_not_known() -> None:
    with pytest.raises(StoreBusyError):
        CurrentControls(Stored(fails=True), StillClock(1_000.0)).denies("a.example")


def test_of_two_changes_at_the_same_time_one_is_refused() -> None:
    stored = Stored()

    def slow(old: OperatorControls) -> OperatorControls:
        change_controls(lambda now: now.deny(["b.example"]), stored)
        return old.deny(["c.example"])

    with pytest.raises(ConflictError, match="changed by another request"):
        change_controls(slow, stored)
    assert stored.controls == OperatorControls(denied_hosts=("a.example", "b.example"), version=4)
