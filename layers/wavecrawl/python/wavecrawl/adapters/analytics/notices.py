"""The notices of a summary: what a person should know of a crawl."""

import duckdb
import msgspec

from wavecrawl.domain.crawl.frontier import NOT_RENDERED
from wavecrawl.domain.crawl.ledger import Notice
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import CrawlStatus, UrlState
from wavecrawl.ports.analytics import AnalyticsInputs, CrawlFacts

RENDER_NOTICES = 10
"""Maximum number of notices about pages that could not be rendered."""

_REFUSED = (UrlState.NOT_FOUND, UrlState.FORBIDDEN, UrlState.HTTP_ERROR)
_CREDENTIALS = (
    "; if it needs credentials, set those of the site (PUT /v1/sites/{site}/credentials; `wavecrawl crawl --auth-file`)"
)
_DONE = "state IN ('fetched', 'unchanged')"


def notices_of(db: duckdb.DuckDBPyConnection, inputs: AnalyticsInputs) -> tuple[Notice, ...]:
    """Return the notices that the tables of a crawl give reason for, and those of its inputs."""
    return (
        *_empty_notices(db, inputs.crawl),
        *_eviction_notices(db, inputs.crawl),
        *_unrendered_notices(db),
        *_trap_notices(db),
        *_render_notices(db),
        *_check_notices(db),
        *inputs.notices,
        *_robots_notices(db),
    )


def _empty_notices(db: duckdb.DuckDBPyConnection, crawl: CrawlFacts) -> list[Notice]:
    """Return a notice if the crawl ended without a page: what became of its start URL."""
    ((pages,),) = db.execute(f"SELECT count(*) FROM urls WHERE {_DONE}").fetchall()
    if pages or not CrawlStatus(crawl.status).has_ended:
        return []
    root = db.execute(
        """
        SELECT u.state, u.detail, u.reason, p.status FROM urls u LEFT JOIN pages p USING (id)
        WHERE u.key = ? AND u.state <> 'pending'
        """,
        [crawl.root_key],
    ).fetchone()
    if root is None:
        return [
            Notice(subject=crawl.root_url, message="no page could be fetched; ledger.csv has the reason of each URL")
        ]
    state, detail, reason, status = root
    if state in _REFUSED and status is not None:
        why = f"responded with {status}" + (_CREDENTIALS if state == UrlState.FORBIDDEN else "")
    else:
        why = f"is {state.replace('_', ' ')}" + (f" ({detail or reason})" if detail or reason else "")
    return [Notice(subject=crawl.root_url, message=f"no page could be fetched: the start URL {why}")]


def _eviction_notices(db: duckdb.DuckDBPyConnection, crawl: CrawlFacts) -> list[Notice]:
    """Return a notice if the crawl ended before it had room for all URLs."""
    ((evicted,),) = db.execute("SELECT count(*) FROM urls WHERE reason = ?", [Reason.FRONTIER_CAP.value]).fetchall()
    if not evicted:
        return []
    limit = msgspec.convert(dict(crawl.settings), CrawlSettings).frontier_limit
    message = f"{evicted:,} URLs were never crawled, as more than {limit:,} URLs were waiting (reason frontier_cap)"
    return [Notice(subject="max_frontier", message=message)]


def _unrendered_notices(db: duckdb.DuckDBPyConnection) -> list[Notice]:
    """Return a notice if the crawl ended while fetched pages waited to be rendered."""
    query = "SELECT count(*), arg_min(reason, id) FROM urls WHERE state = 'skipped' AND detail = ?"
    ((waiting, reason),) = db.execute(query, [NOT_RENDERED]).fetchall()
    if not waiting:
        return []
    message = f"{waiting:,} pages were fetched, but the crawl ended before they were rendered (reason {reason})"
    return [Notice(subject="render", message=f"{message}; they are not among its pages")]


def _check_notices(db: duckdb.DuckDBPyConnection) -> list[Notice]:
    """Return a notice if more URLs are to be checked than the limit allows."""
    ((left,),) = db.execute("SELECT count(*) FROM checks WHERE reason = ?", [Reason.MAX_CHECKS.value]).fetchall()
    message = f"{left:,} URLs were not checked, as the limit was reached; raise the setting checks.max_urls"
    return [Notice(subject="checks.max_urls", message=message)] if left else []


def _trap_notices(db: duckdb.DuckDBPyConnection) -> list[Notice]:
    """Return a notice for each rule against traps that suppressed URLs."""
    rows = db.execute(
        """
        SELECT reason, count(*), arg_min(url, id) FROM urls
        WHERE starts_with(reason, 'trap_') GROUP BY 1 ORDER BY 2 DESC, 1
        """
    ).fetchall()
    return [Notice(subject=url, message=_trap_message(reason, count - 1)) for reason, count, url in rows]


def _trap_message(reason: str, more: int) -> str:
    others = f", and {more:,} more like it" if more else ""
    return f"suppressed as a trap ({reason}){others}; the evidence is in suppressed.csv"


def _render_notices(db: duckdb.DuckDBPyConnection) -> list[Notice]:
    """Return a notice for each of the most frequent reasons why pages could not be rendered."""
    rows = db.execute(
        f"""
        SELECT render_problem, count(*), arg_min(url, id) FROM pages
        WHERE {_DONE} AND render_problem <> '' GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT ?
        """,
        [RENDER_NOTICES],
    ).fetchall()
    return [Notice(subject=url, message=_render_message(problem, count - 1)) for problem, count, url in rows]


def _render_message(problem: str, more: int) -> str:
    others = f", and {more:,} more pages" if more else ""
    return f"could not be rendered{others}: {problem}"


def _robots_notices(db: duckdb.DuckDBPyConnection) -> list[Notice]:
    """Return a notice for each unreadable robots.txt, which can exclude a whole site."""
    rows = db.execute(
        r"""
        SELECT regexp_extract(url, '^[a-z]+://[^/]+'), max(detail)
        FROM urls WHERE reason = 'robots_unreachable' GROUP BY 1 ORDER BY 1
        """
    ).fetchall()
    return [
        Notice(subject=f"{origin}/robots.txt", message=f"could not be read, so all URLs of the host are denied: {why}")
        for origin, why in rows
    ]
