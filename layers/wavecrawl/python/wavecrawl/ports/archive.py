"""The archive: page records and raw exchanges of batches, written by workers, read by gather."""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from wavecrawl.domain.crawl.job import BatchId, CrawlId
from wavecrawl.domain.crawl.record import PageRecord
from wavecrawl.domain.fetching.exchange import Exchange

RecordType = TypeVar("RecordType")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAnswer:
    """An answer of a server, as it was kept."""

    crawl: CrawlId  # in which it was given
    url: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes  # content codings undone, as far as they could be
    truncated: bool  # there was more than we read, or more than was asked for now


class BatchArchive(Protocol):
    """What one attempt at a batch writes. Safe to use from several threads."""

    def salvaged(self) -> Iterator[PageRecord]:
        """Yield the records that earlier, broken attempts left behind; they are part of this attempt now."""
        ...

    def add(self, record: PageRecord, exchanges: Sequence[Exchange]) -> None:
        """Store one record and the exchanges it came from; what was added survives the death of this process."""
        ...

    def commit(self) -> None:
        """Finish the objects. Without it they are never read but for salvage."""
        ...

    def leave(self) -> None:
        """Stop without finishing: what was added stays for a later attempt to salvage."""
        ...

    def discard(self) -> None:
        """Give up: nothing of this attempt will be referred to."""
        ...


class Archive(Protocol):
    """Objects named by batch and attempt. Contract: tests/contract/test_archive.py."""

    def open(self, id_: BatchId, *, attempt: int) -> BatchArchive:
        """Start an attempt's objects, with what earlier attempts of the batch left behind where that can be read."""
        ...

    def prefetch(self, batches: Sequence[tuple[BatchId, int]]) -> None:
        """Say that `records` of these (batch, attempt) will be asked for next, in this order."""
        ...

    def records(self, id_: BatchId, *, attempt: int, shape: type[RecordType]) -> Iterator[RecordType]:
        """Yield the committed records of a batch as `shape` (PageRecord, or a view of it with fewer fields).

        Order is the order of writing. Raise CorruptDataError where the object is missing or broken.
        """
        ...

    def files(self, batches: Sequence[tuple[BatchId, int]]) -> list[Path]:
        """Return local files that hold the committed records of (batch, attempt), in that order: gzipped JSON Lines."""
        ...

    def exchanges_size(self, batches: Sequence[tuple[BatchId, int]]) -> int:
        """Return how many bytes the committed raw exchanges of (batch, attempt) have together."""
        ...

    def exchange_files(self, batches: Sequence[tuple[BatchId, int]]) -> Generator[Path]:
        """Yield local files with the raw exchanges of (batch, attempt), in that order; each is good until the next.

        Whoever stops early closes the generator. Raise CorruptDataError where one is missing.
        """
        ...

    def record_at(self, place: str) -> PageRecord | None:
        """Return the record at a place that `place` gave, or None where it is gone."""
        ...

    def answer_at(self, place: str, *, limit: int) -> StoredAnswer | None:
        """Return the last answer that the record at a place came from, at most `limit` bytes of its body.

        Return None where it is gone, or where no answer was stored. Raise CorruptDataError where it cannot be read.
        """
        ...

    def place(self, id_: BatchId, *, attempt: int, key: str) -> str:
        """Return a short name under which `record_at` finds the record of a url key later."""
        ...
