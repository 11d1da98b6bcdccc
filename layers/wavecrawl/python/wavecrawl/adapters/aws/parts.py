"""Parts in S3."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from wavecrawl.adapters.aws.catalog import GlueCatalog
from wavecrawl.adapters.aws.objects import Bucket
from wavecrawl.adapters.batch_objects import PART
from wavecrawl.adapters.part_objects import part_name, part_number, table_prefix
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.ports.parts import Table, file_of

_DOWNLOADS = 8  # in parallel


class S3Parts:
    """`ports.parts.Parts`. `scratch`: folder for `files`; the caller empties it."""

    def __init__(self, bucket: Bucket, catalog: GlueCatalog, *, scratch: Path) -> None:
        self._bucket = bucket
        self._catalog = catalog
        self._scratch = scratch

    def numbers(self, crawl: CrawlId) -> list[int]:
        """Return the numbers of the stored parts, in order."""
        return sorted(part_number(name) for name, _ in self._bucket.sizes(table_prefix(crawl, Table.URLS)))

    def store(self, crawl: CrawlId, number: int, folder: Path) -> None:
        """Upload a part, the table `urls` last. Its tables are registered before, so that each stored part is."""
        tables = [table for table in Table if (folder / file_of(table)).is_file()]
        self._catalog.add(crawl, tables)
        for table in tables:
            with (folder / file_of(table)).open("rb") as file:
                self._bucket.put(part_name(crawl, table, number), file)

    def files(self, crawl: CrawlId, table: Table, numbers: Sequence[int]) -> list[Path]:
        """Download the files of a table that exist; return them, in this order."""
        with ThreadPoolExecutor(_DOWNLOADS, thread_name_prefix="download") as pool:
            paths = pool.map(self._download, [part_name(crawl, table, number) for number in numbers])
            return [path for path in paths if path is not None]

    def _download(self, name: str) -> Path | None:
        path = self._scratch / name
        if path.exists():
            return path
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(path.name + PART)
        if not self._bucket.download(name, part):
            return None
        part.replace(path)
        return path
