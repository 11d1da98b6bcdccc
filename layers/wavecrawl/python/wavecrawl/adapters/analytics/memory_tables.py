"""The tables of a page memory in DuckDB: add the pages of a crawl, compare them, read validators.

Each file holds the pages whose url key starts with the file's name; `all.parquet` holds all of them. A file is only
replaced as a whole, and only if no other process has replaced it since it was read. Adding the same pages twice changes
nothing. So a crash between two files is harmless. After a crash while the memory was divided, two files can hold the
same page: the row of the latest request counts.

A file that cannot be read, such as one that was cut off, is left out, so that crawls of the site go on. The next crawl
that adds pages replaces it, and leaves a mark.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import product
from pathlib import Path
from typing import Any

import duckdb

from wavecrawl.adapters.analytics import memory_queries as queries
from wavecrawl.adapters.analytics.answers import build_answers
from wavecrawl.adapters.analytics.blockers import build_blockers
from wavecrawl.adapters.analytics.database import (
    copy_rows,
    database,
    filled_rows,
    is_damage,
    json_rows,
    memory_database,
    no_rows,
    quoted,
    streamed,
)
from wavecrawl.adapters.analytics.load import part_rows
from wavecrawl.adapters.memory_files import DAMAGED, FORGOTTEN, LocalCopy, MemoryFiles
from wavecrawl.adapters.table_columns import COLUMNS
from wavecrawl.domain.crawl.job import LONGEST_VALIDATOR, CrawlId
from wavecrawl.domain.crawl.reached_limits import STOPS
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.site_changes import CLOCKS, SiteChanges, TextDates
from wavecrawl.domain.recrawl.deletion import Answer
from wavecrawl.domain.recrawl.history import OBSERVATIONS, LastmodTrust, Observation, PageHistory
from wavecrawl.domain.urls.earlier_keys import earlier_key, present_key
from wavecrawl.errors import CorruptDataError
from wavecrawl.ports.page_memories import Conclusion, CrawlEnd
from wavecrawl.ports.parts import Table

_MEMORY_MB = 256
_DIGITS = "0123456789abcdef"
_ALL = "all"
_SUFFIX = ".parquet"
_OPTIONS = "FORMAT parquet, COMPRESSION zstd"


@contextmanager
def open_memory(files: MemoryFiles, crawl: CrawlId, scratch: Path, sound: set[str]) -> "Iterator[MemoryTables]":
    """Open the page memory of a crawl's site; raise CorruptDataError if it cannot be read.

    `sound`: versions of files that are known to be readable. Further ones are added.
    """
    with memory_database(scratch / "spill", memory_mb=_MEMORY_MB) as db:
        try:
            yield MemoryTables(db, files, crawl, scratch, sound)
        except duckdb.Error as error:
            raise CorruptDataError(f"the page memory of site {crawl.site} cannot be read: {error}") from error


class MemoryTables:
    """The page memory of one site, open for one operation."""

    def __init__(
        self, db: duckdb.DuckDBPyConnection, files: MemoryFiles, crawl: CrawlId, scratch: Path, sound: set[str]
    ) -> None:
        self._db = db
        self._files = files
        self._crawl = crawl
        self._scratch = scratch
        self._sound = sound
        self._damaged: set[str] = set()  # prefixes of files that cannot be read
        self._copies: dict[str, LocalCopy] = {}  # by the prefix of their keys
        names = self._copy_files()
        forgotten = [name for name in names if name.startswith(FORGOTTEN)]
        earlier = [name for name in names if name.startswith(DAMAGED) and f"/{crawl.crawl}/" not in name]
        self._marks = [*forgotten, *earlier]
        marked = [name.removeprefix(FORGOTTEN).partition("-") for name in forgotten]
        self._db.execute("CREATE TEMP TABLE moved (old_key VARCHAR, new_key VARCHAR, new_url VARCHAR)")
        self._db.execute(
            "CREATE TEMP TABLE forgotten AS SELECT unnest($1::VARCHAR[]) AS key, unnest($2::DOUBLE[]) AS at",
            [[key for key, _, _ in marked], [float(at) for _, _, at in marked]],
        )
        self._db.execute("CREATE TEMP TABLE renamed (old_key VARCHAR, new_key VARCHAR)")
        self._has_renamed = self._rename(self._earlier_rows())

    def add(
        self, pages: Sequence[Path], *, without: Collection[str], rows_per_file: int, table: Table = Table.PAGES
    ) -> bool:
        """Add the rows of files of a table. Return False if another process changed a file: repeat it then."""
        for prefix in self._damaged:
            self._files.mark(self._crawl, f"{DAMAGED}{self._crawl.crawl}/{_name_of(prefix)}")
        fresh = queries.FRESH.format(pages=queries.MEDIA if table is Table.MEDIA else queries.PAGES)
        self._db.execute(fresh, [[str(path) for path in pages], sorted(without)])
        if self._rename("fresh"):
            self._db.execute(queries.RENAMED_FRESH)
        ((rows, distinct),) = self._rows("SELECT count(*), count(DISTINCT key) FROM fresh")
        if rows > distinct:
            self._db.execute(queries.LATEST)
        build_answers(self._db, "fresh")
        if table is Table.PAGES:
            self._open_known("")
            self._db.execute(queries.MOVED)
        digits = self._digits(max(distinct, self._size()), rows_per_file)
        done = all(self._replace("".join(prefix)) for prefix in product(_DIGITS, repeat=digits))
        return done and self._clean_up(digits)

    def conclude(
        self,
        parts: Mapping[Table, Sequence[Path]],
        lastmods: Path,
        end: CrawlEnd,
        *,
        proof: bool = True,
        table: Table = Table.PAGES,
    ) -> Conclusion | None:
        """Add what only a whole crawl shows. Return None if another process changed a file meanwhile.

        `proof`: see `ports.page_memories.PageMemories.conclude`.
        """
        source = part_rows(self._db, Table.URLS, parts[Table.URLS])
        if table is Table.MEDIA:
            files = parts[Table.MEDIA]
            source = part_rows(self._db, table, files) if files else no_rows(COLUMNS[table])
        self._db.execute((queries.MET_MEDIA if table is Table.MEDIA else queries.MET).format(urls=source))
        if self._rename("met_urls"):
            self._db.execute(queries.RENAMED_MET)
        listed = json_rows(lastmods, queries.LASTMODS) if lastmods.stat().st_size else no_rows(queries.LASTMODS)
        self._db.execute(
            f"CREATE TEMP TABLE listed_dates AS SELECT key, any_value(lastmod) AS lastmod FROM {listed} GROUP BY key"
        )
        self._open_known("")
        conclusion = self._judge(parts, end, table, proof=proof)
        values = {"since": end.since, "until": end.facts.finished_at + CLOCKS, "reach": quoted(str(end.reach))}
        for prefix in sorted(self._copies):
            self._open_known(prefix)
            self._db.execute(queries.CONCLUDED.format(**values))
            changed = self._rows("SELECT count(*) FROM concluded WHERE differs")[0][0]
            columns = ", ".join(queries.COLUMNS)
            if changed and not self._store(prefix, f"SELECT {columns} FROM concluded ORDER BY key"):
                return None
        return conclusion

    def _judge(self, parts: Mapping[Table, Sequence[Path]], end: CrawlEnd, table: Table, *, proof: bool) -> Conclusion:
        """Create table `absent`: the pages that are deleted because the crawl did not find them.

        Media are named by pages: `end` says whether these were read. Whether the crawl has a gap is only looked for if
        some pages were not found, or a `proof` is wanted.
        """
        reaches = [reach for (reach,) in self._rows("SELECT DISTINCT reach FROM known")]
        covered = [reach for reach in {*reaches, end.earlier_reach} if end.reach.covers(reach)]
        judged = queries.JUDGED.format(
            since=end.since,
            earlier_since=end.earlier_since,
            earlier_reach=quoted(end.earlier_reach),
            hiccups=queries.HICCUPS,
        )
        self._db.execute(judged, [covered])
        if not proof and not self._rows("SELECT 1 FROM judged WHERE unseen LIMIT 1"):
            self._db.execute("CREATE TEMP TABLE absent (key VARCHAR)")
            return Conclusion()
        proves = end.sees_all and (table is Table.MEDIA or self._has_no_gap(parts, end))
        self._db.execute(queries.ABSENT.format(proves=proves, most_at_once=queries.MOST_AT_ONCE))
        ((unsure,),) = self._rows(
            "SELECT count(*) FROM judged WHERE lost OR (unseen AND key NOT IN (SELECT key FROM absent))"
        )
        return Conclusion(proves_absence=proves and not unsure)

    def _has_no_gap(self, parts: Mapping[Table, Sequence[Path]], end: CrawlEnd) -> bool:
        """Return whether the crawl read all that leads to pages, as far as its ways of discovery can show."""
        root = "SELECT 1 FROM met_urls WHERE key = $1 AND state IN ('fetched', 'unchanged')"
        if not self._rows(root, [end.facts.root_key]) or self._rows("SELECT 1 FROM judged WHERE hiccup LIMIT 1"):
            return False
        pages = part_rows(self._db, Table.PAGES, parts[Table.PAGES])
        self._db.execute(queries.EXPECTED.format(hiccups=queries.HICCUPS))
        return not build_blockers(self._db, end.facts, end.blockers, urls="expected", pages=pages).is_incomplete

    def deleted(self) -> Iterator[str]:
        """Yield the keys of deleted pages, also those that earlier versions gave them."""
        self._open_known("")
        for key, url in streamed(self._db, "SELECT key, url FROM known WHERE deleted_at > 0 ORDER BY key"):
            yield key
            if earlier := earlier_key(key, url):
                yield earlier

    def histories(self, failures: int = 0) -> Iterator[PageHistory]:
        """Yield the pages with at least `failures` failures in a row, by depth and URL."""
        self._open_known("")
        rows = streamed(
            self._db,
            """
            SELECT observations, key, url, depth, last_seen, lastmod, failures, first_seen, last_changed, deleted_at
            FROM known WHERE failures >= $1 ORDER BY depth, url, key
            """,
            [failures],
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

    def changes(self, pages: Sequence[Path], *, since: float, ledger: Path | None) -> SiteChanges:
        """Compare pages with what the site remembers of them.

        `ledger`: the `ledger.csv` of the crawl before. Pages that a limit kept it from reading are not new.
        """
        self._open_unread(ledger)
        self._open_known("")
        found = "('fetched', 'unchanged', 'not_found')"
        self._db.execute(
            f"""
            CREATE TEMP TABLE met AS
            SELECT key, state, text_hash, first_seen, last_changed, state_since, observations FROM known
            WHERE key IN (SELECT key FROM read_parquet($1) WHERE state IN {found})
            """,
            [[str(path) for path in pages]],
        )
        self._db.execute(queries.TWICE)
        ((is_known, new, changed),) = self._rows(queries.CHANGES, {"since": since})
        ((gone,),) = self._rows(queries.GONE, [since])
        ((again,),) = self._db.execute(queries.AGAIN, [since, [str(path) for path in pages]]).fetchall()
        if not is_known and not gone:
            return SiteChanges()
        ((seen_at,),) = self._rows("SELECT avg(last_seen) FROM known WHERE deleted_at = 0")
        self._db.execute(queries.DAY)
        texts = {key: TextDates(*dates) for key, *dates in self._rows(queries.DATES, {"since": since})}
        return SiteChanges(new=new, changed=changed, gone=gone, again=again, seen_at=seen_at, texts=texts)

    def _open_unread(self, ledger: Path | None) -> None:
        """Create table `unread`: the keys of a ledger that a limit kept from being read; empty without a ledger."""
        self._db.execute("CREATE TEMP TABLE unread (key VARCHAR)")
        if ledger is not None:
            with suppress(duckdb.Error):  # a damaged file of an earlier crawl must not fail this one
                self._db.execute(queries.UNREAD, [str(ledger), sorted({*STOPS, Reason.MAX_DEPTH})])

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
        """Return the number of rows in the file of a prefix; none if it is damaged."""
        if prefix in self._damaged:
            return 0
        path = str(self._copies[prefix].path)
        return int(self._rows("SELECT num_rows FROM parquet_file_metadata($1)", [path])[0][0])

    def _copy_files(self) -> list[str]:
        """Copy the files; return the names of all that there are.

        A file without rows may be one that another process divides. Then there are new files to be copied too.
        """
        names: list[str] = []
        while (found := self._files.names(self._crawl)) != names:
            names = found
            shards = [name for name in names if not name.startswith((FORGOTTEN, DAMAGED))]
            copies = {_prefix_of(name): self._files.copy(self._crawl, name, self._scratch) for name in shards}
            self._copies = {prefix: copy for prefix, copy in copies.items() if copy is not None}
            self._damaged = {prefix for prefix, copy in self._copies.items() if not self._is_sound(copy)}
            whole = self._copies.keys() - self._damaged
            if len(self._copies) == len(shards) and all(map(self._size_of, whole)):
                break
        return names

    def _is_sound(self, copy: LocalCopy) -> bool:
        """Return whether all of a file can be read; raise duckdb.Error if the machine cannot read any file now."""
        if copy.version not in self._sound:
            try:
                self._rows("SELECT bit_xor(hash(page)) FROM read_parquet($1) AS page", [str(copy.path)])
            except duckdb.Error as error:
                if not is_damage(error):
                    raise
                return False
            self._sound.add(copy.version)
        return True

    def _digits(self, rows: int, rows_per_file: int) -> int:
        """Return by how many digits of the url key the memory is divided: it never becomes fewer."""
        digits = max(map(len, self._copies), default=0)
        while rows > rows_per_file * len(_DIGITS) ** digits:
            digits += 1
        return digits

    def _open_known(self, prefix: str) -> list[str]:
        """Create view `known`: the remembered pages whose key starts with `prefix`. Return its files' prefixes."""
        whole = self._copies.keys() - self._damaged
        named = (name for name in whole if name.startswith(prefix) or prefix.startswith(name))
        held = sorted(whole if self._has_renamed else named)
        if held:
            rows = self._spelled(held)
            if self._has_renamed:
                rows = queries.RENAMED.format(rows=rows, prefix=prefix)
            else:
                rows = f"(SELECT * REPLACE (TRUE AS spaces) FROM {rows} WHERE starts_with(key, '{prefix}'))"
            source = f"(SELECT {', '.join(queries.COLUMNS)} FROM {rows})"
        else:
            source = no_rows(queries.COLUMNS)
        once = queries.ONCE if len(held) > 1 or self._has_renamed else ""
        self._db.execute(queries.KNOWN.format(source=source, once=once))
        return held

    def _spelled(self, prefixes: Sequence[str]) -> str:
        """Return the rows of files as a relation."""
        rows = filled_rows(self._db, [self._copies[name].path for name in prefixes], queries.ADDED)
        return queries.SPELLED.format(rows=rows)

    def _earlier_rows(self) -> str:
        """Return the rows of the files of earlier versions as a relation; "" without such files."""
        whole = sorted(self._copies.keys() - self._damaged)
        paths = [str(self._copies[name].path) for name in whole]
        query = "SELECT DISTINCT file_name FROM parquet_schema($1) WHERE name = 'spaces'"
        marked = {path for (path,) in self._db.execute(query, [paths]).fetchall()} if paths else set()
        earlier = [name for name, path in zip(whole, paths, strict=True) if path not in marked]
        return self._spelled(earlier) if earlier else ""

    def _rename(self, rows: str) -> bool:
        """Add the keys to table `renamed` that rows have now, if they are other ones. Return whether there are any.

        Of pages that were forgotten under their earlier keys, the rows are forgotten under both.
        """
        found: list[tuple[str, str]] = self._rows(queries.EARLIER.format(rows=rows)) if rows else []
        renamed = {key: now for key, url in found if (now := present_key(key, url)) != key}
        if renamed:
            self._db.execute(queries.RENAME, [list(renamed), list(renamed.values())])
            self._db.execute(queries.FORGOTTEN_TOO)
        return bool(renamed)

    def _replace(self, prefix: str) -> bool:
        """Replace the file of a prefix if that changes it; return False if another process did so meanwhile."""
        held = self._open_known(prefix)
        crawl = quoted(self._crawl.crawl)
        self._db.execute(queries.JOINED.format(prefix=prefix, crawl=crawl, gone=Answer.GONE, away=Answer.AWAY))
        ((newer, rows),) = self._rows("SELECT count(*) FILTER (newer), count(*) FROM joined")
        stored = self._size_of(prefix) if held == [prefix] else 0
        if not newer and rows == stored and prefix not in self._damaged:
            return True
        merged = queries.MERGED.format(crawl=crawl, observations=OBSERVATIONS, slash=queries.SLASH)
        return self._store(prefix, merged)

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
