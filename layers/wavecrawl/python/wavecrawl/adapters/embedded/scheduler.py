"""The scheduler of one machine: a thread of `wavecrawl serve` that starts the crawls of due sites.

Once an hour, it also deletes what has expired.
"""

import logging
from collections.abc import Callable
from math import inf
from secrets import token_hex
from threading import Event, Thread

from wavecrawl.adapters.embedded.schedules import DueSite, SqliteSchedules
from wavecrawl.application.start_crawl import crawl_id_at
from wavecrawl.application.start_site import Skip
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.errors import TransientError, WavecrawlError
from wavecrawl.ports.clock import Clock

_PAUSE = 5.0  # seconds between two ticks
_TIDY_EVERY = 3_600.0  # seconds

logger = logging.getLogger(__name__)

Start = Callable[[CrawlId], Skip | None]
"""Starts the crawl of a due site. The same id again starts nothing more."""


class LocalScheduler:
    """Starts the crawls of due sites. A site that was due several times while no scheduler ran is started once.

    A crawl's id is stored before the crawl starts. If the process ends in between, the next tick starts the crawl.
    """

    def __init__(
        self,
        schedules: SqliteSchedules,
        start: Start,
        clock: Clock,
        *,
        delete_expired: Callable[[float], None] = lambda _: None,
        pause: float = _PAUSE,
    ) -> None:
        """`delete_expired` deletes what has expired at a time, in Unix seconds."""
        self._delete_expired = delete_expired
        self._tidied_at = -inf
        self._schedules = schedules
        self._start = start
        self._clock = clock
        self._pause = pause
        self._stopping = Event()
        self._thread: Thread | None = None

    def tick(self, now: float) -> list[CrawlId]:
        """Start the sites that are due at `now`; return the crawls that were started."""
        started = []
        for due in self._schedules.due(now):
            crawl = crawl_id_at(now, token_hex(8))
            taken = due if due.crawl else self._schedules.take(due, crawl=crawl, now=now)
            if taken is not None and self._begin(taken):
                started.append(_id(taken))
        return started

    def tidy(self, now: float) -> None:
        """Delete what has expired, at most once an hour."""
        if now - self._tidied_at >= _TIDY_EVERY:
            self._tidied_at = now
            self._delete_expired(now)

    def start(self) -> None:
        """Start the thread."""
        self._stopping.clear()
        self._thread = Thread(target=self._run, name="wavecrawl-scheduler", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop after the current tick, and wait for it."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _run(self) -> None:
        while not self._stopping.is_set():
            for work, name in ((self.tick, "starting due sites"), (self.tidy, "deleting what has expired")):
                try:
                    work(self._clock.now())
                except Exception:  # an error must not end the thread
                    logger.exception("%s failed; it is tried again later", name)
            self._stopping.wait(self._pause)

    def _begin(self, taken: DueSite) -> bool:
        id_ = _id(taken)
        try:
            skip = self._start(id_)
        except TransientError as error:
            logger.warning("crawl %s could not be started yet; the next tick tries again: %s", id_, error)
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
