"""What is done for each URL of a batch: one class for each kind of batches."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from time import thread_time
from typing import ClassVar

from wavecrawl.application.body_room import PageShare
from wavecrawl.application.fetched_page import Ending, FetchedPage, NextStart, unfetched_record
from wavecrawl.domain.crawl.job import BatchKind, JobItem
from wavecrawl.domain.crawl.record import PageRecord, Reason
from wavecrawl.domain.crawl.states import UrlState


class PageWork(ABC):
    """The work of `run_batch` for one URL. Shared by the batches of a process."""

    __slots__ = ()

    kind: ClassVar[BatchKind]
    hosts_at_once: ClassVar[int] = 1
    """Of a batch that several hosts share: of how many hosts requests are open, up to the limit of each host."""

    @property
    @abstractmethod
    def seconds(self) -> float:
        """The most seconds that the work for one URL takes, if no other URL keeps the processor or the parser busy.

        If others do, `ending` of `do` ends the work in time.
        """

    def cpu_time(self) -> float:
        """Return a time in seconds that advances by the processor time that the calling thread causes."""
        return thread_time()

    @contextmanager
    def room(self) -> Iterator[PageShare | None]:
        """Wait until the process has memory for another page; yield its share, which ends with the block."""
        yield None

    @abstractmethod
    def do(self, item: JobItem, share: PageShare | None, next_start: NextStart, ending: Ending) -> FetchedPage:
        """Return the record of a URL.

        `next_start` is called before each request to the host but the first; `ending`, before and while the content
        of a page is read.
        """

    def give_up(self, item: JobItem, now: float) -> FetchedPage:
        """Return the record of a URL that may kill every worker."""
        return FetchedPage(record=unfetched_record(item, UrlState.FAILED, Reason.POISON, now))

    @abstractmethod
    def watch(self, record: PageRecord) -> None:
        """Report a record, as it is stored."""
