from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.contract.stores import Stores

from wavecrawl.ports.rate_limits import Turn, end_of_window


def test_turns_are_counted_down_to_nothing(stores: Stores) -> None:
    turns = [stores.rate_limits.take("k", limit=2, window=60.0, now=1_000.0) for _ in range(3)]
    assert turns == [
        Turn(allowed=True, remaining=1, resets_at=1_020.0),
        Turn(allowed=True, remaining=0, resets_at=1_020.0),
        Turn(allowed=False, remaining=0, resets_at=1_020.0),
    ]


def test_a_new_window_brings_new_turns(stores: Stores) -> None:
    times = (1_000.0, 1_019.9, 1_020.0, 1_079.0)
    allowed = [stores.rate_limits.take("k", limit=1, window=60.0, now=now).allowed for now in times]
    assert allowed == [True, False, True, False]


def test_subjects_do_not_share_turns(stores: Stores) -> None:
    turns = [stores.rate_limits.take(subject, limit=1, window=60.0, now=1_000.0) for subject in ("a", "b", "a")]
    assert [turn.allowed for turn in turns] == [True, True, False]


def test_a_limit_that_was_lowered_holds_at_once(stores: Stores) -> None:
    for _ in range(3):
        stores.rate_limits.take("k", limit=9, window=60.0, now=1_000.0)
    assert stores.rate_limits.take("k", limit=2, window=60.0, now=1_000.0) == Turn(
        allowed=False, remaining=0, resets_at=1_020.0
    )


def test_of_many_at_once_as_many_pass_as_may(another: Callable[[], Stores]) -> None:
    workers = [another() for _ in range(4)]
    with ThreadPoolExecutor(16) as pool:
        jobs = [
            pool.submit(workers[n % 4].rate_limits.take, "k", limit=25, window=60.0, now=1_000.0) for n in range(40)
        ]
        turns = [job.result() for job in jobs]
    assert sorted(turn.remaining for turn in turns if turn.allowed) == list(range(25))
    assert sum(not turn.allowed for turn in turns) == 15


@pytest.mark.parametrize(("now", "end"), [(0.0, 60.0), (59.9, 60.0), (60.0, 120.0)])
def test_windows_start_at_multiples_of_their_length(now: float, end: float) -> None:
    assert end_of_window(60.0, now) == end
