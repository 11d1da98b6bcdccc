"""The WACZ package of a crawl: one optional file of its results."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from wavecrawl.application.shown_errors import shown_failure
from wavecrawl.domain.counts import counted
from wavecrawl.domain.crawl.job import BatchId
from wavecrawl.domain.crawl.ledger import Notice
from wavecrawl.errors import WavecrawlError
from wavecrawl.ports.analytics import CrawlFacts, ReadPage
from wavecrawl.ports.packer import Packer

PACKAGE = "crawl.wacz"

MOST_MB = 512
"""Default maximum size of a package."""


class Packing(msgspec.Struct, frozen=True, kw_only=True):
    """How packages are made."""

    packer: Packer
    most_bytes: int  # maximum size; 0 = no package


def write_package(
    packing: Packing | None,
    batches: Sequence[tuple[BatchId, int]],
    crawl: CrawlFacts,
    folder: Path,
    pages: Iterable[ReadPage],
) -> tuple[Notice, ...]:
    """Write the package into a folder of results, if packages are made; return a notice if this one cannot be."""
    if packing is None or not packing.most_bytes:
        return ()
    try:
        size = packing.packer.size(batches, most=packing.most_bytes)
        if size > packing.most_bytes:
            return (_missing(f"it would have at least {size:,} bytes, and the limit is {packing.most_bytes:,}"),)
        gone = packing.packer.pack(batches, crawl, folder, pages, most=packing.most_bytes)
    except WavecrawlError as error:
        return (_missing(shown_failure(error)),)
    numbers = (gone.pages, "unchanged page"), (gone.screenshots, "screenshot"), (gone.assets, "media file")
    lacking = [counted(number, one) for number, one in numbers if number]
    return (Notice(subject=PACKAGE, message=f"it lacks what is no longer stored: {', '.join(lacking)}"),) * bool(
        lacking
    )


def _missing(why: str) -> Notice:
    return Notice(subject=PACKAGE, message=f"not created: {why}; its WARC files are still available")
