"""The export llms.txt."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import duckdb

from wavecrawl.adapters.analytics.database import streamed
from wavecrawl.domain.pages.llms_txt import OPTIONAL, LlmsPage, llms_txt
from wavecrawl.ports.analytics import CrawlFacts

MOST_PAGES: Final = 10_000
"""Pages that are listed: those of the main pages, documentation and blog first, then by depth and links to them."""

_ALL: Final = "Pages"  # the section of a site that has no other
_SECTIONS: Final = 12  # made of folders
_LEAST: Final = 3  # pages of a folder that is a section

_LISTED: Final = f"""
    WITH worth AS (
        SELECT v.url, v.title, p.description, lane, depth, in_links, rank,
               lower(regexp_extract(v.url, '^[a-z]+://[^/]+/([^/?]+)/', 1)) AS folder
        FROM views v JOIN pages p USING (id)
        WHERE indexable AND coalesce(duplicate_of, '') = '' AND v.key <> '{{root}}'
        ORDER BY lane, depth, in_links DESC, rank LIMIT {{most}}
    ), folders AS (
        SELECT folder, min(rank) AS first FROM worth WHERE lane = 'p3' AND folder <> ''
        GROUP BY 1 HAVING count(*) >= {_LEAST} ORDER BY count(*) DESC, first LIMIT {_SECTIONS}
    )
    SELECT CASE lane WHEN 'p0' THEN 'Main pages' WHEN 'p1' THEN 'Documentation' WHEN 'p2' THEN 'Blog'
           ELSE coalesce(folders.folder, '') END AS section, worth.url, worth.title, worth.description
    FROM worth LEFT JOIN folders ON worth.lane = 'p3' AND folders.folder = worth.folder
    ORDER BY lane, lane = 'p3' AND folders.folder IS NULL, folders.first, depth, in_links DESC, rank
"""


def write_llms_txt(db: duckdb.DuckDBPyConnection, folder: Path, *, crawl: CrawlFacts) -> None:
    """Write llms.txt: indexable pages, each text once, in sections by lane and folder."""
    name, summary = _root(db, crawl)
    ((count,),) = db.execute(
        "SELECT count(*) FROM views WHERE indexable AND coalesce(duplicate_of, '') = '' AND key <> ?", [crawl.root_key]
    ).fetchall()
    note = f"This list has {MOST_PAGES:,} of {count:,} pages." if count > MOST_PAGES else ""
    rows = streamed(db, _LISTED.format(root=crawl.root_key, most=MOST_PAGES))
    with (folder / "llms.txt").open("w", encoding="utf-8") as file:
        file.writelines(llms_txt(_pages(rows), name=name, summary=summary, note=note))


def _pages(rows: Iterator[tuple[Any, ...]]) -> Iterator[LlmsPage]:
    """Yield the pages. Those in no section are optional, unless no page is in one."""
    rest = _ALL
    for folder, url, title, description in rows:
        rest = OPTIONAL if folder else rest
        yield LlmsPage(section=_section(folder) or rest, url=url, title=title, description=description)


def _root(db: duckdb.DuckDBPyConnection, crawl: CrawlFacts) -> tuple[str, str]:
    """Return the name of the site and its description, as its root page has them."""
    rows = db.execute(
        """
        SELECT list_filter(p.open_graph, lambda one: one.property = 'og:site_name'), v.title, p.description
        FROM part_pages p JOIN views v USING (key) WHERE v.key = ? AND v.html
        """,
        [crawl.root_key],
    ).fetchall()
    host = urlsplit(crawl.root_url).hostname or crawl.root_url
    if not rows:
        return host, ""
    names, title, description = rows[0]
    return (names[0]["content"] if names else "") or title or host, description


def _section(folder: str) -> str:
    """Return the title of a section: the name of a folder in words; "" for pages in none."""
    words = folder.replace("-", " ").replace("_", " ").strip()
    return words[:1].upper() + words[1:]
