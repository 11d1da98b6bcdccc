"""The files of page memories in a folder."""

import os
import shutil
from pathlib import Path

from wavecrawl.adapters.batch_objects import PART
from wavecrawl.adapters.embedded.folder import sync_folder
from wavecrawl.adapters.embedded.lock import FolderLock
from wavecrawl.adapters.memory_files import DAMAGED, FORGOTTEN, PAGES, LocalCopy, memory_prefix
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.errors import StoreBusyError

_LOCK = "memory.lock"
_PATIENCE = 30.0  # seconds to wait for the lock, which is held while a file is renamed


class FolderMemoryFiles:
    """`adapters.memory_files.MemoryFiles`. The version of a file is its inode and its time of change."""

    def __init__(self, root: Path, folder: str = PAGES) -> None:
        self._root = root
        self._name = folder

    def names(self, crawl: CrawlId) -> list[str]:
        """Return the names of all files, in order."""
        folder = self._folder(crawl)
        found = [*folder.glob("*.parquet"), *(folder / FORGOTTEN).glob("*"), *(folder / DAMAGED).glob("*/*")]
        return sorted(path.relative_to(folder).as_posix() for path in found)

    def copy(self, crawl: CrawlId, name: str, scratch: Path) -> LocalCopy | None:  # noqa: ARG002 - it is local already
        """Return the file itself. If another process replaces it, the version is no longer that of the file."""
        path = self._folder(crawl) / name
        version = _version(path)
        return LocalCopy(path=path, version=version) if version else None

    def replace(self, crawl: CrawlId, name: str, path: Path, *, version: str) -> bool:
        """Move a copy of `path` into place, unless another process has stored or deleted the file since."""
        target = self._folder(crawl) / name
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(f"{target.name}.{os.getpid()}{PART}")
        shutil.copyfile(path, part)
        with part.open("rb+") as written:
            os.fsync(written.fileno())
        lock = FolderLock(target.parent / _LOCK)
        try:
            if not lock.try_alone(within=_PATIENCE):
                raise StoreBusyError(f"{target.parent} is locked by another process. Try again later")
            if _version(target) != version:
                return False
            part.replace(target)
        finally:
            lock.release()
            part.unlink(missing_ok=True)
        sync_folder(target.parent)
        return True

    def mark(self, crawl: CrawlId, name: str) -> None:
        """Store an empty file."""
        path = self._folder(crawl) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        sync_folder(path.parent)

    def delete(self, crawl: CrawlId, names: list[str]) -> None:
        """Delete files."""
        for name in names:
            (self._folder(crawl) / name).unlink(missing_ok=True)

    def _folder(self, crawl: CrawlId) -> Path:
        return self._root / memory_prefix(crawl, self._name)


def _version(path: Path) -> str:
    """Return the version of a file, or "" if there is no such file."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return ""
    return f"{status.st_ino}-{status.st_mtime_ns}"
