"""Files of page memories in a folder, at which a process dies or is overtaken by another one."""

from collections.abc import Callable
from pathlib import Path

from wavecrawl.adapters.embedded.memory_files import FolderMemoryFiles
from wavecrawl.domain.crawl.job import CrawlId


class Crash(BaseException):
    """The process died."""


class FailingMemoryFiles(FolderMemoryFiles):
    """Files that call `strike` before their n-th write."""

    def __init__(self, root: Path, at: int, strike: Callable[[], None]) -> None:
        super().__init__(root)
        self._left = at
        self._strike = strike

    def replace(self, crawl: CrawlId, name: str, path: Path, *, version: str) -> bool:
        self._write()
        return super().replace(crawl, name, path, version=version)

    def delete(self, crawl: CrawlId, names: list[str]) -> None:
        for name in names:
            self._write()
            super().delete(crawl, [name])

    def _write(self) -> None:
        self._left -= 1
        if self._left == 0:
            self._strike()
