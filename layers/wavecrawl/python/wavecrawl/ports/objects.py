"""Objects: named bytes of a crawl."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from wavecrawl.domain.crawl.job import CrawlId


class Objects(Protocol):
    """Objects, written atomically. Contract: tests/contract/test_objects.py."""

    def put(self, crawl: CrawlId, name: str, data: bytes) -> None:
        """Store an object; replace an existing one."""
        ...

    def put_new(self, crawl: CrawlId, name: str, data: bytes) -> bool:
        """Store an object unless the name exists; return whether it was stored."""
        ...

    def get_many(self, crawl: CrawlId, names: Sequence[str]) -> Iterator[bytes | None]:
        """Yield the object of each name, or None, in order; objects may be read ahead."""
        ...

    def get(self, crawl: CrawlId, name: str) -> bytes | None:
        """Return an object's bytes, or None."""
        ...
