"""Objects: bytes under a name, per crawl."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from wavecrawl.domain.crawl.job import CrawlId


class Objects(Protocol):
    """Whole objects, never half-written. Contract: tests/contract/test_objects.py."""

    def put(self, crawl: CrawlId, name: str, data: bytes) -> None:
        """Store an object, replacing one of the same name."""
        ...

    def put_new(self, crawl: CrawlId, name: str, data: bytes) -> bool:
        """Store an object unless the name is taken; return whether it was stored."""
        ...

    def get_many(self, crawl: CrawlId, names: Sequence[str]) -> Iterator[bytes | None]:
        """Yield what `get` returns for each name, in their order; some may be read before they are asked for."""
        ...

    def get(self, crawl: CrawlId, name: str) -> bytes | None:
        """Return an object's bytes, or None."""
        ...
