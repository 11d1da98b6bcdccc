"""The columns of a page memory, and its queries.

`KNOWN` to `MERGED` add the pages of a crawl. `MET` to `CONCLUDED` add what only a whole crawl shows. `CHANGES` and
`DATES` compare a crawl with the memory.
"""

from wavecrawl.adapters.analytics.spellings import ends_in_slash, other_key
from wavecrawl.domain.crawl.ledger import FoundBy
from wavecrawl.domain.crawl.record import Reason

COLUMNS = {
    "key": "VARCHAR",
    "url": "VARCHAR",
    "state": "VARCHAR",  # of the latest request; `fetched` also stands for `unchanged`
    "etag": "VARCHAR",  # this and the next columns: of the last full response
    "last_modified": "VARCHAR",
    "body_hash": "VARCHAR",
    "text_hash": "VARCHAR",
    "link_hash": "VARCHAR",
    "simhash": "BIGINT",
    "title": "VARCHAR",
    "crawl": "VARCHAR",
    "batch": "VARCHAR",  # "" = there was none
    "first_seen": "DOUBLE",  # Unix seconds, as all times
    "last_seen": "DOUBLE",  # the latest request
    "last_changed": "DOUBLE",  # the first request with the present main text; 0 = there is none
    "state_since": "DOUBLE",  # the first request with the present state
    "depth": "INTEGER",  # in the latest crawl that requested it
    "observations": 'STRUCT("at" DOUBLE, text BOOLEAN, links BOOLEAN)[]',  # the latest (domain/recrawl/history.py)
    "failures": "INTEGER",  # crawls in a row in which it failed
    "deleted_at": "DOUBLE",  # since when it is known to be gone (domain/recrawl/deletion.py); 0 = it is not
    "lastmod": "VARCHAR",  # in the sitemap or feed when it was requested last
    "lastmod_dates": "INTEGER",  # newer dates there with which it was requested
    "lastmod_right": "INTEGER",  # those with which its text or its links had changed
    "seen_in": "VARCHAR",  # the crawl of the latest request
    "parent": "VARCHAR",  # url key of the page that it was first found on, in the latest crawl that read it; "" = none
    "reach": "VARCHAR",  # what that crawl could find (domain/recrawl/reach.py)
    "slash": "BOOLEAN",  # whether the path of the URL ends in a slash (domain/urls/spellings.py)
    "spaces": "BOOLEAN",  # TRUE: the key is that of `%20` for each `+` in the query (domain/urls/earlier_keys.py)
}

ADDED = {"seen_in": "''", "parent": "''", "reach": "''", "slash": "NULL::BOOLEAN", "spaces": "NULL::BOOLEAN"}
"""Column that files of an earlier version lack -> what it would be in them, as SQL."""

LASTMODS = {"key": "VARCHAR", "lastmod": "VARCHAR"}

SPELLED = f"""(
    SELECT * REPLACE (
        if(slash IS NULL AND {ends_in_slash("url")}, {other_key("key")}, key) AS key,
        coalesce(slash, {ends_in_slash("url")}) AS slash
    ) FROM {{rows}} r
    WHERE slash IS NOT NULL
       OR NOT EXISTS (SELECT 1 FROM forgotten f WHERE f.key = r.key AND r.last_seen <= f.at)
)"""
"""The rows of files. Earlier versions had no column `slash`: both spellings of a URL had the key of the one without."""

RENAMED = """(
    SELECT r.* REPLACE (coalesce(n.new_key, r.key) AS key, coalesce(p.new_key, r.parent) AS parent, TRUE AS spaces)
    FROM {rows} r LEFT JOIN renamed n ON n.old_key = r.key LEFT JOIN renamed p ON p.old_key = r.parent
    WHERE starts_with(coalesce(n.new_key, r.key), '{prefix}') OR starts_with(r.key, '{prefix}')
)"""
"""The rows of files, with the keys that they have now, of which those of a prefix.

A row whose key has changed is in the file of each key until that is replaced again, so that a crash loses none.
"""

EARLIER = """
SELECT DISTINCT key, url FROM {rows} r WHERE contains(url, '+') AND contains(url, '?')
"""
"""The keys and URLs that may have another key now."""

MOVED = f"""
INSERT INTO moved
SELECT m.key, f.key, f.url
FROM known m JOIN fresh f ON f.key = {other_key("m.key")} LEFT JOIN fresh o ON o.key = m.key
WHERE m.batch <> '' AND f.state IN ('fetched', 'unchanged') AND f.fetched_at > m.last_seen
  AND coalesce(o.state, '') NOT IN ('fetched', 'unchanged') AND f.key NOT IN (SELECT key FROM known)
"""
"""Pages that are remembered in one spelling, and were read in the other one only: they are remembered in that one."""

TWICE = f"""
DELETE FROM met a USING met b
WHERE b.key = {other_key("a.key")} AND a.state = 'fetched' AND b.state = 'fetched' AND a.text_hash = b.text_hash
  AND a.text_hash <> '' AND (b.first_seen < a.first_seen OR (b.first_seen = a.first_seen AND b.key < a.key))
"""
"""Second spellings with the text of the first: they are the same page."""

KNOWN = """
CREATE OR REPLACE TEMP VIEW known AS
SELECT m.* REPLACE (coalesce(new_key, m.key) AS key, coalesce(new_url, m.url) AS url)
FROM {source} m LEFT JOIN moved ON old_key = m.key
WHERE NOT EXISTS (SELECT 1 FROM forgotten f WHERE f.key = m.key AND m.last_seen <= f.at)
{once}
"""
ONCE = "QUALIFY row_number() OVER (PARTITION BY key ORDER BY last_seen DESC, first_seen) = 1"

FRESH = """
CREATE TEMP TABLE fresh AS
SELECT key, url, state, reason, status, etag, last_modified, body_hash, text_hash, link_hash, simhash, title, batch,
       depth, fetched_at, truncated_reason NOT IN ('', 'length') AS partial
FROM {pages} p
WHERE key NOT IN (SELECT unnest($2::VARCHAR[]))
  AND NOT EXISTS (SELECT 1 FROM forgotten f WHERE f.key = p.key AND p.fetched_at <= f.at)
"""
PAGES = f"""(
    SELECT * REPLACE (
        if(truncated_reason IS NULL AND {ends_in_slash("url")}, {other_key("key")}, key) AS key
    ) FROM (
        SELECT NULL::VARCHAR AS truncated_reason WHERE FALSE
        UNION ALL BY NAME FROM read_parquet($1, union_by_name = TRUE)
    )
)"""
"""The table `pages`. Earlier versions had no column `truncated_reason`, and one key for both spellings of a URL."""
MEDIA = """(
    SELECT *, '' AS text_hash, '' AS link_hash, 0::BIGINT AS simhash, '' AS title, 0 AS depth, '' AS truncated_reason
    FROM read_parquet($1, union_by_name = TRUE) WHERE batch IS NOT NULL
)"""
"""The rows of the table `media` that have a record, like those of the table `pages`."""
LATEST = """
CREATE OR REPLACE TEMP TABLE fresh AS
SELECT * FROM fresh QUALIFY row_number() OVER (PARTITION BY key ORDER BY fetched_at DESC) = 1
"""

JOINED = """
CREATE OR REPLACE TEMP VIEW joined AS
SELECT m.*, p.key AS p_key, p.url AS p_url, p.etag AS p_etag, p.last_modified AS p_last_modified,
       p.body_hash AS p_body_hash, p.text_hash AS p_text_hash, p.link_hash AS p_link_hash, p.simhash AS p_simhash,
       p.title AS p_title, p.batch AS p_batch, p.depth AS p_depth, p.fetched_at AS seen_at,
       p.key IS NOT NULL AND (m.key IS NULL OR p.fetched_at > m.last_seen) AS newer,
       CASE WHEN NOT newer THEN m.state WHEN p.state = 'unchanged' THEN 'fetched' ELSE p.state END AS new_state,
       coalesce(p.partial, false) AS cut,
       newer AND (
           (p.state = 'fetched' AND NOT cut) OR (p.state IN ('fetched', 'unchanged') AND coalesce(m.batch, '') = '')
       ) AS content,
       content AND coalesce(m.batch, '') <> '' AS compared,
       coalesce(compared AND m.text_hash <> p.text_hash, false) OR coalesce(
           compared AND m.text_hash || p.text_hash = '' AND m.body_hash <> p.body_hash, false
       ) AS other_text,
       coalesce(compared AND m.link_hash <> p.link_hash, false) AS other_links,
       new_state IN ('failed', 'http_error', 'forbidden', 'blocked') AS failing,
       coalesce(p.answer = '{gone}' OR (
           p.answer = '{away}' AND m.state = 'redirected' AND m.seen_in <> {crawl}
       ), FALSE) AND (new_state = 'not_found' OR coalesce(m.batch, '') <> '') AS gone
FROM known m FULL JOIN (
    SELECT f.*, a.answer FROM fresh f
    JOIN answers a ON a.state = f.state AND a.reason = f.reason AND a.status IS NOT DISTINCT FROM f.status
    WHERE starts_with(key, '{prefix}')
) p ON m.key = p.key
"""
SLASH = ends_in_slash("(CASE WHEN content OR j.key IS NULL THEN p_url ELSE j.url END)")
MERGED = """
SELECT coalesce(j.key, p_key) AS key,
       CASE WHEN content OR j.key IS NULL THEN p_url ELSE j.url END AS url,
       new_state AS state,
       CASE WHEN content THEN p_etag ELSE coalesce(j.etag, '') END AS etag,
       CASE WHEN content THEN p_last_modified ELSE coalesce(j.last_modified, '') END AS last_modified,
       CASE WHEN content THEN p_body_hash ELSE coalesce(j.body_hash, '') END AS body_hash,
       CASE WHEN content THEN p_text_hash ELSE coalesce(j.text_hash, '') END AS text_hash,
       CASE WHEN content THEN p_link_hash ELSE coalesce(j.link_hash, '') END AS link_hash,
       CASE WHEN content THEN p_simhash ELSE coalesce(j.simhash, 0) END AS simhash,
       CASE WHEN content THEN p_title ELSE coalesce(j.title, '') END AS title,
       CASE WHEN content THEN {crawl} ELSE coalesce(j.crawl, '') END AS crawl,
       CASE WHEN content THEN p_batch ELSE coalesce(j.batch, '') END AS batch,
       coalesce(j.first_seen, seen_at) AS first_seen,
       CASE WHEN newer THEN seen_at ELSE j.last_seen END AS last_seen,
       CASE WHEN NOT content OR (j.last_changed > 0 AND j.text_hash = p_text_hash) THEN coalesce(j.last_changed, 0)
            ELSE seen_at END AS last_changed,
       CASE WHEN newer AND j.state IS DISTINCT FROM new_state THEN seen_at ELSE j.state_since END AS state_since,
       CASE WHEN newer THEN p_depth ELSE j.depth END AS depth,
       CASE WHEN newer AND new_state = 'fetched' AND NOT cut THEN list_append(
           coalesce(j.observations, []), {{'at': seen_at, 'text': other_text, 'links': other_links}}
       )[-{observations}:] ELSE coalesce(j.observations, []) END AS observations,
       CASE WHEN newer THEN if(failing, coalesce(j.failures, 0) + 1, 0) ELSE j.failures END AS failures,
       CASE WHEN newer AND new_state = 'fetched' THEN 0
            WHEN newer AND gone AND NOT coalesce(j.deleted_at > 0, FALSE) THEN seen_at
            ELSE coalesce(j.deleted_at, 0) END AS deleted_at,
       coalesce(j.lastmod, '') AS lastmod,
       coalesce(j.lastmod_dates, 0) AS lastmod_dates,
       coalesce(j.lastmod_right, 0) AS lastmod_right,
       CASE WHEN newer THEN {crawl} ELSE coalesce(j.seen_in, '') END AS seen_in,
       coalesce(j.parent, '') AS parent,
       coalesce(j.reach, '') AS reach,
       {slash} AS slash,
       TRUE AS spaces
FROM joined j ORDER BY 1
"""

ONLY_IN_A_FEED = FoundBy.FEED.value
"""The `parent` of a page that only a feed listed. Feeds list the newest pages: absence from one proves nothing."""

MET = f"""
CREATE TEMP TABLE met_urls AS
SELECT u.id, u.key, u.url, u.state, u.reason,
       if(u.found_by = '{ONLY_IN_A_FEED}', '{ONLY_IN_A_FEED}', coalesce(p.key, '')) AS parent FROM (
    SELECT id, key, url, state, reason, parent, found_by FROM {{urls}}
    QUALIFY row_number() OVER (PARTITION BY key ORDER BY wave DESC) = 1
) u LEFT JOIN (SELECT DISTINCT id, key FROM {{urls}}) p ON p.id = u.parent
"""
RENAMED_MET = """
CREATE OR REPLACE TEMP TABLE met_urls AS
SELECT u.* REPLACE (coalesce(n.new_key, u.key) AS key, coalesce(p.new_key, u.parent) AS parent)
FROM met_urls u LEFT JOIN renamed n ON n.old_key = u.key LEFT JOIN renamed p ON p.old_key = u.parent
QUALIFY row_number() OVER (
    PARTITION BY coalesce(n.new_key, u.key) ORDER BY u.state NOT IN ('fetched', 'unchanged'), u.id
) = 1
"""
RENAME = """
INSERT INTO renamed FROM (SELECT unnest($1::VARCHAR[]) AS old_key, unnest($2::VARCHAR[]) AS new_key)
WHERE old_key NOT IN (SELECT old_key FROM renamed)
"""
FORGOTTEN_TOO = "INSERT INTO forgotten SELECT new_key, f.at FROM forgotten f JOIN renamed ON old_key = f.key"
RENAMED_FRESH = """
UPDATE fresh SET key = new_key FROM renamed WHERE old_key = fresh.key
"""
MET_MEDIA = """
CREATE TEMP TABLE met_urls AS
SELECT id, key, url, state, reason, '' AS parent FROM {urls}
QUALIFY row_number() OVER (PARTITION BY key ORDER BY wave DESC) = 1
"""

HICCUPS = 3
"""Crawls in a row in which a URL fails until it is no gap of a crawl any more."""

EXPECTED = """
CREATE TEMP VIEW expected AS
SELECT * FROM met_urls WHERE key NOT IN (SELECT key FROM known WHERE failures >= {hiccups})
"""

JUDGED = f"""
CREATE TEMP TABLE judged AS
SELECT key, parent,
       NOT met AND covered AND deleted_at = 0 AND parent <> '{ONLY_IN_A_FEED}' AS unseen,
       was_there AND if(met, NOT read, NOT covered OR parent = '{ONLY_IN_A_FEED}') AS lost,
       met AND covered AND deleted_at = 0 AND (
           (state = 'redirected' AND state_since >= {{since}})
           OR (state IN ('forbidden', 'blocked', 'http_error', 'failed') AND failures < {{hiccups}})
       ) AS hiccup,
       unseen AND last_seen >= {{earlier_since}} AS vanished, met AND deleted_at = 0 AS stays
FROM (
    SELECT m.key, m.parent, m.last_seen, m.deleted_at, m.failures, m.state_since, u.state,
           u.key IS NOT NULL OR m.last_seen >= {{since}} AS met,
           coalesce(u.state IN ('fetched', 'unchanged'), FALSE) AND NOT (
               coalesce(u.reason IN ('{Reason.EMPTY}', '{Reason.NOT_HTML}'), FALSE)
               AND m.link_hash = '' AND coalesce(m.observations[-1].links, FALSE)
           ) AS read,
           m.deleted_at = 0 OR m.deleted_at >= {{since}} AS was_there,
           if(m.reach = '' AND m.last_seen >= {{earlier_since}}, {{earlier_reach}}, m.reach)
               IN (SELECT unnest($1::VARCHAR[])) AS covered
    FROM known m LEFT JOIN met_urls u ON u.key = m.key WHERE m.batch <> ''
)
"""
"""What the crawl shows of each page that was read before: whether it did not find the page, although it could have;
whether it did not read it, so that pages below it may exist; whether that may be temporary. A page that had links, and
has no HTML now, was not read: the next crawl shows whether it stays so. Also whether the page `vanished`, as the crawl
before had found it, or `stays`.
"""

MOST_AT_ONCE = 1
"""Pages that were found on one page and are deleted at once, if all of these vanish together."""

ABSENT = """
CREATE TEMP TABLE absent AS
WITH RECURSIVE kept (key) AS (
    (
        SELECT key FROM judged WHERE lost
        UNION
        SELECT parent FROM judged GROUP BY parent
        HAVING count(*) FILTER (vanished) > {most_at_once} AND NOT bool_or(stays) AND parent <> ''
    )
    UNION
    SELECT j.key FROM judged j JOIN kept k ON k.key = j.parent WHERE j.unseen
)
SELECT key FROM judged WHERE {proves} AND unseen AND key NOT IN (SELECT key FROM kept)
"""
"""The pages that are deleted because the crawl did not find them: the pages that led to them were read.

If all pages vanish that were found on one page, that page may be in maintenance, or its scripts may lack their data,
although its response was a success. Then the next crawl decides.
"""

CONCLUDED = """
CREATE OR REPLACE TEMP VIEW concluded AS
SELECT m.* EXCLUDE (listed, seen, found_on, newer, goes) REPLACE (
           if(seen AND listed <> '', listed, lastmod) AS lastmod,
           lastmod_dates + if(newer, 1, 0) AS lastmod_dates,
           lastmod_right + if(newer AND (observations[-1].text OR observations[-1].links), 1, 0) AS lastmod_right,
           if(goes, {since}, deleted_at) AS deleted_at,
           if(seen, found_on, parent) AS parent,
           if(seen, {reach}, reach) AS reach
       ), goes OR (seen AND (listed NOT IN ('', lastmod) OR found_on <> parent OR reach <> {reach})) AS differs
FROM (
    SELECT m.*, coalesce(l.lastmod, '') AS listed, coalesce(u.parent, m.parent) AS found_on,
           m.state = 'fetched' AND m.last_seen BETWEEN {since} AND {until} AS seen,
           seen AND m.lastmod <> '' AND listed NOT IN ('', m.lastmod) AS newer,
           m.batch <> '' AND m.deleted_at = 0 AND m.last_seen < {since} AND (
               a.key IS NOT NULL OR coalesce(u.state = 'robots_denied' AND u.reason = 'robots_rule', FALSE)
           ) AS goes
    FROM known m LEFT JOIN listed_dates l ON l.key = m.key LEFT JOIN met_urls u ON u.key = m.key
    LEFT JOIN absent a ON a.key = m.key
) m
"""

UNREAD = """
INSERT INTO unread SELECT key FROM read_csv($1, header = true, all_varchar = true) WHERE list_contains($2, reason)
"""
CHANGES = """
SELECT coalesce(bool_or(before), false),
       count(*) FILTER (there AND NOT before AND key NOT IN (FROM unread)),
       count(*) FILTER (there AND before AND last_changed >= $since)
FROM (SELECT *, state = 'fetched' AS there, first_seen < $since AS before FROM met)
"""
GONE = f"""
SELECT count(*) FROM known
WHERE batch <> '' AND first_seen < $1 AND deleted_at >= $1
  AND {other_key("key")} NOT IN (SELECT key FROM known WHERE batch <> '' AND deleted_at = 0)
"""
"""The number of pages that an earlier crawl read and that this one shows to be deleted, in both spellings."""
AGAIN = """
SELECT count(*) FROM known
WHERE batch <> '' AND first_seen < $1
  AND key IN (SELECT key FROM read_parquet($2) WHERE state NOT IN ('skipped', 'robots_denied'))
"""
"""The number of pages that an earlier crawl read and that this one requested."""
DATES = """
SELECT key, utc_day(last_changed), last_changed > first_seen,
       if(last_changed >= $since AND len(observations) > 1, utc_day(observations[-2]."at"), '')
FROM met WHERE state <> 'not_found' AND first_seen < $since AND last_changed > 0
"""
DAY = "CREATE TEMP MACRO utc_day(seconds) AS strftime(make_timestamp((seconds * 1e6)::BIGINT), '%Y-%m-%d')"
