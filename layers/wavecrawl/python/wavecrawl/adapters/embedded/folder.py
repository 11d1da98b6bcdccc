"""Objects and archive in a folder, under the same names as in S3."""

import os
import time
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from threading import Lock

from msgspec import structs

from wavecrawl.adapters.batch_objects import (
    OBJECTS_KEPT,
    PART,
    UNREADABLE,
    Referring,
    completed,
    copies_of,
    crawl_prefix,
    decoded,
    encoded,
    exchanges_at,
    first_tries,
    left_behind,
    lines,
    packed,
    place_of,
    read_part,
    record_in,
    records_at,
    records_name,
    records_of,
    references_in,
    warc_name,
    with_payload,
)
from wavecrawl.adapters.cache import Cache
from wavecrawl.adapters.gzip_members import BROKEN, compressed, decompressed
from wavecrawl.adapters.stored_responses import last_conversion, last_response
from wavecrawl.adapters.warc import page_records, warcinfo
from wavecrawl.domain.crawl.job import BatchId, CrawlId
from wavecrawl.domain.crawl.record import PageRecord
from wavecrawl.domain.crawl.references import References
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.fetching.exchange import Exchange
from wavecrawl.domain.rendering.conversion import Conversion
from wavecrawl.errors import CorruptDataError
from wavecrawl.ports.archive import RecordType, StoredExchanges, StoredResponse


def crawl_folder(root: Path, crawl: CrawlId) -> Path:
    """Return the folder of one crawl."""
    return root / crawl_prefix(crawl)


class FolderObjects:
    """`ports.objects.Objects`: one file each, moved into place when it is complete."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def put(self, crawl: CrawlId, name: str, data: bytes) -> None:
        """Store an object, replacing one of the same name."""
        path, part = self._write(crawl, name, data)
        part.replace(path)
        sync_folder(path.parent)

    def put_new(self, crawl: CrawlId, name: str, data: bytes) -> bool:
        """Store an object unless the name is taken; return whether it was stored."""
        path, part = self._write(crawl, name, data)
        try:
            os.link(part, path)
        except FileExistsError:
            return False
        finally:
            part.unlink()
        sync_folder(path.parent)
        return True

    def get_many(self, crawl: CrawlId, names: Sequence[str]) -> Iterator[bytes | None]:
        """Yield objects in order."""
        return (self.get(crawl, name) for name in names)

    def get(self, crawl: CrawlId, name: str) -> bytes | None:
        """Return an object's bytes, or None."""
        try:
            data = (crawl_folder(self._root, crawl) / name).read_bytes()
        except FileNotFoundError:
            return None
        try:
            return decompressed(data)
        except BROKEN as error:
            raise CorruptDataError(f"object {name} of crawl {crawl} cannot be read: {error}") from error

    def _write(self, crawl: CrawlId, name: str, data: bytes) -> tuple[Path, Path]:
        path = crawl_folder(self._root, crawl) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.{os.getpid()}.{id(data):x}{PART}")
        with part.open("wb") as file:
            file.write(compressed(data))
            file.flush()
            os.fsync(file.fileno())
        return path, part


class FolderBatchArchive:
    """`ports.archive.BatchArchive`: two files that grow page by page, so that a killed worker loses no page."""

    def __init__(self, records: Path, warc: Path, left: Iterable[tuple[PageRecord, bytes]]) -> None:
        self._records_path, self._warc_path = records, warc
        self._lock = Lock()
        for path in (records, warc):
            path.parent.mkdir(parents=True, exist_ok=True)
        self._records = _part(records).open("wb", buffering=0)
        self._warc = _part(warc).open("wb", buffering=0)
        self._offset = self._warc.write(warcinfo(name=warc.name, now=time.time())) or 0
        self._has_unchanged = False
        self._salvaged = [self._store(record, exchange_bytes) for record, exchange_bytes in left]

    def salvaged(self) -> Iterator[PageRecord]:
        """Yield the records taken over from earlier attempts."""
        return map(decoded, self._salvaged)

    def add(self, record: PageRecord, exchanges: Sequence[Exchange], conversion: Conversion | None = None) -> None:
        """Store one record, its exchanges and the rendered page."""
        records = page_records(exchanges, conversion)
        self._store(with_payload(record, records.payload), records.data)

    def commit(self) -> None:
        """Give both files their final names, when they are on disk: a power cut loses nothing of a done batch."""
        for file in (self._warc, self._records):
            os.fsync(file.fileno())
        self._close()
        if self._has_unchanged:
            _replace_content(_part(self._records_path), packed(_part(self._records_path).read_bytes()))
        for path in (self._warc_path, self._records_path):
            _part(path).replace(path)
            sync_folder(path.parent)

    def leave(self) -> None:
        """Stop, and keep the files for a later attempt."""
        self._close()

    def discard(self) -> None:
        """Delete both files."""
        self._close()
        for path in (self._records_path, self._warc_path):
            _part(path).unlink(missing_ok=True)

    def _store(self, record: PageRecord, exchange_bytes: bytes) -> bytes:
        with self._lock:
            record = structs.replace(record, warc_offset=self._offset, warc_length=len(exchange_bytes))
            # The exchange first, so that every complete record has a complete exchange.
            self._warc.write(exchange_bytes)
            member = encoded(record)
            self._records.write(member)
            self._has_unchanged = self._has_unchanged or record.state is UrlState.UNCHANGED
            self._offset += len(exchange_bytes)
        return member

    def _close(self) -> None:
        self._records.close()
        self._warc.close()


class FolderArchive:
    """`ports.archive.Archive`."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._places = Cache(lambda name: lines((root / name).read_bytes()), size=OBJECTS_KEPT)

    def open(self, id_: BatchId, *, attempt: int) -> FolderBatchArchive:
        """Start an attempt's files with the records of earlier attempts."""
        left = (some for earlier in range(1, attempt) for some in self._left_behind(id_, earlier))
        return FolderBatchArchive(*self._paths(id_, attempt), first_tries(left))

    def prefetch(self, batches: Sequence[tuple[BatchId, int]]) -> None:
        """Do nothing, as files are local."""

    def records(self, id_: BatchId, *, attempt: int, shape: type[RecordType]) -> Iterator[RecordType]:
        """Yield the committed records of a batch as `shape`."""
        path, _ = self._paths(id_, attempt)
        data = path.read_bytes() if path.is_file() else None
        yield from completed(records_of(data, shape, at=path), lambda at: self.contents(at, shape))

    def contents(self, places: Sequence[str], shape: type[RecordType]) -> Mapping[str, RecordType]:
        """Return the records at places."""
        return records_at(places, shape, lambda names: map(self._readable_lines, names))

    def references(self, id_: BatchId, *, attempt: int) -> References:
        """Return what the committed records of a batch refer to in other crawls."""
        return references_in(self.records(id_, attempt=attempt, shape=Referring), id_.crawl)

    def files(self, batches: Sequence[tuple[BatchId, int]]) -> list[Path]:
        """Return the files that hold the committed records, in order."""
        return [self._paths(id_, attempt)[0] for id_, attempt in batches]

    def exchanges_size(self, batches: Sequence[tuple[BatchId, int]]) -> int:
        """Return the total size of the committed raw exchanges, in bytes."""
        return sum(path.stat().st_size for path in self.exchange_files(batches))

    def exchange_files(self, batches: Sequence[tuple[BatchId, int]]) -> Generator[Path]:
        """Yield the files that hold the raw exchanges, in order."""
        for id_, attempt in batches:
            path = self._paths(id_, attempt)[1]
            if not path.is_file():
                raise CorruptDataError(f"the exchanges at {path} are missing")
            yield path

    def copies(self, places: Sequence[str]) -> Generator[StoredExchanges]:
        """Yield what is stored for the records at places."""

        def local(name: str) -> AbstractContextManager[Path | None]:
            path = self._root / name
            return nullcontext(path if path.is_file() else None)

        yield from copies_of(places, self.contents, local)

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
        """Return the last response behind the record at a place."""
        record = self.record_at(place)
        if record is not None and record.exchange_at:
            return self.response_at(record.exchange_at, limit=limit)
        found = self._members(place, record)
        return None if found is None else last_response(found[1], crawl=found[0], limit=limit)

    def rendered_at(self, place: str) -> Conversion | None:
        """Return the rendered page that is stored with the record at a place."""
        found = self._members(place, self.record_at(place))
        return None if found is None else last_conversion(found[1], crawl=found[0])

    def _members(self, place: str, record: PageRecord | None) -> tuple[CrawlId, bytes] | None:
        """Return the crawl of a record and its WARC records."""
        if record is None or not record.warc_length:
            return None
        crawl, name = exchanges_at(place)
        try:
            with (self._root / name).open("rb") as file:
                return crawl, read_part(file, record.warc_offset, record.warc_length)
        except FileNotFoundError:
            return None

    def _readable_lines(self, name: str) -> list[bytes]:
        try:
            return self._places.get(name)
        except UNREADABLE:
            return []

    def _paths(self, id_: BatchId, attempt: int) -> tuple[Path, Path]:
        return self._root / records_name(id_, attempt), self._root / warc_name(id_, attempt)

    def _left_behind(self, id_: BatchId, attempt: int) -> Iterator[tuple[PageRecord, bytes]]:
        """Yield the complete records, with complete exchanges, that an attempt wrote before it ended."""
        records, warc = self._paths(id_, attempt)
        for path, warc_path in ((records, warc), (_part(records), warc), (_part(records), _part(warc))):
            if path.exists() and warc_path.exists():
                break
        else:
            return
        with warc_path.open("rb") as file:
            yield from left_behind(path.read_bytes(), partial(read_part, file))


def sync_folder(path: Path) -> None:
    """Write the names of a folder's files to disk."""
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _replace_content(path: Path, data: bytes) -> None:
    """Replace the content of a file, which is on disk afterwards."""
    new = path.with_name(f"{path.name}.new")
    with new.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)


def _part(path: Path) -> Path:
    return path.with_name(path.name + PART)
