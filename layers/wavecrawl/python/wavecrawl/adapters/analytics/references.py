"""What the pages and media URLs of a crawl refer to in other crawls: a few columns of its parts, not all records."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from wavecrawl.adapters.analytics.database import memory_database
from wavecrawl.adapters.analytics.load import part_rows
from wavecrawl.adapters.batch_objects import crawl_prefix
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.references import NO_REFERENCES, References
from wavecrawl.ports.parts import Table

_MEMORY_MB = 256


def references_of_parts(crawl: CrawlId, parts: Mapping[Table, Sequence[Path]], *, scratch: Path) -> References:
    """Return what the rows in the files of the tables `pages` and `media` refer to."""
    found = NO_REFERENCES
    for table, columns in ((Table.PAGES, ("body_at", "exchange_at")), (Table.MEDIA, ("body_at",))):
        if files := parts.get(table, ()):
            found |= _of_table(crawl, table, files, columns, scratch)
    return found


def _of_table(
    crawl: CrawlId, table: Table, files: Sequence[Path], columns: tuple[str, ...], scratch: Path
) -> References:
    """Return what the rows of a table refer to; `columns` have places."""
    with TemporaryDirectory(dir=scratch) as spill, memory_database(Path(spill), memory_mb=_MEMORY_MB) as db:
        rows, own = part_rows(db, table, files), f"{crawl_prefix(crawl)}/"

        def of_others(*columns: str) -> frozenset[str]:
            found = (
                value
                for name in columns
                for (value,) in db.execute(
                    f"SELECT {name} FROM {rows} WHERE {name} <> '' AND NOT starts_with({name}, $1)", [own]
                ).fetchall()
            )
            return frozenset(found)

        screenshots = of_others("screenshot") if table is Table.PAGES else frozenset[str]()
        return References(places=of_others(*columns), screenshots=screenshots)
