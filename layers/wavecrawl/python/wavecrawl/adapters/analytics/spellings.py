"""The two spellings of a page, `/x` and `/x/`, in the results (ADR 2).

Both are URLs of their own. They are one page if one redirects to the other, or if both have the same main text.
"""

from typing import Final

import duckdb

from wavecrawl.domain.graph.walk import Graph
from wavecrawl.domain.urls.earlier_keys import present_key
from wavecrawl.domain.urls.spellings import DIGITS, OTHER_DIGITS, SHARED, other_spelling

_READ: Final = "state IN ('fetched', 'unchanged')"


def other_key(key: str) -> str:
    """Return the SQL of the url key of the other spelling (`domain.urls.spellings.other_spelling`)."""
    return f"(left({key}, {SHARED}) || translate(right({key}, 1), '{DIGITS}', '{OTHER_DIGITS}'))"


def ends_in_slash(url: str) -> str:
    """Return the SQL of `domain.urls.spellings.ends_in_slash`."""
    return f"regexp_matches({url}, '^[^?]*//[^/?]+/[^?]*/(\\?|$)')"


def root_key_of(db: duckdb.DuckDBPyConnection, root_key: str) -> str:
    """Return the url key that the root has in table `urls`: in crawls of an earlier version that of its other spelling.

    The key of the root as it is, if neither is there.
    """
    rows = db.execute(f"SELECT key FROM urls WHERE key IN ($1, {other_key('$1')}) ORDER BY key <> $1", [root_key])
    found = rows.fetchone()
    return str(found[0]) if found else root_key


def build_spellings(db: duckdb.DuckDBPyConnection) -> None:
    """Create table `spellings` (id, page, same_text): the second spellings of pages, and the pages that they are.

    A spelling redirects to its page, or has the `same_text`; the latter are removed from table `pages`. Of two
    spellings with the same text, the page is the one that is named as canonical, else an indexable one, then the one
    nearest to the root, then the one found first.

    View `listed_pages` has the first sitemap entry of each page or other URL, else that of its other spelling. View
    `meant` (key, id) has the page that each url key of the crawl means.
    """
    db.execute(
        f"""
        CREATE TABLE spellings AS
        WITH pairs AS (
            SELECT p.*, coalesce(nullif(p.header_canonical, ''), p.canonical) AS named
            FROM pages p SEMI JOIN (
                SELECT left(key, {SHARED}) AS shared FROM pages GROUP BY 1 HAVING count(*) > 1
            ) s ON s.shared = left(p.key, {SHARED})
        ), hashed AS (
            SELECT p.id, any_value(r.body_hash) AS body_hash
            FROM pairs p JOIN part_pages r ON r.key = p.key AND r.wave = p.wave GROUP BY p.id
        ), placed AS (
            SELECT p.id, p.key, p.text_hash, h.body_hash, row_number() OVER (
                PARTITION BY left(p.key, {SHARED})
                ORDER BY p.url NOT IN (SELECT named FROM pairs q WHERE left(q.key, {SHARED}) = left(p.key, {SHARED})),
                         list_has_any(list_concat(p.header_robots, p.robots), ['noindex', 'none']), u.depth, p.id
            ) AS place
            FROM pairs p JOIN hashed h USING (id) JOIN urls u USING (id) WHERE p.{_READ}
        )
        SELECT b.id, a.id AS page, TRUE AS same_text
        FROM placed a JOIN placed b ON left(b.key, {SHARED}) = left(a.key, {SHARED}) AND b.place = a.place + 1
        WHERE a.text_hash = b.text_hash AND (a.text_hash <> '' OR (a.body_hash <> '' AND a.body_hash = b.body_hash))
        UNION ALL
        SELECT r.id, t.id, FALSE
        FROM pairs r JOIN pairs t ON t.key = r.redirect_key
        WHERE r.state = 'redirected' AND t.{_READ} AND left(t.key, {SHARED}) = left(r.key, {SHARED})
        """
    )
    db.execute("DELETE FROM pages WHERE id IN (SELECT id FROM spellings WHERE same_text)")
    db.execute(
        """
        CREATE VIEW listed_pages AS
        SELECT id, url, lastmod, sitemap, redirects FROM (
            SELECT *, FALSE AS redirects, 0 AS place FROM listed
            WHERE id NOT IN (SELECT id FROM spellings WHERE same_text)
            UNION ALL
            SELECT l.* REPLACE (s.page AS id), NOT s.same_text, 1 FROM listed l JOIN spellings s USING (id)
        ) QUALIFY row_number() OVER (PARTITION BY id ORDER BY place, line) = 1
        """
    )
    db.execute(
        """
        CREATE VIEW meant AS
        SELECT u.key, coalesce(s.page, u.id) AS id
        FROM urls u LEFT JOIN (SELECT id, page FROM spellings WHERE same_text) s USING (id)
        """
    )


def join_spellings(db: duckdb.DuckDBPyConnection, graph: Graph) -> None:
    """Let the spellings with the same text lead to their page like a redirect. Call it when redirects were read."""
    for id_, page in db.execute("SELECT id, page FROM spellings WHERE same_text").fetchall():
        graph.redirects[id_] = page


def drop_repeated_links(db: duckdb.DuckDBPyConnection) -> None:
    """Remove the links of second spellings that their pages have, too. Relative links can lead elsewhere."""
    db.execute(
        """
        DELETE FROM links l USING spellings s
        WHERE s.same_text AND l.source = s.id AND (l.target IS NULL OR l.target IN (s.id, s.page) OR EXISTS (
            SELECT 1 FROM links o WHERE o.source = s.page AND o.target = l.target))
        """
    )


def pair_spellings(db: duckdb.DuckDBPyConnection) -> None:
    """Give the rows of `old_pages` the url keys by which `pages` has these pages.

    In an earlier version, both spellings of a URL had one key: then the page at the same URL is the same. A page of
    which each crawl read one spelling only is the same in both. Earlier versions also had two keys for `?q=a+b` and
    `?q=a%20b` (`domain.urls.earlier_keys`); of two such pages, one is left out.
    """
    _pair_spaces(db)
    db.execute(
        f"""
        CREATE TEMP TABLE respelled AS
        SELECT o.key AS old_key, n.key AS new_key
        FROM old_pages o JOIN pages n ON n.key = {other_key("o.key")}
        WHERE n.url = coalesce(nullif(o.final_url, ''), o.url)
           OR (o.{_READ} AND n.{_READ} AND n.key NOT IN (SELECT key FROM old_pages)
               AND o.key NOT IN (SELECT key FROM pages WHERE {_READ}))
        """
    )
    db.execute(
        """
        CREATE OR REPLACE TEMP VIEW old_pages AS
        SELECT * EXCLUDE (old_key, new_key) REPLACE (coalesce(new_key, key) AS key)
        FROM old_spaced_pages LEFT JOIN respelled ON old_key = key
        """
    )


def _pair_spaces(db: duckdb.DuckDBPyConnection) -> None:
    """Give pages with a space in the query in `old_pages` the keys by which `pages` has them."""
    spaced = "SELECT key, url FROM {} WHERE contains(url, '?') AND (contains(url, '+') OR contains(url, '%20'))"
    now = {present_key(key, url): key for key, url in db.execute(spaced.format("pages")).fetchall()}
    before = {key: present_key(key, url) for key, url in db.execute(spaced.format("old_pages")).fetchall()}
    renamed = {key: now.get(one, one) for key, one in before.items() if one in now or other_spelling(one) in now}
    renamed = {key: new for key, new in renamed.items() if key != new}
    repeated = [key for key, new in renamed.items() if new in before]
    db.execute(
        """
        CREATE TEMP TABLE respaced AS
        SELECT unnest($1::VARCHAR[]) AS before, unnest($2::VARCHAR[]) AS now
        """,
        [list(renamed), list(renamed.values())],
    )
    db.execute("CREATE TEMP TABLE repeated AS SELECT unnest($1::VARCHAR[]) AS key", [repeated])
    db.execute(
        """
        CREATE TEMP VIEW old_spaced_pages AS
        SELECT * EXCLUDE (before, now) REPLACE (coalesce(now, key) AS key) RENAME (file_row_number AS row)
        FROM old_all_pages LEFT JOIN respaced ON before = key
        WHERE key NOT IN (SELECT key FROM old_hidden) AND key NOT IN (SELECT key FROM repeated)
        """
    )
    db.execute("CREATE OR REPLACE TEMP VIEW old_pages AS SELECT * FROM old_spaced_pages")
