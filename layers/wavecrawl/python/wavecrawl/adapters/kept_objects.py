"""What is kept of a deleted crawl: records, responses and screenshots to which other crawls refer (ADR 34)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

import msgspec
from msgspec import Struct

from wavecrawl.adapters.batch_objects import crawl_prefix, exchanges_at
from wavecrawl.adapters.gzip_members import compressed, whole_lines
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.references import References
from wavecrawl.domain.urls.earlier_keys import present_key
from wavecrawl.domain.urls.spellings import other_spelling

_ZEROS: Final = 1024 * 1024  # zero bytes that are written at a time


class KeptObjects(msgspec.Struct, frozen=True, kw_only=True):
    """The names of the objects that stay of a crawl."""

    records: Mapping[str, frozenset[str]]  # objects of records -> the url keys of the records that stay in them
    screenshots: frozenset[str]

    @classmethod
    def of(cls, crawl: CrawlId, keep: References) -> "KeptObjects":
        """Return those objects of a crawl to which there are references."""
        prefix = f"{crawl_prefix(crawl)}/"
        records: dict[str, set[str]] = {}
        for place in keep.places:
            if place.startswith(prefix):
                name, _, key = place.partition("#")
                records.setdefault(name, set()).add(key)
        return cls(
            records={name: frozenset(keys) for name, keys in records.items()},
            screenshots=frozenset(name for name in keep.screenshots if name.startswith(prefix)),
        )

    @property
    def names(self) -> frozenset[str]:
        """The names of all objects."""
        return frozenset((*self.records, *map(exchanges_of, self.records), *self.screenshots))


def exchanges_of(records: str) -> str:
    """Return the name of the exchanges of an object of records."""
    return exchanges_at(records)[1]


class _Line(Struct, gc=False):
    """The fields of a record that are read."""

    key: str
    url: str = ""
    warc_offset: int = 0
    warc_length: int = 0


_DECODER = msgspec.json.Decoder(_Line)


class ReducedRecords(msgspec.Struct, frozen=True, kw_only=True):
    """An object of records without those to which nothing refers."""

    data: bytes
    stretches: Sequence[tuple[int, int]]  # offset and length of each exchange that stays

    @classmethod
    def of(cls, records: bytes, keys: frozenset[str], *, hidden: frozenset[str]) -> "ReducedRecords | None":
        """Return the records with these url keys, None if the object has no others.

        `hidden`: pages that were deleted from the crawl. Their records stay if later crawls need them, their exchanges
        do not. A record of an earlier version may have another key, as in `batch_objects.record_in`.
        """
        lines = [(line, _DECODER.decode(line)) for line in whole_lines(records)]
        found = {record.key for _, record in lines}
        stored = {key if key in found else other_spelling(key) for key in keys}
        stored |= {record.key for _, record in lines if present_key(record.key, record.url) in keys}
        kept = [(line, record) for line, record in lines if record.key in stored]
        if len(kept) == len(lines) and hidden.isdisjoint(stored):
            return None
        stretches = [(one.warc_offset, one.warc_length) for _, one in kept if one.key not in hidden]
        return cls(data=compressed(b"".join(line for line, _ in kept)), stretches=sorted(stretches))

    def exchanges(self, read: Callable[[int, int], bytes]) -> Iterator[bytes]:
        """Yield an object of exchanges with zero bytes in place of those that do not stay: places name an offset.

        `read(offset, length)` reads a part of the object. The pieces are no larger than an exchange, or a megabyte.
        """
        end = 0
        for offset, length in self.stretches:
            yield from (bytes(min(_ZEROS, offset - start)) for start in range(end, offset, _ZEROS))
            yield read(offset, length)
            end = offset + length
