"""Plan: take the next URLs in crawl order within the budgets and divide them into batches.

A plan depends only on the frontier, the rules against traps and the settings. Deferred URLs become due on the plan's
own clock, which advances by the nominal duration of each wave. So the plan does not depend on the speed of the workers.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, repeat
from math import ceil
from sys import maxsize

from wavecrawl.domain.crawl.frontier import Frontier
from wavecrawl.domain.crawl.job import JobItem, Validators
from wavecrawl.domain.crawl.settings import WaveSettings
from wavecrawl.domain.politeness.pace import Pace
from wavecrawl.domain.urls.url import host_of

SHORTEST_WAVE = 1.0  # seconds by which the plan's clock advances at least per wave
LONGEST_SLEEP = 1.0  # seconds a worker may sleep between requests; longer intervals get batches of one URL
LONGEST_BATCH = 100.0  # expected seconds of a batch, so that a worker finishes it before its own time limit
SMALL_BATCH = 25  # URLs: minimum for rate-limited hosts, as each batch has a cost; maximum for others, to share work
LAST_BATCHES = 6  # minimum URLs of the last batches of a wave if several workers share it
LONGEST_ITEMS = 240 * 1024  # bytes of a batch's URLs as JSON; the whole job must fit in a message of 256 KiB
_ITEM = 100  # bytes of a job item without its URL and validators

MayJoin = Callable[[int], bool]
"""Returns whether a URL may join the wave. The others wait for the next one."""

ValidatorsOf = Callable[[Sequence[str]], Mapping[str, Validators]]
"""Returns the validators of pages by url key, for those that have any."""


def any_may_join(_index: int) -> bool:
    """Let all URLs join."""
    return True


def no_validators(_keys: Sequence[str]) -> Mapping[str, Validators]:
    """Return no validators: all requests are unconditional."""
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Speed:
    """How fast a host can be crawled: its permitted request rate and its measured response time."""

    pace: Pace
    seconds_a_page: float = 0.0  # at least the pace's interval; 0 = no limit
    turn: float = 0.0  # seconds of the host's time per request
    spacing: float = 0.0  # seconds between the starts of the crawl's own requests, over all workers
    paused_until: float = 0.0  # Unix seconds

    def pages_within(self, seconds: float) -> int:
        """Return how many pages can be fetched in that time, at least one."""
        return max(1, int(seconds / self.seconds_a_page)) if self.seconds_a_page else maxsize


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedBatch:
    """One batch without a start time."""

    number: int  # from 0
    host: str  # host[:port]
    items: tuple[JobItem, ...]
    not_before: float = 0.0  # Unix seconds; for retries


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The work of one wave. A plan without batches ends the phase."""

    batches: tuple[PlannedBatch, ...]
    clock: float  # the plan's clock at the end of the wave


def plan_wave(
    frontier: Frontier,
    *,
    wave: int,
    waves: WaveSettings,
    room: int,
    clock: float,
    interval: float,
    speed_of: Callable[[str], Speed],
    validators_of: ValidatorsOf = no_validators,
    may_join: MayJoin = any_may_join,
) -> Plan:
    """Plan the next wave: at most `room` URLs, and per host at most those it can serve in `max_seconds`.

    Hosts share the wave: none gets more than its equal part of `max_urls` if others need theirs.

    `speed_of` returns the speed of a URL's host. `interval` is the configured interval in seconds. The plan's clock
    uses it instead of the speed, which depends on measured response times. `may_join` is called in crawl order.
    """
    frontier.wake(clock)
    chosen = _choose(frontier, waves, room, speed_of, may_join)
    next_due = frontier.next_due()
    if not chosen and room > 0 and next_due is not None:
        clock = next_due
        frontier.wake(clock)
        chosen = _choose(frontier, waves, room, speed_of, may_join)
    longest = max(map(len, chosen.values()), default=0)
    known = _known(frontier, chosen, validators_of)
    batches = _batches(frontier, wave, waves, chosen, speed_of, known=known)
    return Plan(batches=batches, clock=clock + max(SHORTEST_WAVE, longest * interval))


def best_first_waves(waves: WaveSettings, done: int) -> WaveSettings:
    """Return the size of a wave with strategy `best_first`, after `done` URLs of the crawl.

    A wave is small in comparison with the pages before it, so that what these link to competes with what waits.
    """
    most = max(waves.best_first_urls, int(waves.best_first_share * done))
    return replace(waves, max_urls=min(waves.max_urls, most))


def plan_again(
    frontier: Frontier,
    indices: Iterable[int],
    *,
    wave: int,
    waves: WaveSettings,
    clock: float,
    speed_of: Callable[[str], Speed],
    validators_of: ValidatorsOf = no_validators,
) -> Plan:
    """Plan a wave of the URLs that the previous wave postponed.

    The plan's clock does not advance, as both waves count as one in crawl order.
    """
    chosen: dict[str, list[int]] = {}
    for index in indices:
        chosen.setdefault(host_of(frontier.url(index)), []).append(index)
    known = _known(frontier, chosen, validators_of)
    return Plan(batches=_batches(frontier, wave, waves, chosen, speed_of, known=known), clock=clock)


def _known(frontier: Frontier, chosen: dict[str, list[int]], validators_of: ValidatorsOf) -> Mapping[str, Validators]:
    """Return the validators of the chosen URLs by url key."""
    return validators_of([frontier.key(index) for indices in chosen.values() for index in indices])


def _batches(
    frontier: Frontier,
    wave: int,
    waves: WaveSettings,
    chosen: dict[str, list[int]],
    speed_of: Callable[[str], Speed],
    *,
    known: Mapping[str, Validators],
) -> tuple[PlannedBatch, ...]:
    batches: list[PlannedBatch] = []
    urls = sum(map(len, chosen.values()))
    for host, indices in chosen.items():
        speed = speed_of(frontier.url(indices[0]))
        size = _size(speed, waves, urls)
        alone = [index for index in indices if frontier.must_be_alone(index)]
        first_tries = [index for index in indices if not frontier.not_before(index)]
        retries = [index for index in indices if frontier.not_before(index) and not frontier.must_be_alone(index)]
        for group in (first_tries, retries):
            sizes = _sizes(len(group), size, 1 if speed.pace.interval else max(1, waves.min_batches // 2))
            _cut(frontier, wave, host, group, known=known, sizes=sizes, into=batches)
        _cut(frontier, wave, host, alone, known=known, sizes=repeat(1, len(alone)), into=batches)
    return tuple(batches)


def _size(speed: Speed, waves: WaveSettings, urls: int) -> int:
    """Return the batch size for one host in a wave of `urls` URLs.

    Each batch has a cost. A rate-limited host is not crawled faster by more workers, so its batches are large. A host
    without an interval is, so its batches are small.
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
    """Yield the size of each batch of one host: `size`, and towards the end a share of the remaining URLs.

    Decreasing sizes let all workers finish at about the same time.
    """
    while count > 0:
        part = min(size, count, max(LAST_BATCHES, ceil(count / shares)))
        yield part
        count -= part


def _choose(
    frontier: Frontier, waves: WaveSettings, room: int, speed_of: Callable[[str], Speed], may_join: MayJoin
) -> dict[str, list[int]]:
    """Choose the URLs of a wave, by host, in crawl order; hosts are in the order of their first URL.

    The hosts take turns, one URL each, until the wave is full. So a host cannot fill the wave while others wait. If the
    crawl has room for fewer pages, the first ones in crawl order stay chosen.
    """
    chosen: dict[str, list[int]] = {}
    limits: dict[str, int] = {}
    held: list[int] = []
    left = waves.max_urls if room > 0 else 0
    turns = deque(frontier.hosts()[: min(left, max(0, room))])  # later hosts have none of the first `room` URLs
    while left > 0 and turns:
        host = turns.popleft()
        index = _next_of(frontier, host, may_join, held)
        if index is None:
            continue
        if host not in chosen:
            chosen[host] = []
            limits[host] = min(room, speed_of(frontier.url(index)).pages_within(waves.max_seconds))
        chosen[host].append(index)
        left -= 1
        if len(chosen[host]) < limits[host]:
            turns.append(host)
    for index in held:
        frontier.put_back(index)
    if held and frontier.by_depth:
        chosen = _down_to(frontier, chosen, min(map(frontier.depth, held)))
    return _first_of(frontier, chosen, room)


def _next_of(frontier: Frontier, host: str, may_join: MayJoin, held: list[int]) -> int | None:
    """Remove and return the next URL of a host that may join the wave; add those before it to `held`."""
    while (index := frontier.pop(host)) is not None:
        if may_join(index):
            return index
        held.append(index)
    return None


def _down_to(frontier: Frontier, chosen: dict[str, list[int]], depth: int) -> dict[str, list[int]]:
    """Return the chosen URLs without those below `depth`, where URLs still wait; put these back."""
    kept: dict[str, list[int]] = {}
    for host, indices in chosen.items():
        for index in indices:
            if frontier.depth(index) <= depth:
                kept.setdefault(host, []).append(index)
            else:
                frontier.put_back(index)
    return kept


def _first_of(frontier: Frontier, chosen: dict[str, list[int]], room: int) -> dict[str, list[int]]:
    """Return the first `room` chosen URLs in crawl order, by host; put the others back."""
    if sum(map(len, chosen.values())) <= room:
        return chosen
    entries = sorted(frontier.entry(index) for indices in chosen.values() for index in indices)
    first = set(entries[:room])
    kept: dict[str, list[int]] = {}
    for host, indices in chosen.items():
        for index in indices:
            if frontier.entry(index) in first:
                kept.setdefault(host, []).append(index)
            else:
                frontier.put_back(index)
    return kept


def _cut(
    frontier: Frontier,
    wave: int,
    host: str,
    indices: list[int],
    *,
    known: Mapping[str, Validators],
    sizes: Iterable[int],
    into: list[PlannedBatch],
) -> None:
    rest = iter(indices)
    for size in sizes:
        for part in _fitting(frontier, known, islice(rest, size)):
            number = len(into)
            not_before = max(frontier.not_before(index) for index, _ in part)
            for index, _ in part:
                frontier.plan(index, wave=wave, batch=number)
            items = tuple(item for _, item in part)
            into.append(PlannedBatch(number=number, host=host, items=items, not_before=not_before))


def _fitting(
    frontier: Frontier, known: Mapping[str, Validators], indices: Iterable[int]
) -> Iterator[list[tuple[int, JobItem]]]:
    """Yield the URLs in parts that each fit in one message. JSON at most doubles the length of a URL."""
    part: list[tuple[int, JobItem]] = []
    size = 0
    for index in indices:
        key = frontier.key(index)
        item = JobItem(
            url=frontier.url(index),
            key=key,
            depth=frontier.depth(index),
            tries=frontier.tries(index) + 1,
            validators=known.get(key),
        )
        length = 2 * len(item.url) + _ITEM + (item.validators.longest_json if item.validators else 0)
        if part and size + length > LONGEST_ITEMS:
            yield part
            part, size = [], 0
        part.append((index, item))
        size += length
    yield part
