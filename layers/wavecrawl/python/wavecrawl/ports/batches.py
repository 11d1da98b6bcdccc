"""Waves and batches: what is to do, who does it, what is done."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Protocol

from wavecrawl.domain.crawl.bill import Usage
from wavecrawl.domain.crawl.job import BatchId, CrawlId


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The right to work on a batch."""

    id: BatchId
    attempt: int  # from 1; one higher each time the batch is leased
    owner: str
    expires_at: float  # Unix seconds
    deliveries: int = 1  # attempts that count against the batch: those before everybody was stopped do not


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchSums:
    """What a finished batch counts; added to its wave's row in the transaction that finishes it."""

    records: int = 0
    fetched: int = 0
    bytes: int = 0
    faults: int = 0
    usage: Usage = field(default_factory=Usage)  # of AWS

    def __add__(self, other: "BatchSums") -> "BatchSums":
        """Return the sum, field by field."""
        return BatchSums(**{one.name: getattr(self, one.name) + getattr(other, one.name) for one in fields(BatchSums)})


COUNTS = tuple(one.name for one in fields(BatchSums) if one.name != "usage")
"""The names of the sums that are plain numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchRow:
    """A batch as the store knows it. What is to be done in it stands in its wave's snapshot and in its message."""

    id: BatchId
    attempts: int = 0
    done: bool = False
    leased_until: float = 0.0  # Unix seconds; 0 = free
    owner: str = ""
    done_attempt: int = 0  # whose objects hold the records, once done


@dataclass(frozen=True, slots=True, kw_only=True)
class WaveRow:
    """A wave as the store knows it."""

    wave: int
    planned: int  # batches
    done: int = 0
    token: str = ""  # of the state machine's task that waits for the wave
    sums: BatchSums = field(default_factory=BatchSums)


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress(BatchSums):
    """The progress of a crawl: the sums over its waves."""

    waves: int = 0  # number of the last stored wave; waves without batches may not be stored
    batches: int = 0  # planned
    batches_done: int = 0


def progress_of(waves: Sequence[WaveRow]) -> Progress:
    """Add up waves."""
    sums = sum((wave.sums for wave in waves), BatchSums())
    return Progress(
        waves=max((wave.wave for wave in waves), default=0),
        batches=sum(wave.planned for wave in waves),
        batches_done=sum(wave.done for wave in waves),
        **{one.name: getattr(sums, one.name) for one in fields(sums)},
    )


class Batches(Protocol):
    """Batches and their leases. A batch's row comes to life with its first lease.

    Contract: tests/contract/test_batches.py.
    """

    def of_wave(self, crawl: CrawlId, wave: int) -> list[BatchRow]:
        """Return the batches of a wave that were ever leased, by number, read consistently."""
        ...

    def of_crawl(self, crawl: CrawlId) -> list[BatchRow]:
        """Return the batches of a crawl that were ever leased, by wave and number, read consistently."""
        ...

    def lease(self, id_: BatchId, *, owner: str, now: float, seconds: float) -> Lease | None:
        """Take a batch that is not done and free or expired, one attempt higher; None where that is not so."""
        ...

    def complete(self, lease: Lease, sums: BatchSums) -> bool:
        """Mark the batch done and count it in its wave, in one transaction.

        Return False, changing nothing, where the lease is no longer the batch's latest or the batch is done.
        """
        ...

    def give_back(self, lease: Lease) -> bool:
        """Free one's own lease on a batch that failed, so that it can be taken up at once. The attempt counts.

        Return False, changing nothing, where the lease is no longer the batch's latest or the batch is done.
        """
        ...

    def release(self, crawl: CrawlId, *, owner: str | None = None) -> int:
        """Free the leases of an owner (None: of everybody) on batches not done; return how many.

        Only for who knows that the owner is dead. Where everybody was stopped, no batch is to blame: the attempts under
        way are forgiven, they do not count as deliveries.
        """
        ...


class Waves(Protocol):
    """Waves and their counters. Contract: tests/contract/test_batches.py."""

    def create(self, crawl: CrawlId, wave: int, *, planned: int) -> None:
        """Store a wave that does not exist yet; one that does stays as it is."""
        ...

    def store_token(self, crawl: CrawlId, wave: int, token: str, *, order: float = 0.0) -> bool:
        """Replace the token that is told when the wave's last batch is done.

        Return False, changing nothing, where the token that stands there has a higher `order`: whoever asked later
        waits for the wave, whatever becomes of those before.
        """
        ...

    def add_usage(self, crawl: CrawlId, wave: int, usage: Usage) -> None:
        """Add to the wave's usage what was used for it outside its batches; a wave without batches gets a row so."""
        ...

    def read(self, crawl: CrawlId, wave: int) -> WaveRow | None:
        """Return the wave, read consistently, or None."""
        ...

    def usage(self, crawl: CrawlId) -> Usage:
        """Return what all waves of the crawl have used until now, read consistently."""
        ...

    def last(self, crawl: CrawlId) -> int:
        """Return the number of the last wave that has batches, read consistently; 0 where none has."""
        ...

    def progress(self, crawl: CrawlId) -> Progress:
        """Add up the waves of a crawl, in one cheap query; what was counted in the last second may be missing."""
        ...
