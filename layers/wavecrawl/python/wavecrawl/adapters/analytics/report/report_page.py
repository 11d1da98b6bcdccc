"""The page of report.html, from its head to its footer."""

from base64 import b64encode
from collections.abc import Collection
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

import duckdb

from wavecrawl.adapters.analytics.report import findings
from wavecrawl.adapters.analytics.report.brand import brand_section
from wavecrawl.adapters.analytics.report.limits import limits_banner
from wavecrawl.adapters.analytics.report.markup import bars, duration, html_text, human_bytes, link, section, table
from wavecrawl.adapters.analytics.report.page_table import page_table
from wavecrawl.adapters.analytics.report.pictures import Screenshot, graph, screenshots
from wavecrawl.domain.counts import counted
from wavecrawl.ports.analytics import CrawlSummary
from wavecrawl.ports.exports import description_of

_THOUSAND = 1_000
_TONES = {
    "fetched": "good",
    "unchanged": "good",
    "redirected": "warn",
    "robots_denied": "warn",
    "forbidden": "warn",
    "blocked": "warn",
    "not_found": "bad",
    "http_error": "bad",
    "failed": "bad",
}
_FILES = (
    "pages.csv",
    "ledger.csv",
    "issues.csv",
    "orphans.csv",
    "duplicates.csv",
    "suppressed.csv",
    "media.csv",
    "checks.csv",
    "brand.json",
    "sitemap.xml",
    "llms.txt",
    "graph.json",
    "crawl.wacz",
)
"""The files that the report links to, in this order."""


def write_report(
    db: duckdb.DuckDBPyConnection,
    summary: CrawlSummary,
    folder: Path,
    screenshot: Screenshot = lambda _: None,
    *,
    changes: str = "",
    beside: Collection[str] = (),
) -> None:
    """Write report.html.

    `screenshot`: returns the screenshot with a name, None if it no longer exists. `changes`: the section of the
    changes since the site's earlier crawls. `beside`: the names of the other files of the results.
    """
    parts = (
        _head(summary),
        limits_banner(summary),
        _tiles(summary),
        findings.issues(db, summary),
        changes,
        findings.orphans(db, summary),
        findings.duplicates(db, summary),
        page_table(db),
        _charts(summary),
        graph(db),
        screenshots(db, screenshot),
        findings.media(db, summary),
        findings.checks(db, summary),
        section("brand", "Brand", brand_section(summary.brand)) if summary.brand else "",
        _objectives(summary),
        findings.notices(summary),
        _files(beside),
        _foot(summary),
    )
    content = "\n".join(part for part in parts if part)
    (folder / "report.html").write_text(_document(summary.root_url, content), encoding="utf-8")


def _document(root_url: str, content: str) -> str:
    """Return the page. Its policy allows its own style and script by their hashes, and pictures in the file."""
    folder = files("wavecrawl.adapters.analytics.report")
    tokens, rules, script = (
        folder.joinpath(name).read_text(encoding="utf-8") for name in ("tokens.css", "report.css", "report.js")
    )
    style = tokens + rules
    policy = (
        f"default-src 'none'; img-src data:; style-src {_hash(style)}; script-src {_hash(script)}; base-uri 'none'; "
        "form-action 'none'"
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Crawl of {html_text(root_url)}</title>\n<style>{style}</style>\n</head>\n<body>\n<main>\n{content}\n"
        f"</main>\n<script>{script}</script>\n</body>\n</html>\n"
    )


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _head(summary: CrawlSummary) -> str:
    started = f"{summary.timing.started_at:%Y-%m-%d %H:%M UTC}"
    ended = f", stopped by {html_text(summary.stopped)}" if summary.stopped else ""
    tone = "good" if summary.status == "completed" and not ended else "warn"
    return (
        f'<h1>{link(summary.root_url)}</h1>\n<p class="soft"><span class="badge {tone}">'
        f"{html_text(summary.status.replace('_', ' '))}{ended}</span> crawled {started} in "
        f"{duration(summary.timing.seconds)}</p>"
    )


def _number_and_noun(count: int, one: str, many: str = "") -> tuple[str, str]:
    number, _, noun = counted(count, one, many).partition(" ")
    return number, noun


def _orphans(summary: CrawlSummary) -> tuple[str, str]:
    counts = summary.orphans
    return ("?", "orphan pages") if counts is None else _number_and_noun(sum(counts.values()), "orphan page")


def _tiles(summary: CrawlSummary) -> str:
    tiles = [
        (*_number_and_noun(summary.pages, "page"), "pages"),
        (*_number_and_noun(sum(summary.issues.values()), "issue"), "issues"),
        (*_orphans(summary), "orphans"),
        (*_number_and_noun(summary.urls, "known URL"), ""),
        (*_number_and_noun(summary.edges, "link between pages", "links between pages"), ""),
        (f"{summary.max_depth}", "maximum depth", ""),
        (human_bytes(summary.bytes), "transferred", ""),
        (f"{summary.timing.median_page_seconds * _THOUSAND:,.0f} ms", "median response time", ""),
    ]
    if summary.bill is not None:
        tiles.append((f"${summary.bill.total_usd:,.4f}", "AWS cost", ""))
    boxes = "".join(f'<div class="tile"><b>{html_text(value)}</b>{_label(*rest)}</div>' for value, *rest in tiles)
    return f'<div class="tiles">{boxes}</div>'


def _label(name: str, target: str) -> str:
    return f'<a href="#{target}">{name}</a>' if target else f"<span>{name}</span>"


def _charts(summary: CrawlSummary) -> str:
    by_depth = {f"depth {depth}": count for depth, count in summary.depths.items()}
    if unlinked := summary.pages - sum(summary.depths.values()):
        by_depth["no link leads there"] = unlinked
    in_other_charts = {"status", "not_html", "empty"}
    reasons = {reason: count for reason, count in summary.reasons.items() if reason not in in_other_charts}
    charts = (
        section("states", "URLs by state", bars(summary.states, lambda state: _TONES.get(state, ""))),
        section("depths", "Pages by depth", bars(by_depth)),
        section("statuses", "Responses by status", bars(summary.statuses, _tone_of_status)),
        section("reasons", "Reasons for excluded URLs", bars(reasons)),
    )
    return f'<div class="pair">{"".join(charts)}</div>'


def _tone_of_status(status: str) -> str:
    return {"2": "good", "3": "warn"}.get(status[0], "bad")


def _objectives(summary: CrawlSummary) -> str:
    verdicts = {True: "met", False: "missed", None: ""}
    rows = [
        (one.name.replace("_", " "), "unknown" if one.value is None else f"{one.value:g}",
         "" if one.target is None else f"{one.target:g}", verdicts[one.met])
        for one in summary.objectives
    ]  # fmt: skip
    heads = ("Figure", "Value", "Target", "Verdict")
    return section("objectives", "Objectives", table("Objectives", heads, rows)) if rows else ""


def _files(beside: Collection[str]) -> str:
    """Return links to the files in the folder of the report."""
    found = "".join(
        f'<dt><a href="{name}">{name}</a></dt><dd>{html_text(description_of(name))}</dd>'
        for name in _FILES
        if name in beside
    )
    note = '<p class="soft">These files are in the same folder as this report.</p>'
    return section("files", "Files", f'{note}<dl class="files">{found}</dl>' if found else "")


def _foot(summary: CrawlSummary) -> str:
    return f"<footer>wavecrawl {html_text(summary.version)}, crawl {html_text(summary.crawl)}</footer>"
