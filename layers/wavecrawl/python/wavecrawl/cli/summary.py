"""The summary of a crawl on a terminal."""

from pathlib import Path

from wavecrawl.cli.console import one_line, out
from wavecrawl.domain.counts import counted
from wavecrawl.domain.crawl.objectives import Objective
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.ports.analytics import CheckCounts, CrawlSummary, MediaCounts

_SHOWN = 6


def print_summary(summary: CrawlSummary, folder: Path) -> None:
    """Print the main numbers of a crawl and the path of its results."""
    from rich.table import Table  # noqa: PLC0415 - rich is slow to load

    timing = summary.timing
    stopped = f", stopped by {summary.stopped}" if summary.stopped else ""
    urls = counted(summary.urls, "discovered URL")
    out.print(
        f"[bold]{counted(summary.pages, 'page')}[/] of {urls}, {counted(summary.edges, 'link')}, "
        f"depth {summary.max_depth}; {summary.status}{stopped} in {timing.seconds:.1f} s "
        f"({timing.pages_per_second:.1f} pages/s)"
    )
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_row("states", _list(summary.states))
    table.add_row("statuses", _list(summary.statuses))
    reasons = {name: count for name, count in summary.reasons.items() if name != Reason.STATUS}
    if reasons:
        table.add_row("reasons", _first(reasons))
    if summary.rendered:
        table.add_row("rendered", f"{summary.rendered:,} in a browser")
    if summary.media:
        table.add_row("media", _media(summary.media))
    if summary.checks:
        table.add_row("checks", ", ".join(_check(kind, counts) for kind, counts in summary.checks.items()))
    table.add_row("orphans", one_line(_orphans(summary)))
    if summary.issues:
        table.add_row("issues", _first(summary.issues))
    if any(one.target is not None for one in summary.objectives):
        table.add_row("objectives", ", ".join(_verdict(one) for one in summary.objectives if one.target is not None))
    if summary.bill is not None:
        bill = summary.bill
        table.add_row("bill", f"${bill.total_usd:.4f}, ${bill.per_million_pages_usd:.2f} per million pages")
    for notice in summary.notices[:_SHOWN]:
        table.add_row("notice", one_line(f"{notice.subject}: {notice.message}"))
    out.print(table)
    others = "CSV, Parquet, JSON Lines and sitemap in the same folder; wavecrawl export all creates the other files"
    out.print(f"results: {folder}/report.html ({others})")


def _orphans(summary: CrawlSummary) -> str:
    """Return the numbers of orphans with their evidence, or why they cannot be found."""
    if summary.orphans is None:
        return summary.orphan_evidence
    more = " (blockers.csv)" if summary.blockers else ""
    return f"{_list(summary.orphans) or 'none'}. {summary.orphan_evidence}{more}"


def _verdict(one: Objective) -> str:
    met = {True: "met", False: "[red]missed[/]", None: "not measured"}[one.met]
    value = "unknown" if one.value is None else f"{one.value:g}"
    return f"{one.name.replace('_', ' ')} {met} ({value}, target {one.target:g})"


def _media(media: dict[str, MediaCounts]) -> str:
    """Return the counts of media: 47 images (12 duplicates), 3 documents; 12.1 MB received, ..."""
    parts: list[str] = []
    for kind, counts in media.items():
        if counts.urls:
            duplicates = f" ({counted(counts.duplicates, 'duplicate')})" if counts.duplicates else ""
            parts.append(counted(counts.urls, kind) + duplicates)
    received, size, stored = (
        sum(getattr(one, name) for one in media.values()) for name in ("received", "size", "stored")
    )
    sizes = f"{_size(received)} received, {_size(stored)} stored, {_size(size - stored)} saved"
    return f"{', '.join(parts) or 'none'}; {sizes}"


def _check(kind: str, counts: CheckCounts) -> str:
    """Return the counts of checked URLs: 120 links (3 broken, 5 unknown)."""
    found = _list({name: count for name in ("broken", "unknown") if (count := getattr(counts, name))})
    return counted(counts.urls, kind) + (f" ({found})" if found else "")


def _size(count: int) -> str:
    return f"{count / 1e6:,.1f} MB" if count >= 100_000 else f"{count / 1e3:,.1f} KB"  # noqa: PLR2004 - 0.1 MB


def _first(counts: dict[str, int]) -> str:
    return _list(dict(list(counts.items())[:_SHOWN])) + (", ..." if len(counts) > _SHOWN else "")


def _list(counts: dict[str, int]) -> str:
    return ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in counts.items())
