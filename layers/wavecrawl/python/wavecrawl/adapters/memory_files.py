"""The files of a site's page memory, the same in a folder and in S3 (docs/architecture.md)."""

from pathlib import Path
from typing import Protocol

from msgspec import Struct

from wavecrawl.domain.crawl.job import CrawlId

FORGOTTEN = "forgotten/"
"""The prefix of the names of marks. A mark says that the site forgot a page, and when."""

DAMAGED = "damaged/"
"""The prefix of other marks: `damaged/CRAWL/FILE`. The crawl found the file damaged, and replaced it."""

PAGES, MEDIA = "memory", "media/memory"
"""The folders of a site's page memory and of its media memory."""


def memory_prefix(crawl: CrawlId, folder: str = PAGES) -> str:
    """Return a folder with what a crawl's site remembers, with a slash at the end."""
    return f"tenants/{crawl.tenant}/sites/{crawl.site}/{folder}/"


class LocalCopy(Struct, frozen=True, kw_only=True):
    """A file that can be read, and its version in the store."""

    path: Path
    version: str


class MemoryFiles(Protocol):
    """The files of page memories, by site (that of `crawl`) and name. Written atomically."""

    def names(self, crawl: CrawlId) -> list[str]:
        """Return the names of all files, in order."""
        ...

    def copy(self, crawl: CrawlId, name: str, scratch: Path) -> LocalCopy | None:
        """Return a local copy of a file, which may be in the folder `scratch`; None if there is no such file."""
        ...

    def replace(self, crawl: CrawlId, name: str, path: Path, *, version: str) -> bool:
        """Replace the file of this version, or store a new one if `version` is ""; return whether that succeeded.

        It fails if another process has stored or deleted the file since.
        """
        ...

    def mark(self, crawl: CrawlId, name: str) -> None:
        """Store an empty file."""
        ...

    def delete(self, crawl: CrawlId, names: list[str]) -> None:
        """Delete files. They may be missing."""
        ...
