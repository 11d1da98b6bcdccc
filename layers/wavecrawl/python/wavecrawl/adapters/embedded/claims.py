"""Claims in SQLite."""

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.ports.claims import Claimant

_CLAIM = """
INSERT INTO claim (crawl, key, wave, batch, attempt) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (crawl, key) DO UPDATE SET wave = excluded.wave, batch = excluded.batch, attempt = excluded.attempt
WHERE claim.wave < excluded.wave
   OR (claim.wave = excluded.wave AND claim.batch = excluded.batch AND claim.attempt < excluded.attempt)
"""


class SqliteClaims:
    """`ports.claims.Claims`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def claim(self, crawl: CrawlId, key: str, by: Claimant) -> bool:
        """Claim the URL; return whether the claim was granted."""
        return self._database.change(_CLAIM, str(crawl), key, by.wave, by.batch, by.attempt) == 1

    def holder(self, crawl: CrawlId, key: str) -> Claimant | None:
        """Return the latest claimant of the URL, or None."""
        sql = "SELECT wave, batch, attempt FROM claim WHERE crawl = ? AND key = ?"
        rows = self._database.rows(sql, str(crawl), key)
        return Claimant(wave=rows[0][0], batch=rows[0][1], attempt=rows[0][2]) if rows else None
