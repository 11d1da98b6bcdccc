"""Queries over a crawl's exports, in DuckDB. Graph, comparison, media and checks are in modules of their own."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import msgspec
from msgspec.structs import replace

from wavecrawl.adapters.analytics.check_queries import CheckQueries
from wavecrawl.adapters.analytics.comparisons import Comparisons
from wavecrawl.adapters.analytics.database import quoted
from wavecrawl.adapters.analytics.deleted_pages import without_deleted
from wavecrawl.adapters.analytics.earlier_exports import stored_text, text_as_stored
from wavecrawl.adapters.analytics.graph_pieces import around, top
from wavecrawl.adapters.analytics.media_queries import MediaQueries
from wavecrawl.adapters.analytics.opened_exports import Export, OpenedExports
from wavecrawl.adapters.analytics.result_parts import read_part, rows_of
from wavecrawl.adapters.batch_objects import batch_named
from wavecrawl.domain.crawl.job import BatchId, CrawlId
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.graph.blocker_kind import BlockerKind
from wavecrawl.domain.graph.completeness import Way
from wavecrawl.domain.graph.gaps import Gap
from wavecrawl.domain.graph.issue import IssueName, Severity
from wavecrawl.domain.pages.duplicates import DuplicateKind
from wavecrawl.domain.pages.order import PageOrder
from wavecrawl.ports.analytics import CrawlSummary
from wavecrawl.ports.results import (
    Blocker,
    DuplicateRow,
    GraphPiece,
    IssueRow,
    LinkSource,
    Mark,
    OrphanRow,
    PageDetail,
    PageFilter,
    PageLink,
    PageLinks,
    PageQuery,
    PageRow,
    Part,
    Remembered,
)

_COMPUTED = {
    "elapsed": "coalesce(elapsed, 0.0)",
    "fetched_at": "coalesce(epoch(fetched_at), 0.0)",
    "response_time": "coalesce(response_time, 0.0)",
}
"""The values of pages that are not stored as they are returned."""


def _selected(shape: type[msgspec.Struct], *, without: Sequence[str]) -> str:
    """Return the values of a struct as the columns of a query."""
    names = [name for name in shape.__struct_fields__ if name not in without]
    return ", ".join(f"{_COMPUTED[name]} AS {name}" if name in _COMPUTED else name for name in names)


_ROW = _selected(PageRow, without=("text",))
_DETAILS = _selected(PageDetail, without=("page", "text", "links", "linked_from"))
_ORDERS = {
    PageOrder.CRAWL: "row",
    PageOrder.URL: "url",
    PageOrder.TITLE: "title",
    PageOrder.STATUS: "coalesce(status, 0)",
    PageOrder.DEPTH: "depth",
    PageOrder.WORDS: "words",
    PageOrder.BYTES: "bytes",
    PageOrder.ELAPSED: "coalesce(elapsed, 0.0)",
    PageOrder.IN_LINKS: "coalesce(in_links, 0)",
    PageOrder.OUT_LINKS: "coalesce(out_links, 0)",
    PageOrder.PAGERANK: "coalesce(pagerank, 0.0)",
    PageOrder.SCORE: "coalesce(score, 0.0)",
}
_LINK = (
    "coalesce(p.key, '') AS key, l.kind, coalesce(l.text, '') AS text, coalesce(l.region, '') AS region, l.nofollow, "
    "coalesce(l.reason, '') AS reason, l.found_in, l.rel"
)
_ISSUE = "{'severity': 'VARCHAR', 'kind': 'VARCHAR', 'url': 'VARCHAR', 'related': 'VARCHAR', 'detail': 'VARCHAR'}"
_ISSUES = f"read_json($path, format = 'newline_delimited', compression = 'gzip', columns = {_ISSUE})"
_DUPLICATES = f"""
    SELECT key, url, duplicate_of, similarity, kind, cluster, words, row FROM (
        SELECT *, row_number() OVER (ORDER BY kept, row_of_page) - 1 AS row FROM (
            SELECT p.key, p.url, k.url AS duplicate_of, p.similarity, p.words, k.row AS kept, p.row AS row_of_page,
                   CASE WHEN p.near_duplicate_of <> '' THEN '{DuplicateKind.REVIEW}'
                        WHEN p.text_hash = k.text_hash THEN '{DuplicateKind.EXACT}'
                        ELSE '{DuplicateKind.NEAR}' END AS kind,
                   CASE WHEN p.near_duplicate_of <> '' THEN '' ELSE k.key END AS cluster
            FROM pages p JOIN pages k ON k.url = coalesce(nullif(p.duplicate_of, ''), p.near_duplicate_of)
            WHERE p.similarity IS NOT NULL
        ) WHERE ($kind = '' OR kind = $kind) AND ($cluster = '' OR cluster = $cluster)
    ) WHERE row > $row ORDER BY row LIMIT $limit
"""

Texts = Callable[[Mapping[str, int]], Mapping[str, str]]
"""Returns the main texts of pages by key, given the wave in which each page was fetched."""


class DuckDbResults(Comparisons, MediaQueries, CheckQueries):
    """`ports.results.Results`."""

    def __init__(self, exports: OpenedExports, *, texts: Texts | None = None) -> None:
        """Use the texts in pages.parquet, or those that `texts` returns."""
        super().__init__(exports)
        self._texts = texts

    def pages(self, crawl: CrawlId, query: PageQuery) -> Part[PageRow]:
        """Return the pages that match the query."""
        order = _ORDERS[query.order]
        conditions, values = _conditions(query.filter)
        count = f"SELECT count(*) FROM pages WHERE {' AND '.join(('TRUE', *conditions))}"
        counted = dict(values)
        if query.after is not None:
            beyond = "<" if query.descending else ">"
            conditions.append(f"({order} {beyond} $value OR ({order} = $value AND row > $row))")
            values |= {"value": query.after.value, "row": query.after.row}
        with self._exports.tables({"": crawl}, Export.PAGES) as db:
            more = f"{_text_of(db)}, batch, " if query.with_text else ""
            sql = f"""
                SELECT {_ROW}, {more}row, {order} AS place FROM pages
                WHERE {" AND ".join(("TRUE", *conditions))}
                ORDER BY place {"DESC" if query.descending else "ASC"}, row LIMIT $limit
            """
            found = rows_of(db.execute(sql, values | {"limit": query.limit + 1}))
            ((total,),) = db.execute(count, counted).fetchall()
        shown = found[: query.limit]
        last = Mark(row=shown[-1]["row"], value=shown[-1]["place"]) if shown else None
        if query.with_text:
            self._add_texts(crawl, shown)
        rows = tuple(msgspec.convert(row, PageRow) for row in shown)
        return Part(rows=rows, following=last if len(found) > query.limit else None, last=last, total=total)

    def page(self, crawl: CrawlId, key: str, *, links: int) -> PageDetail | None:
        """Return one page with its links."""
        with self._exports.tables({"": crawl}, Export.PAGES, Export.LINKS) as db:
            page = f"SELECT {_ROW}, {_DETAILS}, {_text_of(db)}, batch, row FROM pages WHERE key = $key"
            found = rows_of(db.execute(page, {"key": key}))
            if not found:
                return None
            (row,) = found
            outward = _links(db, row["row"], "source", most=links)
            inward = _links(db, row["row"], "target", most=links)
            outward = replace(outward, pages=row["out_links"] or 0)
        self._add_texts(crawl, found)
        return _detail(row, outward, inward)

    def batch_of(self, crawl: CrawlId, key: str) -> tuple[BatchId, int] | None:
        """Return the batch and attempt whose archive contains the page's record."""
        with self._exports.tables({"": crawl}, Export.PAGES) as db:
            found = db.execute("SELECT batch FROM pages WHERE key = $key", {"key": key}).fetchall()
        return batch_named(crawl, found[0][0]) if found else None

    def batches_of(self, crawl: CrawlId, keys: Sequence[str]) -> dict[str, tuple[BatchId, int]]:
        """Return the batches and attempts whose archives contain the records of pages, by key."""
        with self._exports.tables({"": crawl}, Export.PAGES) as db:
            sql = "SELECT key, batch FROM pages WHERE key IN (SELECT unnest($keys::VARCHAR[]))"
            found = db.execute(sql, {"keys": list(keys)}).fetchall()
        return {key: batch_named(crawl, name) for key, name in found}

    def links_to(self, crawl: CrawlId, url: str, *, most: int) -> tuple[LinkSource, ...]:
        """Return links to a URL, by the URL of their page."""
        sql = """
            SELECT source AS url, coalesce(text, '') AS text FROM links
            WHERE target = $url ORDER BY source, position LIMIT $most
        """
        with self._exports.tables({"": crawl}, Export.PAGES, Export.LINKS) as db:
            found = rows_of(db.execute(sql, {"url": url, "most": most}))
        return tuple(msgspec.convert(row, LinkSource) for row in found)

    def top(self, crawl: CrawlId, *, depth: int, most: int) -> GraphPiece:
        """Return the graph down to a depth."""
        with self._exports.tables({"": crawl}, Export.PAGES, Export.LINKS) as db:
            return top(db, depth=depth, most=most)

    def around(self, crawl: CrawlId, key: str, *, steps: int, most: int) -> GraphPiece | None:
        """Return the pages within `steps` links of a page."""
        with self._exports.tables({"": crawl}, Export.PAGES, Export.LINKS) as db:
            return around(db, key, steps=steps, most=most)

    def orphans(self, crawl: CrawlId, *, limit: int, after: Mark | None = None) -> Part[OrphanRow]:
        """Return orphans in crawl order."""
        path = self._exports.path(crawl, Export.ORPHANS)
        sql = """
            SELECT coalesce(p.key, '') AS key, o.url, coalesce(o.title, '') AS title, o.verdict,
                   o.depth::INTEGER AS depth, coalesce(o.lastmod, '') AS lastmod, o.sitemap,
                   coalesce(o.evidence, '') AS evidence, o.row
            FROM orphans o LEFT JOIN all_pages p USING (url)
            WHERE o.row > $row AND coalesce(p.key, '') NOT IN (SELECT key FROM hidden) ORDER BY o.row LIMIT $limit
        """
        with self._exports.tables({"": crawl}, Export.PAGES, Export.ORPHANS) as db:
            _open_csv(db, path, "orphans", {"evidence": "''"})
            return read_part(db, sql, OrphanRow, {}, limit=limit, after=after)

    def blockers(self, crawl: CrawlId, *, limit: int, after: Mark | None = None) -> Part[Blocker]:
        """Return what the crawl did not see."""
        path = self._exports.path(crawl, Export.BLOCKERS)
        sql = """
            SELECT url, coalesce(why, '') AS why, coalesce(reason, '') AS reason, kind, row FROM unread
            WHERE row > $row AND url NOT IN (SELECT url FROM all_pages WHERE key IN (SELECT key FROM hidden))
            ORDER BY row LIMIT $limit
        """
        with self._exports.tables({"": crawl}, Export.PAGES, Export.BLOCKERS) as db:
            _open_csv(db, path, "unread", {"kind": f"'{BlockerKind.INCOMPLETE}'"})
            return read_part(db, sql, Blocker, {}, limit=limit, after=after)

    def gaps(self, crawl: CrawlId) -> tuple[Gap, ...]:
        """Return what the crawl did not see as it has gaps of its own, by reason."""
        path = self._exports.path(crawl, Export.BLOCKERS)
        sql = f"""
            SELECT coalesce(why, ''), coalesce(reason, ''), way, count(*) FROM unread
            WHERE kind = '{BlockerKind.INCOMPLETE}' GROUP BY ALL ORDER BY ALL
        """
        added = {"kind": f"'{BlockerKind.INCOMPLETE}'", "way": f"'{Way.LINKS}'"}
        with self._exports.tables({"": crawl}, Export.BLOCKERS) as db:
            _open_csv(db, path, "unread", added)
            rows = db.execute(sql).fetchall()
        return tuple(Gap(why=why, reason=Reason(reason), way=Way(way), urls=urls) for why, reason, way, urls in rows)

    def remembered(self, crawl: CrawlId, key: str) -> Remembered | None:
        """Return what the site remembered of a page at the end of the crawl; None if the page was never read."""
        with self._exports.tables({"": crawl}, Export.HISTORY) as db:
            sql = "SELECT coalesce(deleted, '') FROM history WHERE key = $1 AND last_changed <> ''"
            rows = db.execute(sql, [key]).fetchall()
        return Remembered(deleted=rows[0][0]) if rows else None

    def issues(
        self,
        crawl: CrawlId,
        *,
        kind: IssueName | None = None,
        severity: Severity | None = None,
        limit: int,
        after: Mark | None = None,
    ) -> Part[IssueRow]:
        """Return issues by severity, errors first."""
        path = self._exports.path(crawl, Export.ISSUES)
        sql = f"""
            SELECT severity, kind, i.url, coalesce(p.key, '') AS key, related, coalesce(r.key, '') AS related_key,
                   coalesce(detail, '') AS detail, row
            FROM (SELECT *, row_number() OVER () - 1 AS row FROM {_ISSUES}) i
            LEFT JOIN (SELECT url, key FROM pages) p USING (url)
            LEFT JOIN (SELECT url AS related, key FROM pages) r USING (related)
            WHERE row > $row AND ($kind = '' OR kind = $kind) AND ($severity = '' OR severity = $severity)
              AND i.url NOT IN (SELECT url FROM all_pages WHERE key IN (SELECT key FROM hidden))
            ORDER BY row LIMIT $limit
        """
        values: dict[str, object] = {"path": str(path), "kind": kind or "", "severity": severity or ""}
        with self._exports.tables({"": crawl}, Export.PAGES, Export.ISSUES) as db:
            return read_part(db, sql, IssueRow, values, limit=limit, after=after)

    def duplicates(
        self,
        crawl: CrawlId,
        *,
        kind: DuplicateKind | None = None,
        cluster: str = "",
        limit: int,
        after: Mark | None = None,
    ) -> Part[DuplicateRow]:
        """Return duplicates and pages to review, by the page that is kept."""
        values: dict[str, object] = {"kind": kind or "", "cluster": cluster}
        with self._exports.tables({"": crawl}, Export.PAGES) as db:
            return read_part(db, _DUPLICATES, DuplicateRow, values, limit=limit, after=after)

    def statistics(self, crawl: CrawlId) -> CrawlSummary:
        """Return the summary of the crawl, without deleted pages."""
        summary = self._exports.summary(crawl)
        if not self._exports.has_hidden(crawl):
            return summary
        path = self._exports.path(crawl, Export.ISSUES)
        with self._exports.tables({"": crawl}, Export.PAGES) as db:
            return without_deleted(db, summary, issues=_ISSUES.replace("$path", quoted(path)))

    def _add_texts(self, crawl: CrawlId, rows: Sequence[dict[str, Any]]) -> None:
        waves = {row["key"]: batch_named(crawl, row["batch"])[0].wave for row in rows}
        texts = self._texts(waves) if self._texts else {}
        for row in rows:
            stored = text_as_stored(row["text"], row.pop("markdown"))
            row["text"] = texts.get(row["key"], stored)


def _text_of(db: duckdb.DuckDBPyConnection) -> str:
    return f"{stored_text(db, 'pages')} AS markdown"


def _conditions(filter_: PageFilter) -> tuple[list[str], dict[str, object]]:
    conditions: list[str] = []
    values: dict[str, object] = {}
    for column, value in (
        ("state", filter_.state and filter_.state.value),
        ("status", filter_.status),
        ("depth", filter_.depth),
        ("lane", filter_.lane and filter_.lane.value),
        ("content_type", filter_.content_type or None),
    ):
        if value is not None:
            conditions.append(f"{column} = ${column}")
            values[column] = value
    if filter_.duplicate is not None:
        conditions.append(f"coalesce(duplicate_of, '') {'<>' if filter_.duplicate else '='} ''")
    if filter_.text:
        conditions.append("contains(lower(url), lower($text))")
        values["text"] = filter_.text
    return conditions, values


_HERE = """
    WITH RECURSIVE here AS (
        SELECT $row::BIGINT AS page
        UNION
        SELECT l.source_page FROM links l JOIN here h ON h.page = l.target_page WHERE l.kind = 'redirect'
    )
"""
"""The page, and the URLs that redirect to it."""


def _links(db: duckdb.DuckDBPyConnection, row: int, end: str, *, most: int) -> PageLinks:
    """Return the links of which the page in `row` is an `end`; links to URLs that redirect to it included."""
    with_, mine = ("", "l.source_page = $row") if end == "source" else (_HERE, "l.target_page IN (FROM here)")
    other = "target" if end == "source" else "source"
    pages = (
        f"count(DISTINCT l.{other}_page) FILTER (l.kind NOT IN ('redirect', 'canonical') AND l.{other}_page <> $row)"
    )
    ((total, others),) = db.execute(
        f"{with_} SELECT count(*), {pages} FROM links l WHERE {mine}", {"row": row}
    ).fetchall()
    found = db.execute(
        f"""
        {with_} SELECT l.{other} AS url, {_LINK} FROM links l LEFT JOIN pages p ON p.row = l.{other}_page
        WHERE {mine} ORDER BY l.source_page, l.position NULLS LAST LIMIT $most
        """,
        {"row": row, "most": most},
    )
    shown = tuple(msgspec.convert(link, PageLink) for link in rows_of(found))
    return PageLinks(total=total, pages=others, shown=shown)


def _detail(row: dict[str, Any], outward: PageLinks, inward: PageLinks) -> PageDetail:
    pairs = {name: [tuple(one.values()) for one in row.pop(name)] for name in ("headings", "hreflang", "open_graph")}
    page = {name: row.pop(name) for name in PageRow.__struct_fields__ if name != "text"}
    del row["row"], row["batch"]
    return msgspec.convert(
        {
            **row,
            **pairs,
            "page": page,
            "links": outward,
            "linked_from": inward,
        },
        PageDetail,
    )


def _open_csv(db: duckdb.DuckDBPyConnection, path: Path, name: str, added: Mapping[str, str]) -> None:
    """Create a view of a CSV file with its row numbers. `added`: columns that earlier versions lack, as SQL."""
    rows = db.read_csv(str(path), header=True, all_varchar=True, sep=",", quotechar='"', escapechar='"')
    lacking = "".join(f", {value} AS {column}" for column, value in added.items() if column not in rows.columns)
    rows.project(f"*, row_number() OVER () - 1 AS row{lacking}").create_view(name)
