from itertools import pairwise

import pytest
from msgspec import structs
from msgspec.structs import replace

from wavecrawl.domain.politeness.host_state import HostState
from wavecrawl.domain.politeness.windows import Turns, Window, give_back, reserve

HOST = HostState(host="example.com")


def turns(holder: str, count: int, interval: float = 0.04, *, spacing: float = 0.0, not_before: float = 0.0) -> Turns:
    return Turns(holder=holder, count=count, interval=interval, spacing=spacing, not_before=not_before)


def test_two_crawls_reserve_one_after_the_other() -> None:
    state, first = reserve(HOST, turns("a", 100), now=50.0)
    state, second = reserve(state, turns("b", 10), now=50.0)
    assert (first.opens_at, second.opens_at) == (50.0, 54.0)
    assert second.start_of(3) == pytest.approx(54.12)
    assert state.windows[-1].closes_at == pytest.approx(54.4)


def test_a_second_reservation_gives_back_what_was_not_used() -> None:
    state, _ = reserve(HOST, turns("a", 1_000), now=50.0)
    _, again = reserve(state, turns("a", 10), now=55.0)
    assert again.opens_at == pytest.approx(55.04)  # its last start may have been just now


def test_the_pace_outlasts_the_end_of_a_wave() -> None:
    host, now, starts = HOST, 1_000.0, []
    for _ in range(4):  # waves of one URL take two seconds, and the interval is ten seconds
        host, window = reserve(host, turns("a", 1, 10.0), now=now)
        starts.append(window.opens_at)
        now = window.opens_at + 2.0
    assert starts == [1_000.0, 1_010.0, 1_020.0, 1_030.0]


def test_a_slow_crawl_keeps_its_own_interval_over_its_waves_and_takes_no_more_turns() -> None:
    host, now, starts = HOST, 1_000.0, []
    for _ in range(3):
        host, window = reserve(host, turns("slow", 2, spacing=60.0), now=now)
        starts += [window.start_of(0), window.start_of(1)]
        _, other = reserve(host, turns("other", 10), now=now)
        assert other.opens_at == pytest.approx(now + 0.08)
        now = window.start_of(1) + 1.0
    assert starts == [1_000.0, 1_060.0, 1_120.0, 1_180.0, 1_240.0, 1_300.0]


def test_a_second_reservation_waits_behind_others() -> None:
    state, _ = reserve(HOST, turns("a", 100), now=50.0)
    state, _ = reserve(state, turns("b", 100), now=50.0)
    _, again = reserve(state, turns("a", 100), now=51.0)
    assert again.opens_at == 58.0


def test_turns_that_were_given_back_are_reserved_by_others() -> None:
    state, _ = reserve(HOST, turns("a", 1_000), now=50.0)
    state, last = reserve(state, turns("b", 100), now=50.0)
    assert last.opens_at == 90.0
    state = give_back(state, holder="a", now=51.0)
    assert give_back(state, holder="a", now=52.0) is state, "giving back is idempotent"
    state, gap = reserve(state, turns("c", 900), now=51.0)
    assert gap.opens_at == pytest.approx(51.04)
    _, behind = reserve(state, turns("d", 100), now=51.0)
    assert behind.opens_at == pytest.approx(94.0)


def test_a_window_that_has_not_opened_is_given_back_whole() -> None:
    state, _ = reserve(HOST, turns("a", 100), now=50.0)
    state, _ = reserve(state, turns("b", 100), now=50.0)
    _, window = reserve(give_back(state, holder="b", now=51.0), turns("c", 1), now=51.0)
    assert window.opens_at == 54.0


def late(batch: str) -> Turns:
    return structs.replace(turns("a", 100, spacing=0.4), part=batch)


def test_late_batches_of_a_crawl_keep_its_own_interval_among_each_other() -> None:
    state, first = reserve(HOST, late("1/3"), now=50.0)
    state, second = reserve(state, late("1/4"), now=50.0)
    assert (first.opens_at, second.opens_at) == (50.0, 90.0)
    assert [held.opens_at for held in state.windows] == [50.0, 54.0]
    assert reserve(state, late("1/4"), now=51.0)[0].windows == state.windows, "a repeat takes the place of the first"


def test_a_crawl_gives_back_what_its_late_batches_reserved() -> None:
    state, _ = reserve(HOST, late("1/3"), now=50.0)
    state, _ = reserve(state, late("1/4"), now=50.0)
    left = give_back(state, holder="a", now=50.0)
    assert [held.closes_at for held in left.windows] == [50.04, 0.0]
    assert len(reserve(left, turns("b", 1), now=50.0)[0].windows) == 2, "an unused window is forgotten"


def test_windows_that_are_over_are_forgotten() -> None:
    state = HOST
    for number in range(100):
        state, _ = reserve(state, turns(f"crawl {number}", 10), now=100.0 * number)
    assert len(state.windows) == 1


def test_a_pause_moves_the_window() -> None:
    paused = replace(HOST, strikes=1, struck_at=50.0)
    _, window = reserve(paused, turns("a", 1, not_before=80.0), now=50.0)
    assert window.opens_at == 80.0


def test_a_crawl_that_pauses_longer_than_others_takes_its_turns_with_them() -> None:
    paused = replace(HOST, strikes=1, struck_at=50.0)
    state, window = reserve(paused, turns("a", 100, not_before=86_450.0), now=50.0)
    assert window.opens_at == 86_450.0
    assert reserve(state, turns("b", 1, not_before=80.0), now=50.0)[1].opens_at == 84.0


def test_a_crawl_that_pauses_less_than_others_takes_its_turns_before_them() -> None:
    paused = replace(HOST, strikes=1, struck_at=50.0)
    state, window = reserve(paused, turns("a", 100, not_before=60.0), now=50.0)
    assert window.opens_at == 60.0
    assert reserve(state, turns("b", 1, not_before=80.0), now=50.0)[1].opens_at == 80.0


def test_crawls_without_an_interval_take_no_time() -> None:
    state, first = reserve(HOST, turns("a", 1_000, 0.0), now=50.0)
    assert (first.start_of(999), reserve(state, turns("b", 1), now=50.0)[1].opens_at) == (50.0, 50.0)


def apart(holder: str, count: int, *, spacing: float = 0.0, not_before: float = 0.0) -> Turns:
    return structs.replace(turns(holder, count, 10.0, spacing=spacing, not_before=not_before), apart=True)


def starts(window: Window, count: int) -> list[float]:
    return [window.start_of(position) for position in range(count)]


def test_turns_at_a_host_with_a_crawl_delay_are_taken_where_they_are_used() -> None:
    state, slow = reserve(HOST, apart("slow", 3, spacing=25.0), now=0.0)
    assert starts(slow, 3) == [0.0, 25.0, 50.0]
    assert [(held.opens_at, held.closes_at) for held in state.windows] == [(0.0, 10.0), (25.0, 35.0), (50.0, 60.0)]
    state, one = reserve(state, apart("one", 1), now=0.0)
    state, more = reserve(state, apart("more", 3), now=0.0)
    assert (starts(one, 1), starts(more, 3)) == ([10.0], [60.0, 70.0, 80.0])
    state, later = reserve(state, apart("later", 1, not_before=36.0), now=0.0)
    assert starts(later, 1) == [36.0]
    _, again = reserve(state, apart("more", 1), now=65.0)
    assert starts(again, 1) == [75.0], "a crawl keeps the delay to its own last request"


def test_turns_without_a_gap_are_one_window() -> None:
    state, window = reserve(HOST, apart("a", 5), now=0.0)
    (held,) = state.windows
    assert (held.opens_at, held.closes_at, held.next_start, starts(window, 5)[-1]) == (0.0, 50.0, 50.0, 40.0)


def test_two_slow_crawls_share_a_host_with_a_crawl_delay() -> None:
    state, first = reserve(HOST, apart("a", 4, spacing=30.0), now=0.0)
    state, second = reserve(state, apart("b", 4, spacing=30.0), now=0.0)
    _, third = reserve(state, apart("c", 4, spacing=20.0), now=0.0)
    assert starts(second, 4) == [10.0, 40.0, 70.0, 100.0]
    taken = sorted((*starts(first, 4), *starts(second, 4), *starts(third, 4)))
    assert min(later - sooner for sooner, later in pairwise(taken)) >= 10.0


def slowed(wanted: Turns, interval: float = 30.0) -> Turns:
    return structs.replace(wanted, sender="one", sender_interval=interval)


def test_a_slowed_sender_keeps_its_interval_over_all_its_crawls_at_a_host_with_a_crawl_delay() -> None:
    state, first = reserve(HOST, slowed(apart("a", 3)), now=0.0)
    state, second = reserve(state, slowed(apart("b", 2)), now=0.0)
    state, other = reserve(state, structs.replace(apart("c", 2), sender="two"), now=0.0)
    _, third = reserve(state, slowed(turns("d", 1)), now=0.0)
    assert (starts(first, 3), starts(second, 2)) == ([0.0, 30.0, 60.0], [90.0, 120.0])
    assert starts(other, 2) == [10.0, 20.0], "crawls of other senders wait for no more than the delay"
    assert starts(third, 1) == [150.0]


def test_a_slowed_sender_keeps_its_interval_to_requests_that_follow_the_delay_alone() -> None:
    state, first = reserve(HOST, slowed(apart("a", 1)), now=0.0)
    state, fast = reserve(state, structs.replace(apart("b", 1, not_before=100.0), sender="one"), now=0.0)
    _, second = reserve(state, slowed(apart("c", 3), 35.0), now=0.0)
    assert (starts(first, 1), starts(fast, 1)) == ([0.0], [100.0])
    assert starts(second, 3) == [110.0, 145.0, 180.0], "before the fast one, there is no room for three"
