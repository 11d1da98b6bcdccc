"""The sections of what a crawl found: issues, orphan pages, duplicates, media, checked URLs, notices."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter

import duckdb

from wavecrawl.adapters.analytics.media import missing_media
from wavecrawl.adapters.analytics.report.markup import html_text, human_bytes, link, section, table
from wavecrawl.domain.checks.kinds import Verdict
from wavecrawl.domain.counts import counted
from wavecrawl.domain.graph.issue import IssueKind
from wavecrawl.domain.graph.issue_kinds import issue_settings_of, reported_kinds
from wavecrawl.domain.pages.duplicates import DuplicateKind
from wavecrawl.ports.analytics import CrawlSummary

EXAMPLES = 25
"""Maximum rows of each table; the exports have all of them."""


def issues(db: duckdb.DuckDBPyConnection, summary: CrawlSummary) -> str:
    """Return each kind of issue with its explanation and its URLs, errors first."""
    kinds = reported_kinds(issue_settings_of(summary.settings))
    found = [(kind, summary.issues[name]) for name, kind in kinds.items() if summary.issues.get(name)]
    if not found:
        return section("issues", "Issues", "<p>No issues were found.</p>")
    examples = _examples(db)
    return section("issues", "Issues", "".join(_issue(kind, count, examples[kind.name]) for kind, count in found))


def _examples(db: duckdb.DuckDBPyConnection) -> Mapping[str, Sequence[tuple[str, str, str]]]:
    """Return URL, related URL and detail of the first issues of each kind."""
    rows = db.execute(
        """
        SELECT kind, url, related, detail FROM issues
        QUALIFY row_number() OVER (PARTITION BY kind ORDER BY url, related, detail) <= ?
        ORDER BY kind, url, related, detail
        """,
        [EXAMPLES],
    ).fetchall()
    return {kind: [row[1:] for row in some] for kind, some in groupby(rows, itemgetter(0))}


def _issue(kind: IssueKind, count: int, examples: Sequence[tuple[str, str, str]]) -> str:
    cells = [(link(url), link(related), html_text(detail)) for url, related, detail in examples]
    heads = ("URL", kind.related or "Related URL", "Detail")
    shown = [place for place in range(len(heads)) if any(row[place] for row in cells)]
    listed = table(kind.title, [heads[place] for place in shown], ([row[place] for place in shown] for row in cells))
    more = f'<p class="soft">issues.csv has {count - EXAMPLES:,} more.</p>' if count > EXAMPLES else ""
    return (
        f'<details class="issue"><summary><span class="badge {kind.severity}">{kind.severity}</span>'
        f"<span>{html_text(kind.title)}</span><b>{count:,}</b></summary>"
        f"<p>{html_text(kind.meaning)} {html_text(kind.effect)}</p>"
        f"<p><strong>How to fix it:</strong> {html_text(kind.fix)}</p>{listed}{more}</details>"
    )


def orphans(db: duckdb.DuckDBPyConnection, summary: CrawlSummary) -> str:
    """Return the orphan pages with the evidence of the verdict, and what was not read; or why they are unknown."""
    evidence = f"<p>{html_text(summary.orphan_evidence)}.</p>"
    if summary.orphans is None:
        return section("orphans", "Orphan pages", evidence)
    found = sum(summary.orphans.values())
    if not found:
        none = "<p>Crawled pages link to every page that the sitemaps list.</p>"
        return section("orphans", "Orphan pages", none + _blockers(db, summary))
    rows = db.execute(
        """
        SELECT u.url, coalesce(v.title, ''), o.verdict
        FROM orphans o JOIN urls u USING (id) JOIN nodes n USING (id) LEFT JOIN views v USING (id)
        ORDER BY n.rank LIMIT ?
        """,
        [EXAMPLES],
    ).fetchall()
    verb = "is" if found == 1 else "are"
    text = f"<p>{counted(found, 'page')} {verb} listed in a sitemap, but no crawled page links there.</p>{evidence}"
    cells = ((link(url), html_text(title), verdict) for url, title, verdict in rows)
    text += table("Orphan pages", ("Page", "Title", "Verdict"), cells) + _more(found, "orphans.csv")
    return section("orphans", "Orphan pages", text + _blockers(db, summary))


def _blockers(db: duckdb.DuckDBPyConnection, summary: CrawlSummary) -> str:
    if not summary.blockers:
        return ""
    rows = db.execute(
        """
        SELECT b.url, b.why, b.kind FROM blockers b LEFT JOIN nodes n USING (id)
        ORDER BY n.rank NULLS FIRST, b.url LIMIT ?
        """,
        [EXAMPLES],
    ).fetchall()
    cells = ((link(url), html_text(why), html_text(kind)) for url, why, kind in rows)
    return (
        "<h3>What may contain missing links</h3><p>If all of it is barred (robots.txt, a login, nofollow, settings), "
        "the verdict is likely. If the crawl itself is incomplete, the verdict is inconclusive.</p>"
        + table("What was not read", ("URL", "What was not read, and why", "Kind"), cells)
        + _more(summary.blockers, "blockers.csv")
    )


def _more(count: int, file: str) -> str:
    return f'<p class="soft">{file} has {count - EXAMPLES:,} more.</p>' if count > EXAMPLES else ""


def duplicates(db: duckdb.DuckDBPyConnection, summary: CrawlSummary) -> str:
    """Return the pages that others repeat."""
    found = summary.duplicates
    if not found:
        return ""
    exact, near, review = (found.get(kind, 0) for kind in DuplicateKind)
    rows = db.execute(
        f"""
        SELECT k.url, count(*), min(d.similarity), arg_min(v.url, v.rank)
        FROM duplicates d JOIN views v USING (id) JOIN views k ON k.id = d.first
        WHERE d.kind <> '{DuplicateKind.REVIEW}' GROUP BY k.url, k.rank ORDER BY 2 DESC, k.rank LIMIT ?
        """,
        [EXAMPLES],
    ).fetchall()
    text = (
        f"<p>Pages with the same text as another page: {exact:,}. With nearly the same text: {near:,}. Similar pages "
        f"that are worth a review: {review:,}. duplicates.csv lists all of them.</p>"
    )
    shown = [(link(url), f"{count:,}", f"{least:.0%}", link(first)) for url, count, least, first in rows]
    heads = ("Page that is kept", "Duplicates", "Lowest similarity", "First duplicate")
    return section("duplicates", "Duplicates", text + (table("Duplicates", heads, shown) if shown else ""))


def media(db: duckdb.DuckDBPyConnection, summary: CrawlSummary) -> str:
    """Return the numbers of media by kind, and those that could not be fetched."""
    if not summary.media:
        return ""
    rows = (
        (f"{kind}s", f"{one.urls:,}", f"{one.duplicates:,}", f"{one.missing:,}", human_bytes(one.received),
         human_bytes(one.stored), human_bytes(one.size - one.stored))
        for kind, one in summary.media.items()
    )  # fmt: skip
    heads = ("Kind", "Media URLs", "Duplicates", "Not stored", "Received", "Stored", "Saved")
    text = table("Media by kind", heads, rows)
    broken = missing_media(db, EXAMPLES)
    if broken:
        shown = ((link(url), html_text(problem), link(page)) for url, problem, page in broken)
        text += "<h3>Media that could not be fetched</h3><p>media.csv lists all of them.</p>"
        text += table("Media that could not be fetched", ("URL", "Problem", "Used on"), shown)
    return section("media", "Media", text)


def checks(db: duckdb.DuckDBPyConnection, summary: CrawlSummary) -> str:
    """Return the numbers of checked URLs by kind, and those whose verdict is unknown, with the evidence."""
    if not summary.checks:
        return ""
    rows = (
        (f"{kind}s", f"{one.urls:,}", f"{one.broken:,}", f"{one.unknown:,}", f"{one.moved:,}", f"{one.unchecked:,}")
        for kind, one in summary.checks.items()
    )
    heads = ("Kind", "Checked", "Broken", "Unknown", "Moved permanently", "Not checked")
    text = table("Checked URLs by kind", heads, rows)
    unknown = sum(one.unknown for one in summary.checks.values())
    if unknown:
        found = db.execute(
            "SELECT url, evidence, page FROM checks WHERE verdict = ? ORDER BY pages DESC, url LIMIT ?",
            [Verdict.UNKNOWN.value, EXAMPLES],
        ).fetchall()
        text += "<h3>Unknown</h3><p>The responses prove nothing. Open these URLs in a browser.</p>"
        shown = ((link(url), html_text(evidence), link(page)) for url, evidence, page in found)
        text += table("Checked URLs that may work", ("URL", "Evidence", "Named by"), shown) + _more(
            unknown, "checks.csv"
        )
    return section("checks", "Checked URLs", text)


def notices(summary: CrawlSummary) -> str:
    """Return what a person should know of the crawl."""
    rows: Sequence[Sequence[str]] = [(link(one.subject), html_text(one.message)) for one in summary.notices[:EXAMPLES]]
    return section("notices", "Notices", table("Notices", ("Subject", "Message"), rows)) if rows else ""
