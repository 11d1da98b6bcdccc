"""Hidden pages in SQLite."""

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.domain.crawl.job import CrawlId


class SqliteHiddenPages:
    """`ports.hidden_pages.HiddenPages`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def hide(self, crawl: CrawlId, key: str, *, now: float) -> bool:
        """Hide a page; return False if it is hidden already."""
        sql = "INSERT INTO hidden_page (crawl, key, hidden_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
        return self._database.change(sql, str(crawl), key, now) == 1

    def of(self, crawl: CrawlId) -> frozenset[str]:
        """Return the keys of all hidden pages of a crawl."""
        rows = self._database.rows("SELECT key FROM hidden_page WHERE crawl = ?", str(crawl))
        return frozenset(key for (key,) in rows)
