"""Names and content of a batch's objects, the same in a folder and in S3 (docs/architecture.md)."""

import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import IO

import msgspec
from msgspec import Struct, structs
from msgspec.structs import replace

from wavecrawl.adapters.gzip_members import BROKEN, compressed, decompressed, whole_lines
from wavecrawl.domain.crawl.job import BatchId, CrawlId
from wavecrawl.domain.crawl.record import PageRecord
from wavecrawl.domain.crawl.references import References
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.crawl.unchanged import needs_content, with_content, without_defaults
from wavecrawl.domain.fetching.exchange import StoredPayload
from wavecrawl.domain.urls.earlier_keys import present_key
from wavecrawl.domain.urls.spellings import other_spelling
from wavecrawl.errors import CorruptDataError
from wavecrawl.ports.archive import RecordType, StoredExchanges

OBJECTS_KEPT = 8
"""Objects of earlier records to cache: the pages of one batch were mostly in one batch of the earlier crawl too."""

PART = ".part"
"""Suffix of the name of an object whose attempt has not ended."""

UNREADABLE: tuple[type[Exception], ...] = (*BROKEN, msgspec.MsgspecError)
"""The exceptions raised when reading incomplete records."""


class _Position(Struct, gc=False):
    """Where the exchanges of a record are: the fields of `PageRecord` that say so."""

    fetched_at: float = 0.0
    warc_offset: int = 0
    warc_length: int = 0
    exchange_at: str = ""
    payload: StoredPayload | None = None

    @property
    def responded_at(self) -> float:
        """When the response with the content was requested, in Unix seconds."""
        return self.payload.at if self.payload is not None else self.fetched_at


class Referring(Struct, gc=False):
    """The fields of a record that refer to what other crawls stored."""

    key: str
    state: UrlState
    body_at: str = ""
    exchange_at: str = ""
    screenshot: str = ""


_SCREENSHOT = re.compile(r"screenshots/[0-9a-f]{32}\.jpg")


class _Named(Struct, gc=False):
    """The URL of a record, and its key."""

    key: str
    url: str


_RECORD = msgspec.json.Decoder(PageRecord)
_NAMED = msgspec.json.Decoder(_Named)
_ENCODER = msgspec.json.Encoder()


def crawl_prefix(crawl: CrawlId) -> str:
    """Return the prefix of the names of a crawl's objects, without a slash at the end."""
    return f"tenants/{crawl.tenant}/sites/{crawl.site}/crawls/{crawl.crawl}"


def records_name(id_: BatchId, attempt: int) -> str:
    """Return the object name of an attempt's page records."""
    return f"{crawl_prefix(id_.crawl)}/records/{_name(id_, attempt)}.jsonl.gz"


def warc_name(id_: BatchId, attempt: int) -> str:
    """Return the object name of an attempt's raw exchanges."""
    return f"{crawl_prefix(id_.crawl)}/warc/{_name(id_, attempt)}.warc.gz"


def screenshot_name(crawl: CrawlId, key: str) -> str:
    """Return the object name of the screenshot of the page with a url key."""
    return f"{screenshots_prefix(crawl)}{key}.jpg"


def screenshots_prefix(crawl: CrawlId) -> str:
    """Return the prefix of the names of the screenshots that a crawl made."""
    return f"{crawl_prefix(crawl)}/screenshots/"


def screenshot_of(crawl: CrawlId, name: str) -> CrawlId | None:
    """Return the crawl that made the screenshot with a name; None if it is none, or one of another site."""
    site = f"tenants/{crawl.tenant}/sites/{crawl.site}/crawls/"
    made_in, _, rest = name.removeprefix(site).partition("/")
    is_one = name.startswith(site) and _SCREENSHOT.fullmatch(rest) is not None and made_in not in ("", ".", "..")
    return replace(crawl, crawl=made_in) if is_one else None


def place_of(id_: BatchId, *, attempt: int, key: str) -> str:
    """Return the place of a record: the object's name, `#` and the url key."""
    return f"{records_name(id_, attempt)}#{key}"


def batch_named(crawl: CrawlId, name: str) -> tuple[BatchId, int]:
    """Return batch and attempt of an object's name without extension; raise ValueError if it is malformed."""
    wave, batch, attempt = map(int, name.split("-"))
    return BatchId(crawl=crawl, wave=wave, batch=batch), attempt


def place_in(crawl: CrawlId, name: str, key: str) -> str:
    """Return the place of a record, given the name of its batch's objects; raise ValueError if that is malformed."""
    batch, attempt = batch_named(crawl, name)
    return place_of(batch, attempt=attempt, key=key)


def exchanges_at(place: str) -> tuple[CrawlId, str]:
    """Return the crawl of a place from `place_of` and the name of its exchanges; raise ValueError if malformed."""
    name = place.partition("#")[0]
    tenants, tenant, sites, site, crawls, crawl, records, file = name.split("/")
    if (tenants, sites, crawls, records) != ("tenants", "sites", "crawls", "records"):
        raise ValueError(f"not the place of a record: {place!r}")
    id_ = CrawlId(tenant=tenant, site=site, crawl=crawl)
    batch, attempt = batch_named(id_, file.removesuffix(".jsonl.gz"))
    return id_, warc_name(batch, attempt)


def references_in(records: Iterable[Referring], crawl: CrawlId) -> References:
    """Return what the records of a crawl refer to in other crawls."""
    own = f"{crawl_prefix(crawl)}/"
    places: set[str] = set()
    screenshots: set[str] = set()
    for record in records:
        places.update((record.body_at, record.exchange_at))
        screenshots.add(record.screenshot)
    return References(places=_of_others(places, own), screenshots=_of_others(screenshots, own))


def _of_others(names: Iterable[str], own: str) -> frozenset[str]:
    return frozenset(name for name in names if name and not name.startswith(own))


def with_payload(record: PageRecord, payload: StoredPayload | None) -> PageRecord:
    """Return a record with the response that has its content, if it is one that later records may refer to."""
    if payload is None or not record.body_hash or record.body_at:
        return record
    return structs.replace(record, payload=payload)


def encoded(record: PageRecord) -> bytes:
    """Return a record as a gzip member of its own, so that an incomplete object is readable up to its last member."""
    values = without_defaults(record) if needs_content(record) else record
    return compressed(_ENCODER.encode(values) + b"\n")


def packed(records: bytes) -> bytes:
    """Return the records of a complete object as it is stored: as one member if it has records of unchanged pages.

    These are so small that a member of its own would double the size of each.
    """
    data = decompressed(records)
    return compressed(data) if b'"state":"unchanged"' in data else records


def decoded(member: bytes) -> PageRecord:
    """Return the record in a gzip member from `encoded`."""
    return _RECORD.decode(decompressed(member))


def lines(data: bytes) -> list[bytes]:
    """Return the records of an object as JSON; raise one of UNREADABLE if the object is incomplete."""
    return decompressed(data).split(b"\n")[:-1]


def records_of(data: bytes | None, shape: type[RecordType], *, at: object) -> Iterator[RecordType]:
    """Yield the records of an object as `shape`. `at` is its name, for messages.

    Raise CorruptDataError if it is missing, or after the last complete record if it is incomplete.
    """
    if data is None:
        raise CorruptDataError(f"the records at {at} are missing")
    decoder = msgspec.json.Decoder(shape)
    try:
        for line in lines(data):
            yield decoder.decode(line)
    except msgspec.MsgspecError as error:
        raise CorruptDataError(f"the records at {at} cannot be read: {error}") from error
    except BROKEN as error:  # no line was yielded yet
        yield from map(decoder.decode, whole_lines(data))
        raise CorruptDataError(f"the records at {at} are incomplete: {error}") from error


def completed(
    records: Iterable[RecordType], contents: Callable[[Sequence[str]], Mapping[str, RecordType]]
) -> Iterator[RecordType]:
    """Yield records; those of unchanged pages with the content of the record that they refer to.

    `contents` returns the records at places. A record that refers to one that no longer exists is left out.
    """
    found: list[RecordType] = []
    problem: CorruptDataError | None = None
    try:
        found.extend(records)
    except CorruptDataError as error:
        problem = error
    places = [place for record in found if (place := needs_content(record))]
    known = contents(places) if places else {}
    for record in found:
        place = needs_content(record)
        if not place:
            yield record
        elif place in known:
            yield with_content(record, known[place])
    if problem is not None:
        raise problem


def records_at(
    places: Iterable[str], shape: type[RecordType], read: Callable[[Sequence[str]], Iterable[list[bytes]]]
) -> dict[str, RecordType]:
    """Return the records at places, by place, without those that no longer exist.

    `read` returns the records of some objects; it is called with a few objects at a time.
    """
    decoder = msgspec.json.Decoder(shape)
    by_object: dict[str, list[str]] = {}
    for place in places:
        by_object.setdefault(place.partition("#")[0], []).append(place)
    names = iter(by_object)
    found: dict[str, RecordType] = {}
    while some := list(islice(names, OBJECTS_KEPT)):
        for name, held in zip(some, read(some), strict=True):
            for place in by_object[name]:
                line = _line_in(held, place.partition("#")[2])
                if line is not None:
                    found[place] = decoder.decode(line)
    return found


def copies_of(
    places: Sequence[str],
    contents: Callable[[Sequence[str], type[_Position]], Mapping[str, _Position]],
    local: Callable[[str], AbstractContextManager[Path | None]],
) -> Generator[StoredExchanges]:
    """Yield what is stored for the records at places, sorted by object.

    `local` returns a local file with an object of exchanges, or None if it does not exist.
    """
    found = contents(places, _Position)
    responses = contents([position.exchange_at for position in found.values() if position.exchange_at], _Position)
    pieces = sorted(
        (exchanges_at(at)[1], part.warc_offset, part.warc_length, place, position.responded_at)
        for place, position in found.items()
        for at, part in ((position.exchange_at, responses.get(position.exchange_at)), (place, position))
        if part is not None and part.warc_length
    )
    for name, group in groupby(pieces, key=itemgetter(0)):
        with local(name) as path:
            if path is None:
                continue
            with path.open("rb") as file:
                for _, offset, length, place, at in group:
                    file.seek(offset)
                    yield StoredExchanges(place=place, at=at, data=file.read(length))


def record_in(records: list[bytes], key: str) -> PageRecord | None:
    """Return the record of a url key, or None; raise one of UNREADABLE if it is corrupt."""
    line = _line_in(records, key)
    return None if line is None else _RECORD.decode(line)


def _line_in(records: list[bytes], key: str) -> bytes | None:
    """Return the record of a url key.

    In earlier versions, both spellings of a URL had the key of one of them, and URLs with `+` in the query another one.
    """
    for one in (key, other_spelling(key)):
        wanted = b'"key":"' + one.encode() + b'"'
        line = next((line for line in records if wanted in line[:64]), None)
        if line is not None:
            return line
    return next((line for line in records if b"+" in line and _has_earlier_key(line, key)), None)


def _has_earlier_key(line: bytes, key: str) -> bool:
    named = _NAMED.decode(line)
    return present_key(named.key, named.url) == key


def read_part(file: IO[bytes], offset: int, length: int) -> bytes:
    """Return a part of a file, shorter if the file ends before."""
    file.seek(offset)
    return file.read(length)


def left_behind(records: bytes, read: Callable[[int, int], bytes]) -> Iterator[tuple[PageRecord, bytes]]:
    """Yield what an interrupted attempt wrote: complete records with their complete exchanges.

    `read(offset, length)` reads a part of the object of exchanges, which may be larger than the memory.
    """
    for line in whole_lines(records):
        record = _RECORD.decode(line)
        exchanges = read(record.warc_offset, record.warc_length) if record.warc_length else b""
        if len(exchanges) == record.warc_length:
            yield record, exchanges


def first_tries(left: Iterable[tuple[PageRecord, bytes]]) -> Iterator[tuple[PageRecord, bytes]]:
    """Yield only the first record of each page."""
    seen: set[str] = set()
    for record, exchange_bytes in left:
        if record.key not in seen:
            seen.add(record.key)
            yield record, exchange_bytes


def _name(id_: BatchId, attempt: int) -> str:
    return f"{id_.wave:06d}-{id_.batch:04d}-{attempt}"
