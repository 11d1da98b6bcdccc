"""The pictures of the report: the graph, and screenshots."""

from base64 import b64encode
from collections.abc import Callable

import duckdb

from wavecrawl.adapters.analytics.picture import MOST_LINKS, MOST_NODES, Dot, draw
from wavecrawl.adapters.analytics.report.markup import html_text, link, section

PICTURES = 24
"""Maximum number of screenshots."""

PICTURE_BYTES = 3_000_000
"""Maximum size of all screenshots together, as the file contains them."""

Screenshot = Callable[[str], bytes | None]

_LEGEND = (("page", "page"), ("redirect", "redirect"), ("error", "error or no response"), ("orphan", "orphan page"))


def graph(db: duckdb.DuckDBPyConnection) -> str:
    """Return the graph of the URLs nearest to the root."""
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
    legend = "".join(f'<span><i class="{kind}"></i>{name}</span>' for kind, name in _LEGEND)
    ((count,),) = db.execute("SELECT count(*) FROM views").fetchall()
    shown = f"Shows the {len(dots):,} of {count:,} URLs nearest to the root. " if count > len(dots) else ""
    note = (
        f'<p class="soft">{shown}Each ring is one link further from the root. No link leads to orphan pages. Larger '
        "dots have more links to them.</p>"
    )
    picture = draw(dots, links)
    return section("graph", "The graph", f'{note}{picture}<p class="legend">{legend}</p>' if picture else "")


def _kind_of(state: str, orphan: str) -> str:
    if orphan:
        return "orphan"
    if state == "redirected":
        return "redirect"
    return "page" if state in ("fetched", "unchanged") else "error"


def screenshots(db: duckdb.DuckDBPyConnection, screenshot: Screenshot) -> str:
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
            f"<figcaption>{html_text(title)}<br>{link(url)}</figcaption></figure>"
        )
    note = f"Shows {len(figures):,} of {count:,} screenshots. " if count > len(figures) else ""
    note += "Each picture is the top of a page. pages.csv has the file of each screenshot."
    text = f'<p class="soft">{note}</p><div class="shots">{"".join(figures)}</div>'
    return section("screenshots", "Screenshots", text)
