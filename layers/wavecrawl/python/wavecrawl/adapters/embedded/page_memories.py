"""Page memories in SQLite."""

from collections.abc import Iterable, Sequence

import msgspec

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.memory import PageMemory

_MEMORY = msgspec.msgpack.Decoder(PageMemory)
_encode = msgspec.msgpack.Encoder().encode
_KEYS_A_QUERY = 500


class SqlitePageMemories:
    """`ports.page_memories.PageMemories`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def any(self, crawl: CrawlId) -> bool:
        """Tell whether the site remembers any page."""
        return bool(self._database.rows("SELECT 1 FROM page WHERE site = ? LIMIT 1", _site(crawl)))

    def read(self, crawl: CrawlId, keys: Sequence[str]) -> dict[str, PageMemory]:
        """Return the memories that exist, by url key."""
        found: dict[str, PageMemory] = {}
        for start in range(0, len(keys), _KEYS_A_QUERY):
            part = keys[start : start + _KEYS_A_QUERY]
            marks = ",".join("?" * len(part))
            sql = f"SELECT key, memory FROM page WHERE site = ? AND key IN ({marks})"  # noqa: S608 - question marks
            for key, memory in self._database.rows(sql, _site(crawl), *part):
                found[key] = _MEMORY.decode(memory)
        return found

    def write(self, crawl: CrawlId, memories: Iterable[PageMemory]) -> None:
        """Store memories, replacing older ones."""
        with self._database.transaction() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO page (site, key, memory) VALUES (?, ?, ?)",
                [(_site(crawl), memory.key, _encode(memory)) for memory in memories],
            )

    def forget(self, crawl: CrawlId, key: str) -> None:
        """Forget a page."""
        self._database.change("DELETE FROM page WHERE site = ? AND key = ?", _site(crawl), key)


def _site(crawl: CrawlId) -> str:
    return f"{crawl.tenant}/{crawl.site}"
