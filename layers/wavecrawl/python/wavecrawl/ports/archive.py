"""The archive: page records and raw exchanges of batches, written by workers and read by gather."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from msgspec import Struct

from wavecrawl.domain.crawl.job import BatchId, CrawlId
from wavecrawl.domain.crawl.record import PageRecord
from wavecrawl.domain.crawl.references import References
from wavecrawl.domain.fetching.exchange import Exchange
from wavecrawl.domain.rendering.conversion import Conversion

RecordType = TypeVar("RecordType", bound=Struct)


class StoredResponse(Struct, frozen=True, kw_only=True):
    """A stored response of a server."""

    crawl: CrawlId  # the crawl that fetched it
    url: str
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes  # without content codings, as far as they could be decoded
    truncated: bool  # cut when it was fetched, or by the limit now
    id: str = ""  # of its WARC record


class StoredExchanges(Struct, frozen=True, kw_only=True):
    """Exchanges of a page, or the rendered page, as they are stored."""

    place: str  # of the page's record
    at: float  # when the response was requested, in Unix seconds
    data: bytes  # WARC records, each a gzip member


class BatchArchive(Protocol):
    """The objects that one attempt at a batch writes. Safe to use from several threads."""

    def salvaged(self) -> Iterator[PageRecord]:
        """Yield the records of earlier, interrupted attempts; they become part of this attempt."""
        ...

    def add(self, record: PageRecord, exchanges: Sequence[Exchange], conversion: Conversion | None = None) -> None:
        """Store a record, its exchanges and the rendered page; they are not lost if the process dies."""
        ...

    def commit(self) -> None:
        """Finish the objects. Uncommitted objects are only read for salvage."""
        ...

    def leave(self) -> None:
        """Stop without finishing; a later attempt can salvage the records."""
        ...

    def discard(self) -> None:
        """Discard this attempt; nothing will refer to it."""
        ...


class Archive(Protocol):
    """Objects named by batch and attempt. Contract: tests/contract/test_archive.py."""

    def open(self, id_: BatchId, *, attempt: int) -> BatchArchive:
        """Start the objects of an attempt, with the readable records of earlier, interrupted attempts."""
        ...

    def prefetch(self, batches: Sequence[tuple[BatchId, int]]) -> None:
        """Announce that `records` of these (batch, attempt) will be read next, in this order."""
        ...

    def records(self, id_: BatchId, *, attempt: int, shape: type[RecordType]) -> Iterator[RecordType]:
        """Yield the committed records of a batch as `shape` (PageRecord, or a view of it with fewer fields).

        Records are in the order of writing. Those of unchanged pages have the content of the record that they refer to;
        they are left out if that no longer exists. Raise CorruptDataError if the object is missing, or after its last
        complete record if it is incomplete.
        """
        ...

    def contents(self, places: Sequence[str], shape: type[RecordType]) -> Mapping[str, RecordType]:
        """Return the records at places from `place` as `shape`, by place, without those that no longer exist."""
        ...

    def references(self, id_: BatchId, *, attempt: int) -> References:
        """Return what the committed records of a batch refer to in other crawls. Raise as `records` does."""
        ...

    def files(self, batches: Sequence[tuple[BatchId, int]]) -> list[Path]:
        """Return local files with the committed records of (batch, attempt), in that order, as gzipped JSON Lines.

        A file may be missing or incomplete if its object is: what it lacks was fetched again by a later batch.
        """
        ...

    def exchanges_size(self, batches: Sequence[tuple[BatchId, int]]) -> int:
        """Return the total bytes of the committed raw exchanges of (batch, attempt)."""
        ...

    def exchange_files(self, batches: Sequence[tuple[BatchId, int]]) -> Generator[Path]:
        """Yield local files with the raw exchanges of (batch, attempt), in that order; each is valid until the next.

        Close the generator if you stop early. Raise CorruptDataError if an object is missing.
        """
        ...

    def copies(self, places: Sequence[str]) -> Generator[StoredExchanges]:
        """Yield what is stored for the records at places, object by object, without what no longer exists.

        That of a rendered page comes in two parts: its response and the page in the browser. Close the generator if you
        stop early.
        """
        ...

    def record_at(self, place: str) -> PageRecord | None:
        """Return the record at a place from `place`, or None if it no longer exists."""
        ...

    def response_at(self, place: str, *, limit: int) -> StoredResponse | None:
        """Return the last response for the record at a place, with at most `limit` bytes of its body.

        That of a rendered page is at the place of the record that it was rendered from (`exchange_at`).
        Return None if the record no longer exists or has no response. Raise CorruptDataError if it cannot be read.
        """
        ...

    def rendered_at(self, place: str) -> Conversion | None:
        """Return the rendered page that is stored with the record at a place. Return None and raise as above."""
        ...

    def place(self, id_: BatchId, *, attempt: int, key: str) -> str:
        """Return the place of a url key's record, a short name for `record_at`. It ends with `#` and the url key."""
        ...
