"""The tables of a page memory in DuckDB: add the pages of a crawl, compare them, read validators.

Each file holds the pages whose url key starts with the file's name; `all.parquet` holds all of them. A file is only
replaced as a whole, and only if no other process has replaced it since it was read. Adding the same pages twice changes
nothing. So a crash between two files is harmless. After a crash while the memory was divided, two files can hold the
same page: the row of the latest request counts.
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any

import duckdb

from wavecrawl.adapters.analytics.database import (
    copy_rows,
    database,
    json_rows,
    no_rows,
    parquet_rows,
    quoted,
    streamed,
)
from wavecrawl.adapters.memory_files import FORGOTTEN, LocalCopy, MemoryFiles
from wavecrawl.domain.crawl.job import LONGEST_VALIDATOR, CrawlId
from wavecrawl.domain.crawl.site_changes import CLOCKS, SiteChanges
from wavecrawl.domain.recrawl.history import OBSERVATIONS, LastmodTrust, Observation, PageHistory
from wavecrawl.errors import CorruptDataError

_MEMORY_MB = 256
_DIGITS = "0123456789abcdef"
_ALL = "all"
_SUFFIX = ".parquet"
_OPTIONS = "FORMAT parquet, COMPRESSION zstd"

_COLUMNS = {
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
    "deleted_at": "DOUBLE",  # since when it is gone, or nothing leads to it; 0 = it exists
    "lastmod": "VARCHAR",  # in the sitemap or feed when it was requested last
    "lastmod_dates": "INTEGER",  # newer dates there with which it was requested
    "lastmod_right": "INTEGER",  # those with which its text or its links had changed
}

_LASTMODS = {"key": "VARCHAR", "lastmod": "VARCHAR"}

_KNOWN = """
CREATE OR REPLACE TEMP VIEW known AS
SELECT * FROM {source} m
WHERE NOT EXISTS (SELECT 1 FROM forgotten f WHERE f.key = m.key AND m.last_seen <= f.at)
{once}
"""
_ONCE = "QUALIFY row_number() OVER (PARTITION BY key ORDER BY last_seen DESC, first_seen) = 1"

_FRESH = """
CREATE TEMP TABLE fresh AS
SELECT key, url, state, etag, last_modified, body_hash, text_hash, link_hash, simhash, title, batch, depth, fetched_at
FROM read_parquet($1) p
WHERE key NOT IN (SELECT unnest($2::VARCHAR[]))
  AND NOT EXISTS (SELECT 1 FROM forgotten f WHERE f.key = p.key AND p.fetched_at <= f.at)
"""
_LATEST = """
CREATE OR REPLACE TEMP TABLE fresh AS
SELECT * FROM fresh QUALIFY row_number() OVER (PARTITION BY key ORDER BY fetched_at DESC) = 1
"""

_JOINED = """
CREATE OR REPLACE TEMP VIEW joined AS
SELECT m.*, p.key AS p_key, p.url AS p_url, p.etag AS p_etag, p.last_modified AS p_last_modified,
       p.body_hash AS p_body_hash, p.text_hash AS p_text_hash, p.link_hash AS p_link_hash, p.simhash AS p_simhash,
       p.title AS p_title, p.batch AS p_batch, p.depth AS p_depth, p.fetched_at AS seen_at,
       p.key IS NOT NULL AND (m.key IS NULL OR p.fetched_at > m.last_seen) AS newer,
       CASE WHEN NOT newer THEN m.state WHEN p.state = 'unchanged' THEN 'fetched' ELSE p.state END AS new_state,
       newer AND (p.state = 'fetched' OR (p.state = 'unchanged' AND coalesce(m.batch, '') = '')) AS content,
       content AND coalesce(m.batch, '') <> '' AS compared,
       coalesce(compared AND m.text_hash <> p.text_hash, false) OR coalesce(
           compared AND m.text_hash || p.text_hash = '' AND m.body_hash <> p.body_hash, false
       ) AS other_text,
       coalesce(compared AND m.link_hash <> p.link_hash, false) AS other_links,
       new_state IN ('failed', 'http_error', 'forbidden') AS failing
FROM known m FULL JOIN (SELECT * FROM fresh WHERE starts_with(key, '{prefix}')) p ON m.key = p.key
"""
_MERGED = """
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
       CASE WHEN newer AND new_state = 'fetched' THEN list_append(
           coalesce(j.observations, []), {{'at': seen_at, 'text': other_text, 'links': other_links}}
       )[-{observations}:] ELSE coalesce(j.observations, []) END AS observations,
       CASE WHEN newer THEN if(failing, coalesce(j.failures, 0) + 1, 0) ELSE j.failures END AS failures,
       CASE WHEN newer AND new_state = 'not_found' THEN if(j.deleted_at > 0, j.deleted_at, seen_at)
            WHEN newer AND NOT failing THEN 0 ELSE coalesce(j.deleted_at, 0) END AS deleted_at,
       coalesce(j.lastmod, '') AS lastmod,
       coalesce(j.lastmod_dates, 0) AS lastmod_dates,
       coalesce(j.lastmod_right, 0) AS lastmod_right
FROM joined j ORDER BY 1
"""

_MET = """
CREATE TEMP TABLE met_urls AS
SELECT key, arg_max(state, wave) AS state FROM read_parquet($1) GROUP BY key
"""
_UNREADABLE = """
SELECT count(*) FROM known JOIN met_urls u USING (key)
WHERE batch <> '' AND u.state NOT IN ('fetched', 'unchanged', 'redirected', 'not_found')
"""
_CONCLUDED = """
CREATE OR REPLACE TEMP VIEW concluded AS
SELECT m.* EXCLUDE (listed, seen, unmet) REPLACE (
           if(seen AND listed <> '', listed, lastmod) AS lastmod,
           lastmod_dates + if(newer, 1, 0) AS lastmod_dates,
           lastmod_right + if(newer AND (observations[-1].text OR observations[-1].links), 1, 0) AS lastmod_right,
           if(goes, {since}, deleted_at) AS deleted_at
       ), (seen AND listed NOT IN ('', lastmod)) OR goes AS differs
FROM (
    SELECT m.*, coalesce(l.lastmod, '') AS listed, u.key IS NULL AS unmet,
           m.state = 'fetched' AND m.last_seen BETWEEN {since} AND {until} AS seen,
           seen AND m.lastmod <> '' AND listed NOT IN ('', m.lastmod) AS newer,
           {sweeps} AND unmet AND m.last_seen < {since} AND m.deleted_at = 0 AS goes
    FROM known m LEFT JOIN listed_dates l ON l.key = m.key LEFT JOIN met_urls u ON u.key = m.key
) m
"""

_CHANGES = """
SELECT coalesce(bool_or(before), false),
       count(*) FILTER (there AND NOT before),
       count(*) FILTER (there AND before AND last_changed >= $since),
       count(*) FILTER (state = 'not_found' AND before AND last_changed > 0 AND state_since >= $since)
FROM (SELECT *, state = 'fetched' AS there, first_seen < $since AS before FROM met)
"""
_DATES = """
SELECT key, strftime(make_timestamp((last_changed * 1e6)::BIGINT), '%Y-%m-%d') FROM met
WHERE state <> 'not_found' AND first_seen < $since AND last_changed > 0
"""


@contextmanager
def open_memory(files: MemoryFiles, crawl: CrawlId, scratch: Path) -> "Iterator[MemoryTables]":
    """Open the page memory of a crawl's site; raise CorruptDataError if it cannot be read."""
    with database(scratch / "spill", memory_mb=_MEMORY_MB, threads=1) as db:
        try:
            yield MemoryTables(db, files, crawl, scratch)
        except duckdb.Error as error:
            raise CorruptDataError(f"the page memory of site {crawl.site} cannot be read: {error}") from error


class MemoryTables:
    """The page memory of one site, open for one operation."""

    def __init__(self, db: duckdb.DuckDBPyConnection, files: MemoryFiles, crawl: CrawlId, scratch: Path) -> None:
        self._db = db
        self._files = files
        self._crawl = crawl
        self._scratch = scratch
        self._copies: dict[str, LocalCopy] = {}  # by the prefix of their keys
        names = self._copy_files()
        self._marks = [name for name in names if name.startswith(FORGOTTEN)]
        marked = [name.removeprefix(FORGOTTEN).partition("-") for name in self._marks]
        self._db.execute(
            "CREATE TEMP TABLE forgotten AS SELECT unnest($1::VARCHAR[]) AS key, unnest($2::DOUBLE[]) AS at",
            [[key for key, _, _ in marked], [float(at) for _, _, at in marked]],
        )

    def add(self, pages: Sequence[Path], *, without: Collection[str], rows_per_file: int) -> bool:
        """Add pages. Return False if another process changed a file meanwhile: then all must be done again."""
        self._db.execute(_FRESH, [[str(path) for path in pages], sorted(without)])
        ((rows, distinct),) = self._rows("SELECT count(*), count(DISTINCT key) FROM fresh")
        if rows > distinct:
            self._db.execute(_LATEST)
        digits = self._digits(max(distinct, self._size()), rows_per_file)
        done = all(self._replace("".join(prefix)) for prefix in product(_DIGITS, repeat=digits))
        return done and self._clean_up(digits)

    def conclude(
        self, urls: Sequence[Path], lastmods: Path, *, started_at: float, ended_at: float, is_whole: bool
    ) -> bool:
        """Add what only a whole crawl shows. Return False if another process changed a file meanwhile."""
        self._db.execute(_MET, [[str(path) for path in urls]])
        listed = json_rows(lastmods, _LASTMODS) if lastmods.stat().st_size else no_rows(_LASTMODS)
        self._db.execute(
            f"CREATE TEMP TABLE listed_dates AS SELECT key, any_value(lastmod) AS lastmod FROM {listed} GROUP BY key"
        )
        self._open_known("")
        sweeps = is_whole and not self._rows(_UNREADABLE)[0][0]
        for prefix in sorted(self._copies):
            self._open_known(prefix)
            self._db.execute(_CONCLUDED.format(sweeps=sweeps, since=started_at - CLOCKS, until=ended_at + CLOCKS))
            changed = self._rows("SELECT count(*) FROM concluded WHERE differs")[0][0]
            columns = ", ".join(_COLUMNS)
            if changed and not self._store(prefix, f"SELECT {columns} FROM concluded ORDER BY key"):
                return False
        return True

    def histories(self) -> Iterator[PageHistory]:
        """Yield the pages, by depth and URL."""
        self._open_known("")
        rows = streamed(
            self._db,
            """
            SELECT observations, key, url, depth, last_seen, lastmod, failures, first_seen, last_changed, deleted_at
            FROM known ORDER BY depth, url, key
            """,
        )
        names = ("key", "url", "depth", "last_seen", "lastmod", "failures", "first_seen", "last_changed", "deleted_at")
        for observations, *values in rows:
            seen = tuple(Observation(**one) for one in observations)
            yield PageHistory(observations=seen, **dict(zip(names, values, strict=True)))

    def lastmod_trust(self) -> LastmodTrust:
        """Return how often newer dates in sitemaps and feeds were right."""
        self._open_known("")
        sums = "coalesce(sum(lastmod_dates), 0)::BIGINT, coalesce(sum(lastmod_right), 0)::BIGINT"
        ((dates, right),) = self._rows(f"SELECT {sums} FROM known")
        return LastmodTrust(dates=dates, right=right)

    def changes(self, pages: Sequence[Path], *, started_at: float) -> SiteChanges:
        """Compare pages with what the site remembers of them."""
        since = {"since": started_at - CLOCKS}
        self._open_known("")
        found = "('fetched', 'unchanged', 'not_found')"
        self._db.execute(
            f"""
            CREATE TEMP TABLE met AS SELECT key, state, first_seen, last_changed, state_since FROM known
            WHERE key IN (SELECT key FROM read_parquet($1) WHERE state IN {found})
            """,
            [[str(path) for path in pages]],
        )
        ((is_known, new, changed, gone),) = self._rows(_CHANGES, since)
        if not is_known:
            return SiteChanges()
        ((seen_at,),) = self._rows("SELECT avg(last_seen) FROM known WHERE deleted_at = 0")
        dates = dict(self._rows(_DATES, since))
        return SiteChanges(new=new, changed=changed, gone=gone, seen_at=seen_at, changed_on=dates)

    def extract_validators(self, path: Path) -> None:
        """Write what all pages are compared with to a file for `read_validators`."""
        self._open_known("")
        validators = f"""
            SELECT key, if(length(etag) <= {LONGEST_VALIDATOR}, etag, '') AS tag,
                   if(length(last_modified) <= {LONGEST_VALIDATOR}, last_modified, '') AS modified,
                   coalesce(body_hash, '') AS hash, crawl, batch
            FROM known WHERE batch <> '' AND (tag <> '' OR modified <> '' OR hash <> '')
        """
        copy_rows(self._db, validators, path, _OPTIONS)

    def _rows(self, query: str, values: object = None) -> list[tuple[Any, ...]]:
        return self._db.execute(query, values).fetchall()

    def _size(self) -> int:
        """Return the number of remembered rows."""
        return sum(map(self._size_of, self._copies))

    def _size_of(self, prefix: str) -> int:
        """Return the number of rows in the file of a prefix."""
        path = str(self._copies[prefix].path)
        return int(self._rows("SELECT num_rows FROM parquet_file_metadata($1)", [path])[0][0])

    def _copy_files(self) -> list[str]:
        """Copy the files; return the names of all that there are.

        A file without rows may be one that another process divides. Then there are new files to be copied too.
        """
        names: list[str] = []
        while (found := self._files.names(self._crawl)) != names:
            names = found
            shards = [name for name in names if not name.startswith(FORGOTTEN)]
            copies = {_prefix_of(name): self._files.copy(self._crawl, name, self._scratch) for name in shards}
            self._copies = {prefix: copy for prefix, copy in copies.items() if copy is not None}
            if len(self._copies) == len(shards) and all(self._size_of(prefix) for prefix in self._copies):
                break
        return names

    def _digits(self, rows: int, rows_per_file: int) -> int:
        """Return by how many digits of the url key the memory is divided: it never becomes fewer."""
        digits = max(map(len, self._copies), default=0)
        while rows > rows_per_file * len(_DIGITS) ** digits:
            digits += 1
        return digits

    def _open_known(self, prefix: str) -> list[str]:
        """Create view `known`: the remembered pages whose key starts with `prefix`. Return its files' prefixes."""
        held = [name for name in self._copies if name.startswith(prefix) or prefix.startswith(name)]
        if held:
            rows = parquet_rows(self._copies[name].path for name in held)
            source = f"(SELECT * FROM {rows} WHERE starts_with(key, '{prefix}'))"
        else:
            source = no_rows(_COLUMNS)
        self._db.execute(_KNOWN.format(source=source, once=_ONCE if len(held) > 1 else ""))
        return held

    def _replace(self, prefix: str) -> bool:
        """Replace the file of a prefix if that changes it; return False if another process did so meanwhile."""
        held = self._open_known(prefix)
        self._db.execute(_JOINED.format(prefix=prefix))
        ((newer, rows),) = self._rows("SELECT count(*) FILTER (newer), count(*) FROM joined")
        if not newer and rows == (self._size_of(prefix) if held == [prefix] else 0):
            return True
        return self._store(prefix, _MERGED.format(crawl=quoted(self._crawl.crawl), observations=OBSERVATIONS))

    def _clean_up(self, digits: int) -> bool:
        """Delete the files that were divided, and the marks of pages that are forgotten now.

        A divided file is emptied first: a process that has read it cannot replace it any more.
        """
        divided = [prefix for prefix in self._copies if len(prefix) < digits]
        empty = "SELECT * FROM known LIMIT 0"
        if not all(self._store(prefix, empty) for prefix in divided):
            return False
        if old := [*map(_name_of, divided), *self._marks]:
            self._files.delete(self._crawl, old)
        return True

    def _store(self, prefix: str, query: str) -> bool:
        """Store rows as the file of a prefix; return False if another process has changed it meanwhile."""
        path = self._scratch / f"new-{_name_of(prefix)}"
        copy_rows(self._db, query, path, _OPTIONS)
        copy = self._copies.get(prefix)
        return self._files.replace(self._crawl, _name_of(prefix), path, version=copy.version if copy else "")


def read_validators(path: Path, keys: Sequence[str]) -> list[tuple[str, str, str, str, str, str]]:
    """Return url key, ETag, Last-Modified, body hash, crawl and batch of pages, from `extract_validators`."""
    with database(path.parent, memory_mb=_MEMORY_MB, threads=1) as db:
        query = "SELECT * FROM read_parquet($1) WHERE key IN (SELECT unnest($2::VARCHAR[]))"
        return db.execute(query, [str(path), list(keys)]).fetchall()


def _name_of(prefix: str) -> str:
    return f"{prefix or _ALL}{_SUFFIX}"


def _prefix_of(name: str) -> str:
    return name.removesuffix(_SUFFIX).removeprefix(_ALL)
