"""Page memories in SQLite."""

from collections.abc import Iterable, Sequence

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.embedded.packed_table import PackedTable
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.memory import PageMemory

_KEYS_PER_QUERY = 500


class SqlitePageMemories:
    """`ports.page_memories.PageMemories`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._pages = PackedTable(database, "page", PageMemory, key=("site", "key"))

    def any(self, crawl: CrawlId) -> bool:
        """Return whether the site remembers any page."""
        return bool(self._database.rows("SELECT 1 FROM page WHERE site = ? LIMIT 1", _site(crawl)))

    def read(self, crawl: CrawlId, keys: Sequence[str]) -> dict[str, PageMemory]:
        """Return the memories that exist, by URL key."""
        found: list[PageMemory] = []
        for start in range(0, len(keys), _KEYS_PER_QUERY):
            part = keys[start : start + _KEYS_PER_QUERY]
            found += self._pages.find(f"site = ? AND key IN ({', '.join('?' * len(part))})", _site(crawl), *part)
        return {memory.key: memory for memory in found}

    def write(self, crawl: CrawlId, memories: Iterable[PageMemory]) -> None:
        """Store memories, replacing older ones."""
        self._pages.put_many(list(memories), site=_site(crawl))

    def forget(self, crawl: CrawlId, key: str) -> None:
        """Delete the memory of a page."""
        self._pages.delete(_site(crawl), key)


def _site(crawl: CrawlId) -> str:
    return f"{crawl.tenant}/{crawl.site}"
