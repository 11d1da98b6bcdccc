"""Queries over all URLs of a crawl, in DuckDB."""

import msgspec

from wavecrawl.adapters.analytics.opened_exports import Export, OpenedExports
from wavecrawl.adapters.analytics.result_parts import read_part, rows_of
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.ledger import LedgerRow
from wavecrawl.domain.crawl.record import TRAPS
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.ports.live_results import Suppression, UrlFilter
from wavecrawl.ports.results import Mark, Part

_SUPPRESSIONS = f"""
    SELECT reason, evidence, urls, examples, row FROM (
        SELECT *, row_number() OVER (ORDER BY trap DESC, urls DESC, first) - 1 AS row FROM (
            SELECT reason, list_contains($traps, reason) AS trap,
                   if(trap, regexp_replace(detail, '; found on \\S+$', ''), '') AS evidence,
                   count(*) AS urls, min(row) AS first, list(url ORDER BY row)[:$examples] AS examples
            FROM urls WHERE state IN ('{UrlState.SKIPPED}', '{UrlState.ROBOTS_DENIED}')
                         OR (state = '{UrlState.FAILED}' AND tries = 0)
            GROUP BY ALL
        )
    ) WHERE row > $row ORDER BY row LIMIT $limit
"""


class DuckDbUrls:
    """`ports.live_results.Urls`."""

    def __init__(self, exports: OpenedExports) -> None:
        self._exports = exports

    def list(self, crawl: CrawlId, filter_: UrlFilter, *, limit: int, after: Mark | None = None) -> Part[LedgerRow]:
        """Return URLs in order of discovery."""
        sql = """
            SELECT * FROM urls
            WHERE row > $row AND ($state = '' OR state = $state) AND ($reason = '' OR reason = $reason)
              AND ($depth < 0 OR depth = $depth) AND ($lane = '' OR lane = $lane) AND contains(lower(url), lower($text))
            ORDER BY row LIMIT $limit
        """
        values: dict[str, object] = {
            "state": filter_.state or "",
            "reason": filter_.reason or "",
            "depth": -1 if filter_.depth is None else filter_.depth,
            "lane": filter_.lane or "",
            "text": filter_.text,
        }
        with self._exports.tables({"": crawl}, Export.URLS) as db:
            return read_part(db, sql, LedgerRow, values, limit=limit, after=after)

    def totals(self, crawl: CrawlId) -> dict[str, int]:
        """Return the number of URLs in each state, the most frequent first."""
        with self._exports.tables({"": crawl}, Export.URLS) as db:
            return dict(db.execute("SELECT state, count(*) FROM urls GROUP BY 1 ORDER BY 2 DESC, 1").fetchall())

    def suppressions(
        self, crawl: CrawlId, *, examples: int, limit: int, after: Mark | None = None
    ) -> Part[Suppression]:
        """Return why URLs were not requested, also as their host cannot be reached: traps first, then by number."""
        values: dict[str, object] = {"traps": [reason.value for reason in TRAPS], "examples": examples}
        with self._exports.tables({"": crawl}, Export.URLS) as db:
            return read_part(db, _SUPPRESSIONS, Suppression, values, limit=limit, after=after)

    def find(self, crawl: CrawlId, key: str) -> LedgerRow | None:
        """Return a URL."""
        with self._exports.tables({"": crawl}, Export.URLS) as db:
            found = rows_of(db.execute("SELECT * EXCLUDE (row) FROM urls WHERE key = $key", {"key": key}))
        return msgspec.convert(found[0], LedgerRow) if found else None
