"""Parts in a folder, under the same names as in S3."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from wavecrawl.adapters.batch_objects import PART
from wavecrawl.adapters.embedded.folder import sync_folder
from wavecrawl.adapters.part_objects import part_name, part_number, table_prefix
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.ports.parts import Table, file_of


class FolderParts:
    """`ports.parts.Parts`: one file for each table of a part, moved into place when it is complete."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def numbers(self, crawl: CrawlId) -> list[int]:
        """Return the numbers of the stored parts, in order."""
        return sorted(map(part_number, (path.name for path in self._folder(crawl).glob("*.parquet"))))

    def store(self, crawl: CrawlId, number: int, folder: Path) -> None:
        """Store a part, the table `urls` last."""
        for table in Table:
            if (folder / file_of(table)).is_file():
                self._put(folder / file_of(table), self._root / part_name(crawl, table, number))

    def files(self, crawl: CrawlId, table: Table, numbers: Sequence[int]) -> list[Path]:
        """Return the files of a table that exist, in this order."""
        paths = (self._root / part_name(crawl, table, number) for number in numbers)
        return [path for path in paths if path.is_file()]

    def _put(self, file: Path, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.{os.getpid()}{PART}")
        shutil.copyfile(file, part)
        with part.open("rb+") as written:
            os.fsync(written.fileno())
        part.replace(path)
        sync_folder(path.parent)

    def _folder(self, crawl: CrawlId) -> Path:
        return self._root / table_prefix(crawl, Table.URLS)
