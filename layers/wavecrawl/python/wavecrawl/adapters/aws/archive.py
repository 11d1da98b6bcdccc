"""The archive in S3: one object of records and one of exchanges per attempt at a batch.

An attempt keeps both in memory (large ones on disk) and writes them at its end, the records last: if the records exist,
the exchanges do too. A killed worker leaves nothing. A worker that stops early writes both under another name. Later
attempts take over those objects, and objects that were committed without completing the batch.
"""

import time
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import SpooledTemporaryFile
from threading import Lock
from typing import TYPE_CHECKING

from msgspec import structs

from wavecrawl.adapters.aws.objects import Bucket
from wavecrawl.adapters.aws.read_ahead import ReadAhead
from wavecrawl.adapters.batch_objects import (
    OBJECTS_KEPT,
    PART,
    UNREADABLE,
    Referring,
    completed,
    copies_of,
    decoded,
    encoded,
    exchanges_at,
    first_tries,
    left_behind,
    lines,
    packed,
    place_of,
    record_in,
    records_at,
    records_name,
    records_of,
    references_in,
    warc_name,
    with_payload,
)
from wavecrawl.adapters.cache import Cache
from wavecrawl.adapters.warc import page_records, warcinfo
from wavecrawl.domain.crawl.job import BatchId, CrawlId
from wavecrawl.domain.crawl.record import PageRecord
from wavecrawl.domain.crawl.references import References
from wavecrawl.domain.fetching.exchange import Exchange
from wavecrawl.domain.rendering.conversion import Conversion
from wavecrawl.errors import CorruptDataError, WavecrawlError
from wavecrawl.ports.archive import RecordType, StoredExchanges, StoredResponse

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

_IN_MEMORY = 16 * 1024 * 1024  # bytes of a batch's exchanges that are kept in memory; more go to disk
_DOWNLOADS = 8  # in parallel


class S3BatchArchive:
    """`ports.archive.BatchArchive`."""

    def __init__(self, bucket: Bucket, id_: BatchId, attempt: int, scratch: Path) -> None:
        self._bucket = bucket
        self._records_name, self._warc_name = records_name(id_, attempt), warc_name(id_, attempt)
        self._lock = Lock()
        self._records: list[bytes] = []
        scratch.mkdir(parents=True, exist_ok=True)
        self._warc = SpooledTemporaryFile(max_size=_IN_MEMORY, dir=str(scratch))  # noqa: SIM115 - closed when the attempt ends
        self._offset = self._warc.write(warcinfo(name=Path(self._warc_name).name, now=time.time()))
        self._salvaged: list[bytes] = []

    def take_over(self, left: Iterable[tuple[PageRecord, bytes]]) -> None:
        """Add the records and exchanges of earlier attempts to this one."""
        for record, exchange_bytes in left:
            self._store(record, exchange_bytes)
        self._salvaged = self._records.copy()

    def salvaged(self) -> Iterator[PageRecord]:
        """Yield the records taken over from earlier attempts."""
        return map(decoded, self._salvaged)

    def add(self, record: PageRecord, exchanges: Sequence[Exchange], conversion: Conversion | None = None) -> None:
        """Store one record, its exchanges and the rendered page."""
        records = page_records(exchanges, conversion)
        self._store(with_payload(record, records.payload), records.data)

    def commit(self) -> None:
        """Write both objects, the records last."""
        with self._warc:
            self._write(suffix="")

    def leave(self) -> None:
        """Write both objects for a later attempt. Ignore errors of S3: another error made the worker leave."""
        with self._warc:
            if self._records:
                with suppress(WavecrawlError):
                    self._write(suffix=PART)

    def discard(self) -> None:
        """Discard everything."""
        self._warc.close()

    def _write(self, *, suffix: str) -> None:
        self._warc.seek(0)
        self._bucket.put(self._warc_name + suffix, self._warc)
        self._bucket.put(self._records_name + suffix, packed(b"".join(self._records)))

    def _store(self, record: PageRecord, exchange_bytes: bytes) -> None:
        with self._lock:
            record = structs.replace(record, warc_offset=self._offset, warc_length=len(exchange_bytes))
            self._warc.write(exchange_bytes)
            self._records.append(encoded(record))
            self._offset += len(exchange_bytes)


class S3Archive:
    """`ports.archive.Archive`. `scratch`: folder for large batches and for `files`; the caller empties it."""

    def __init__(self, s3: "S3Client", bucket: str, *, scratch: Path) -> None:
        self._bucket = Bucket(s3, bucket)
        self._scratch = scratch
        self._ahead = ReadAhead(self._bucket.get)
        self._places = Cache(self._lines_at, size=OBJECTS_KEPT)

    def open(self, id_: BatchId, *, attempt: int) -> S3BatchArchive:
        """Start an attempt with the records of earlier attempts."""
        archive = S3BatchArchive(self._bucket, id_, attempt, self._scratch)
        try:
            left = (some for earlier in range(1, attempt) for some in self._left_behind(id_, earlier))
            archive.take_over(first_tries(left))
        except BaseException:
            archive.discard()
            raise
        return archive

    def prefetch(self, batches: Sequence[tuple[BatchId, int]]) -> None:
        """Read these objects ahead, a few at a time."""
        self._ahead.expect([records_name(id_, attempt) for id_, attempt in batches])

    def records(self, id_: BatchId, *, attempt: int, shape: type[RecordType]) -> Iterator[RecordType]:
        """Yield the committed records of a batch as `shape`."""
        name = records_name(id_, attempt)
        yield from completed(records_of(self._ahead.get(name), shape, at=name), lambda at: self.contents(at, shape))

    def contents(self, places: Sequence[str], shape: type[RecordType]) -> Mapping[str, RecordType]:
        """Return the records at places; objects are read in parallel."""
        return records_at(places, shape, self._read_places)

    def references(self, id_: BatchId, *, attempt: int) -> References:
        """Return what the committed records of a batch refer to in other crawls."""
        return references_in(self.records(id_, attempt=attempt, shape=Referring), id_.crawl)

    def files(self, batches: Sequence[tuple[BatchId, int]]) -> list[Path]:
        """Download the committed records; return the files, in order."""
        with ThreadPoolExecutor(_DOWNLOADS, thread_name_prefix="download") as pool:
            return list(pool.map(self._download, [records_name(id_, attempt) for id_, attempt in batches]))

    def exchanges_size(self, batches: Sequence[tuple[BatchId, int]]) -> int:
        """Return the total size of the committed raw exchanges, in bytes. One list request per thousand objects."""
        wanted = {warc_name(id_, attempt) for id_, attempt in batches}
        folders = {name.rpartition("/")[0] for name in wanted}
        found = {name: size for folder in folders for name, size in self._bucket.sizes(f"{folder}/")}
        return sum(found.get(name, 0) for name in wanted)

    def exchange_files(self, batches: Sequence[tuple[BatchId, int]]) -> Generator[Path]:
        """Download the raw exchanges, a few ahead. Each file is deleted when the next is requested."""
        names = deque(warc_name(id_, attempt) for id_, attempt in batches)
        ahead: deque[Future[Path]] = deque()
        with ThreadPoolExecutor(_DOWNLOADS, thread_name_prefix="download") as pool:
            try:
                while names or ahead:
                    while names and len(ahead) < _DOWNLOADS:
                        ahead.append(pool.submit(self._stream, names.popleft()))
                    path = ahead.popleft().result()
                    yield path
                    path.unlink()
            finally:
                names.clear()
                for future in ahead:
                    future.cancel()

    def copies(self, places: Sequence[str]) -> Generator[StoredExchanges]:
        """Yield what is stored for the records at places; each object is downloaded once."""
        yield from copies_of(places, self.contents, self._downloaded)

    def place(self, id_: BatchId, *, attempt: int, key: str) -> str:
        """Return a name for `record_at`."""
        return place_of(id_, attempt=attempt, key=key)

    def record_at(self, place: str) -> PageRecord | None:
        """Return the record at a place, or None if it no longer exists."""
        name, _, key = place.partition("#")
        try:
            return record_in(self._places.get(name), key)
        except UNREADABLE:
            return None

    def response_at(self, place: str, *, limit: int) -> StoredResponse | None:
        """Return the last response behind the record at a place: one request for the record, one for a range."""
        from wavecrawl.adapters.stored_responses import last_response  # noqa: PLC0415 - loads codings; not for workers

        record = self.record_at(place)
        if record is not None and record.exchange_at:
            return self.response_at(record.exchange_at, limit=limit)
        found = self._members(place, record)
        return None if found is None else last_response(found[1], crawl=found[0], limit=limit)

    def rendered_at(self, place: str) -> Conversion | None:
        """Return the rendered page that is stored with the record at a place, with as many requests."""
        from wavecrawl.adapters.stored_responses import last_conversion  # noqa: PLC0415 - see above

        found = self._members(place, self.record_at(place))
        return None if found is None else last_conversion(found[1], crawl=found[0])

    def _members(self, place: str, record: PageRecord | None) -> tuple[CrawlId, bytes] | None:
        """Return the crawl of a record and its WARC records."""
        if record is None or not record.warc_length:
            return None
        crawl, name = exchanges_at(place)
        members = self._bucket.get(name, first=record.warc_offset, length=record.warc_length)
        return None if members is None else (crawl, members)

    def _read_places(self, names: Sequence[str]) -> list[list[bytes]]:
        if len(names) == 1:
            return [self._readable_lines(names[0])]
        with ThreadPoolExecutor(len(names), thread_name_prefix="places") as pool:
            return list(pool.map(self._readable_lines, names))

    def _readable_lines(self, name: str) -> list[bytes]:
        try:
            return self._places.get(name)
        except UNREADABLE:
            return []

    def _lines_at(self, name: str) -> list[bytes]:
        data = self._bucket.get(name)
        return [] if data is None else lines(data)

    def _download(self, name: str) -> Path:
        path = self._scratch / name
        if not path.exists():  # a committed object never changes
            path.parent.mkdir(parents=True, exist_ok=True)
            part = path.with_name(path.name + PART)
            if not self._bucket.download(name, part):
                return path
            part.replace(path)
        return path

    @contextmanager
    def _downloaded(self, name: str) -> Iterator[Path | None]:
        """Return a local copy of an object for the time of the block, None if the object does not exist."""
        path = self._scratch / name
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            yield path if self._bucket.download(name, path) else None
        finally:
            path.unlink(missing_ok=True)

    def _stream(self, name: str) -> Path:
        path = self._scratch / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not self._bucket.download(name, path):
            raise CorruptDataError(f"the exchanges at {name} are missing")
        return path

    def _left_behind(self, id_: BatchId, attempt: int) -> Iterator[tuple[PageRecord, bytes]]:
        """Yield the records and exchanges that an earlier attempt committed or left: these may exceed the memory."""
        for suffix in ("", PART):
            records = self._bucket.get(records_name(id_, attempt) + suffix)
            if records is not None:
                exchanges = warc_name(id_, attempt) + suffix
                yield from left_behind(records, partial(self._part, exchanges))
                return

    def _part(self, name: str, offset: int, length: int) -> bytes:
        return self._bucket.get(name, first=offset, length=length) or b""
