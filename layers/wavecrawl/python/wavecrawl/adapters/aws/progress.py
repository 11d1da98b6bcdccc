"""How far a crawl has come: the sums over its waves, in one query."""

from dataclasses import dataclass

from wavecrawl.adapters.aws.attributes import Row, float_of, int_of
from wavecrawl.adapters.aws.names import work_partition
from wavecrawl.adapters.aws.table import Table
from wavecrawl.domain.bill import UNITS, Usage
from wavecrawl.domain.job import CrawlId


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What is done so far."""

    waves: int
    batches: int  # planned
    batches_done: int
    records: int  # tries
    fetched: int
    bytes: int
    faults: int
    usage: Usage


def progress_of(table: Table, crawl: CrawlId) -> Progress:
    """Add up the waves of a crawl."""
    waves = table.query(work_partition(crawl), "WAVE#", consistent=False)

    def total(name: str) -> int:
        return sum(int_of(wave, name) for wave in waves)

    return Progress(
        waves=len(waves),
        batches=total("planned"),
        batches_done=total("done"),
        records=total("records"),
        fetched=total("fetched"),
        bytes=total("bytes"),
        faults=total("faults"),
        usage=_usage(waves),
    )


def _usage(waves: list[Row]) -> Usage:
    return Usage(**{unit: sum(float_of(wave, f"u_{unit}") for wave in waves) for unit in UNITS})
