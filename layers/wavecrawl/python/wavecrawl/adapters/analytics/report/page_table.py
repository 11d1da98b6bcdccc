"""The table of pages in the report. A script adds the search and the order; without it, it is a plain table."""

import duckdb

from wavecrawl.adapters.analytics.pages import LINKED_DEPTH
from wavecrawl.adapters.analytics.report.markup import html_text, human_bytes, link, scrolling, section

MOST_PAGES = 1_000
"""Maximum rows of the table, which then has about 0.5 MB."""

_HEADS = (("Page", ""), ("Status", ""), ("Depth", "number"), ("Words", "number"), ("Size", "number"),
          ("Links in", "number"), ("Links out", "number"), ("Issues", "number"))  # fmt: skip


def page_table(db: duckdb.DuckDBPyConnection) -> str:
    """Return the requested URLs nearest to the root."""
    rows = db.execute(
        f"""
        SELECT v.url, v.title, v.state, v.status, {LINKED_DEPTH}, v.words, v.bytes, v.in_links, v.out_links,
               coalesce(i.issues, 0)
        FROM views v LEFT JOIN (SELECT url, count(*) AS issues FROM issues GROUP BY url) i USING (url)
        ORDER BY v.rank LIMIT ?
        """,
        [MOST_PAGES],
    ).fetchall()
    ((count,),) = db.execute("SELECT count(*) FROM views").fetchall()
    if not rows:
        return ""
    head = "".join(f'<th scope="col" class="{kind}">{name}</th>' for name, kind in _HEADS)
    body = "".join(_row(*row) for row in rows)
    left_out = count - len(rows)
    note = f"The {len(rows):,} URLs nearest to the root; pages.csv has {left_out:,} more." if left_out > 0 else ""
    note = note or "All requested URLs. pages.csv has more columns."
    content = scrolling("Pages", f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody>")
    return section("pages", "Pages", f'<p class="soft">{note}</p><div id="page-table">{content}</div>')


def _row(url: str, title: str, state: str, status: int | None, *numbers: int | None) -> str:
    depth, words, size, *others = numbers
    name = f"<b>{html_text(title)}</b><br>" if title else ""
    shown = state.replace("_", " ") + (f" {status}" if status else "")
    cells = (_number(depth), _number(words), _number(size, human_bytes(size or 0)), *map(_number, others))
    return f"<tr><td>{name}{link(url)}</td><td>{shown}</td>{''.join(cells)}</tr>"


def _number(value: int | None, shown: str = "") -> str:
    """Return a cell whose value the script sorts by; an unknown value is an empty cell."""
    if value is None:
        return '<td class="number"></td>'
    return f'<td class="number" data-value="{value}">{shown or f"{value:,}"}</td>'
