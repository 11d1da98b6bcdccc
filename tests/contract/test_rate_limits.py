from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.rate_limits import Turn, end_of_window


def take(stores: Ports, member: str = "k", *, limit: int, group: str = "t", of_all: int = 99, now: float = 1e3) -> Turn:
    return stores.rate_limits.take(group, member, limit=limit, of_all=of_all, window=60.0, now=now)


def test_turns_are_counted_down_to_nothing(stores: Ports) -> None:
    assert [take(stores, limit=2, of_all=5) for _ in range(3)] == [
        Turn(allowed=True, remaining=1, of_all=4, resets_at=1_020.0),
        Turn(allowed=True, remaining=0, of_all=3, resets_at=1_020.0),
        Turn(allowed=False, remaining=0, of_all=3, resets_at=1_020.0),
    ]


def test_a_group_has_turns_for_all_its_members_together(stores: Ports) -> None:
    turns = [take(stores, member, limit=2, of_all=3) for member in ("a", "b", "a", "b", "c")]
    assert [(turn.allowed, turn.remaining, turn.of_all) for turn in turns] == [
        (True, 1, 2),
        (True, 1, 1),
        (True, 0, 0),
        (False, 1, 0),
        (False, 2, 0),
    ]


def test_who_is_refused_takes_no_turn_of_the_group(stores: Ports) -> None:
    assert [take(stores, "a", limit=1, of_all=2).allowed for _ in range(3)] == [True, False, False]
    assert take(stores, "b", limit=1, of_all=2).allowed


def test_a_new_window_brings_new_turns(stores: Ports) -> None:
    times = (1_000.0, 1_019.9, 1_020.0, 1_079.0)
    assert [take(stores, limit=1, of_all=1, now=now).allowed for now in times] == [True, False, True, False]


def test_members_do_not_share_turns(stores: Ports) -> None:
    assert [take(stores, member, limit=1).allowed for member in ("a", "b", "a")] == [True, True, False]


def test_groups_do_not_share_turns(stores: Ports) -> None:
    assert [take(stores, limit=1, of_all=1, group=group).allowed for group in ("t", "u", "t")] == [True, True, False]


def test_a_limit_that_was_lowered_holds_at_once(stores: Ports) -> None:
    for _ in range(3):
        take(stores, limit=9)
    assert take(stores, limit=2) == Turn(allowed=False, remaining=0, of_all=96, resets_at=1_020.0)
    assert take(stores, limit=9, of_all=2) == Turn(allowed=False, remaining=6, of_all=0, resets_at=1_020.0)


def test_of_many_at_once_as_many_pass_as_may(another: Callable[[], Ports]) -> None:
    workers = [another() for _ in range(4)]
    with ThreadPoolExecutor(16) as pool:
        jobs = [pool.submit(take, workers[n % 4], f"k{n % 2}", limit=15, of_all=25) for n in range(40)]
        turns = [job.result() for job in jobs]
    assert sorted(turn.of_all for turn in turns if turn.allowed) == list(range(25))
    assert sum(not turn.allowed for turn in turns) == 15


@pytest.mark.parametrize(("now", "end"), [(0.0, 60.0), (59.9, 60.0), (60.0, 120.0)])
def test_windows_start_at_multiples_of_their_length(now: float, end: float) -> None:
    assert end_of_window(60.0, now) == end
