"""The scheduler of one machine: a thread of `wavecrawl serve` that starts due sites."""

import logging
from collections.abc import Callable
from secrets import token_hex
from threading import Event, Thread

from wavecrawl.adapters.embedded.schedules import DueSite, SqliteSchedules
from wavecrawl.application.start_crawl import crawl_id_at
from wavecrawl.application.start_site import Skip
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.errors import TransientError, WavecrawlError
from wavecrawl.ports.clock import Clock

_PAUSE = 5.0  # seconds between two checks

logger = logging.getLogger(__name__)

Start = Callable[[CrawlId], Skip | None]
"""Starts the crawl of a due site; a repeated call with the same id starts nothing."""


class LocalScheduler:
    """Starts due sites. A site that was due several times while the scheduler was stopped is started once.

    A crawl's id is stored before the crawl is started. If the process dies in between, the next check starts it.
    """

    def __init__(self, schedules: SqliteSchedules, start: Start, clock: Clock, *, pause: float = _PAUSE) -> None:
        self._schedules = schedules
        self._start = start
        self._clock = clock
        self._pause = pause
        self._stopping = Event()
        self._thread: Thread | None = None

    def tick(self, now: float) -> list[CrawlId]:
        """Start the sites that are due at `now`; return the started crawls."""
        started = []
        for due in self._schedules.due(now):
            crawl = crawl_id_at(now, token_hex(4))
            taken = due if due.crawl else self._schedules.take(due, crawl=crawl, now=now)
            if taken is not None and self._begin(taken):
                started.append(_id(taken))
        return started

    def start(self) -> None:
        """Start the thread."""
        self._stopping.clear()
        self._thread = Thread(target=self._run, name="wavecrawl-scheduler", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop the thread after its current check, and wait for it."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self.tick(self._clock.now())
            except Exception:  # an error must not end the thread
                logger.exception("the check for due sites failed and will be repeated")
            self._stopping.wait(self._pause)

    def _begin(self, taken: DueSite) -> bool:
        id_ = _id(taken)
        try:
            skip = self._start(id_)
        except TransientError as error:
            logger.warning("crawl %s could not be started and will be retried: %s", id_, error)
            return False
        except WavecrawlError:
            logger.exception("crawl %s cannot be started", id_)
            self._schedules.begun(taken)
            return False
        if skip is not None:
            logger.info("crawl %s is skipped: %s", id_, skip.value)
        self._schedules.begun(taken)
        return skip is None


def _id(taken: DueSite) -> CrawlId:
    return CrawlId(tenant=taken.tenant, site=taken.site, crawl=taken.crawl)
