"""Plan: take the next URLs in crawl order within the budgets and divide them into batches.

A plan depends only on the frontier, the rules against traps and the settings. Deferred URLs become due on the plan's
own clock, which advances by the nominal duration of each wave. So the plan does not depend on the speed of the workers.
"""

from collections import deque
from collections.abc import Callable, Iterable

import msgspec
from msgspec.structs import replace

from wavecrawl.domain.crawl.batching import PlannedBatch, Speed, ValidatorsOf, cut_batches, no_validators
from wavecrawl.domain.crawl.frontier import Frontier
from wavecrawl.domain.crawl.rendering_plan import RenderingPlan
from wavecrawl.domain.crawl.settings import WaveSettings
from wavecrawl.domain.urls.url import host_of

SHORTEST_WAVE = 1.0  # seconds by which the plan's clock advances at least per wave

MayJoin = Callable[[int], bool]
"""Returns whether a URL may join the wave. The others wait for the next one."""


def any_may_join(_index: int) -> bool:
    """Let all URLs join."""
    return True


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """The work of one wave. A plan without batches ends the phase, unless another one follows."""

    batches: tuple[PlannedBatch, ...]
    clock: float  # the plan's clock at the end of the wave
    another_follows: bool = False  # whether the next wave is planned at once even if this plan has no batches


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
    rendering: RenderingPlan | None = None,
) -> Plan:
    """Plan the next wave: at most `room` URLs, and per host at most those it can serve in `max_seconds`.

    Pages that were fetched and wait to be rendered come first. They take no further room: each had it when it was
    planned to be fetched, and keeps it.

    Hosts share the wave: none gets more than its equal part of `max_urls` if others need theirs.

    `speed_of` returns the speed of a URL's host. `interval` is the configured interval in seconds. The plan's clock
    uses it instead of the speed, which depends on measured response times. `may_join` is called in crawl order.
    """
    frontier.wake(clock)
    room -= frontier.awaits_browser
    chosen = _choose(frontier, waves, room, speed_of, may_join)
    fetched = _fetched(frontier, rendering)
    next_due = frontier.next_due()
    if not (chosen or fetched) and (room > 0 or frontier.awaits_browser) and next_due is not None:
        clock = next_due
        frontier.wake(clock)
        chosen = _choose(frontier, waves, room, speed_of, may_join)
        fetched = _fetched(frontier, rendering)
    longest = max(map(len, chosen.values()), default=0)
    for host, indices in fetched.items():
        chosen[host] = indices + chosen.get(host, [])
    batches = cut_batches(
        frontier,
        chosen,
        wave=wave,
        waves=waves,
        speed_of=speed_of,
        validators_of=validators_of,
        rendering=rendering,
    )
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
    rendering: RenderingPlan | None = None,
) -> Plan:
    """Plan a wave of the URLs that the previous wave postponed.

    The plan's clock does not advance, as both waves count as one in crawl order.
    """
    chosen = _by_host(frontier, indices)
    batches = cut_batches(
        frontier,
        chosen,
        wave=wave,
        waves=waves,
        speed_of=speed_of,
        validators_of=validators_of,
        rendering=rendering,
    )
    return Plan(batches=batches, clock=clock)


def _fetched(frontier: Frontier, rendering: RenderingPlan | None) -> dict[str, list[int]]:
    """Return the fetched pages that join the wave, by host."""
    waiting = frontier.fetched()
    return _by_host(frontier, rendering.joining(waiting) if rendering else waiting)


def _by_host(frontier: Frontier, indices: Iterable[int]) -> dict[str, list[int]]:
    """Return URLs by host, in their order."""
    chosen: dict[str, list[int]] = {}
    for index in indices:
        chosen.setdefault(host_of(frontier.url(index)), []).append(index)
    return chosen


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
