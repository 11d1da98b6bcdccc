"""The notices of a summary: what a person should know of a crawl."""

import duckdb
import msgspec

from wavecrawl.adapters.analytics.archive_notices import archive_notices
from wavecrawl.adapters.analytics.database import quoted
from wavecrawl.adapters.analytics.setting_notices import setting_notices
from wavecrawl.domain.counts import counted
from wavecrawl.domain.crawl.frontier import NOT_RENDERED
from wavecrawl.domain.crawl.ledger import Notice
from wavecrawl.domain.crawl.record import UNREACHABLE, Reason
from wavecrawl.domain.crawl.settings import CrawlSettings, Discovery
from wavecrawl.domain.crawl.states import CrawlStatus, UrlState
from wavecrawl.domain.fetching.outcome import HTML_TYPES
from wavecrawl.domain.graph.completeness import Completeness
from wavecrawl.ports.analytics import AnalyticsInputs

RENDER_NOTICES = 10
"""Maximum number of notices about pages that could not be rendered."""

NO_PAGE = "no page could be fetched"
"""The start of the notice of a crawl without a page."""

_ALLOW = (
    "the site's owner can allow the crawler there, by its User-Agent (--user-agent-suffix) and its addresses; what the "
    "protection shows is not content of the site"
)
_REFUSED = (UrlState.NOT_FOUND, UrlState.FORBIDDEN, UrlState.HTTP_ERROR)
_CHECK = "check the address"
_CREDENTIALS = (
    "if it needs credentials, set those of the site (--header, --cookie, --basic-auth or --auth-file; in the API, "
    "PUT /v1/sites/{site}/credentials)"
)
_COOKIES = (
    "the site may need cookies that are set there: include that host (--scope subdomains, if it is one), or send the "
    "cookies (--cookie NAME=VALUE)"
)
_REJECTED = "the site did not accept the credentials that were sent"
_DONE = "state IN ('fetched', 'unchanged')"


def notices_of(db: duckdb.DuckDBPyConnection, inputs: AnalyticsInputs) -> tuple[Notice, ...]:
    """Return the notices that the tables of a crawl give reason for, and those of its inputs."""
    settings = msgspec.convert(dict(inputs.crawl.settings), CrawlSettings)
    has_ended = CrawlStatus(inputs.crawl.status).has_ended
    return (
        *_start_notices(db, inputs, settings.discovery),
        *(setting_notices(db, settings) if has_ended else ()),
        *_blocked_notices(db),
        *_eviction_notices(db, settings),
        *_unrendered_notices(db),
        *_trap_notices(db),
        *_render_notices(db),
        *_script_notices(db),
        *_action_notices(db),
        *_check_notices(db),
        *_redirect_notices(db),
        *archive_notices(db, settings),
        *_file_name_notices(db),
        *inputs.notices,
        *_robots_notices(db),
        *_unreached_hosts(db),
    )


def _start_notices(db: duckdb.DuckDBPyConnection, inputs: AnalyticsInputs, discovery: Discovery) -> list[Notice]:
    """Return a notice if the start URL responded with an error, or if the crawl ended without a page."""
    crawl = inputs.crawl
    ((pages,),) = db.execute(f"SELECT count(*) FROM urls WHERE {_DONE}").fetchall()
    is_empty = not pages and CrawlStatus(crawl.status).has_ended
    root = db.execute(
        """
        SELECT u.state, u.detail, u.reason, p.status, p.redirect_to FROM urls u LEFT JOIN pages p USING (id)
        WHERE u.key = ? AND u.state <> 'pending'
        """,
        [crawl.root_key],
    ).fetchone()
    if root is None:
        without = discovery is Discovery.SITEMAP_ONLY and not inputs.sitemaps
        unknown = _without_sitemap(inputs) if without else "; ledger.csv has the reason of each URL"
        return [Notice(subject=crawl.root_url, message=NO_PAGE + unknown)] if is_empty else []
    state, detail, reason, status, redirect_to = root
    if state in _REFUSED and status is not None:
        advice = _CHECK
        if state == UrlState.FORBIDDEN:
            advice = _REJECTED if crawl.authenticated else _CREDENTIALS
        why = f"responded with {status}; {advice}"
    elif is_empty and reason == Reason.REDIRECT_OUT_OF_SCOPE:
        why = f"redirects to {redirect_to}, which is out of scope; {_COOKIES}"
    elif is_empty:
        why = f"is {state.replace('_', ' ')}" + (f" ({detail or reason})" if detail or reason else "")
    else:
        return []
    none = f"{NO_PAGE}: " if is_empty else ""
    return [Notice(subject=crawl.root_url, message=f"{none}the start URL {why}")]


def _blocked_notices(db: duckdb.DuckDBPyConnection) -> list[Notice]:
    """Return a notice for each bot protection that responded instead of the site."""
    rows = db.execute(
        """
        SELECT split_part(detail, ', HTTP', 1) AS wall, count(*) FROM urls WHERE state = 'blocked'
        GROUP BY 1 ORDER BY 2 DESC, 1
        """
    ).fetchall()
    return [
        Notice(
            subject="bot protection",
            message=f"{counted(urls, 'URL is', 'URLs are')} blocked by a bot protection ({wall}); {_ALLOW}",
        )
        for wall, urls in rows
    ]


def _without_sitemap(inputs: AnalyticsInputs) -> str:
    unread = Completeness.of((one.blocker, 1) for one in inputs.blockers)
    why = "the site has none" if unread.is_whole else f"none could be read ({unread})"
    advice = "name one in robots.txt, or follow links with another discovery (--discovery links_first)"
    return f": discovery sitemap_only reads pages of sitemaps only, and {why}; {advice}"


def _eviction_notices(db: duckdb.DuckDBPyConnection, settings: CrawlSettings) -> list[Notice]:
    """Return a notice if the crawl ended before it had room for all URLs."""
    ((evicted,),) = db.execute("SELECT count(*) FROM urls WHERE reason = ?", [Reason.FRONTIER_CAP.value]).fetchall()
    if not evicted:
        return []
    urls, limit = counted(evicted, "URL was", "URLs were"), counted(settings.frontier_limit, "URL was", "URLs were")
    message = f"{urls} never crawled, as more than {limit} waiting (reason frontier_cap)"
    return [Notice(subject="max_frontier", message=message)]


def _unrendered_notices(db: duckdb.DuckDBPyConnection) -> list[Notice]:
    """Return a notice if the crawl ended while fetched pages waited to be rendered."""
    query = "SELECT count(*), arg_min(reason, id) FROM urls WHERE state = 'skipped' AND detail = ?"
    ((waiting, reason),) = db.execute(query, [NOT_RENDERED]).fetchall()
    if not waiting:
        return []
    early, late = "was fetched, but the crawl ended before it was", "were fetched, but the crawl ended before they were"
    message = f"{counted(waiting, f'page {early}', f'pages {late}')} rendered (reason {reason}); not among its pages"
    return [Notice(subject="render", message=message)]


def _check_notices(db: duckdb.DuckDBPyConnection) -> list[Notice]:
    """Return a notice for each limit that more URLs are to be checked than it allows."""
    limits = {Reason.MAX_CHECKS: "checks.max_urls", Reason.MAX_REQUESTS: "max_requests"}
    query = "SELECT reason, count(*) FROM checks WHERE state = 'skipped' GROUP BY 1"
    left = {Reason(reason): count for reason, count in db.execute(query).fetchall() if reason}
    return [
        Notice(
            subject=setting,
            message=f"{counted(left[reason], 'URL was', 'URLs were')} not checked, as the limit was reached; raise the "
            f"setting {setting}",
        )
        for reason, setting in limits.items()
        if reason in left
    ]


def _redirect_notices(db: duckdb.DuckDBPyConnection) -> list[Notice]:
    """Return a notice if checked URLs redirect more often than the limit allows: whether they work is not known."""
    query = "SELECT count(*), arg_min(url, id) FROM checks WHERE state = 'redirected' AND reason = ?"
    ((count, first),) = db.execute(query, [Reason.REDIRECT_LIMIT.value]).fetchall()
    if not count:
        return []
    more = f", and {count - 1:,} more like it" if count > 1 else ""
    message = (
        f"has more redirects in a row than the limit{more} (reason {Reason.REDIRECT_LIMIT}); not counted as broken"
    )
    return [Notice(subject=first, message=message)]


def _file_name_notices(db: duckdb.DuckDBPyConnection) -> list[Notice]:
    """Return a notice if pages are named like files of their folders, and were only requested as files."""
    types = ", ".join(map(quoted, sorted(HTML_TYPES)))
    ((count, first),) = db.execute(
        f"""
        SELECT count(*), arg_min(url, id) FROM check_results
        WHERE kind = 'file' AND status BETWEEN 200 AND 299 AND final_url = '' AND content_type IN ({types})
          AND url NOT IN (SELECT url FROM urls WHERE {_DONE})
        """
    ).fetchall()
    if not count:
        return []
    more = f", and {count - 1:,} more like it" if count > 1 else ""
    message = (
        f"named like a file, but its response is a page{more}; not read, as no other URL of its folder that was tried "
        "is a page. To have it read, list it in a sitemap"
    )
    return [Notice(subject=first, message=message)]


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
    """Return a notice for each of the most frequent reasons why pages could not be rendered.

    Problems that differ in the URL of a request alone are one.
    """
    rows = db.execute(
        rf"""
        SELECT rendered, arg_min(render_problem, id), count(*), arg_min(url, id) FROM pages
        WHERE {_DONE} AND render_problem <> ''
        GROUP BY rendered, regexp_replace(render_problem, 'https?://\S+', '', 'g') ORDER BY 3 DESC, 2 LIMIT ?
        """,
        [RENDER_NOTICES],
    ).fetchall()
    return [
        Notice(subject=url, message=_render_message(problem, count - 1, in_part=rendered))
        for rendered, problem, count, url in rows
    ]


def _render_message(problem: str, more: int, *, in_part: bool) -> str:
    others = f", and {counted(more, 'more page')}" if more else ""
    return f"could not be rendered{' completely' if in_part else ''}{others}: {problem}"


def _script_notices(db: duckdb.DuckDBPyConnection) -> list[Notice]:
    """Return a notice if scripts that may add links to complete pages were not run."""
    query = f"SELECT count(*) FROM pages WHERE {_DONE} AND scripts_not_run AND render_problem = ''"
    ((count,),) = db.execute(query).fetchall()
    if not count:
        return []
    pages = counted(count, "page has scripts that may add links", "pages have scripts that may add links")
    missing = "pages that only such links lead to are missing, and no page is reported as an orphan for certain"
    how = "install Chromium and Playwright, do not set render.mode to never or render.samples to 0, and "
    how += "raise render.max_crawl_bytes if it was reached"
    return [Notice(subject="render", message=f"{pages}, and no browser ran them: {missing}; to run them, {how}")]


def _action_notices(db: duckdb.DuckDBPyConnection) -> list[Notice]:
    """Return a notice for each way in which pages show more links that the crawl did not use."""
    rows = db.execute(
        rf"""
        SELECT arg_min(needed_action, id), count(*), arg_min(url, id) FROM pages
        WHERE {_DONE} AND needed_action <> ''
        GROUP BY regexp_replace(needed_action, ' \(.*', '') ORDER BY 2 DESC, 1
        """
    ).fetchall()
    return [Notice(subject=url, message=_action_message(action, count - 1)) for action, count, url in rows]


def _action_message(action: str, more: int) -> str:
    others = f" (and {counted(more, 'more page')})" if more else ""
    return f"{action}{others}; the crawl does not do this, so pages may be missing; list them in a sitemap"


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


def _unreached_hosts(db: duckdb.DuckDBPyConnection) -> list[Notice]:
    """Return a notice for each host whose URLs failed without a request, as it cannot be reached."""
    rows = db.execute(
        r"""
        SELECT regexp_extract(url, '^[a-z]+://[^/]+'), arg_min(reason, id), arg_min(detail, id), count(*)
        FROM urls ANTI JOIN pages USING (id) WHERE state = 'failed' AND list_contains($1, reason) GROUP BY 1 ORDER BY 1
        """,
        [[*UNREACHABLE]],
    ).fetchall()
    return [
        Notice(subject=origin, message=f"{UNREACHABLE[Reason(reason)]}, so {_not_requested(urls)}: {why}")
        for origin, reason, why, urls in rows
    ]


def _not_requested(urls: int) -> str:
    return f"{counted(urls, 'URL was', 'URLs were')} not requested"
