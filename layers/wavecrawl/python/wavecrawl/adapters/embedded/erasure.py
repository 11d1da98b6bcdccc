"""Erasure of crawls from a data folder."""

import os
import shutil
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from wavecrawl.adapters.batch_objects import read_part
from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.embedded.folder import crawl_folder, sync_folder
from wavecrawl.adapters.embedded.lock import PATIENCE, FolderLock, run_lock
from wavecrawl.adapters.kept_objects import KeptObjects, ReducedRecords, exchanges_of
from wavecrawl.adapters.part_objects import table_prefixes
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.references import NO_REFERENCES, References
from wavecrawl.errors import ConflictError

_TABLES = ("wave", "batch", "claim", "event")
_HIDDEN = "hidden_page"


class LocalErasure:
    """`ports.erasure.Erasure`. It waits up to `patience` seconds for a process that makes a crawl's results again."""

    def __init__(self, database: Database, root: Path, *, patience: float = PATIENCE) -> None:
        self._database = database
        self._root = root
        self._patience = patience

    def erase(self, crawl: CrawlId, *, keep: References = NO_REFERENCES) -> None:
        """Delete the objects and working rows of a crawl. Raise ConflictError if a process still uses its folder."""
        kept = KeptObjects.of(crawl, keep)
        tables = _TABLES if kept.names else (*_TABLES, _HIDDEN)
        lock = self._lock(crawl)
        try:
            for folder in map(self._root.joinpath, table_prefixes(crawl)):
                if folder.exists():
                    shutil.rmtree(folder)
            self._delete_files(crawl, kept)
            with self._database.transaction() as connection:
                for table in tables:
                    connection.execute(f"DELETE FROM {table} WHERE crawl = ?", (str(crawl),))  # noqa: S608 - constants
        finally:
            lock.release()

    def remains(self, tenant: str, site: str) -> list[CrawlId]:
        """Return the crawls of a site that have a folder."""
        crawls = crawl_folder(self._root, CrawlId(tenant=tenant, site=site, crawl="_")).parent
        found = sorted(path.name for path in crawls.iterdir() if path.is_dir()) if crawls.is_dir() else []
        return [CrawlId(tenant=tenant, site=site, crawl=name) for name in found]

    def _delete_files(self, crawl: CrawlId, kept: KeptObjects) -> None:
        folder = crawl_folder(self._root, crawl)
        if kept.records:
            rows = self._database.rows(f"SELECT key FROM {_HIDDEN} WHERE crawl = ?", str(crawl))  # noqa: S608 - constant
            hidden = frozenset(key for (key,) in rows)
            for name, keys in kept.records.items():
                self._reduce(name, keys, hidden)
        staying = {self._root / name for name in kept.names}
        for path in sorted(folder.rglob("*"), reverse=True):  # files before the folder that they are in
            if not path.is_dir():
                if path not in staying:
                    path.unlink()
            elif not any(path.iterdir()):
                path.rmdir()
        if not kept.names:
            folder.rmdir()

    def _reduce(self, name: str, keys: frozenset[str], hidden: frozenset[str]) -> None:
        """Remove what nothing refers to from the files of a batch: the records last, as a repeat reads them."""
        records, exchanges = self._root / name, self._root / exchanges_of(name)
        reduced = ReducedRecords.of(records.read_bytes(), keys, hidden=hidden) if records.is_file() else None
        if reduced is None:
            return
        if exchanges.is_file():
            with exchanges.open("rb") as file:
                _replace(exchanges, reduced.exchanges(partial(read_part, file)))
        _replace(records, [reduced.data])

    def _lock(self, crawl: CrawlId) -> FolderLock:
        try:
            return run_lock(crawl_folder(self._root, crawl), patience=self._patience)
        except ConflictError as error:
            message = f"the results of crawl {crawl.crawl} are being made; delete it when they are complete"
            raise ConflictError(message) from error


def _replace(path: Path, pieces: Iterable[bytes]) -> None:
    new = path.with_name(f"{path.name}.new")
    with new.open("wb") as file:
        file.writelines(pieces)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
    sync_folder(path.parent)
