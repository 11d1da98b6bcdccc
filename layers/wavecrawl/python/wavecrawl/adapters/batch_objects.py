"""The objects of a crawl: their names and their content (design 7), the same in a folder and in S3."""

from collections.abc import Iterable, Iterator

import msgspec

from wavecrawl.adapters.gzip_members import BROKEN, compressed, decompressed, whole_members
from wavecrawl.domain.crawl.job import BatchId, CrawlId
from wavecrawl.domain.crawl.record import PageRecord

PART = ".part"
"""What is added to the name of an object whose attempt did not come to its end."""

UNREADABLE: tuple[type[Exception], ...] = (*BROKEN, msgspec.MsgspecError)
"""What reading records raises that are not whole."""

_RECORD = msgspec.json.Decoder(PageRecord)
_ENCODER = msgspec.json.Encoder()


def crawl_prefix(crawl: CrawlId) -> str:
    """Return how the names of all objects of a crawl start, without a slash at the end."""
    return f"tenants/{crawl.tenant}/sites/{crawl.site}/crawls/{crawl.crawl}"


def records_name(id_: BatchId, attempt: int) -> str:
    """Return the name of an attempt's records."""
    return f"{crawl_prefix(id_.crawl)}/records/{_name(id_, attempt)}.jsonl.gz"


def warc_name(id_: BatchId, attempt: int) -> str:
    """Return the name of an attempt's raw exchanges."""
    return f"{crawl_prefix(id_.crawl)}/warc/{_name(id_, attempt)}.warc.gz"


def place_of(id_: BatchId, *, attempt: int, key: str) -> str:
    """Return where the record of a url key stands: the object's name and the key."""
    return f"{records_name(id_, attempt)}#{key}"


def batch_named(crawl: CrawlId, name: str) -> tuple[BatchId, int]:
    """Return batch and attempt of the name that objects of an attempt have before their ending; raise ValueError."""
    wave, batch, attempt = map(int, name.split("-"))
    return BatchId(crawl=crawl, wave=wave, batch=batch), attempt


def exchanges_at(place: str) -> tuple[CrawlId, str]:
    """Return the crawl of a place that `place_of` gave, and the name of its raw exchanges; raise ValueError."""
    name = place.partition("#")[0]
    tenants, tenant, sites, site, crawls, crawl, records, file = name.split("/")
    if (tenants, sites, crawls, records) != ("tenants", "sites", "crawls", "records"):
        raise ValueError(f"no place of a record: {place!r}")
    id_ = CrawlId(tenant=tenant, site=site, crawl=crawl)
    batch, attempt = batch_named(id_, file.removesuffix(".jsonl.gz"))
    return id_, warc_name(batch, attempt)


def encoded(record: PageRecord) -> bytes:
    """Return a record as a gzip member of its own, so that an object can be read up to where it was torn."""
    return compressed(_ENCODER.encode(record) + b"\n")


def decoded(member: bytes) -> PageRecord:
    """Return the record that `encoded` made this gzip member of."""
    return _RECORD.decode(decompressed(member))


def lines(data: bytes) -> list[bytes]:
    """Return the records of an object as JSON; raise one of UNREADABLE where anything is missing."""
    return decompressed(data).split(b"\n")[:-1]


def record_in(some: list[bytes], key: str) -> PageRecord | None:
    """Return the record of a url key among lines, or None. Raise one of UNREADABLE where it is broken."""
    wanted = b'"key":"' + key.encode() + b'"'
    return next((_RECORD.decode(line) for line in some if wanted in line[:64]), None)


def left_behind(records: bytes, exchanges: bytes) -> Iterator[tuple[PageRecord, bytes]]:
    """Yield what an attempt wrote before it ended: whole records whose exchange is whole too, with that exchange."""
    for line in whole_members(records):
        record = _RECORD.decode(line)
        end = record.warc_offset + record.warc_length
        if end <= len(exchanges):
            yield record, exchanges[record.warc_offset : end]


def first_tries(left: Iterable[tuple[PageRecord, bytes]]) -> Iterator[tuple[PageRecord, bytes]]:
    """Yield, of several attempts' records of one page, the first."""
    seen: set[str] = set()
    for record, exchange_bytes in left:
        if record.key not in seen:
            seen.add(record.key)
            yield record, exchange_bytes


def _name(id_: BatchId, attempt: int) -> str:
    return f"{id_.wave:06d}-{id_.batch:04d}-{attempt}"
