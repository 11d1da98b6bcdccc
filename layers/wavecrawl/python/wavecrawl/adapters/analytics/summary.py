"""The summary of a crawl: summary.json and the figures on the command line."""

from datetime import UTC, datetime
from pathlib import Path

import duckdb
import msgspec

from wavecrawl.adapters.analytics.checks import count_checks
from wavecrawl.adapters.analytics.media import count_media, count_oversized_videos, count_read_documents
from wavecrawl.adapters.analytics.notices import notices_of
from wavecrawl.adapters.analytics.pages import LINKED_DEPTH
from wavecrawl.domain.brand.brand import Brand
from wavecrawl.domain.crawl.bill import PRICES_OF, Usage, priced
from wavecrawl.domain.crawl.objectives import Figures, Objective, judged
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.focus.lane import Lane
from wavecrawl.domain.graph.blocker_kind import BlockerKind
from wavecrawl.domain.graph.completeness import Completeness
from wavecrawl.domain.graph.orphans import evidence_of, why_unknown
from wavecrawl.domain.pages.text_choice import TextChoice
from wavecrawl.ports.analytics import AnalyticsInputs, BillLines, CrawlFacts, CrawlSummary, CrawlTiming

_DONE = "state IN ('fetched', 'unchanged')"
INDEXED = f"{_DONE} AND text_hash <> '' AND coalesce(duplicate_of, '') = ''"
"""Whether the knowledge index takes the text of a page, as SQL, in crawls that read texts."""


def summarise(
    db: duckdb.DuckDBPyConnection,
    inputs: AnalyticsInputs,
    *,
    issues: dict[str, int],
    surplus: int,
    completeness: Completeness,
    with_media: bool,
) -> CrawlSummary:
    """Return the summary; `surplus` is the number of records beyond one per URL."""
    crawl = inputs.crawl
    ((pages, size, deepest),) = db.execute(
        f"""
        SELECT count(*) FILTER ({_DONE}), coalesce(sum(bytes) FILTER (NOT revalidated), 0)::BIGINT,
               coalesce(max({LINKED_DEPTH}) FILTER ({_DONE}), 0)
        FROM views v
        """
    ).fetchall()
    ((rendered, unrendered),) = db.execute(
        f"""
        SELECT count(*) FILTER (rendered), count(*) FILTER (shell <> '' AND NOT rendered)
        FROM pages WHERE {_DONE}
        """
    ).fetchall()
    ((urls,),) = db.execute("SELECT count(*) FROM urls").fetchall()
    ((edges,),) = db.execute("SELECT count(*) FROM edges WHERE NOT canonical").fetchall()
    unknown = why_unknown(completeness, sitemaps=inputs.sitemaps)
    media = count_media(db) if with_media else {}
    return CrawlSummary(
        crawl=crawl.crawl,
        site=crawl.site,
        root_url=crawl.root_url,
        status=crawl.status,
        stopped=crawl.stopped,
        version=crawl.version,
        pages=pages,
        urls=urls,
        edges=edges,
        max_depth=deepest,
        bytes=size,
        states=_counts(db, "SELECT state, count(*) FROM urls GROUP BY 1 ORDER BY 2 DESC, 1"),
        reasons=_counts(db, "SELECT reason, count(*) FROM urls WHERE reason <> '' GROUP BY 1 ORDER BY 2 DESC, 1"),
        statuses=_counts(
            db, "SELECT coalesce(status::VARCHAR, 'no answer'), count(*) FROM views GROUP BY 1 ORDER BY 1"
        ),
        content_types=_counts(
            db,
            f"SELECT content_type, count(*) FROM views WHERE {_DONE} GROUP BY 1 ORDER BY 2 DESC, 1",
        ),
        depths=_counts(
            db,
            f"""
            SELECT linked::VARCHAR, count(*) FROM (SELECT {LINKED_DEPTH} AS linked FROM views v WHERE {_DONE})
            WHERE linked IS NOT NULL GROUP BY linked ORDER BY linked
            """,
        ),
        orphans=None if unknown else _counts(db, "SELECT verdict, count(*) FROM orphans GROUP BY 1 ORDER BY 1"),
        orphan_evidence=unknown or evidence_of(completeness, pages=pages),
        blockers=sum(completeness.blockers.values()),
        rendered=rendered,
        unrendered=unrendered,
        brand=_brand(db, crawl),
        issues=issues,
        duplicates=_counts(db, "SELECT kind, count(*) FROM duplicates GROUP BY 1 ORDER BY 1"),
        media=media,
        pages_indexed=_count_indexed(db, crawl, with_media=with_media),
        videos_skipped_oversized=count_oversized_videos(db) if with_media else 0,
        duplicates_skipped=sum(counts.duplicates for counts in media.values()),
        checks=count_checks(db),
        objectives=_objectives(db, inputs),
        duplicate_records=surplus,
        notices=notices_of(db, inputs),
        settings=dict(crawl.settings),
        timing=_timing(db, inputs, pages),
        bill=_bill(crawl.usage, pages) if crawl.usage else None,
    )


def write_summary(summary: CrawlSummary, folder: Path) -> None:
    """Write summary.json."""
    _write_json(summary, folder / "summary.json")


def write_brand(summary: CrawlSummary, folder: Path) -> None:
    """Write brand.json, if there is a brand."""
    if summary.brand is not None:
        values = {**msgspec.to_builtins(summary.brand), "confidence": round(summary.brand.confidence, 2)}
        _write_json(values, folder / "brand.json")


def _write_json(value: object, path: Path) -> None:
    path.write_bytes(msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n")


def _brand(db: duckdb.DuckDBPyConnection, crawl: CrawlFacts) -> Brand | None:
    """Return the brand of the site, which the record of its root has."""
    rows = db.execute("SELECT brand FROM pages WHERE key = ?", [crawl.root_key]).fetchall()
    is_wanted = msgspec.convert(dict(crawl.settings), CrawlSettings).brand.enabled
    return msgspec.json.decode(rows[0][0], type=Brand) if is_wanted and rows and rows[0][0] else None


def _count_indexed(db: duckdb.DuckDBPyConnection, crawl: CrawlFacts, *, with_media: bool) -> int:
    """Return how many pages and documents have a text that the knowledge index takes (`domain.knowledge.fate`)."""
    settings = msgspec.convert(dict(crawl.settings), CrawlSettings)
    if not settings.knowledge.enabled:
        return 0
    pages = 0
    if settings.text is not TextChoice.NONE:
        texts = "SELECT v.state, v.duplicate_of, p.text_hash FROM views v JOIN pages p USING (id)"
        ((pages,),) = db.execute(f"SELECT count(*) FROM ({texts}) WHERE {INDEXED}").fetchall()
    return pages + (count_read_documents(db) if with_media else 0)


def _objectives(db: duckdb.DuckDBPyConnection, inputs: AnalyticsInputs) -> tuple[Objective, ...]:
    crawl = msgspec.convert(dict(inputs.crawl.settings), CrawlSettings)
    settings = crawl.objectives
    ((requested, fetched, words, content_words, duplicates),) = db.execute(
        f"""
        SELECT count(*), count(*) FILTER ({_DONE}),
               coalesce(sum(words) FILTER ({_DONE}), 0)::BIGINT,
               coalesce(sum(words) FILTER (indexable AND coalesce(duplicate_of, '') = '' AND words >= ?), 0)::BIGINT,
               count(*) FILTER ({_DONE} AND duplicate_of <> '')
        FROM views
        """,
        [settings.min_words],
    ).fetchall()
    important, covered = count_covered(db)
    changes = inputs.changes
    seen_at = None if changes is None else changes.seen_at
    figures = Figures(
        requested=requested,
        fetched=fetched,
        words=None if crawl.text is TextChoice.NONE else words,
        content_words=content_words,
        duplicates=duplicates,
        important=important,
        covered=covered,
        again=0 if changes is None else changes.again,
        changed=None if changes is None else changes.changed,
        age=None if seen_at is None else inputs.crawl.finished_at - seen_at,
    )
    return judged(figures, settings)


def count_covered(db: duckdb.DuckDBPyConnection) -> tuple[int, int]:
    """Return the number of URLs of lane p1 that could be requested, and of those that are covered.

    `domain.graph.completeness` decides what could not be requested: a URL that is not requested and no gap of the crawl
    is barred, or has no page. Traps do not count.
    """
    ((important, covered),) = db.execute(
        f"""
        SELECT count(*), count(*) FILTER (v.state IN ('fetched', 'unchanged') OR (v.id IS NOT NULL AND b.id IS NULL))
        FROM urls u LEFT JOIN views v ON v.id = u.id
        LEFT JOIN (SELECT DISTINCT id FROM blockers WHERE kind = '{BlockerKind.INCOMPLETE}') b ON b.id = u.id
        WHERE u.id NOT IN (SELECT id FROM spellings WHERE same_text)
          AND u.lane = ? AND (v.id IS NOT NULL OR b.id IS NOT NULL)
          AND NOT starts_with(u.reason, 'trap_')
        """,
        [Lane.P1.value],
    ).fetchall()
    return important, covered


def _bill(usage: Usage, pages: int) -> BillLines:
    bill = priced(usage, pages=pages)
    return BillLines(
        total_usd=bill.total,
        per_million_pages_usd=bill.per_million_pages,
        services_usd=bill.services,
        usage=usage,
        prices_of=PRICES_OF,
    )


def _counts(db: duckdb.DuckDBPyConnection, query: str) -> dict[str, int]:
    return dict(db.execute(query).fetchall())


def _timing(db: duckdb.DuckDBPyConnection, inputs: AnalyticsInputs, pages: int) -> CrawlTiming:
    seconds = max(inputs.crawl.finished_at - inputs.crawl.started_at, 0.001)
    ((median, slow),) = db.execute(
        "SELECT quantile_cont(elapsed, 0.5), quantile_cont(elapsed, 0.95) FROM views WHERE status IS NOT NULL"
    ).fetchall()
    return CrawlTiming(
        started_at=datetime.fromtimestamp(inputs.crawl.started_at, tz=UTC),
        finished_at=datetime.fromtimestamp(inputs.crawl.finished_at, tz=UTC),
        seconds=round(seconds, 3),
        pages_per_second=round(pages / seconds, 2),
        median_page_seconds=round(median or 0.0, 4),
        p95_page_seconds=round(slow or 0.0, 4),
    )
