"""The summary of a crawl without the pages that were deleted from it. Its file is that of all pages."""

from collections.abc import Mapping

import duckdb
from msgspec.structs import replace

from wavecrawl.adapters.analytics.summary import INDEXED
from wavecrawl.ports.analytics import CrawlSummary

_DONE = "state IN ('fetched', 'unchanged')"
_GONE = "(SELECT * FROM all_pages WHERE key IN (FROM hidden))"


def without_deleted(db: duckdb.DuckDBPyConnection, summary: CrawlSummary, *, issues: str) -> CrawlSummary:
    """Return the summary without deleted pages, given the opened exports and the relation of all issues.

    What is found by looking at all pages, such as edges, orphans, duplicates and notices, stays as it is.
    """
    ((pages, urls, size, rendered, unrendered, indexed),) = db.execute(
        f"""
        SELECT count(*) FILTER ({_DONE}), count(*), coalesce(sum(bytes), 0)::BIGINT,
               count(*) FILTER ({_DONE} AND rendered), count(*) FILTER ({_DONE} AND shell <> '' AND NOT rendered),
               count(*) FILTER ({INDEXED})
        FROM {_GONE}
        """
    ).fetchall()

    def less(counts: Mapping[str, int], query: str) -> dict[str, int]:
        gone = dict(db.execute(query).fetchall())
        left = {name: count - gone.get(name, 0) for name, count in counts.items()}
        return {name: count for name, count in left.items() if count > 0}

    def less_of(counts: Mapping[str, int], column: str, condition: str = "TRUE") -> dict[str, int]:
        return less(counts, f"SELECT {column}, count(*) FROM {_GONE} WHERE {condition} GROUP BY 1")

    return replace(
        summary,
        pages=summary.pages - pages,
        urls=summary.urls - urls,
        bytes=summary.bytes - size,
        rendered=summary.rendered - rendered,
        unrendered=summary.unrendered - unrendered,
        pages_indexed=None if summary.pages_indexed is None else max(0, summary.pages_indexed - indexed),
        states=less_of(summary.states, "state"),
        reasons=less_of(summary.reasons, "reason", "reason <> ''"),
        statuses=less_of(summary.statuses, "coalesce(status::VARCHAR, 'no answer')"),
        content_types=less_of(summary.content_types, "content_type", _DONE),
        depths=less_of(summary.depths, "depth::VARCHAR", f"{_DONE} AND depth IS NOT NULL"),
        issues=less(
            summary.issues,
            f"SELECT kind, count(*) FROM {issues} WHERE url IN (SELECT url FROM {_GONE}) GROUP BY 1",
        ),
    )
