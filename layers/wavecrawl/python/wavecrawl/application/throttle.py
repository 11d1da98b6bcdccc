"""Pacing inside one worker process: request starts of one host apart, and only so many of them open."""

from collections import OrderedDict
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf
from threading import Condition, Lock

from wavecrawl.domain.politeness.pace import Pace
from wavecrawl.ports.clock import Clock

SLACK = 1.02
"""Starts are this much further apart than the pace asks for. A request reaches the server some milliseconds after it
was let go, now more, now fewer; without slack the server would sometimes see one start too many within a second."""

HOSTS_WITH_THREADS = 8
"""The hosts requested last keep their threads: a crawl of many hosts, in a process that lives long, would run out."""


@dataclass(slots=True)
class _Lane:
    """One host, as this process requests it."""

    changed: Condition = field(default_factory=Condition)
    open: int = 0
    last_start: float = 0.0
    threads: ThreadPoolExecutor | None = None
    most: int = 0  # threads


class Throttle:
    """Keeps every host's pace over all batches this process works on at the same time."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = Lock()
        self._lanes: dict[str, _Lane] = {}
        self._with_threads: OrderedDict[str, _Lane] = OrderedDict()  # the one used last at the end

    def threads(self, host: str, pace: Pace) -> Executor:
        """Return the threads that request `host`: as many as requests may be open, whatever number of batches.

        So a second batch takes over thread by thread where the first one only waits for its last answers. Threads of a
        host that was not requested for long end when whoever has them has let go of them.
        """
        lane = self._lane(host)
        with self._lock:
            self._with_threads[host] = lane
            self._with_threads.move_to_end(host)
            if lane.threads is None or lane.most != pace.in_flight:
                lane.threads = ThreadPoolExecutor(pace.in_flight, thread_name_prefix="fetch")
                lane.most = pace.in_flight
            while len(self._with_threads) > HOSTS_WITH_THREADS:
                self._with_threads.popitem(last=False)[1].threads = None
            return lane.threads

    @contextmanager
    def slot(self, host: str, pace: Pace, *, not_before: float, not_after: float = inf) -> Iterator[bool]:
        """Wait for a turn to request `host`, hold it for the length of the block.

        Yield False, without waiting for the turn, where that is later than `not_after` (Unix seconds).
        """
        lane = self._lane(host)
        with lane.changed:
            while lane.open >= pace.in_flight:
                lane.changed.wait()
            lane.open += 1
        try:
            if pace.interval or not_before:
                yield self._wait_for_start(lane, pace, not_before, not_after)
            else:
                yield self._clock.now() <= not_after
        finally:
            with lane.changed:
                lane.open -= 1
                lane.changed.notify()

    def next_start(self, host: str, pace: Pace, *, not_after: float) -> bool:
        """Wait until `host` may be asked once more by who holds a slot: each redirect of a page is a request, too.

        Return False, without waiting, where that is later than `not_after` (Unix seconds).
        """
        if not pace.interval:
            return self._clock.now() <= not_after
        return self._wait_for_start(self._lane(host), pace, 0.0, not_after)

    def _wait_for_start(self, lane: _Lane, pace: Pace, not_before: float, not_after: float) -> bool:
        """Starts are measured from start to start as they happen, so lateness never turns into a burst."""
        while True:
            with lane.changed:
                now = self._clock.now()
                earliest = max(not_before, lane.last_start + SLACK * pace.interval)
                if max(now, earliest) > not_after:
                    return False
                if now >= earliest:
                    lane.last_start = now
                    return True
            self._clock.sleep(earliest - now)

    def _lane(self, host: str) -> _Lane:
        with self._lock:
            return self._lanes.setdefault(host, _Lane())
