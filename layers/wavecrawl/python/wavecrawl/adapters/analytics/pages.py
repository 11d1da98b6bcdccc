"""One flat row per page: the source of exports, issues and the report."""

from collections.abc import Iterator, Mapping

import duckdb

from wavecrawl.adapters.analytics.database import streamed
from wavecrawl.domain.crawl.site_changes import TextDates
from wavecrawl.domain.pages.titles import cut_title, learn_endings
from wavecrawl.ports.analytics import ReadPage

LINKED_DEPTH = "CASE WHEN v.orphan = '' AND v.phase = 'bfs' THEN v.depth END"
"""The depth of a row of `views` that links from the root lead to, else NULL: the depth of others is only their place in
the crawl."""


def build_views(db: duckdb.DuckDBPyConnection, *, texts: Mapping[str, TextDates]) -> None:
    """Create table `views`: facts, graph position and verdicts of each requested URL."""
    _build_titles(db)
    db.execute("CREATE TABLE text_dates (key VARCHAR, changed_on VARCHAR, changed BOOLEAN, before VARCHAR)")
    if texts:
        columns = [list(texts), *map(list, zip(*texts.values(), strict=True))]
        db.execute("INSERT INTO text_dates SELECT unnest(?), unnest(?), unnest(?), unnest(?)", columns)
    db.execute(
        """
        CREATE TABLE views AS
        SELECT *,
               CASE WHEN state NOT IN ('fetched', 'unchanged') THEN state
                    WHEN NOT html THEN 'not_html'
                    WHEN expired THEN 'unavailable_after'
                    WHEN noindex THEN 'noindex'
                    WHEN canonicalised THEN 'canonical_elsewhere'
                    ELSE '' END AS not_indexable,
               not_indexable = '' AS indexable
        FROM (
            SELECT r.id, n.rank, r.key, r.wave, r.url, r.state, r.status, r.revalidated, n.depth, u.lane, u.score,
                   coalesce(p.url, '') AS parent, n.phase, t.cut AS title,
                   if(r.title_is_substitute, '', r.title) AS full_title,
                   if(r.description_is_substitute, '', r.description) AS description,
                   r.canonical AS link_canonical, r.header_canonical,
                   coalesce(c.url, nullif(r.header_canonical, ''), r.canonical) AS canonical,
                   coalesce(c.elsewhere, FALSE) AS canonicalised, if(canonicalised, c.target, NULL) AS canonical_id,
                   -- the URL of an indexable page as its canonical link spells it, unless that spelling failed
                   CASE WHEN canonicalised OR c.address IS NULL OR x.state NOT IN ('fetched', 'unchanged') THEN r.url
                        ELSE c.address END AS address,
                   coalesce(g.version, r.id) AS version,
                   list_sort(list_distinct(list_concat(r.header_robots, r.robots))) AS directives,
                   array_to_string(directives, ', ') AS robots,
                   b.id IS NOT NULL AS noindex, coalesce(b.expired, FALSE) AS expired,
                   r.is_html AS html, r.content_type, r.word_count AS words,
                   m.in_links, m.out_links, m.pagerank,
                   l.id IS NOT NULL AS in_sitemap, coalesce(l.lastmod, '') AS sitemap_lastmod,
                   coalesce(k.changed_on, '') AS changed_on,
                   coalesce(o.verdict, '') AS orphan,
                   CASE WHEN e.kind <> 'review' THEN d.url ELSE '' END AS duplicate_of,
                   CASE WHEN e.kind = 'review' THEN d.url ELSE '' END AS near_duplicate_of, e.similarity,
                   r.redirect_to, r.final_url, r.bytes, r.truncated, r.truncated_reason, r.simhash, r.elapsed,
                   r.fetched_at
            FROM pages r
            JOIN urls u USING (id) JOIN nodes n USING (id) JOIN titles t USING (id) LEFT JOIN metrics m USING (id)
            LEFT JOIN urls p ON p.id = n.parent
            LEFT JOIN listed_pages l USING (id)
            LEFT JOIN canonicals c ON c.id = r.id LEFT JOIN urls x ON x.url = c.address
            LEFT JOIN noindexed b ON b.id = r.id LEFT JOIN versions g ON g.id = r.id
            LEFT JOIN text_dates k ON k.key = r.key
            LEFT JOIN orphans o USING (id)
            LEFT JOIN duplicates e ON e.id = r.id LEFT JOIN urls d ON d.id = e.first
        )
        ORDER BY rank
        """
    )
    db.execute("DROP TABLE titles")


def read_pages(db: duckdb.DuckDBPyConnection, *, with_unchanged: bool) -> Iterator[ReadPage]:
    """Yield the pages whose content was fetched, root first; with `with_unchanged`, also unchanged pages and files."""
    unchanged = "v.state = 'unchanged' AND p.body_at <> ''" if with_unchanged else "FALSE"
    for key, url, title, fetched_at, screenshot, place, is_page in streamed(
        db,
        f"""
        SELECT v.key, coalesce(nullif(v.final_url, ''), v.url), p.title, v.fetched_at, coalesce(p.screenshot, ''),
               if({unchanged}, p.body_at, ''),
               v.content_type IN ('text/html', 'application/xhtml+xml', '') AS is_page
        FROM views v JOIN pages p USING (id)
        WHERE {unchanged} OR (v.state = 'fetched' AND is_page)
        ORDER BY v.depth, v.key
        """,
    ):
        yield ReadPage(
            key=key,
            url=url,
            title=title,
            fetched_at=fetched_at,
            screenshot=screenshot,
            place=place,
            is_page=is_page,
        )


def _build_titles(db: duckdb.DuckDBPyConnection) -> None:
    """Create table `titles` (id, title, cut): `cut` is the title without the endings that many titles share."""
    titles = streamed(db, "SELECT title FROM pages WHERE is_html AND title <> '' AND state IN ('fetched', 'unchanged')")
    endings = learn_endings(title for (title,) in titles)
    db.execute("CREATE TABLE titles AS SELECT id, title AS cut FROM pages")
    for ending in endings:
        expected = cut_title(f"x{ending}", (ending,))
        if expected != "x":
            raise AssertionError(f"{ending!r} is not cut")
        db.execute(
            """
            UPDATE titles SET cut = rtrim(left(cut, length(cut) - length($e)))
            WHERE ends_with(cut, $e) AND rtrim(left(cut, length(cut) - length($e))) <> ''
            """,
            {"e": ending},
        )
