"""The pace of requests in one worker process: the interval between starts, and the number of open requests."""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf
from threading import Condition, Lock

from wavecrawl.domain.politeness.pace import Pace
from wavecrawl.ports.clock import Clock

SLACK = 1.02
"""Factor by which starts are further apart than the pace requires. Requests reach the server some milliseconds after
their start, and these delays vary. Without slack the server could see one request too many within a second."""

LONGEST_SLEEP = 2.0
"""Seconds. Longer waits are divided, to notice in between that the worker should stop."""

HOSTS_WITH_THREADS = 8
"""Number of hosts, requested last, that keep their threads. It bounds the threads of a long-running process."""


def never() -> bool:
    """Return False: a wait that nothing ends early."""
    return False


@dataclass(slots=True)
class _HostState:
    """The requests of this process to one host."""

    changed: Condition = field(default_factory=Condition)
    open: int = 0
    last_start: float = 0.0
    threads: ThreadPoolExecutor | None = None
    max_threads: int = 0


class Throttle:
    """The pace of each host, over all batches of this process."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
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

        Yield True then. Yield False without that wait if the start would be later than `not_after` (Unix seconds), and
        as soon as `stop` returns True.
        """
        state = self._state(host)
        with state.changed:
            while state.open >= pace.in_flight:
                state.changed.wait()
            state.open += 1
        try:
            if pace.interval or not_before:
                yield self._wait_for_start(state, pace, not_before, not_after, stop)
            else:
                yield self._clock.now() <= not_after
        finally:
            with state.changed:
                state.open -= 1
                state.changed.notify()

    def next_start(self, host: str, pace: Pace, *, not_after: float, stop: Callable[[], bool] = never) -> bool:
        """Wait until the holder of a slot may start another request to `host`, such as a redirect; return True.

        Return False without waiting if that would be later than `not_after` (Unix seconds), and as soon as `stop`
        returns True.
        """
        if not pace.interval:
            return self._clock.now() <= not_after
        return self._wait_for_start(self._state(host), pace, 0.0, not_after, stop)

    def _wait_for_start(
        self, state: _HostState, pace: Pace, not_before: float, not_after: float, stop: Callable[[], bool]
    ) -> bool:
        """Wait for the interval since the last actual start: a late start never leads to a burst."""
        while not stop():
            with state.changed:
                now = self._clock.now()
                earliest = max(not_before, state.last_start + SLACK * pace.interval)
                if max(now, earliest) > not_after:
                    return False
                if now >= earliest:
                    state.last_start = now
                    return True
            self._clock.sleep(min(earliest - now, LONGEST_SLEEP))
        return False

    def _state(self, host: str) -> _HostState:
        with self._lock:
            return self._hosts.setdefault(host, _HostState())
