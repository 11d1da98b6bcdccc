"""What the pages of a crawl refer to in other crawls, read from its parts: three columns instead of all records."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from wavecrawl.adapters.analytics.database import database
from wavecrawl.adapters.analytics.load import part_rows
from wavecrawl.adapters.batch_objects import crawl_prefix
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.references import NO_REFERENCES, References
from wavecrawl.ports.parts import Table

_MEMORY_MB = 256


def references_of_parts(crawl: CrawlId, pages: Sequence[Path], *, scratch: Path) -> References:
    """Return what the pages in the files of the table `pages` refer to."""
    if not pages:
        return NO_REFERENCES
    with TemporaryDirectory(dir=scratch) as spill, database(Path(spill), memory_mb=_MEMORY_MB, threads=1) as db:
        rows, own = part_rows(db, Table.PAGES, pages), f"{crawl_prefix(crawl)}/"

        def of_others(*columns: str) -> frozenset[str]:
            found = (
                value
                for name in columns
                for (value,) in db.execute(
                    f"SELECT {name} FROM {rows} WHERE {name} <> '' AND NOT starts_with({name}, $1)", [own]
                ).fetchall()
            )
            return frozenset(found)

        return References(places=of_others("body_at", "exchange_at"), screenshots=of_others("screenshot"))
