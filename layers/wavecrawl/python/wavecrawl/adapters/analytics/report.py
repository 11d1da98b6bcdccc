"""report.html: one self-contained file."""

from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from html import escape
from importlib.resources import files
from pathlib import Path

import duckdb

from wavecrawl.adapters.analytics.brand_section import brand_section
from wavecrawl.adapters.analytics.media import missing_media
from wavecrawl.adapters.analytics.picture import MOST_LINKS, MOST_NODES, Dot, draw
from wavecrawl.domain.graph.issue_kinds import ISSUE_KINDS
from wavecrawl.domain.pages.duplicates import DuplicateKind
from wavecrawl.ports.analytics import CrawlSummary

EXAMPLES = 25
"""Maximum rows of each table; the exports have all of them."""

PICTURES = 24
"""Maximum number of screenshots."""

PICTURE_BYTES = 3_000_000
"""Maximum size of all screenshots together, as the file contains them."""

Screenshot = Callable[[str], bytes | None]

_UNITS = ("bytes", "KB", "MB", "GB", "TB")
_THOUSAND = 1_000
_TONES = {
    "fetched": "good",
    "unchanged": "good",
    "redirected": "warn",
    "robots_denied": "warn",
    "forbidden": "warn",
    "not_found": "bad",
    "http_error": "bad",
    "failed": "bad",
}
_BROKEN = ("not_found", "http_error", "failed", "forbidden")


def write_report(
    db: duckdb.DuckDBPyConnection, summary: CrawlSummary, folder: Path, screenshot: Screenshot = lambda _: None
) -> None:
    """Write report.html. `screenshot` returns the screenshot with a name, None if it no longer exists."""
    style = files("wavecrawl.adapters.analytics").joinpath("report.css").read_text(encoding="utf-8")
    parts = (
        _head(summary),
        _tiles(summary),
        _objectives(summary),
        _section("Brand", brand_section(summary.brand)) if summary.brand else "",
        '<div class="pair">',
        _section("URLs by state", _bars(summary.states, tone=_TONES.get)),
        _section("Pages by depth", _bars({f"depth {depth}": count for depth, count in summary.depths.items()})),
        _section("Responses by status", _bars(summary.statuses, tone=_tone_of_status)),
        _section("Reasons for excluded URLs", _bars(_reasons(summary))),
        "</div>",
        _graph(db),
        _screenshots(db, screenshot),
        _orphans(db, summary),
        _duplicates(db, summary),
        _media(db, summary),
        _issues(db, summary),
        _notices(summary),
        _foot(summary),
    )
    page = (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Crawl of {escape(summary.root_url)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(part for part in parts if part)
        + "\n</main>\n</body>\n</html>\n"
    )
    (folder / "report.html").write_text(page, encoding="utf-8")


def human_bytes(size: float) -> str:
    """Return a size in a readable unit: 123 bytes, 12.3 MB."""
    unit = 0
    while size >= _THOUSAND and unit < len(_UNITS) - 1:
        size, unit = size / _THOUSAND, unit + 1
    return f"{size:,.0f} {_UNITS[0]}" if unit == 0 else f"{size:.1f} {_UNITS[unit]}"


def _head(summary: CrawlSummary) -> str:
    started = datetime.fromtimestamp(summary.timing["started_at"], tz=UTC).strftime("%Y-%m-%d %H:%M UTC")
    ended = f", stopped by {escape(summary.stopped)}" if summary.stopped else ""
    tone = "" if summary.status == "completed" else " bad"
    return (
        f'<h1>{_link(summary.root_url)}</h1>\n<p class="soft"><span class="badge{tone}">{escape(summary.status)}{ended}'
        f"</span> crawled {started} in {_duration(summary.timing['seconds'])}</p>"
    )


def _tiles(summary: CrawlSummary) -> str:
    tiles = [
        (f"{summary.pages:,}", "pages"),
        (f"{summary.urls:,}", "discovered URLs"),
        (f"{summary.edges:,}", "links between pages"),
        (f"{summary.max_depth}", "maximum depth"),
        (human_bytes(summary.bytes), "transferred"),
        (f"{sum(summary.orphans.values()):,}", "orphan pages"),
        (f"{sum(summary.issues.values()):,}", "issues"),
        (f"{summary.timing['median_page_seconds'] * _THOUSAND:,.0f} ms", "median response time"),
    ]
    if summary.bill is not None:
        tiles.append((f"${summary.bill.total_usd:,.4f}", "AWS cost"))
    boxes = "".join(f'<div class="tile"><b>{escape(value)}</b><span>{name}</span></div>' for value, name in tiles)
    return f'<div class="tiles">{boxes}</div>'


def _objectives(summary: CrawlSummary) -> str:
    verdicts = {True: "met", False: "missed", None: ""}
    rows = [
        (one.name.replace("_", " "), "unknown" if one.value is None else f"{one.value:g}",
         "" if one.target is None else f"{one.target:g}", verdicts[one.met])
        for one in summary.objectives
    ]  # fmt: skip
    return _section("Objectives", _table(("figure", "value", "target", ""), rows)) if rows else ""


def _section(title: str, content: str) -> str:
    return f"<section><h2>{title}</h2>{content}</section>" if content else ""


def _bars(counts: Mapping[str, int], *, tone: object = None) -> str:
    if not counts:
        return ""
    most = max(counts.values())
    rows = []
    for name, count in counts.items():
        shade = tone(name) if callable(tone) else ""
        width = 100 * count / most
        bar = f'<i class="{shade or ""}" style="width:{width:.1f}%"></i>'
        rows.append(f"<span>{escape(name.replace('_', ' '))}</span>{bar}<b>{count:,}</b>")
    return f'<div class="bars">{"".join(rows)}</div>'


def _tone_of_status(status: str) -> str:
    return {"2": "good", "3": "warn"}.get(status[0], "bad")


def _reasons(summary: CrawlSummary) -> dict[str, int]:
    in_other_charts = {"status", "not_html", "empty"}
    return {reason: count for reason, count in summary.reasons.items() if reason not in in_other_charts}


def _graph(db: duckdb.DuckDBPyConnection) -> str:
    rows = db.execute(
        """
        SELECT v.id, n.parent, v.depth, v.state, v.orphan, v.in_links, v.url, v.title
        FROM views v JOIN nodes n USING (id) ORDER BY v.depth, v.in_links DESC, v.rank LIMIT ?
        """,
        [MOST_NODES],
    ).fetchall()
    dots = [
        Dot(
            id=id_,
            parent=parent,
            depth=depth,
            kind=_kind_of(state, orphan),
            in_links=in_links,
            label=f"{title} {url}".strip(),
        )
        for id_, parent, depth, state, orphan, in_links, url, title in rows
    ]
    links = db.execute(
        """
        SELECT source, target FROM edges WHERE NOT canonical AND source IN (SELECT unnest($ids))
        AND target IN (SELECT unnest($ids)) ORDER BY source, target LIMIT $most
        """,
        {"ids": [dot.id for dot in dots], "most": 2 * MOST_LINKS},
    ).fetchall()
    legend = "".join(
        f'<span><i class="{kind}"></i>{name}</span>'
        for kind, name in (
            ("page", "page"),
            ("redirect", "redirect"),
            ("error", "error or no response"),
            ("orphan", "orphan"),
        )
    )
    ((count,),) = db.execute("SELECT count(*) FROM views").fetchall()
    shown = f"Shows the {len(dots):,} of {count:,} URLs nearest to the root. " if count > len(dots) else ""
    note = (
        f'<p class="soft">{shown}Each ring is one link further from the root. Larger dots have more links to them.</p>'
    )
    picture = draw(dots, links)
    return _section("The graph", f'{note}{picture}<p class="legend">{legend}</p>' if picture else "")


def _screenshots(db: duckdb.DuckDBPyConnection, screenshot: Screenshot) -> str:
    """Return the screenshots of the pages nearest to the root. They are in the file, so it can be sent alone."""
    ((count,),) = db.execute("SELECT count(*) FROM pages WHERE screenshot <> ''").fetchall()
    rows = db.execute(
        """
        SELECT v.url, v.title, p.screenshot FROM views v JOIN pages p USING (id)
        WHERE p.screenshot <> '' ORDER BY v.rank LIMIT ?
        """,
        [PICTURES],
    ).fetchall()
    if not count:
        return ""
    figures: list[str] = []
    left = PICTURE_BYTES
    for url, title, name in rows:
        jpeg = screenshot(name)
        if jpeg is None or len(jpeg) > left:
            continue
        left -= len(jpeg)
        data = b64encode(jpeg).decode()
        figures.append(
            f'<figure><img loading="lazy" decoding="async" alt="" src="data:image/jpeg;base64,{data}">'
            f"<figcaption>{escape(title)}<br>{_link(url)}</figcaption></figure>"
        )
    note = f"Shows {len(figures):,} of {count:,} screenshots. " if count > len(figures) else ""
    note += "Each picture is the top of a page. pages.csv has the file of each screenshot."
    return _section("Screenshots", f'<p class="soft">{note}</p><div class="shots">{"".join(figures)}</div>')


def _kind_of(state: str, orphan: str) -> str:
    if orphan:
        return "orphan"
    if state == "redirected":
        return "redirect"
    return "page" if state in ("fetched", "unchanged") else "error"


def _orphans(db: duckdb.DuckDBPyConnection, summary: CrawlSummary) -> str:
    found = sum(summary.orphans.values())
    if not found:
        return ""
    rows = db.execute(
        "SELECT v.url, v.title, o.verdict FROM orphans o JOIN views v USING (id) ORDER BY v.rank LIMIT ?", [EXAMPLES]
    ).fetchall()
    text = f"<p>{found:,} pages are listed in a sitemap, but no crawled page links to them.</p>"
    text += _table(("page", "title", "verdict"), ((_link(url), escape(title), verdict) for url, title, verdict in rows))
    if summary.blockers:
        blockers = db.execute(
            """
            SELECT u.url, b.why, u.reason FROM blockers b JOIN urls u USING (id) JOIN nodes n USING (id)
            ORDER BY n.rank LIMIT ?
            """,
            [EXAMPLES],
        ).fetchall()
        text += (
            f"<p><br>The verdict is inconclusive: {summary.blockers:,} URLs of the site could not be read and may "
            "contain the missing links.</p>"
        )
        text += _table(
            ("URL", "state", "reason"), ((_link(url), escape(why), escape(why_)) for url, why, why_ in blockers)
        )
    return _section("Orphans", text)


def _duplicates(db: duckdb.DuckDBPyConnection, summary: CrawlSummary) -> str:
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
        f"<p>{exact:,} pages have the text of another page, {near:,} nearly the same text. {review:,} more are similar "
        "to another page and worth a review. duplicates.csv lists all of them.</p>"
    )
    shown = ((_link(url), f"{count:,}", f"{least:.0%}", _link(first)) for url, count, least, first in rows)
    text += _table(("page that is kept", "duplicates", "lowest similarity", "first duplicate"), shown) if rows else ""
    return _section("Duplicates", text)


def _media(db: duckdb.DuckDBPyConnection, summary: CrawlSummary) -> str:
    if not summary.media:
        return ""
    rows = (
        (f"{kind}s", f"{one.urls:,}", f"{one.duplicates:,}", f"{one.missing:,}", human_bytes(one.received),
         human_bytes(one.stored), human_bytes(one.size - one.stored))
        for kind, one in summary.media.items()
    )  # fmt: skip
    text = _table(("kind", "media URLs", "duplicates", "not stored", "received", "stored", "saved"), rows)
    broken = missing_media(db, EXAMPLES)
    if broken:
        shown = ((_link(url), escape(problem), _link(page)) for url, problem, page in broken)
        text += "<p>Media that pages use and that could not be fetched; media.csv lists all of them.</p>"
        text += _table(("URL", "problem", "used by"), shown)
    return _section("Media", text)


def _issues(db: duckdb.DuckDBPyConnection, summary: CrawlSummary) -> str:
    parts: list[str] = []
    for kind in ISSUE_KINDS.values():
        count = summary.issues.get(kind.name, 0)
        if not count:
            continue
        rows = db.execute(
            "SELECT url, related, detail FROM issues WHERE kind = ? ORDER BY url, related, detail LIMIT ?",
            [kind.name, EXAMPLES],
        ).fetchall()
        more = f'<p class="soft">... and {count - EXAMPLES:,} more in issues.csv</p>' if count > EXAMPLES else ""
        shown = _table(
            ("URL", "related", "detail"),
            ((_link(url), _link(related), escape(detail)) for url, related, detail in rows),
        )
        parts.append(
            f'<details><summary><span class="badge {kind.severity}">{kind.severity}</span>{escape(kind.title)}'
            f"<b>{count:,}</b></summary>{shown}{more}</details>"
        )
    return _section("Issues", "".join(parts))


def _notices(summary: CrawlSummary) -> str:
    rows = [(_link(notice.subject), escape(notice.message)) for notice in summary.notices[:EXAMPLES]]
    return _section("Notices", _table(("subject", "message"), rows)) if rows else ""


def _foot(summary: CrawlSummary) -> str:
    made_by = f"wavecrawl {escape(summary.version)}, crawl {escape(summary.crawl)}"
    return f"<footer>{made_by}. The exports in the same folder contain all data.</footer>"


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    head = "".join(f"<th>{name}</th>" for name in heads)
    return f'<div class="scroll"><table><tr>{head}</tr>{"".join(_rows(rows))}</table></div>'


def _rows(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    for row in rows:
        yield "<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>"


def _link(url: str) -> str:
    """Return an http(s) URL as a link, any other text as text."""
    text = escape(url)
    return f'<a href="{text}" rel="noreferrer">{text}</a>' if url.startswith(("http://", "https://")) else text


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{seconds:.1f} s"
