"""What crawls refer to in other crawls of their site: found out when their results are made, or when it is needed."""

import msgspec

from wavecrawl.domain.crawl.job import BatchId, CrawlId
from wavecrawl.domain.crawl.references import NO_REFERENCES, References
from wavecrawl.errors import CorruptDataError
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.archive import Archive
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.objects import Objects

_ENCODER = msgspec.msgpack.Encoder(order="sorted")
_DECODER = msgspec.msgpack.Decoder(References)


def note_references(crawl: CrawlRow, found: References, objects: Objects) -> None:
    """Store what the records of an ended crawl refer to."""
    objects.put(crawl.id, _name(crawl), _ENCODER.encode(found))


def references_of(crawl: CrawlRow, ports: Ports) -> References:
    """Return what the records of an ended crawl refer to, except those of pages that were deleted from it.

    If no results were made since its end, all its records are read.
    """
    stored = ports.objects.get(crawl.id, _name(crawl))
    found = _read(crawl.id, ports) if stored is None else _DECODER.decode(stored)
    return found.without(ports.hidden.of(crawl.id)) if found != NO_REFERENCES else found


def _read(crawl: CrawlId, ports: Ports) -> References:
    found = NO_REFERENCES
    for row in ports.batches.of_crawl(crawl):
        if row.done_attempt:
            found |= _of_batch(row.id, row.done_attempt, ports.archive)
    return found


def _of_batch(id_: BatchId, attempt: int, archive: Archive) -> References:
    try:
        return archive.references(id_, attempt=attempt)
    except CorruptDataError:  # what it lacks was requested again by a later batch
        return NO_REFERENCES


def _name(crawl: CrawlRow) -> str:
    """Return the name of the object: a crawl that is resumed gets a new one when it ends again."""
    return f"references-{crawl.resumes}.msgpack"
