"""HTML of documents: what their readers write, and how it becomes Markdown."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

from msgspec import Struct
from selectolax.lexbor import LexborHTMLParser

from wavecrawl.adapters.media.reading import readable
from wavecrawl.domain.pages.extraction.growth import limit_growth
from wavecrawl.domain.pages.extraction.main_text import main_markdown
from wavecrawl.domain.pages.extraction.survey import survey
from wavecrawl.domain.pages.text_choice import TextChoice

MOST_HTML: Final = 4_000_000
"""Characters of HTML that are read at once: the tree of a page needs a hundred times as many bytes."""

_BASE: Final = "about:blank"  # references to parts of the document itself are no links
_DEEPEST: Final = 9  # levels of lists


def markdown_of(html: str) -> str:
    """Return HTML that a reader wrote, or a chapter of a book, as Markdown."""
    content = limit_growth(readable(html).encode())
    return main_markdown(survey(LexborHTMLParser(content)), _BASE, TextChoice.BODY)


class Cell(Struct, frozen=True, gc=False):
    """A cell of a table."""

    html: str
    columns: int = 1
    rows: int = 1


def table(rows: Iterable[Sequence[Cell]], *, heads: int) -> str:
    """Return a table whose first `heads` rows are its head."""
    return f"<table>{''.join(row_of(row, is_head=at < heads) for at, row in enumerate(rows))}</table>"


def row_of(cells: Sequence[Cell], *, is_head: bool) -> str:
    """Return a row of a table."""
    name = "th" if is_head else "td"
    row = "".join(f"<{name}{_span('colspan', cell.columns)}{_span('rowspan', cell.rows)}>{cell.html}</{name}>"
                  for cell in cells)  # fmt: skip
    return f"<tr>{row}</tr>"


def _span(name: str, cells: int) -> str:
    return f' {name}="{cells}"' if cells > 1 else ""


class ListItem(Struct, frozen=True, gc=False):
    """An item of a list."""

    html: str
    level: int  # from 0
    is_numbered: bool


def nested_list(items: Sequence[ListItem]) -> str:
    """Return items, each with its level, as lists inside each other."""
    out: list[str] = []
    open_lists: list[str] = []
    for item in items:
        level = min(max(item.level, 0), _DEEPEST)
        name = "ol" if item.is_numbered else "ul"
        # A list of another kind on the same level is another list.
        while len(open_lists) > level + 1 or (len(open_lists) == level + 1 and open_lists[-1] != name):
            out.append(f"</li></{open_lists.pop()}>")
        if len(open_lists) == level + 1:
            out.append("</li>")
        while len(open_lists) < level + 1:
            out.append(f"<{name}>" if len(open_lists) == level else f"<{name}><li>")
            open_lists.append(name)
        out.append(f"<li>{item.html}")
    out += [f"</li></{name}>" for name in reversed(open_lists)]
    return "".join(out)


def link(html: str, url: str) -> str:
    """Return a link to a web address; the text alone if it leads elsewhere."""
    return f'<a href="{escape(url)}">{html}</a>' if url.startswith(("http://", "https://")) and html.strip() else html
