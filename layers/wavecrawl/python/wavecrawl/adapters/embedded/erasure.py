"""Erasure of crawls from a data folder."""

import shutil
from pathlib import Path

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.embedded.folder import crawl_folder
from wavecrawl.adapters.embedded.lock import PATIENCE, FolderLock, run_lock
from wavecrawl.adapters.part_objects import table_prefixes
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.errors import ConflictError

_TABLES = ("wave", "batch", "claim", "event", "hidden_page")


class LocalErasure:
    """`ports.erasure.Erasure`. It waits up to `patience` seconds for a process that makes a crawl's results again."""

    def __init__(self, database: Database, root: Path, *, patience: float = PATIENCE) -> None:
        self._database = database
        self._root = root
        self._patience = patience

    def erase(self, crawl: CrawlId) -> None:
        """Delete all objects and working rows of a crawl. Raise ConflictError if a process still uses its folder."""
        lock = self._lock(crawl)
        try:
            for folder in (*map(self._root.joinpath, table_prefixes(crawl)), crawl_folder(self._root, crawl)):
                if folder.exists():
                    shutil.rmtree(folder)
            with self._database.transaction() as connection:
                for table in _TABLES:
                    connection.execute(f"DELETE FROM {table} WHERE crawl = ?", (str(crawl),))  # noqa: S608 - constants
        finally:
            lock.release()

    def _lock(self, crawl: CrawlId) -> FolderLock:
        try:
            return run_lock(crawl_folder(self._root, crawl), patience=self._patience)
        except ConflictError as error:
            message = f"the results of crawl {crawl.crawl} are being made; delete it when they are complete"
            raise ConflictError(message) from error
