"""Checked URLs that only one of two crawls found broken."""

from typing import Final

import duckdb
import msgspec

from wavecrawl.adapters.analytics.check_verdicts import NOT_TRIED
from wavecrawl.adapters.analytics.checks import BROKEN_PAGES
from wavecrawl.domain.checks.kinds import Verdict
from wavecrawl.ports.analytics import CrawlSummary

_SETTINGS: Final = ("external", "resources")

LINK_REMOVED: Final = "link removed"
"""The later state of a link that its page no longer has, while its target is still broken or no longer tried."""

NEWLY_BROKEN: Final = """
    SELECT url, '' AS key, page AS related, if(was_unknown, before, 'not broken') AS before, now
    FROM both_checks WHERE broken AND NOT was_broken
"""
"""The query of URLs that only the later crawl found broken, each with the first page that names it."""

REPAIRED: Final = f"""
    SELECT url, '' AS key, page AS related, before, if(is_checked, now, '{LINK_REMOVED}') AS now FROM both_checks
    WHERE was_broken AND NOT broken
      AND (is_checked OR page IN (SELECT url FROM pages WHERE state NOT IN {NOT_TRIED}))
"""
"""The same of the earlier crawl. That no page names a URL any more is known only if its page was requested again."""


class ComparedChecks(msgspec.Struct, frozen=True, kw_only=True):
    """Which checks two crawls share, by settings: `checks.external`, `checks.resources`."""

    shared: tuple[str, ...]
    unshared: tuple[str, ...]  # of one of the crawls only: not compared

    @classmethod
    def of(cls, before: CrawlSummary, now: CrawlSummary) -> "ComparedChecks":
        """Return what the earlier and the later crawl checked."""
        one, other = _checks(before), _checks(now)
        return cls(
            shared=tuple(f"checks.{name}" for name in _SETTINGS if name in one & other),
            unshared=tuple(f"checks.{name}" for name in _SETTINGS if name in one ^ other),
        )


def pair_checks(db: duckdb.DuckDBPyConnection, checks: ComparedChecks) -> None:
    """Create table `both_checks`: the checked URLs of both crawls, by URL.

    Needs views `checks` and `old_checks` if the crawls share checks, and table `left_out`. A URL that one of the crawls
    was not allowed to request, or left out because of a limit, is not compared. One whose verdict in the later crawl is
    `unknown` is not repaired; one whose verdict in the earlier crawl was `unknown` can be newly broken. A file of one
    crawl that is a page of the other one is compared with that page. A URL that only one of them knows is compared, as
    links appear and are removed; but not if pages are left out, because these may link to it.
    """
    if not checks.shared:
        db.execute(
            "CREATE TEMP TABLE both_checks "
            "(url VARCHAR, page VARCHAR, broken BOOLEAN, was_broken BOOLEAN, was_unknown BOOLEAN, is_checked BOOLEAN, "
            "before VARCHAR, now VARCHAR)"
        )
        return
    rows = f"""
        SELECT url, page, broken, verdict = '{Verdict.UNKNOWN}' AS unknown, state, status FROM {{0}}checks
        WHERE if(kind = 'link', 'checks.external', 'checks.resources') IN (SELECT unnest($shared::VARCHAR[]))
        UNION ALL
        SELECT url, '', state IN {BROKEN_PAGES}, state IN ('forbidden', 'blocked'), state, status FROM {{0}}pages
        WHERE url IN (SELECT url FROM {{1}}checks WHERE kind = 'file') AND url NOT IN (SELECT url FROM {{0}}checks)
          AND list_contains($shared::VARCHAR[], 'checks.resources')
    """
    db.execute(
        f"""
        CREATE TEMP TABLE both_checks AS
        SELECT coalesce(n.url, o.url) AS url, coalesce(nullif(n.page, ''), o.page, '') AS page,
               coalesce(n.broken, FALSE) AS broken, coalesce(o.broken, FALSE) AS was_broken,
               coalesce(o.unknown, FALSE) AS was_unknown, n.url IS NOT NULL AS is_checked,
               coalesce(concat_ws(' ', o.state, o.status), '') AS before,
               concat_ws(' ', n.state, n.status) AS now
        FROM ({rows.format("", "old_")}) n FULL JOIN ({rows.format("old_", "")}) o ON o.url = n.url
        WHERE (n.url IS NULL OR n.broken OR NOT (n.unknown OR n.state IN {NOT_TRIED}))
          AND (o.url IS NULL OR o.broken OR o.state NOT IN {NOT_TRIED})
          AND (n.url = o.url OR NOT EXISTS (FROM left_out))
        """,
        {"shared": list(checks.shared)},
    )


def _checks(summary: CrawlSummary) -> frozenset[str]:
    """Return the names of the settings of checks that are on; none in a crawl of a version without them."""
    settings = summary.settings.get("checks")
    return frozenset(name for name in _SETTINGS if isinstance(settings, dict) and settings.get(name))
