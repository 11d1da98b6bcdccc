"""Waves and batches: their leases, progress and usage."""

from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct, field

from wavecrawl.domain.crawl.bill import Usage
from wavecrawl.domain.crawl.job import BatchId, CrawlId
from wavecrawl.domain.politeness.waits import Wait


class Lease(Struct, frozen=True, kw_only=True):
    """The right to work on a batch."""

    id: BatchId
    attempt: int  # from 1; increases each time the batch is leased
    owner: str
    expires_at: float  # Unix seconds
    deliveries: int = 1  # attempts that count against the batch; those ended by `release` for all owners do not


class BatchSums(Struct, frozen=True, kw_only=True):
    """The counts of a finished batch; added to its wave's row in the transaction that completes it."""

    records: int = 0
    fetched: int = 0
    bytes: int = 0
    faults: int = 0
    media: int = 0  # media URLs whose content was stored, or is unchanged
    usage: Usage = field(default_factory=Usage)  # of AWS

    def __add__(self, other: "BatchSums") -> "BatchSums":
        """Return the sum, field by field."""
        return BatchSums(**{name: getattr(self, name) + getattr(other, name) for name in BatchSums.__struct_fields__})


COUNTS = tuple(name for name in BatchSums.__struct_fields__ if name != "usage")
"""The names of the sums that are plain numbers."""


class BatchRow(Struct, frozen=True, kw_only=True):
    """A batch as the store knows it. What is to be done in it stands in its wave's snapshot and in its message."""

    id: BatchId
    attempts: int = 0
    done: bool = False
    leased_until: float = 0.0  # Unix seconds; 0 = free
    owner: str = ""
    done_attempt: int = 0  # the attempt whose objects have the records; 0 = not done, or closed without records
    starts_at: float = 0.0  # Unix seconds; when it starts instead of the time in its message; 0 = not changed


class WaveRow(Struct, frozen=True, kw_only=True):
    """A stored wave."""

    wave: int
    planned: int  # batches
    done: int = 0  # batches
    token: str = ""  # task token of the state machine's task that waits for the wave
    sent_at: float = 0.0  # Unix seconds; when all its batches had been sent, or the last one's start; 0 = not yet
    sums: BatchSums = field(default_factory=BatchSums)
    wait: Wait | None = None  # for which its batches wait, or why they are slow; for display


class Progress(BatchSums, frozen=True, kw_only=True):
    """The progress of a crawl: the sums over its waves."""

    waves: int = 0  # number of the last stored wave; waves without batches may not be stored
    batches: int = 0  # planned
    batches_done: int = 0
    in_progress: int = 0  # records so far in batches that are not done; for display
    wait: Wait | None = None  # of the last stored wave, if it is not done


def progress_of(waves: Sequence[WaveRow], *, in_progress: int = 0) -> Progress:
    """Add up waves, and the records so far in batches that are not done."""
    sums = sum((wave.sums for wave in waves), BatchSums())
    return Progress(
        waves=max((wave.wave for wave in waves), default=0),
        batches=sum(wave.planned for wave in waves),
        batches_done=sum(wave.done for wave in waves),
        in_progress=in_progress,
        wait=_wait(waves),
        **{name: getattr(sums, name) for name in sums.__struct_fields__},
    )


def _wait(waves: Sequence[WaveRow]) -> Wait | None:
    last = max(waves, key=lambda wave: wave.wave, default=None)
    if last is None or last.wait is None:
        return None
    is_done = last.planned and last.done >= last.planned
    return None if is_done and not last.wait.for_sitemaps else last.wait


class Batches(Protocol):
    """Batches and their leases. The first lease creates the batch's row, or the first call of `postpone`.

    Contract: tests/contract/test_batches.py.
    """

    def of_wave(self, crawl: CrawlId, wave: int) -> list[BatchRow]:
        """Return the batches of a wave that have a row, by number, read consistently."""
        ...

    def of_crawl(self, crawl: CrawlId) -> list[BatchRow]:
        """Return the batches of a crawl that have a row, by wave and number, read consistently."""
        ...

    def read(self, id_: BatchId) -> BatchRow | None:
        """Return a batch, read consistently; None if it was never leased or postponed."""
        ...

    def lease(self, id_: BatchId, *, owner: str, now: float, seconds: float) -> Lease | None:
        """Lease a batch as a new attempt; return None if it is done or has a valid lease."""
        ...

    def note_records(self, lease: Lease, records: int) -> None:
        """Store the number of records so far, for display. Nothing else may be derived from it.

        Change nothing if the lease is not the batch's latest or the batch is done.
        """
        ...

    def complete(self, lease: Lease, sums: BatchSums) -> bool:
        """Mark the batch done and count it in its wave, in one transaction.

        Return False without a change if the lease is not the batch's latest, the batch is done, or its wave does not
        exist.
        """
        ...

    def close(self, id_: BatchId) -> bool:
        """Mark a batch done without records and count it in its wave, in one transaction. No attempt can complete it.

        Return False without a change if the batch is done, or its wave does not exist.
        """
        ...

    def give_back(self, lease: Lease) -> bool:
        """Free the caller's lease on a failed batch, so that it can be leased at once. The attempt counts.

        Return False without a change if the lease is not the batch's latest or the batch is done.
        """
        ...

    def postpone(self, id_: BatchId, *, starts_at: float) -> None:
        """Store that a batch starts at another time than its message says. Change nothing if it is done."""
        ...

    def forgive(self, id_: BatchId) -> bool:
        """Forget how often a batch was delivered; return whether it has a row and is not done. Its lease stays."""
        ...

    def release(self, crawl: CrawlId, *, owner: str | None = None) -> int:
        """Free the leases of an owner (None = of all owners) on unfinished batches; return how many.

        Call it only if the owner is known to be dead. If all owners were stopped, no batch is the cause, so the
        current attempts do not count as deliveries.
        """
        ...


class Waves(Protocol):
    """Waves and their counters. Contract: tests/contract/test_batches.py."""

    def create(self, crawl: CrawlId, wave: int, *, planned: int, faults: int = 0) -> None:
        """Store a wave unless it exists. `faults`: URLs that its plan ended as failed."""
        ...

    def store_token(self, crawl: CrawlId, wave: int, token: str, *, order: float = 0.0) -> bool:
        """Replace the task token that is completed when the wave's last batch is done.

        Return False without a change if the stored token has a higher `order`: the latest caller waits for the wave.
        """
        ...

    def mark_sent(self, crawl: CrawlId, wave: int, *, at: float, wait: Wait | None = None) -> None:
        """Store `WaveRow.sent_at`, if the wave exists, and `WaveRow.wait`, if there is one."""
        ...

    def note_wait(self, crawl: CrawlId, wave: int, wait: Wait) -> None:
        """Store `WaveRow.wait` of a wave of which nothing is sent yet; create the row of a wave without batches."""
        ...

    def add_usage(self, crawl: CrawlId, wave: int, usage: Usage, *, create: bool = True) -> None:
        """Add usage outside the batches to the wave; create the row of a wave without batches.

        With `create=False`, change nothing if the wave has no row: its crawl was deleted.
        """
        ...

    def read(self, crawl: CrawlId, wave: int) -> WaveRow | None:
        """Return the wave, read consistently, or None."""
        ...

    def usage(self, crawl: CrawlId) -> Usage:
        """Return the usage of all waves of the crawl so far, read consistently."""
        ...

    def last(self, crawl: CrawlId) -> int:
        """Return the number of the last wave with batches, read consistently; 0 if there is none."""
        ...

    def progress(self, crawl: CrawlId) -> Progress:
        """Return the sums over the waves of a crawl. Counts of the last seconds may be missing.

        This is one cheap query, and a second one for the batches of the last wave if it is not done.
        """
        ...

    def progress_of_each(self, crawls: Sequence[CrawlId]) -> list[Progress]:
        """Return the `progress` of each crawl."""
        ...
