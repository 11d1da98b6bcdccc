"""Differences between two crawls of a site: one query for each kind.

The views `pages` and `links` belong to the later crawl, `old_pages` and `old_links` to the earlier one. A crawl with
mode `due_only` or `changed_only` leaves known pages out, and so does a crawl that stops at a limit. These are not
compared, and neither is the link graph then: depths, numbers of links, PageRank and orphans. A URL that the
earlier crawl did not know counts only as a place that a page moved to.

A page is gone, or new, only if something proves it (`diff_evidence`). Otherwise one of the crawls did not see it.
"""

import duckdb

from wavecrawl.adapters.analytics.check_diff import LINK_REMOVED, NEWLY_BROKEN, REPAIRED
from wavecrawl.adapters.analytics.check_verdicts import NOT_TRIED
from wavecrawl.adapters.analytics.checks import BROKEN_PAGES
from wavecrawl.adapters.analytics.diff_omissions import Omissions
from wavecrawl.domain.graph.diff_kind import DiffKind
from wavecrawl.domain.pages.duplicates import DuplicateSettings
from wavecrawl.domain.pages.simhash import bits_above
from wavecrawl.domain.pages.similar_texts import mutually_nearest
from wavecrawl.ports.results import DiffCounts

_VALUES = {
    "Title": "coalesce({0}.full_title, '')",
    "Description": "coalesce({0}.description, '')",
    "H1": "coalesce(list_filter({0}.headings, lambda one: one.level = 1)[1].text, '')",
    "Canonical URL": "coalesce({0}.canonical, '')",
    "Robots directives": "coalesce(array_to_string({0}.robots, ', '), '')",
    "Indexable": "if({0}.indexable, 'yes', concat_ws(': ', 'no', replace(nullif({0}.not_indexable, ''), '_', ' ')))",
    "Main text": "format('{{:,}} words', coalesce({0}.words, 0))",
    "Size": "format('{{:,}} bytes', coalesce({0}.decoded_bytes, 0))",
}
"""The compared values of a page -> their text as SQL, of the row `{0}`."""

_DIFFERS = {
    "Main text": "n.text_hash <> o.text_hash",
    "Size": "n.text_hash = '' AND o.text_hash = '' AND n.state = 'fetched' AND n.decoded_bytes <> o.decoded_bytes",
}
"""Value -> whether it differs, as SQL, if its text does not tell. Only files without a text are compared by size."""


def _changed_values() -> str:
    """Return the list of the values that differ between the rows `n` and `o` of a page, as SQL."""
    values = []
    for name, sql in _VALUES.items():
        before, now = sql.format("o"), sql.format("n")
        differs = _DIFFERS.get(name, f"{before} <> {now}")
        value = f"{{'name': '{name}', 'before': {before}, 'now': {now}}}"
        values.append(f"if(coalesce({differs}, FALSE), {value}, NULL)")
    return f"list_filter([{', '.join(values)}], lambda one: one IS NOT NULL)"


_READ = "('fetched', 'unchanged')"

_BOTH = f"""
    SELECT coalesce(n.key, o.key) AS key, coalesce(n.url, o.url) AS url, n.row, o.row AS old_row,
           coalesce(n.state IN {_READ}, FALSE) AS is_page, coalesce(o.state IN {_READ}, FALSE) AS was_page,
           was_page AND NOT is_page AND coalesce(n.key, o.key) IN (SELECT key FROM gone) AS is_gone,
           is_page AND NOT was_page AND (
               n.key IN (SELECT key FROM old_gone) OR n.key NOT IN (SELECT key FROM old_known)
           ) AS is_new,
           coalesce(nullif(concat_ws(' ', n.state, n.status), ''), 'not tried') AS now,
           coalesce(nullif(concat_ws(' ', o.state, o.status), ''), 'not tried') AS before,
           if(is_page AND was_page, {_changed_values()}, []) AS changed_values,
           n.depth, o.depth AS old_depth, o.text_hash AS old_text_hash,
           coalesce(n.state, '') AS state, coalesce(n.redirect_to, '') AS redirect_to,
           if(n.state = 'redirected', concat_ws(' ', n.status, n.redirect_to), '') AS redirect,
           if(o.state = 'redirected', concat_ws(' ', o.status, o.redirect_to), '') AS old_redirect,
           coalesce(n.duplicate_of, '') AS duplicate_of, coalesce(o.duplicate_of, '') AS old_duplicate_of,
           n.words, n.simhash, o.words AS old_words, o.simhash AS old_simhash,
           coalesce(n.in_links, 0) AS in_links, coalesce(o.in_links, 0) AS old_in_links,
           coalesce(n.orphan, '') AS orphan, coalesce(o.orphan, '') AS old_orphan,
           n.pagerank / avg(n.pagerank) OVER () AS share, o.pagerank / avg(o.pagerank) OVER () AS old_share
    FROM pages n FULL JOIN old_pages o ON o.key = n.key
    WHERE coalesce(n.key, o.key) NOT IN (SELECT key FROM left_out)
"""
_ARRIVED = f"""
    SELECT n.url, n.text_hash, n.duplicate_of, n.words, n.simhash
    FROM pages n LEFT JOIN old_pages o USING (key)
    WHERE n.state IN {_READ} AND NOT coalesce(o.state IN {_READ}, FALSE)
      AND n.key NOT IN (SELECT key FROM left_out WHERE known)
"""
"""Pages where others may have moved to.

A URL that the earlier crawl did not know counts even if that crawl stopped at a limit: a page that is gone, and whose
text is there, is not lost.
"""
_MOVED = f"""
    SELECT g.key, g.redirect_to AS target FROM both_crawls g
    WHERE g.is_gone AND g.state = 'redirected' AND g.redirect_to <> ''
    UNION ALL
    SELECT g.key, s.url AS target
    FROM both_crawls g JOIN arrived s ON s.text_hash = g.old_text_hash
    WHERE g.is_gone AND g.state <> 'redirected' AND g.old_text_hash <> ''
      AND g.old_text_hash IN (SELECT text_hash FROM old_pages WHERE state IN {_READ} GROUP BY 1 HAVING count(*) = 1)
      AND s.text_hash IN (SELECT text_hash FROM pages WHERE state IN {_READ} GROUP BY 1 HAVING count(*) = 1)
"""
_MOVES = 1.2  # ratio of PageRank shares from which a page is a mover


def _changed(column: str, condition: str) -> str:
    """Return the query of pages whose number changed; `place` puts the largest change first."""
    shown = f"{column}::VARCHAR" if column == "in_links" else f"format('{{:.2f}} times the average', {column})"
    return f"""
        SELECT url, key, '' AS related, {shown.replace(column, f"old_{column}")} AS before, {shown} AS now,
               -abs(ln(({column} + 1) / (old_{column} + 1))) AS place
        FROM both_crawls WHERE is_page AND was_page AND {condition}"""


_QUERIES = {
    DiffKind.NEW: """
        SELECT url, key, '' AS related, before, now FROM both_crawls
        WHERE is_new AND url NOT IN (SELECT target FROM moved)""",
    DiffKind.GONE: """
        SELECT url, key, '' AS related, before, now FROM both_crawls
        WHERE is_gone AND key NOT IN (SELECT key FROM moved)""",
    DiffKind.NOT_SEEN: """
        SELECT url, key, '' AS related, before, now FROM both_crawls
        WHERE was_page <> is_page AND NOT is_gone AND NOT is_new AND url NOT IN (SELECT target FROM moved)""",
    DiffKind.CHANGED: """
        SELECT url, key, '' AS related, '' AS before,
               list_aggregate([one.name for one in changed_values], 'string_agg', ', ') AS now, changed_values AS values
        FROM both_crawls WHERE changed_values <> []""",
    DiffKind.MOVED: """
        SELECT b.url, b.key, m.target AS related, b.before, b.now FROM moved m JOIN both_crawls b USING (key)""",
    DiffKind.REDIRECT_CHANGED: """
        SELECT url, key, '' AS related, old_redirect AS before, redirect AS now FROM both_crawls
        WHERE redirect <> old_redirect AND redirect <> '' AND old_redirect <> ''""",
    DiffKind.BROKEN_LINK: f"""
        SELECT n.target AS url, n.key, n.source AS related, 'not broken' AS before, n.now
        FROM broken n ANTI JOIN old_broken o ON o.source = n.source AND o.target = n.target
        UNION ALL {NEWLY_BROKEN}""",
    DiffKind.MENDED_LINK: f"""
        SELECT url, key, related, before, now FROM (
            SELECT o.target AS url, o.key, o.source AS related, o.now AS before,
                   CASE WHEN t.state IS NOT NULL AND t.state NOT IN {NOT_TRIED} AND t.state NOT IN {BROKEN_PAGES}
                             THEN t.now
                        WHEN l.source IS NULL AND s.state NOT IN {NOT_TRIED} THEN '{LINK_REMOVED}' END AS now
            FROM old_broken o ANTI JOIN broken n ON o.source = n.source AND o.target = n.target
            LEFT JOIN (SELECT key, nullif(state, '') AS state, now FROM both_crawls) t ON t.key = o.key
            LEFT JOIN pages s ON s.url = o.source
            LEFT JOIN (SELECT DISTINCT source, target FROM links WHERE kind <> 'redirect') l
                 ON l.source = o.source AND l.target = o.target
        ) WHERE now IS NOT NULL
        UNION ALL {REPAIRED}""",
    DiffKind.DEEPER: """
        SELECT url, key, '' AS related, old_depth::VARCHAR AS before, depth::VARCHAR AS now FROM both_crawls
        WHERE is_page AND was_page AND depth > old_depth""",
    DiffKind.NEARER: """
        SELECT url, key, '' AS related, old_depth::VARCHAR AS before, depth::VARCHAR AS now FROM both_crawls
        WHERE is_page AND was_page AND depth < old_depth""",
    DiffKind.MORE_LINKS: _changed("in_links", "in_links > old_in_links"),
    DiffKind.FEWER_LINKS: _changed("in_links", "in_links < old_in_links"),
    DiffKind.RANK_UP: _changed("share", f"share > old_share * {_MOVES}"),
    DiffKind.RANK_DOWN: _changed("share", f"share * {_MOVES} < old_share"),
    DiffKind.NEW_ORPHAN: """
        SELECT url, key, '' AS related, if(was_page, 'linked', before) AS before, orphan AS now FROM both_crawls
        WHERE orphan <> '' AND old_orphan = ''""",
    DiffKind.ENDED_ORPHAN: """
        SELECT url, key, '' AS related, old_orphan AS before, if(is_page, 'linked', now) AS now FROM both_crawls
        WHERE old_orphan <> '' AND orphan = '' AND state <> ''""",  # what was not requested may be one still
}
_MOVERS = (DiffKind.MORE_LINKS, DiffKind.FEWER_LINKS, DiffKind.RANK_UP, DiffKind.RANK_DOWN)
_OF_GRAPH = (*_MOVERS, DiffKind.DEEPER, DiffKind.NEARER, DiffKind.NEW_ORPHAN, DiffKind.ENDED_ORPHAN)
"""Kinds of the whole link graph. Their queries end with a condition."""


def compare(db: duckdb.DuckDBPyConnection, omissions: Omissions) -> DiffCounts:
    """Count the differences of each kind."""
    prepare(db)
    kinds: dict[str, int] = {}
    for kind in DiffKind:
        ((kinds[kind.value],),) = db.execute(f"SELECT count(*) FROM ({_query(kind)})").fetchall()
    pages = f"SELECT count(*) FROM {{}} WHERE state IN {_READ}"
    ((now, before),) = db.execute(f"SELECT ({pages.format('pages')}), ({pages.format('old_pages')})").fetchall()
    return DiffCounts(
        kinds=kinds,
        pages_before=before,
        pages_now=now,
        links_new=_count_missing(db, "", "old_"),
        links_gone=_count_missing(db, "old_", ""),
        unshared_checks=omissions.checks.unshared,
        different_settings=omissions.different_settings,
        limits_before=omissions.limits_before,
        limits_now=omissions.limits_now,
        skipped_before=omissions.skipped_before,
        skipped_now=omissions.skipped_now,
    )


def differences(kind: DiffKind) -> str:
    """Return the query of a kind, after `prepare`: at most $limit rows of `DiffRow` after $row."""
    query = _query(kind) if kind in _MOVERS else f"SELECT *, 0 AS place FROM ({_query(kind)})"
    values = "" if kind is DiffKind.CHANGED else "[] AS values, "
    return f"""
        SELECT * FROM (
            SELECT '{kind.value}' AS kind, q.* EXCLUDE (place), {values}
                   row_number() OVER (ORDER BY place, url, related) - 1 AS row
            FROM ({query}) q
        ) WHERE row > $row ORDER BY row LIMIT $limit
    """


def changed_texts(before: str, now: str) -> str:
    """Return the query of the main texts that changed: at most $limit rows after $row.

    `before` and `now` are the two columns of `stored_text`, of tables `o` and `n`.
    """
    return f"""
        WITH changed AS (
            SELECT n.key, n.url, row_number() OVER (ORDER BY n.url) - 1 AS row
            FROM pages n JOIN old_pages o USING (key)
            WHERE n.state IN {_READ} AND o.state IN {_READ} AND n.text_hash <> o.text_hash
              AND ($key = '' OR n.key = $key)
        ), chosen AS (SELECT * FROM changed WHERE row > $row ORDER BY row LIMIT $limit)
        SELECT c.key, c.url, [{before}] AS before, [{now}] AS now, c.row
        FROM chosen c JOIN pages n USING (key) JOIN old_pages o USING (key) ORDER BY c.row
    """


def _query(kind: DiffKind) -> str:
    """Return the query of a kind; of the link graph, without rows if a crawl knows only a part of it."""
    query = _QUERIES[kind]
    return f"{query} AND NOT EXISTS (FROM left_out)" if kind in _OF_GRAPH else query


def prepare(db: duckdb.DuckDBPyConnection) -> None:
    """Create the tables that the queries of `differences` read."""
    db.execute(f"CREATE TEMP TABLE both_crawls AS {_BOTH}")
    db.execute(f"CREATE TEMP TABLE arrived AS {_ARRIVED}")
    db.execute(f"CREATE TEMP TABLE moved AS {_MOVED}")
    _add_similar(db)
    for prefix in ("", "old_"):
        db.execute(
            f"""
            CREATE TEMP TABLE {prefix}broken AS
            SELECT DISTINCT l.source, p.url AS target, p.key, concat_ws(' ', p.state, p.status) AS now
            FROM {prefix}links l JOIN {prefix}pages p ON p.row = l.target_page
            JOIN {prefix}pages s ON s.row = l.source_page
            WHERE p.state IN {BROKEN_PAGES} AND l.kind <> 'redirect'
              AND NOT EXISTS (SELECT 1 FROM left_out x WHERE x.key IN (p.key, s.key))
              AND p.url NOT IN (SELECT url FROM both_checks)
            UNION
            SELECT l.source, u.url, u.key, u.now
            FROM {prefix}links l JOIN {prefix}unreached u ON u.url = l.target
            JOIN {prefix}pages s ON s.row = l.source_page
            WHERE l.kind <> 'redirect' AND NOT EXISTS (SELECT 1 FROM left_out x WHERE x.key IN (u.key, s.key))
            """
        )


def _add_similar(db: duckdb.DuckDBPyConnection) -> None:
    """Add to `moved` the pages with a similar text at a new URL: each is the most similar one of the other.

    Duplicates do not count: their text is, or was, at the URL of another page.
    """
    settings = DuplicateSettings()  # crawls with different settings can be compared
    of_new = f"""
        SELECT url, simhash FROM arrived
        WHERE coalesce(duplicate_of, '') = '' AND words >= {settings.min_words}
          AND url NOT IN (SELECT target FROM moved)
        ORDER BY url
    """
    of_old = f"""
        SELECT key, old_simhash FROM both_crawls
        WHERE is_gone AND state <> 'redirected' AND old_duplicate_of = ''
          AND old_words >= {settings.min_words} AND key NOT IN (SELECT key FROM moved)
        ORDER BY url
    """
    new, old = db.execute(of_new).fetchall(), db.execute(of_old).fetchall()
    pairs = mutually_nearest(
        [print_ for _, print_ in old], [print_ for _, print_ in new], most_bits=bits_above(settings.same)
    )
    moves = [(old[one][0], new[other][0]) for one, other in pairs]
    if moves:
        db.execute("INSERT INTO moved SELECT unnest(?), unnest(?)", list(map(list, zip(*moves, strict=True))))


def _count_missing(db: duckdb.DuckDBPyConnection, one: str, other: str) -> int:
    """Count the pairs of pages that are linked in the crawl with the prefix `one`, but not in `other`."""
    pairs = """
        SELECT DISTINCT l.source, l.target FROM {prefix}links l JOIN {prefix}pages s ON s.row = l.source_page
        WHERE l.kind <> 'redirect' AND s.key NOT IN (SELECT key FROM left_out)
    """
    sql = f"SELECT count(*) FROM ({pairs.format(prefix=one)} EXCEPT {pairs.format(prefix=other)})"
    ((count,),) = db.execute(sql).fetchall()
    return int(count)
