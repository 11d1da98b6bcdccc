"""What pages and sitemaps declare: canonical pages, language versions, and whether search engines may index a page.

Declared URLs are compared by the identity of the crawl, like links (ADR 2), and not as strings.
"""

from collections.abc import Iterator

import duckdb

from wavecrawl.adapters.analytics.database import streamed
from wavecrawl.domain.pages.robots_directives import UNAVAILABLE_AFTER, unavailable_since
from wavecrawl.domain.urls.cut_urls import key_of_cut
from wavecrawl.domain.urls.spellings import other_spelling
from wavecrawl.domain.urls.url import Identity
from wavecrawl.errors import InvalidUrlError

_READ = "state IN ('fetched', 'unchanged')"
_ROWS = 100_000  # per statement


def build_declared(db: duckdb.DuckDBPyConnection, identity: Identity) -> None:
    """Create the tables `declared`, `noindexed`, `canonicals`, `alternates` and `versions`.

    `declared` (url, address, key, twin): declared URLs that are not the page's own as a string. `address` is the URL
    that a crawl would request, `key` its url key, NULL if it is no web address. `twin` is the key of the other
    spelling, with or without the slash at the end.

    `noindexed` (id, expired): pages that are marked noindex or, if `expired`, whose `unavailable_after` is over.

    `canonicals` (id, url, address, target, elsewhere): the canonical page of each page that names one. The Link header
    decides before the page. `elsewhere`: it is another page. The other spelling of the page is the page itself, unless
    it was requested and has another text. `target` is NULL if the canonical page is no known URL.

    `alternates` (id, language, url, target): a row for each language version that a page names.

    `versions` (id, version): pages that name each other as language versions, in pages or sitemaps, and have no other
    canonical page. `version` is the same for all versions of a page.
    """
    _build_urls(db, identity)
    _build_noindexed(db)
    _build_canonicals(db)
    _build_alternates(db)
    _build_versions(db)


def _build_urls(db: duckdb.DuckDBPyConnection, identity: Identity) -> None:
    db.execute("CREATE TABLE declared (url VARCHAR, address VARCHAR, key VARCHAR, twin VARCHAR)")
    db.execute(
        f"""
        CREATE TEMP TABLE declaring AS
        SELECT q.id, q.url, p.header_canonical, p.canonical, p.other_canonicals, p.hreflang
        FROM pages q JOIN part_pages p USING (key, wave) WHERE q.is_html AND q.{_READ}
        """
    )
    found = streamed(
        db,
        """
        SELECT DISTINCT declared FROM (
            SELECT url, header_canonical AS declared FROM declaring
            UNION ALL SELECT url, canonical FROM declaring
            UNION ALL SELECT url, unnest(other_canonicals) FROM declaring
            UNION ALL SELECT url, unnest(hreflang).url FROM declaring
        ) WHERE declared NOT IN ('', url) ORDER BY 1
        """,
    )
    rows: list[tuple[str, str | None, str | None, str | None]] = []
    for (url,) in found:
        rows.append(_declared(url, identity))
        if len(rows) == _ROWS:
            _insert(db, rows)
    _insert(db, rows)


def _declared(url: str, identity: Identity) -> tuple[str, str | None, str | None, str | None]:
    if cut := key_of_cut(url):
        return url, url, cut, ""
    try:
        page = identity.page_url(url)
    except InvalidUrlError:
        return url, None, None, None
    return url, page.url, page.key, other_spelling(page.key)


def _insert(db: duckdb.DuckDBPyConnection, rows: list[tuple[str, str | None, str | None, str | None]]) -> None:
    if rows:
        columns = [list(column) for column in zip(*rows, strict=True)]
        db.execute(
            f"INSERT INTO declared SELECT {', '.join(['unnest(?)::VARCHAR'] * len(columns))}",
            columns,
        )
        rows.clear()


def _build_noindexed(db: duckdb.DuckDBPyConnection) -> None:
    found = db.execute(
        """
        SELECT DISTINCT directive FROM (SELECT unnest(list_concat(header_robots, robots)) AS directive FROM pages)
        WHERE starts_with(directive, ?)
        """,
        [UNAVAILABLE_AFTER],
    ).fetchall()
    since = [(directive, unavailable_since(directive)) for (directive,) in sorted(found)]
    db.execute(
        "CREATE TABLE expiries AS SELECT unnest(?)::VARCHAR AS directive, unnest(?)::DOUBLE AS since",
        [[directive for directive, _ in since], [at for _, at in since]],
    )
    db.execute(
        """
        CREATE TABLE noindexed AS
        SELECT id, NOT marked AS expired FROM (
            SELECT id, list_concat(header_robots, robots) AS directives,
                   list_has_any(directives, ['noindex', 'none']) AS marked,
                   list_has_any(directives, (SELECT coalesce(list(directive), []) FROM expiries)) AND EXISTS (
                       SELECT 1 FROM expiries e
                       WHERE list_contains(directives, e.directive) AND e.since <= p.fetched_at) AS over
            FROM pages p
        ) WHERE marked OR over
        """
    )


def _build_canonicals(db: duckdb.DuckDBPyConnection) -> None:
    def named(column: str, table: str) -> str:
        return f"LEFT JOIN declared {table} ON {table}.url = p.{column} AND {table}.key IS NOT NULL"

    db.execute(
        f"""
        CREATE TABLE canonicals AS
        WITH chosen AS (
            SELECT p.id, p.key AS own, p.text_hash,
                   CASE WHEN p.header_canonical = p.url OR h.url IS NOT NULL THEN p.header_canonical
                        WHEN p.canonical = p.url OR l.url IS NOT NULL THEN p.canonical END AS url
            FROM pages p {named("header_canonical", "h")} {named("canonical", "l")}
            WHERE p.is_html AND p.{_READ}
        ), placed AS (
            SELECT c.*, coalesce(d.address, c.url) AS address, coalesce(d.key, c.own) AS key,
                   coalesce(d.twin, '') AS twin
            FROM chosen c LEFT JOIN declared d USING (url) WHERE c.url IS NOT NULL
        )
        SELECT p.id, p.url, p.address, {_is_other("p", "t")} AS elsewhere, if(elsewhere, u.id, p.id) AS target
        FROM placed p LEFT JOIN meant u USING (key) LEFT JOIN pages t ON t.id = u.id
        """
    )


def _is_other(declared: str, page: str) -> str:
    """Return whether a declared URL is another page than the one that declares it, as SQL."""
    has_other_text = f"coalesce({page}.{_READ} AND {page}.text_hash <> {declared}.text_hash, FALSE)"
    is_twin = f"{declared}.twin = {declared}.own AND NOT {has_other_text}"
    return f"{declared}.key <> {declared}.own AND NOT ({is_twin})"


def _build_alternates(db: duckdb.DuckDBPyConnection) -> None:
    db.execute(
        f"""
        CREATE TABLE alternates AS
        WITH placed AS (
            SELECT a.id, q.key AS own, q.text_hash, a.language, a.url, coalesce(d.key, q.key) AS key,
                   coalesce(d.twin, '') AS twin
            FROM (SELECT id, one.language, one.url FROM (SELECT id, unnest(hreflang) AS one FROM declaring)) a
            JOIN pages q USING (id) LEFT JOIN declared d ON d.url = a.url WHERE d.key IS NOT NULL OR a.url = q.url
        )
        SELECT p.id, p.language, p.url, if({_is_other("p", "t")}, coalesce(u.id, s.id), p.id) AS target
        FROM placed p LEFT JOIN meant u USING (key) LEFT JOIN pages t ON t.id = u.id LEFT JOIN meant s ON s.key = p.twin
        """
    )
    db.execute("DROP TABLE declaring")


def _build_versions(db: duckdb.DuckDBPyConnection) -> None:
    pairs = streamed(
        db,
        """
        WITH named AS (
            SELECT id, target FROM alternates WHERE target <> id
            UNION
            SELECT u.id, t.id
            FROM (SELECT key, unnest(alternates) AS alternate FROM entries) e
            JOIN meant u USING (key) JOIN meant t ON t.key = e.alternate.key WHERE t.id <> u.id
        )
        SELECT a.id, a.target FROM named a JOIN named b ON b.id = a.target AND b.target = a.id
        WHERE a.id < a.target AND a.id NOT IN (SELECT id FROM canonicals WHERE elsewhere)
          AND a.target NOT IN (SELECT id FROM canonicals WHERE elsewhere)
        ORDER BY 1, 2
        """,
    )
    found = sorted(_joined(pairs).items())
    db.execute(
        "CREATE TABLE versions AS SELECT unnest(?)::BIGINT AS id, unnest(?)::BIGINT AS version",
        [[id_ for id_, _ in found], [version for _, version in found]],
    )


def _joined(pairs: Iterator[tuple[int, int]]) -> dict[int, int]:
    """Return the smallest number that each number is joined with, directly or through others."""
    above: dict[int, int] = {}

    def root(one: int) -> int:
        while (other := above.setdefault(one, one)) != one:
            above[one] = above[other]
            one = other
        return one

    for one, other in pairs:
        low, high = sorted((root(one), root(other)))
        above[high] = low
    return {one: root(one) for one in above}
