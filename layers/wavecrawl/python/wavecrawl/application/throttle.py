"""The pace of requests in one worker process: the interval between starts, and the number of open requests.

It also follows the responses: signs of overload slow a host down within a batch, before the planner hears of them.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from math import inf
from random import random
from threading import Condition, Lock

from msgspec import Struct, field

from wavecrawl.domain.politeness.pace import DRIFT, JITTER, Pace, jittered, slowed_to
from wavecrawl.domain.politeness.strain import Outcome, Strain, half_open, observe
from wavecrawl.ports.clock import Clock

SHORTEST_PAUSE = 1.0
"""Seconds by which a batch is postponed at least."""

LONGEST_SLEEP = 2.0
"""Seconds. Longer waits are divided, to notice in between that the worker should stop."""

HOSTS_WITH_THREADS = 8
"""Number of hosts, requested last, that keep their threads. It bounds the threads of a long-running process."""


def never() -> bool:
    """Return False: a wait that nothing ends early."""
    return False


class _HostState(Struct):
    """The requests of this process to one host."""

    changed: Condition = field(default_factory=Condition)
    open: int = 0
    next_start: float = 0.0  # Unix seconds
    unused: float = 0.0  # seconds by which starts were not delayed, of the delays that turns include
    planned: float = -1.0  # seconds; the interval of the last batch
    strain: Strain = field(default_factory=Strain)  # since a batch had another interval
    paused_until: float = 0.0  # Unix seconds
    stopped_wave: int = 0  # wave in which the circuit breaker opened
    threads: ThreadPoolExecutor | None = None
    max_threads: int = 0


class Throttle:
    """The pace of each host, over all batches of this process."""

    def __init__(self, clock: Clock, chance: Callable[[], float] = random) -> None:
        """`chance` returns a random number from 0 to 1, for the jitter of starts."""
        self._clock = clock
        self._chance = chance
        self._lock = Lock()
        self._hosts: dict[str, _HostState] = {}
        self._with_threads: OrderedDict[str, _HostState] = OrderedDict()  # least recently used first

    def threads(self, host: str, pace: Pace) -> Executor:
        """Return the thread pool of `host`. All its batches share the pool, which has `pace.in_flight` threads.

        A second batch gets each thread as soon as the first one no longer needs it. The pools of the hosts used least
        recently are dropped; their threads end when no caller holds the pool.
        """
        state = self._state(host)
        with self._lock:
            self._with_threads[host] = state
            self._with_threads.move_to_end(host)
            if state.threads is None or state.max_threads != pace.in_flight:
                state.threads = ThreadPoolExecutor(pace.in_flight, thread_name_prefix="fetch")
                state.max_threads = pace.in_flight
            while len(self._with_threads) > HOSTS_WITH_THREADS:
                self._with_threads.popitem(last=False)[1].threads = None
            return state.threads

    @contextmanager
    def slot(
        self, host: str, pace: Pace, *, not_before: float, not_after: float = inf, stop: Callable[[], bool] = never
    ) -> Iterator[bool]:
        """Wait until a request to `host` may start, and count it as open during the block.

        Yield True then. Yield False without that wait if the start would be later than `not_after` (Unix seconds) or
        in a pause of the host, and as soon as `stop` returns True.
        """
        state = self._state(host)
        with state.changed:
            while state.open >= (current := self._current(state, pace)).in_flight:
                state.changed.wait()
            state.open += 1
        try:
            if current.interval or not_before:
                yield self._wait_for_start(state, pace, not_before, not_after, stop)
            else:
                yield state.paused_until <= self._clock.now() <= not_after
        finally:
            with state.changed:
                state.open -= 1
                state.changed.notify()

    def next_start(self, host: str, pace: Pace, *, not_after: float, stop: Callable[[], bool] = never) -> bool:
        """Wait until the holder of a slot may start another request to `host`, such as a redirect; return True.

        Return False without waiting if that would be later than `not_after` (Unix seconds) or in a pause of the host,
        and as soon as `stop` returns True.
        """
        state = self._state(host)
        if not pace.interval:
            return state.paused_until <= self._clock.now() <= not_after
        return self._wait_for_start(state, pace, 0.0, not_after, stop)

    def observe(self, host: str, pace: Pace, outcome: Outcome) -> bool:
        """Count the outcome of a request. Return whether the host is strained so much that it needs a pause."""
        state = self._state(host)
        with state.changed:
            before, interval = self._current(state, pace), state.strain.interval
            state.strain = observe(state.strain, outcome)
            is_open = state.strain.is_open
            if is_open:
                state.strain = half_open(state.strain)
            if state.strain.interval != interval and self._current(state, pace).in_flight > before.in_flight:
                state.changed.notify_all()
        return is_open

    def pause(self, host: str, seconds: float, *, rest_of: int = 0) -> None:
        """Pause a host for all batches of this process; at least for the rest of a wave, if `rest_of` is given."""
        state = self._state(host)
        with state.changed:
            state.paused_until = max(state.paused_until, self._clock.now() + seconds)
            state.stopped_wave = rest_of or state.stopped_wave

    def pause_left(self, host: str, *, wave: int, at: float) -> float:
        """Return by how many seconds to postpone a batch that starts at `at` (Unix seconds); 0.0 = it is not paused."""
        state, now = self._state(host), self._clock.now()
        left = state.paused_until - now if state.paused_until > max(at, now) else 0.0
        return max(left, SHORTEST_PAUSE) if wave == state.stopped_wave else left

    def _current(self, state: _HostState, pace: Pace) -> Pace:
        """Return the pace after the host's responses. A new interval from the planner replaces them."""
        if pace.interval != state.planned:
            slowed = state.strain.slowed if pace.interval > state.planned else 0
            state.planned = pace.interval
            state.strain = Strain(interval=pace.interval, slowed=slowed)
        return slowed_to(pace, state.strain.interval)

    def _wait_for_start(
        self, state: _HostState, pace: Pace, not_before: float, not_after: float, stop: Callable[[], bool]
    ) -> bool:
        """Wait for the interval since the last actual start: a late start never leads to a burst."""
        while not stop():
            with state.changed:
                now = self._clock.now()
                earliest = max(not_before, state.next_start)
                start = max(now, earliest)
                if start > not_after or start < state.paused_until:
                    return False
                if now >= earliest:
                    if not_before > state.next_start:  # the first start of a turn
                        state.unused = 0.0
                    self._set_next_start(state, self._current(state, pace).interval, now)
                    return True
            self._clock.sleep(min(earliest - now, LONGEST_SLEEP))
        return False

    def _set_next_start(self, state: _HostState, interval: float, now: float) -> None:
        """Delay the next start at random, but all starts together by no more than their turns include."""
        most = min(state.unused + DRIFT * interval, JITTER * interval)
        seconds = jittered(interval, self._chance(), most=most)
        state.unused = most - (seconds - interval)
        state.next_start = now + seconds

    def _state(self, host: str) -> _HostState:
        if known := self._hosts.get(host):
            return known
        with self._lock:
            return self._hosts.setdefault(host, _HostState())
