"""The launcher of one machine: each crawl in a process of its own, a few at once, fair between tenants."""

import logging
import subprocess
from collections import Counter
from collections.abc import Callable, Sequence
from threading import Condition, Thread

from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.errors import WavecrawlError

TRIES = 3
"""Processes a crawl may lose before it is given up."""

ELSEWHERE = 5
"""Exit code of a process that found its crawl being run by somebody else, such as a command line: no loss."""

_GRACE = 20.0  # seconds a process has to stop

logger = logging.getLogger(__name__)


class LocalLauncher:
    """`ports.launcher.Launcher`, for as long as it is started.

    `command` says how the process of a crawl is called, `unfinished` which crawls are under way, so that a start goes
    on with what an end left over. A process that dies is called again; `give_up` ends a crawl that lost too many.
    """

    def __init__(
        self,
        *,
        command: Callable[[CrawlId], Sequence[str]],
        unfinished: Callable[[], list[CrawlId]],
        give_up: Callable[[CrawlId, str], None],
        most: int,
    ) -> None:
        self._command = command
        self._unfinished = unfinished
        self._give_up = give_up
        self._most = most
        self._changed = Condition()
        self._waiting: list[CrawlId] = []
        self._running: dict[CrawlId, subprocess.Popen[bytes]] = {}
        self._lost: Counter[CrawlId] = Counter()
        self._threads: list[Thread] = []
        self._stopping = True

    def launch(self, crawl: CrawlId) -> None:
        """Let a crawl have a process of its own as soon as there is room; nothing happens where it has one."""
        with self._changed:
            if crawl not in self._running and crawl not in self._waiting:
                self._waiting.append(crawl)
            self._begin()

    def start(self) -> None:
        """Go on with every crawl that is under way, and take new ones."""
        with self._changed:
            self._stopping = False
        for crawl in self._unfinished():
            self.launch(crawl)
        with self._changed:
            self._begin()

    def stop(self) -> None:
        """Stop the processes; their crawls stay under way, for the next start."""
        with self._changed:
            self._stopping = True
            self._waiting.clear()
            for process in self._running.values():
                process.terminate()
            if not self._changed.wait_for(lambda: not self._running, timeout=_GRACE):
                for process in self._running.values():
                    process.kill()
            threads, self._threads = self._threads, []
        for thread in threads:
            thread.join()

    def running(self) -> list[CrawlId]:
        """Return the crawls that have a process."""
        with self._changed:
            return list(self._running)

    def _begin(self) -> None:
        """Fill the room there is; called with the lock held."""
        while not self._stopping and self._waiting and len(self._running) < self._most:
            crawl = self._next()
            try:
                process = subprocess.Popen(  # noqa: S603 - our own command, without a shell
                    list(self._command(crawl)), stdin=subprocess.DEVNULL, start_new_session=True
                )
            except OSError:  # too many processes, or too little memory: it is first in line when somebody asks again
                logger.exception("crawl %s gets no process now", crawl)
                return
            self._waiting.remove(crawl)
            self._running[crawl] = process
            self._threads = [thread for thread in self._threads if thread.is_alive()]
            self._threads.append(Thread(target=self._await, args=(crawl, process), name=f"crawl {crawl}", daemon=True))
            self._threads[-1].start()

    def _next(self) -> CrawlId:
        """Return whose turn it is: the first in line of the tenant that has the fewest processes."""
        busy = Counter(crawl.tenant for crawl in self._running)
        return min(self._waiting, key=lambda crawl: busy[crawl.tenant])

    def _await(self, crawl: CrawlId, process: "subprocess.Popen[bytes]") -> None:
        code = process.wait()
        with self._changed:
            stopping = self._stopping
        try:
            over = stopping or self._is_over(crawl, code)
        except WavecrawlError:  # nobody knows: another process finds out, and the room of this one is free either way
            logger.exception("whether crawl %s is over could not be told", crawl)
            over = False
        with self._changed:
            del self._running[crawl]
            if over:
                del self._lost[crawl]
            elif not self._stopping:
                self._waiting.append(crawl)
            self._changed.notify_all()
            self._begin()

    def _is_over(self, crawl: CrawlId, code: int) -> bool:
        """Tell whether a crawl whose process has ended needs no other; give it up where it lost too many."""
        if crawl not in self._unfinished():
            return True
        if code != ELSEWHERE:
            self._lost[crawl] += 1
            logger.warning("the process of crawl %s ended with %s", crawl, code)
        if self._lost[crawl] < TRIES:
            return False
        self._give_up(crawl, f"its process ended {TRIES} times before it was done, at last with code {code}")
        return True
