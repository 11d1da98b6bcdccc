"""Plan: take the next URLs in crawl order, under the budgets, and cut them into batches (design 2).

A plan is a function of the frontier and the settings. It knows no clock: waiting URLs come back by the plan's own
clock, which moves on by the time each wave should take, so the same crawl plans alike however quick its workers are.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from math import ceil
from sys import maxsize

from wavecrawl.domain.crawl.frontier import Frontier
from wavecrawl.domain.crawl.job import JobItem
from wavecrawl.domain.crawl.settings import WaveSettings
from wavecrawl.domain.politeness.pace import Pace
from wavecrawl.domain.urls.url import host_of

SHORTEST_WAVE = 1.0  # seconds the plan's clock moves on for any wave
LONGEST_SLEEP = 1.0  # seconds a worker may sleep between two requests; slower paces get batches of one URL
LONGEST_BATCH = 100.0  # seconds a batch may take at the speed the host is known for: a worker must come to its end
SMALL_BATCH = 25  # URLs: with pauses no fewer, as a batch has its price; without them no more, as workers share
LAST_BATCHES = 6  # URLs that the last batches of a wave have, where several workers share it
LONGEST_ITEMS = 240 * 1024  # bytes of a batch's URLs as JSON: with what else a job says, one message (design 7)
_ITEM = 100  # bytes of a job's item besides its URL


@dataclass(frozen=True, slots=True, kw_only=True)
class Speed:
    """How quick one host is crawled: the pace it may be asked at, and how quick it answers."""

    pace: Pace
    seconds_a_page: float = 0.0  # as long as the pace's interval at least; 0 = no bound

    def pages_within(self, seconds: float) -> int:
        """Return how many pages that time is enough for: one at least."""
        return max(1, int(seconds / self.seconds_a_page)) if self.seconds_a_page else maxsize


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedBatch:
    """One batch before it has a time."""

    number: int  # from 0
    host: str  # host[:port], as the host row names it
    items: tuple[JobItem, ...]
    not_before: float = 0.0  # Unix seconds; retries wait for it


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The work of one wave. Without batches, the phase is over."""

    batches: tuple[PlannedBatch, ...]
    clock: float  # the plan's clock when the wave is over


def plan_wave(
    frontier: Frontier,
    *,
    wave: int,
    waves: WaveSettings,
    room: int,
    clock: float,
    interval: float,
    speed_of: Callable[[str], Speed],
) -> Plan:
    """Plan the next wave: at most `room` URLs, at most as many for each host as it can take in `max_seconds`.

    `speed_of` returns the speed of the host of a URL. `interval` is the pace that was asked for, in seconds: the
    plan's clock goes by that, as the speed itself follows how quick the host answers.
    """
    frontier.wake(clock)
    chosen = _choose(frontier, waves, room, speed_of)
    next_due = frontier.next_due()
    if not chosen and room > 0 and next_due is not None:
        clock = next_due
        frontier.wake(clock)
        chosen = _choose(frontier, waves, room, speed_of)
    longest = max(map(len, chosen.values()), default=0)
    batches = _batches(frontier, wave, waves, chosen, speed_of)
    return Plan(batches=batches, clock=clock + max(SHORTEST_WAVE, longest * interval))


def plan_again(
    frontier: Frontier,
    indices: Iterable[int],
    *,
    wave: int,
    waves: WaveSettings,
    clock: float,
    speed_of: Callable[[str], Speed],
) -> Plan:
    """Plan a wave of just these URLs: what was left of the one before when a host asked for a pause.

    The plan's clock stands still: for the crawl's order, both are one wave.
    """
    chosen: dict[str, list[int]] = {}
    for index in indices:
        chosen.setdefault(host_of(frontier.url(index)), []).append(index)
    return Plan(batches=_batches(frontier, wave, waves, chosen, speed_of), clock=clock)


def _batches(
    frontier: Frontier, wave: int, waves: WaveSettings, chosen: dict[str, list[int]], speed_of: Callable[[str], Speed]
) -> tuple[PlannedBatch, ...]:
    batches: list[PlannedBatch] = []
    urls = sum(map(len, chosen.values()))
    for host, indices in chosen.items():
        speed = speed_of(frontier.url(indices[0]))
        size = _size(speed, waves, urls)
        first_tries = [index for index in indices if not frontier.not_before(index)]
        retries = [index for index in indices if frontier.not_before(index)]
        for group in (first_tries, retries):
            sizes = _sizes(len(group), size, 1 if speed.pace.interval else max(1, waves.min_batches // 2))
            _cut(frontier, wave, host, group, sizes=sizes, into=batches)
    return tuple(batches)


def _size(speed: Speed, waves: WaveSettings, urls: int) -> int:
    """Return how many URLs of one host make a batch, in a wave of `urls`.

    A batch has its price: where there are pauses, one worker keeps up with any other, and batches are as large as the
    wave is worth. Only a host without pauses is quicker for being shared by several workers: by many small batches.
    """
    interval = speed.pace.interval
    if interval > LONGEST_SLEEP:
        return 1
    if interval:
        size = max(SMALL_BATCH, ceil(urls / max(1, waves.min_batches // 2)))
    else:
        size = min(SMALL_BATCH, ceil(urls / waves.min_batches))
    return min(size, waves.batch_size, speed.pages_within(LONGEST_BATCH))


def _sizes(count: int, size: int, shares: int) -> Iterator[int]:
    """Yield how many URLs each batch of one host has: `size`, and towards the end a share of what is left.

    Smaller and smaller batches see to it that no worker has much left to do when the others are done.
    """
    while count > 0:
        part = min(size, count, max(LAST_BATCHES, ceil(count / shares)))
        yield part
        count -= part


def _choose(
    frontier: Frontier, waves: WaveSettings, room: int, speed_of: Callable[[str], Speed]
) -> dict[str, list[int]]:
    """Pop URLs in crawl order, by host; hosts stand in the order of their first URL."""
    chosen: dict[str, list[int]] = {}
    most: dict[str, int] = {}
    passed_over: list[int] = []
    left = min(room, waves.max_urls)
    while left > 0 and len(passed_over) < waves.max_urls:
        index = frontier.pop()
        if index is None:
            break
        host = host_of(frontier.url(index))
        if host not in most:
            most[host] = speed_of(frontier.url(index)).pages_within(waves.max_seconds)
        if len(chosen.get(host, ())) < most[host]:
            chosen.setdefault(host, []).append(index)
            left -= 1
        else:
            passed_over.append(index)
    for index in passed_over:
        frontier.put_back(index)
    return chosen


def _cut(
    frontier: Frontier, wave: int, host: str, indices: list[int], *, sizes: Iterator[int], into: list[PlannedBatch]
) -> None:
    rest = iter(indices)
    for size in sizes:
        for part in _fitting(frontier, islice(rest, size)):
            number = len(into)
            items = tuple(
                JobItem(
                    url=frontier.url(index),
                    key=frontier.key(index),
                    depth=frontier.depth(index),
                    tries=frontier.tries(index) + 1,
                )
                for index in part
            )
            not_before = max(frontier.not_before(index) for index in part)
            for index in part:
                frontier.plan(index, wave=wave, batch=number)
            into.append(PlannedBatch(number=number, host=host, items=items, not_before=not_before))


def _fitting(frontier: Frontier, indices: Iterable[int]) -> Iterator[list[int]]:
    """Yield the URLs in parts of which each fits one message. JSON doubles a character of a URL at most."""
    part: list[int] = []
    size = 0
    for index in indices:
        length = 2 * len(frontier.url(index)) + _ITEM
        if part and size + length > LONGEST_ITEMS:
            yield part
            part, size = [], 0
        part.append(index)
        size += length
    yield part
