"""The package of a crawl's raw exchanges: a result that may be missing, and then the others are there all the same."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from wavecrawl.domain.crawl.job import BatchId
from wavecrawl.domain.crawl.ledger import Notice
from wavecrawl.errors import WavecrawlError
from wavecrawl.ports.analytics import CrawlFacts, ReadPage
from wavecrawl.ports.packer import Packer

PACKAGE = "crawl.wacz"

MOST_MB = 512
"""How large a package may be, unless the operator says otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Packing:
    """How raw exchanges are packed, up to a size."""

    packer: Packer
    most_bytes: int  # 0: never


def packed(
    packing: Packing | None,
    batches: Sequence[tuple[BatchId, int]],
    crawl: CrawlFacts,
    folder: Path,
    pages: Iterable[ReadPage],
) -> tuple[Notice, ...]:
    """Write the package, if there is to be one, into a folder of exports; say why where it cannot be made."""
    if packing is None or not packing.most_bytes:
        return ()
    try:
        size = packing.packer.size(batches)
        if size > packing.most_bytes:
            return (_missing(f"it would have some {size:,} bytes, and {packing.most_bytes:,} are allowed"),)
        packing.packer.pack(batches, crawl, folder, pages)
    except WavecrawlError as error:
        return (_missing(str(error)),)
    return ()


def _missing(why: str) -> Notice:
    return Notice(subject=PACKAGE, message=f"not made: {why}; what was stored of the WARCs it is made of is there")
