"""The files of page memories in S3."""

from pathlib import Path

from wavecrawl.adapters.aws.objects import Bucket
from wavecrawl.adapters.memory_files import PAGES, LocalCopy, memory_prefix
from wavecrawl.domain.crawl.job import CrawlId


class S3MemoryFiles:
    """`adapters.memory_files.MemoryFiles`. The version of a file is its ETag."""

    def __init__(self, bucket: Bucket, folder: str = PAGES) -> None:
        self._bucket = bucket
        self._folder = folder

    def names(self, crawl: CrawlId) -> list[str]:
        """Return the names of all files, in order."""
        prefix = self._prefix(crawl)
        return [key.removeprefix(prefix) for key, _ in self._bucket.sizes(prefix)]

    def copy(self, crawl: CrawlId, name: str, scratch: Path) -> LocalCopy | None:
        """Download a file."""
        path = scratch / name
        etag = self._bucket.download(self._prefix(crawl) + name, path)
        return None if etag is None else LocalCopy(path=path, version=etag)

    def replace(self, crawl: CrawlId, name: str, path: Path, *, version: str) -> bool:
        """Upload a file, unless another process has stored or deleted it since."""
        with path.open("rb") as file:
            return self._bucket.replace(self._prefix(crawl) + name, file, etag=version) is not None

    def mark(self, crawl: CrawlId, name: str) -> None:
        """Store an empty object."""
        self._bucket.put(self._prefix(crawl) + name, b"")

    def delete(self, crawl: CrawlId, names: list[str]) -> None:
        """Delete objects."""
        self._bucket.delete([self._prefix(crawl) + name for name in names])

    def _prefix(self, crawl: CrawlId) -> str:
        return memory_prefix(crawl, self._folder)
