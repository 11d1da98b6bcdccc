"""The launcher of one machine: a process per crawl, a limited number at a time, fair between tenants."""

import logging
import subprocess
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from threading import Condition
from typing import Final

from wavecrawl.adapters.embedded.child_processes import ChildProcesses
from wavecrawl.adapters.embedded.pause_reports import PauseReports
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.result_files import ResultFile
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.errors import WavecrawlError

TRIES = 3
"""Failed processes of a crawl after which it is marked as failed."""

ELSEWHERE = 5
"""Exit code of a process whose crawl is run by another process; it does not count as failed."""

UNWRITABLE = 7
"""Exit code of a process that cannot write its files."""

_ALL_AGAIN: Final[frozenset[ResultFile]] = frozenset()

PROCESSES_KNOWN = 1_000
"""Processes whose reports are still accepted, the last ones that were started."""

logger = logging.getLogger(__name__)


class LocalLauncher:
    """`ports.launcher.Launcher` between `start` and `stop`.

    `command` returns the command of a crawl's process, `results_command` that of a process that makes some files of the
    results of an ended crawl, or without any, all results again. `unfinished` returns the queued and running crawls,
    which `start` continues. `admit` starts a queued crawl if its tenant's limit allows, and returns its status. A
    process that dies is started again; after `TRIES` of them, `give_up` ends the crawl.

    A process counts toward `most` unless it reports that its crawl is paused (`pause_reports`); at most `most_paused`
    are not counted. A crawl whose pause ends does not wait for a slot: for a time, more than `most` processes can be
    active. Then no further process starts until fewer than `most` are. `on_measures` is called with each report of
    what a crawl measured (`measure_reports`), `on_end` with each crawl that needs no further process.
    """

    def __init__(
        self,
        *,
        command: Callable[[CrawlId], Sequence[str]],
        results_command: Callable[[CrawlId, Collection[ResultFile]], Sequence[str]],
        unfinished: Callable[[], list[CrawlId]],
        admit: Callable[[CrawlId], CrawlStatus | None],
        give_up: Callable[[CrawlId, str], None],
        most: int,
        most_paused: int,
        on_measures: Callable[[CrawlId, bytes], None] = lambda _, __: None,
        on_end: Callable[[CrawlId], None] = lambda _: None,
    ) -> None:
        self._command = command
        self._results_command = results_command
        self._results: dict[CrawlId, frozenset[ResultFile]] = {}  # what is still to be made; no files = all, again
        self._making: dict[CrawlId, frozenset[ResultFile]] = {}  # what processes are making
        self._unfinished = unfinished
        self._admit = admit
        self._give_up = give_up
        self._on_measures = on_measures
        self._on_end = on_end
        self._most = most
        self._most_paused = most_paused
        self._changed = Condition()
        self._waiting: list[CrawlId] = []
        self._asked_again: set[CrawlId] = set()  # of those running
        self._processes = ChildProcesses[CrawlId](self._changed, await_end=self._await, name="crawl")
        self._paused: set[CrawlId] = set()  # of those running
        self._crawls: dict[int, CrawlId] = {}  # by process ID; the reports of a process may be read after its end
        self._reports: PauseReports | None = None
        self._lost: Counter[CrawlId] = Counter()
        self._stopping = True

    def launch(self, crawl: CrawlId) -> None:
        """Start a process for the crawl as soon as the limit allows.

        If it has one, another one follows if the crawl has not ended by then: it may have been resumed while its
        process was ending.
        """
        with self._changed:
            if crawl in self._processes.running:
                self._asked_again.add(crawl)
            elif crawl not in self._waiting:
                self._waiting.append(crawl)
            self._begin()

    def make_results(self, crawl: CrawlId) -> None:
        """Start a process that makes the results of an ended crawl again, as soon as the limit allows."""
        with self._changed:
            self._results[crawl] = _ALL_AGAIN
        self.launch(crawl)

    def make_files(self, crawl: CrawlId, files: Collection[ResultFile]) -> None:
        """Start a process that makes result files of an ended crawl, as soon as the limit allows.

        Files that are being made are not made again. Further ones follow after the process of the crawl has ended.
        """
        with self._changed:
            new = frozenset(files) - self._making.get(crawl, frozenset())
            if not new or self._results.get(crawl) == _ALL_AGAIN:
                return
            self._results[crawl] = self._results.get(crawl, frozenset()) | new
        self.launch(crawl)

    def start(self) -> None:
        """Continue all running crawls and accept new ones."""
        with self._changed:
            self._reports = PauseReports(self._note_pause, self._note_measures)
            self._stopping = False
        for crawl in self._unfinished():
            self.launch(crawl)
        with self._changed:
            self._begin()

    def stop(self) -> None:
        """Stop the processes; the next `start` continues their crawls."""
        with self._changed:
            self._stopping = True
            self._waiting.clear()
            self._asked_again.clear()
            reports, self._reports = self._reports, None
        self._processes.stop()
        if reports is not None:
            reports.stop()

    def running(self) -> list[CrawlId]:
        """Return the crawls with a process."""
        with self._changed:
            return list(self._processes.running)

    def paused(self) -> set[CrawlId]:
        """Return the crawls whose processes report a pause."""
        with self._changed:
            return set(self._paused)

    def _begin(self) -> None:
        """Start processes up to the limit. Call it with the lock held."""
        while self._reports and not self._stopping and self._has_room() and (crawl := self._next()) is not None:
            try:
                files = self._results.get(crawl)
                command = self._command(crawl) if files is None else self._results_command(crawl, files)
                process = self._processes.start(crawl, command, stdout=self._reports.pipe)
            except OSError:  # too many processes or too little memory; the crawl stays first in the queue
                logger.exception("cannot start a process for crawl %s now", crawl)
                return
            self._waiting.remove(crawl)
            if files is not None:
                self._making[crawl] = self._results.pop(crawl)
            self._crawls[process.pid] = crawl
            while len(self._crawls) > PROCESSES_KNOWN:
                del self._crawls[next(iter(self._crawls))]

    def _has_room(self) -> bool:
        """Return whether another process may start."""
        return len(self._processes.running) - min(len(self._paused), self._most_paused) < self._most

    def _note_pause(self, pid: int, is_paused: bool) -> None:  # noqa: FBT001 - a callback
        """Note whether the crawl of a process is paused. If it is, another crawl may start."""
        with self._changed:
            for crawl, process in self._processes.running.items():
                if process.pid == pid:
                    (self._paused.add if is_paused else self._paused.discard)(crawl)
            self._begin()

    def _note_measures(self, pid: int, text: bytes) -> None:
        with self._changed:
            crawl = self._crawls.get(pid)
        if crawl is not None:
            self._on_measures(crawl, text)

    def _next(self) -> CrawlId | None:
        """Return the first waiting crawl that is admitted, of the tenant with the fewest processes; None if none is."""
        busy = Counter(crawl.tenant for crawl in self._processes.running)
        for crawl in sorted(self._waiting, key=lambda crawl: busy[crawl.tenant]):
            if crawl in self._results:
                return crawl
            try:
                status = self._admit(crawl)
            except WavecrawlError:  # unknown: it is asked for again when the next crawl starts or ends
                logger.exception("cannot determine whether crawl %s may start", crawl)
                return None
            if status is CrawlStatus.RUNNING:
                return crawl
            if status is not CrawlStatus.QUEUED:  # it has ended or was deleted
                self._waiting.remove(crawl)
        return None

    def _await(self, crawl: CrawlId, process: "subprocess.Popen[bytes]") -> None:
        code = process.wait()
        with self._changed:
            stopping = self._stopping
        try:
            over = stopping or self._is_over(crawl, code)
        except WavecrawlError:  # unknown: the next process finds out
            logger.exception("cannot determine whether crawl %s has ended", crawl)
            over = False
        if over and not stopping:
            self._on_end(crawl)
        with self._changed:
            self._processes.remove(crawl)
            self._paused.discard(crawl)
            self._making.pop(crawl, None)
            if over:
                del self._lost[crawl]
            is_wanted = not over or crawl in self._asked_again or crawl in self._results
            self._asked_again.discard(crawl)
            if is_wanted and not self._stopping:
                self._waiting.append(crawl)
            self._begin()

    def _is_over(self, crawl: CrawlId, code: int) -> bool:
        """Return whether a crawl needs no further process; give it up if too many have failed."""
        if crawl not in self._unfinished():
            return True
        if code != ELSEWHERE:
            self._lost[crawl] += 1
            logger.warning("the process of crawl %s ended with exit code %s", crawl, code)
        if self._lost[crawl] < TRIES:
            return False
        why = "as its data could not be written" if code == UNWRITABLE else f"the last time with exit code {code}"
        self._give_up(crawl, f"its process failed {TRIES} times, {why}")
        return True
