"""The table of blockers: what a crawl could not see, by the rules of `domain.graph.completeness`."""

from collections.abc import Iterable

import duckdb

from wavecrawl.adapters.analytics.database import add_rows, quoted
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.settings import Discovery
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.fetching.outcome import HTML_TYPES
from wavecrawl.domain.graph.blocker_kind import BlockerKind
from wavecrawl.domain.graph.completeness import (
    Blocker,
    Completeness,
    Ending,
    SiteBlocker,
    Way,
    blocker_of,
    unread_root,
)
from wavecrawl.domain.urls.url import origin_of
from wavecrawl.ports.analytics import CrawlFacts

_ENDINGS = """
    CREATE OR REPLACE TEMP TABLE endings AS
    SELECT u.id, u.url, u.reason, {{
        'state': u.state,
        'reason': u.reason,
        'status': r.status,
        'own_host': starts_with(u.url, $origin),
        'cut': coalesce(r.is_html AND (r.truncated OR r.links >= $max_links), FALSE),
        'is_shell': coalesce(r.shell <> '', FALSE),
        'rendered': coalesce(r.rendered, FALSE),
        'render_problem': coalesce(r.render_problem <> '', FALSE),
        'scripts_not_run': coalesce(r.scripts_not_run, FALSE),
        'empty': u.state = '{fetched}' AND u.reason = '{empty}' AND coalesce(
            r.status NOT IN (204, 205) AND r.content_type IN ('', {html}), FALSE
        ),
        'needs_action': coalesce(r.needed_action <> '', FALSE)
    }} AS ending
    FROM {urls} u LEFT JOIN {pages} r ON r.key = u.key
"""


def build_blockers(
    db: duckdb.DuckDBPyConnection,
    crawl: CrawlFacts,
    site: Iterable[SiteBlocker],
    *,
    urls: str = "urls",
    pages: str = "pages",
) -> Completeness:
    """Create table `blockers` (id, url, reason, why, kind, way, is_way); return their sum.

    `site`: the blockers that are no URLs of the ledger; their `id` is NULL. `urls` and `pages`: the tables with the
    latest row of each URL, and its record. A page is cut if bytes or links are missing. An empty response that a later
    crawl confirms (`unchanged`) blocks nothing.
    """
    values = {"origin": f"{origin_of(crawl.root_url)}/", "max_links": crawl.settings["max_links"]}
    html = ", ".join(map(quoted, sorted(HTML_TYPES)))
    db.execute(_ENDINGS.format(urls=urls, pages=pages, fetched=UrlState.FETCHED, empty=Reason.EMPTY, html=html), values)
    db.execute(
        """
        CREATE OR REPLACE TEMP TABLE sorts AS
        SELECT row_number() OVER () AS sort, ending FROM endings GROUP BY ending
        """
    )
    columns = "why VARCHAR, kind VARCHAR, way VARCHAR, is_way BOOLEAN"
    db.execute(f"CREATE OR REPLACE TABLE blockers (id BIGINT, url VARCHAR, reason VARCHAR, {columns})")
    db.execute(f"CREATE OR REPLACE TEMP TABLE blocking (sort BIGINT, {columns})")
    blocking: list[tuple[object, ...]] = []
    for sort, ending in db.execute("SELECT sort, ending FROM sorts").fetchall():
        values = ending | {"state": UrlState(ending["state"]), "reason": Reason(ending["reason"])}
        blocker = blocker_of(Ending(**values))
        if blocker is not None:
            blocking.append((sort, *_values(blocker)))
    add_rows(db, "blocking", blocking)
    if db.execute(f"SELECT 1 FROM {urls} WHERE key = $1", [crawl.root_key]).fetchone() is None:
        root = unread_root(Discovery(str(crawl.settings["discovery"])))
        site = (*site, SiteBlocker(subject=crawl.root_url, blocker=root))
    add_rows(db, "blockers", [(None, one.subject, "", *_values(one.blocker)) for one in site])
    db.execute(
        """
        INSERT INTO blockers
        SELECT e.id, e.url, e.reason, b.why, b.kind, b.way, b.is_way
        FROM endings e JOIN sorts s ON s.ending = e.ending JOIN blocking b USING (sort) ORDER BY e.id
        """
    )
    for table in ("endings", "sorts", "blocking"):
        db.execute(f"DROP TABLE {table}")
    sums = db.execute("SELECT why, kind, way, is_way, count(*) FROM blockers GROUP BY ALL").fetchall()
    return Completeness.of(
        (Blocker(why=why, kind=BlockerKind(kind), way=Way(way), is_way=is_way), count)
        for why, kind, way, is_way, count in sums
    )


def _values(blocker: Blocker) -> tuple[str, str, str, bool]:
    return blocker.why, blocker.kind.value, blocker.way.value, blocker.is_way
