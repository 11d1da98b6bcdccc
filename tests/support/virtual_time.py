"""Virtual time for threads: one runs at a time; when all sleep, the time advances to the earliest end of a sleep."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from heapq import heappop, heappush
from itertools import count
from threading import Condition, Thread

from tests.support.patience import HANG
from tests.support.still_clock import StillClock


class VirtualTime(StillClock):
    """A clock whose threads all sleep through it. Without `run`, it is a `StillClock`."""

    def __init__(self) -> None:
        super().__init__()
        self._turn = Condition()
        self._asleep: list[tuple[float, int]] = []
        self._numbers = count()
        self._awake: int | None = None  # number of the sleep whose thread runs
        self._threads: list[Thread] = []
        self._errors: list[BaseException] = []
        self._is_running = False

    def sleep(self, seconds: float) -> None:
        """Let the other threads run until the time is over."""
        if not self._is_running:
            super().sleep(seconds)
            return
        with self._turn:
            self._wait(self.time + max(0.0, seconds))

    def start(self, task: Callable[[], object], *, at: float = 0.0) -> None:
        """Run a task in a thread of its own, not before a time in Unix seconds. Call it from another task."""
        number = next(self._numbers)
        heappush(self._asleep, (max(at, self.time), number))
        thread = Thread(target=self._run, args=(task, number), daemon=True)
        self._threads.append(thread)
        thread.start()

    def run(self, tasks: Sequence[Callable[[], object]]) -> None:
        """Run tasks, and all that they start, to their ends; raise the first error."""
        self._is_running = True
        for task in tasks:
            self.start(task)
        with self._turn:
            self._advance()
        for thread in self._threads:  # it grows meanwhile
            thread.join(timeout=HANG)
            assert not thread.is_alive(), "a thread waits for something else than the time"
        self._is_running = False
        if self._errors:
            raise self._errors[0]

    def _run(self, task: Callable[[], object], number: int) -> None:
        with self._turn:
            self._turn.wait_for(lambda: self._awake == number)
        try:
            task()
        except BaseException as error:  # noqa: BLE001 - raised by `run`
            self._errors.append(error)
        with self._turn:
            self._advance()

    def _wait(self, until: float) -> None:
        number = next(self._numbers)
        heappush(self._asleep, (until, number))
        self._advance()
        self._turn.wait_for(lambda: self._awake == number)

    def _advance(self) -> None:
        self._awake = None
        with suppress(IndexError):
            until, self._awake = heappop(self._asleep)
            self.time = max(self.time, until)
        self._turn.notify_all()
