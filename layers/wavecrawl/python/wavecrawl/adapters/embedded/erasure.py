"""Erasure of crawls from a data folder."""

import shutil
from pathlib import Path

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.embedded.folder import crawl_folder
from wavecrawl.adapters.part_objects import table_prefixes
from wavecrawl.domain.crawl.job import CrawlId

_TABLES = ("wave", "batch", "claim", "event", "hidden_page")


class LocalErasure:
    """`ports.erasure.Erasure`."""

    def __init__(self, database: Database, root: Path) -> None:
        self._database = database
        self._root = root

    def erase(self, crawl: CrawlId) -> None:
        """Delete all objects and working rows of a crawl."""
        for folder in (*map(self._root.joinpath, table_prefixes(crawl)), crawl_folder(self._root, crawl)):
            if folder.exists():
                shutil.rmtree(folder)
        with self._database.transaction() as connection:
            for table in _TABLES:
                connection.execute(f"DELETE FROM {table} WHERE crawl = ?", (str(crawl),))  # noqa: S608 - constants
