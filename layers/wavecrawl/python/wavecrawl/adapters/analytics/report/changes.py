"""The section of changes since the crawl before."""

from collections.abc import Iterable, Sequence

from wavecrawl.adapters.analytics.listed_changes import MOST, ListedChanges
from wavecrawl.adapters.analytics.report.markup import html_text, link, section, table
from wavecrawl.domain.counts import counted
from wavecrawl.domain.crawl.site_changes import SiteChanges
from wavecrawl.domain.graph.diff_kind import DIFF_TITLES, DiffKind
from wavecrawl.ports.results import DiffRow

_LONGEST = 300
"""Maximum characters of a value."""

_HOW_TO_COMPARE = '<p class="soft"><code>wavecrawl diff</code> lists the pages.</p>'
_RELATED = {
    DiffKind.MOVED: ("Page", "Moved to"),
    DiffKind.BROKEN_LINK: ("Link to", "On page"),
    DiffKind.MENDED_LINK: ("Link to", "On page"),
}
"""Kinds of differences with two URLs -> what these are."""

_TONES = {DiffKind.GONE: "warning", DiffKind.BROKEN_LINK: "error", DiffKind.MENDED_LINK: "good"}
_BADGES = {
    DiffKind.BROKEN_LINK: "broken",
    DiffKind.MENDED_LINK: "repaired",
    DiffKind.GONE: "removed",
    DiffKind.NOT_SEEN: "not seen",
}


def changes_section(found: SiteChanges | None, listed: ListedChanges | None, *, limits: Sequence[str] = ()) -> str:
    """Return the numbers of changes since the site's earlier crawls, and lists; "" in its first crawl.

    `listed`: the differences from the crawl before; None if its results are missing. `limits`: at which this crawl
    stopped.
    """
    if found is None:
        return ""
    text = "No page is new or gone, and no main text has changed."
    if found:
        text = (
            f"{counted(found.new, 'new page')}, {counted(found.changed, 'page')} with a changed main text, "
            f"{counted(found.gone, 'page')} gone."
        )
    lists = _HOW_TO_COMPARE if listed is None else _lists(listed)
    notes = ""
    if found.limits:
        notes += (
            f"<p>The crawl before stopped at a limit ({', '.join(found.limits)}). "
            "So pages that count as new may have been there already.</p>"
        )
    if limits:
        notes += (
            f"<p>This crawl stopped at a limit ({', '.join(limits)}). "
            "So there may be further new, changed and gone pages.</p>"
        )
    return section("changes", "Changes since the last crawl", f"<p>{text}</p>{notes}{lists}")


def _lists(listed: ListedChanges) -> str:
    shown = "".join(_kind(kind, listed) for kind, part in listed.kinds.items() if part.rows)
    what = (
        "These are the differences from crawl {}. Pages that are shown to be gone count as removed."
        if shown
        else "Compared with crawl {}, no page, redirect or link has changed."
    )
    left_out = (
        f" What a crawl did not read, as it stopped at a limit ({', '.join(sorted(listed.limits))}), is left out."
        if listed.limits
        else ""
    )
    if listed.skipped:
        urls = counted(listed.skipped, "known URL")
        left_out += f" Of {urls}, nothing is compared, as a crawl skipped them because of its mode."
    if listed.different_settings:
        names = html_text(", ".join(listed.different_settings))
        left_out += f" The crawls have different settings ({names}): URLs that one of them left out are not compared."
    note = "<code>wavecrawl diff --to FOLDER</code> writes all differences, also of depths and PageRank."
    return f'<p>{what.format(html_text(listed.earlier))}{left_out}</p>{shown}<p class="soft">{note}</p>'


def _kind(kind: DiffKind, listed: ListedChanges) -> str:
    part = listed.kinds[kind]
    title = DIFF_TITLES[kind].capitalize()
    if kind is DiffKind.CHANGED:
        heads: Sequence[str] = ("Page", "Value", "Before", "Now")
        rows = (
            (link(row.url), one.name, _value(one.before), _value(one.now)) for row in part.rows for one in row.values
        )
        shown = table(title, heads, rows)
    else:
        shown = _differences(title, part.rows, _RELATED.get(kind, ("Page",)))
    more = (part.total or 0) - MOST
    rest = f'<p class="soft">There are {more:,} more.</p>' if more > 0 else ""
    return (
        f'<details class="issue"><summary><span class="badge {_TONES.get(kind, "")}">{_BADGES.get(kind, kind)}</span>'
        f"<span>{title}</span><b>{part.total:,}</b></summary>{shown}{rest}</details>"
    )


def _differences(title: str, rows: Iterable[DiffRow], urls: Sequence[str]) -> str:
    cells = (
        [link(one) for one in (row.url, row.related)[: len(urls)]] + [_state(row.before), _state(row.now)]
        for row in rows
    )
    return table(title, (*urls, "Before", "Now"), cells)


def _state(text: str) -> str:
    return html_text(text.replace("_", " "))


def _value(text: str) -> str:
    """Return a value as HTML, cut if it is long; an em dash if there is none."""
    return html_text(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…") or "—"
