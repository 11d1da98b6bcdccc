"""The queue between planner and workers."""

from collections.abc import Sequence
from typing import Protocol

from wavecrawl.domain.crawl.job import BatchJob


class JobQueue(Protocol):
    """Delivers each job at least once, not before its start time, in any order.

    Contract: tests/contract/test_job_queue.py.
    """

    @property
    def longest_delay(self) -> float:
        """Return the maximum seconds between sending and start of a job; jobs sent earlier may start too early."""
        ...

    def holds(self, *, sent_at: float) -> bool:
        """Return whether a job may still wait for its start or for a free worker.

        `sent_at`: when the job was sent, or its start if that is later; Unix seconds.
        """
        ...

    def send(self, jobs: Sequence[BatchJob]) -> None:
        """Enqueue the jobs; each is delivered at least once, from `job.starts_at` on."""
        ...
