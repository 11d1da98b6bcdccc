"""The queue between planner and workers."""

from collections.abc import Sequence
from typing import Protocol

from wavecrawl.domain.crawl.job import BatchJob


class JobQueue(Protocol):
    """Delivers each job at least once, not before its start, in any order.

    Contract: tests/contract/test_job_queue.py.
    """

    @property
    def longest_delay(self) -> float:
        """Return how long before its start a job may be sent, in seconds; earlier ones may come too early."""
        ...

    def send(self, jobs: Sequence[BatchJob]) -> None:
        """Hand the jobs over; each is delivered at least once from `job.starts_at` on."""
        ...
