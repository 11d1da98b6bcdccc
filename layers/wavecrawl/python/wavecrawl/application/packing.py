"""Building a crawl's results together with the package of its raw exchanges, which may become too large to make."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from wavecrawl.domain.job import BatchId
from wavecrawl.domain.ledger import Notice
from wavecrawl.ports.analytics import Analytics, AnalyticsInputs, CrawlSummary
from wavecrawl.ports.packer import Packer

PACKAGE = "crawl.wacz"

MOST_MB = 512
"""How large a package may be, unless the operator says otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Packing:
    """How raw exchanges are packed, up to a size."""

    packer: Packer
    most_bytes: int  # 0: never


def build_packed(
    analytics: Analytics, packing: Packing | None, inputs: AnalyticsInputs, batches: Sequence[tuple[BatchId, int]]
) -> CrawlSummary:
    """Build the results, and the package beside them, if any; where that is too large, the summary says so instead."""
    if packing is None:
        return analytics.build(inputs)
    size = packing.packer.size(batches)
    if size > packing.most_bytes:
        if packing.most_bytes:
            inputs = replace(inputs, notices=(*inputs.notices, _too_large(size, packing.most_bytes)))
        return analytics.build(inputs)
    summary = analytics.build(inputs)
    packing.packer.pack(batches, inputs.crawl, inputs.folder)
    return summary


def _too_large(size: int, most: int) -> Notice:
    told = f"not made: it would have some {size:,} bytes, and {most:,} are allowed; the WARCs it is made of are there"
    return Notice(subject=PACKAGE, message=told)
