"""Views over the tables of all crawls, in SQL that DuckDB and Athena (Trino) both accept."""
# ruff: noqa: S608 - SQL is put together from names and constants

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from wavecrawl.adapters.table_columns import COLUMNS, PARTITIONS, SCORE_COLUMNS
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.urls.spellings import SHARED
from wavecrawl.errors import InvalidInputError
from wavecrawl.ports.parts import Table

HIDDEN: Final = "hidden"
"""The table of deleted pages: `PARTITIONS` and `key`."""

_CRAWL = ", ".join(PARTITIONS)
_SCORE = ", ".join(SCORE_COLUMNS)
_MEDIA = ", ".join(COLUMNS[Table.MEDIA])
_PAGE_KEY = {Table.EDGES: "source_key", Table.MEDIA_USES: "page_key"}
"""The columns with the key of a page, if it is not `key`."""


def _listed(*values: str) -> str:
    return ", ".join(f"'{value}'" for value in values)


def _same_crawl(one: str, other: str) -> str:
    return " AND ".join(f"{one}.{name} = {other}.{name}" for name in PARTITIONS)


_READ = _listed(UrlState.FETCHED, UrlState.UNCHANGED)
_BROKEN = _listed(UrlState.NOT_FOUND, UrlState.HTTP_ERROR, UrlState.FAILED)
_LEADS_ON = _listed(Reason.STATUS, Reason.REDIRECT_OUT_OF_SCOPE)
_NO_PAGE = _listed(UrlState.NOT_FOUND, UrlState.REDIRECTED)
_REDIRECTS = f"""
    SELECT p.tenant, p.site, p.crawl, p.key, p.redirect_key
    FROM pages p LEFT JOIN pages t ON {_same_crawl("t", "p")} AND t.key = p.redirect_key
    WHERE p.redirect_key <> ''
      AND (p.redirect_skip = '' OR (p.redirect_skip = 'asset' AND t.state <> '{UrlState.SKIPPED}'))
"""
_REDIRECT_ENDS = f"""
    SELECT r1.tenant, r1.site, r1.crawl, r1.key,
           coalesce(r5.redirect_key, r4.redirect_key, r3.redirect_key, r2.redirect_key, r1.redirect_key)
           AS final_key
    FROM ({_REDIRECTS}) r1
    LEFT JOIN ({_REDIRECTS}) r2 ON {_same_crawl("r2", "r1")} AND r2.key = r1.redirect_key
    LEFT JOIN ({_REDIRECTS}) r3 ON {_same_crawl("r3", "r2")} AND r3.key = r2.redirect_key
    LEFT JOIN ({_REDIRECTS}) r4 ON {_same_crawl("r4", "r3")} AND r4.key = r3.redirect_key
    LEFT JOIN ({_REDIRECTS}) r5 ON {_same_crawl("r5", "r4")} AND r5.key = r4.redirect_key
"""
"""The URLs that redirect inside the site, and where up to five redirects in a row lead."""
_ELSEWHERE = _listed(Reason.OUT_OF_SCOPE, Reason.FEED, Reason.DATA)  # a link to an asset may lead to a page


def _same_page(old: str, new: str) -> str:
    """Return whether pages of two crawls are the same. In earlier versions, `/x` and `/x/` had one key (ADR 2)."""
    keys = f"substr({new}.key, 1, {SHARED}) = substr({old}.key, 1, {SHARED})"
    address = f"coalesce(nullif({old}.final_url, ''), {old}.url)"
    slash = f"{_slash(new + '.url')} = {_slash(address)}"
    return f"{keys} AND ({new}.url = {address} OR ({new}.key = {old}.key AND {slash}))"


def _slash(url: str) -> str:
    """Return whether a slash is the last character before the query of a URL, as SQL."""
    path = f"substr({url}, 1, CASE WHEN strpos({url}, '?') > 0 THEN strpos({url}, '?') - 1 ELSE length({url}) END)"
    return f"(substr({path}, length({path}), 1) = '/')"


VIEWS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "crawls": f"""
            SELECT {_CRAWL}, min(fetched_at) AS first_response_at, max(fetched_at) AS last_response_at,
                   sum(CASE WHEN state IN ({_READ}) THEN 1 ELSE 0 END) AS pages,
                   sum(CASE WHEN coalesce(revalidated, FALSE) THEN 0 ELSE bytes END) AS bytes,
                   lag(crawl) OVER (PARTITION BY tenant, site ORDER BY crawl) AS earlier_crawl,
                   lead(crawl) OVER (PARTITION BY tenant, site ORDER BY crawl) AS later_crawl
            FROM pages GROUP BY {_CRAWL}""",
        "current_urls": f"""
            SELECT {_CRAWL}, id, url, key, state, reason, detail, depth, parent, found_by, phase, found_in,
                   first_found_at AS found_at, tries, batch_wave, batch, {_SCORE}, wave
            FROM (
                SELECT u.*, row_number() OVER (PARTITION BY {_CRAWL}, id ORDER BY wave DESC) AS newest,
                       min(found_at) OVER (PARTITION BY {_CRAWL}, id) AS first_found_at
                FROM urls u
            ) changes WHERE newest = 1""",
        "links": f"""
            SELECT e.tenant, e.site, e.crawl, s.url AS source_url, e.url AS target_url, e.position, e.kind, e.region,
                   e.text, e.nofollow, e."skip", e.source_key, e.target_key, t.state AS target_state,
                   t.status AS target_status, e.found_in, e.rel
            FROM edges e
            JOIN pages s ON {_same_crawl("s", "e")} AND s.key = e.source_key
            LEFT JOIN pages t ON {_same_crawl("t", "e")} AND t.key = e.target_key""",
        "broken_links": f"""
            SELECT {_CRAWL}, source_url, target_url, text, region, kind, target_state, target_status, source_key,
                   target_key
            FROM links WHERE target_state IN ({_BROKEN})""",
        "page_links": f"""
            SELECT DISTINCT e.tenant, e.site, e.crawl, e.source_key, coalesce(r.final_key, e.target_key) AS target_key
            FROM edges e LEFT JOIN ({_REDIRECT_ENDS}) r ON {_same_crawl("r", "e")} AND r.key = e.target_key
            LEFT JOIN pages t ON {_same_crawl("t", "e")} AND t.key = e.target_key
            WHERE e.source_key <> coalesce(r.final_key, e.target_key) AND e.kind <> 'canonical'
              AND e."skip" NOT IN ({_ELSEWHERE}) AND (e."skip" <> 'asset' OR t.state <> '{UrlState.SKIPPED}')""",
        "link_counts": f"""
            SELECT p.tenant, p.site, p.crawl, p.url, p.key, p.state, coalesce(i.links, 0) AS in_links,
                   coalesce(o.links, 0) AS out_links
            FROM pages p
            LEFT JOIN (
                SELECT {_CRAWL}, target_key, count(*) AS links FROM page_links GROUP BY {_CRAWL}, target_key
            ) i ON {_same_crawl("i", "p")} AND i.target_key = p.key
            LEFT JOIN (
                SELECT {_CRAWL}, source_key, count(*) AS links FROM page_links GROUP BY {_CRAWL}, source_key
            ) o ON {_same_crawl("o", "p")} AND o.source_key = p.key""",
        "orphans": f"""
            SELECT p.tenant, p.site, p.crawl, p.url, p.key, p.title, u.depth
            FROM pages p
            JOIN current_urls u ON {_same_crawl("u", "p")} AND u.key = p.key
            LEFT JOIN (
                SELECT DISTINCT e.tenant, e.site, e.crawl, coalesce(r.final_key, e.target_key) AS key
                FROM edges e LEFT JOIN ({_REDIRECT_ENDS}) r ON {_same_crawl("r", "e")} AND r.key = e.target_key
                WHERE e.source_key <> coalesce(r.final_key, e.target_key) AND e."skip" NOT IN ({_ELSEWHERE})
            ) l ON {_same_crawl("l", "p")} AND l.key = p.key
            WHERE u.found_by = 'sitemap' AND p.state IN ({_READ}) AND l.key IS NULL""",
        "current_media": f"""
            SELECT {_CRAWL}, {_MEDIA}
            FROM (
                SELECT m.*, row_number() OVER (PARTITION BY {_CRAWL}, key ORDER BY wave DESC) AS newest FROM media m
            ) changes WHERE newest = 1""",
        "media_of_pages": f"""
            SELECT u.tenant, u.site, u.crawl, p.url AS page_url, u.url, u.kind, u.source, u.text, u.position, u."skip",
                   m.state, m.hash, m.media_type, m.stored_bytes, u.page_key, u.key
            FROM media_uses u
            JOIN pages p ON {_same_crawl("p", "u")} AND p.key = u.page_key AND p.state IN ({_READ})
            LEFT JOIN current_media m ON {_same_crawl("m", "u")} AND m.key = u.key""",
        "slowest_pages": f"""
            SELECT {_CRAWL}, url, key, status, response_time, elapsed, bytes,
                   row_number() OVER (PARTITION BY {_CRAWL} ORDER BY elapsed DESC, url) AS place
            FROM pages WHERE state = 'fetched'""",
        "changes": f"""
            SELECT n.tenant, n.site, n.crawl, c.earlier_crawl, n.url, n.key,
                   CASE WHEN o.state IN ({_READ}) THEN 'changed' ELSE 'new' END AS change,
                   n.title, o.title AS earlier_title
            FROM pages n
            JOIN crawls c ON {_same_crawl("c", "n")}
            LEFT JOIN pages o ON o.tenant = n.tenant AND o.site = n.site AND o.crawl = c.earlier_crawl
                             AND {_same_page("o", "n")}
            WHERE n.state IN ({_READ}) AND c.earlier_crawl IS NOT NULL AND (
                o.key IS NULL OR o.state IN ({_NO_PAGE})
                OR (o.state IN ({_READ}) AND (
                    o.text_hash <> n.text_hash
                    OR (o.text_hash = '' AND n.text_hash = '' AND o.body_hash <> n.body_hash)))
            )
            UNION ALL
            SELECT o.tenant, o.site, c.later_crawl, o.crawl, o.url, o.key,
                   CASE WHEN u.state = 'not_found' THEN 'gone'
                        WHEN u.state = 'robots_denied' AND u.reason = 'robots_rule' THEN 'gone'
                        WHEN p.state = 'redirected' AND p.reason IN ({_LEADS_ON}) AND p.status IN (301, 308) THEN 'gone'
                        ELSE 'not_seen' END,
                   p.title, o.title
            FROM pages o
            JOIN crawls c ON {_same_crawl("c", "o")}
            LEFT JOIN pages p ON p.tenant = o.tenant AND p.site = o.site AND p.crawl = c.later_crawl
                             AND {_same_page("o", "p")}
            LEFT JOIN current_urls u ON u.tenant = o.tenant AND u.site = o.site AND u.crawl = c.later_crawl
                                    AND u.key = coalesce(p.key, o.key)
            WHERE o.state IN ({_READ}) AND c.later_crawl IS NOT NULL
              AND (p.key IS NULL OR p.state NOT IN ({_READ}))""",
    }
)
"""The views that queries may name. One may use those that stand before it, and the tables."""

_START: Final = re.compile(
    r"(?:\s|--[^\n]*(?:\n|$)|/\*.*?\*/)*(?P<word>\w+|\()(?P<recursive>\s+RECURSIVE\b)?", re.IGNORECASE | re.DOTALL
)
"""The first word of a statement, after spaces and comments."""

_NAMES: Final = re.compile(r"\w+")


def visible_rows(table: Table, rows: str, hidden: str) -> str:
    """Return the query for the rows of a table without those of deleted pages; `rows` and `hidden` are relations."""
    columns = ", ".join(f't."{name}"' for name in (*PARTITIONS, *COLUMNS[table]))
    key = _PAGE_KEY.get(table, "key")
    same = f"{_same_crawl('h', 't')} AND h.key = t.{key}"
    return f"SELECT {columns} FROM {rows} t LEFT JOIN {hidden} h ON {same} WHERE h.key IS NULL"


def with_views(sql: str, *, tables: Mapping[Table, str]) -> str:
    """Return a query in which the tables and views that it names are common table expressions.

    `tables`: table -> the query that returns its rows. Raise InvalidInputError if the statement is not a query.
    """
    start = _START.match(sql)
    word = start["word"].upper() if start else ""
    if start is None or word not in ("SELECT", "WITH", "("):
        raise InvalidInputError(f"only queries can be run: the statement starts with {word or 'nothing'}, not SELECT")
    own, recursive = sql[start.start("word") :], False
    if word == "WITH":
        recursive = bool(start["recursive"])
        own = "," + sql[start.end() if recursive else start.end("word") :]
    parts = [f"{name} AS ({query})" for name, query in named_in(sql, tables=tables).items()]
    if not parts:
        return sql
    return f"WITH{' RECURSIVE' if recursive else ''} {', '.join(parts)} {own}"


def named_in(sql: str, *, tables: Mapping[Table, str]) -> dict[str, str]:
    """Return the tables and views that a query names, itself or in a view: name -> query. Each uses earlier ones only.

    `tables`: table -> the query that returns its rows. A name in a comment or a text counts too.
    """
    found: list[tuple[str, str]] = []
    named = set(_NAMES.findall(sql.lower()))
    for name, query in reversed([*tables.items(), *VIEWS.items()]):
        if name in named:
            named |= set(_NAMES.findall(query.lower()))
            found.append((name, query))
    return dict(reversed(found))
