"""Loading of a crawl into DuckDB: records, links, ledger and sitemap entries become tables."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path

import duckdb
import msgspec
from isal import igzip

from wavecrawl.adapters.gzip_members import BROKEN, whole_members
from wavecrawl.domain.crawl.ledger import LedgerRow
from wavecrawl.errors import CorruptDataError
from wavecrawl.ports.analytics import SitemapLine

LONGEST_RECORD = 64 * 1024 * 1024
"""Maximum bytes of a decompressed page record; enough for a 20 MB page with its text and 10,000 links."""

_UNREADABLE: tuple[type[Exception], ...] = (duckdb.Error, *BROKEN)
_PART = 128 * 1024 * 1024  # decompressed bytes of records loaded at once

_LINK = "STRUCT(url VARCHAR, key VARCHAR, kind VARCHAR, region VARCHAR, text VARCHAR, nofollow BOOLEAN, skip VARCHAR)"
_FACTS = """STRUCT(
    title VARCHAR, description VARCHAR, keywords VARCHAR, canonical VARCHAR, robots VARCHAR[], language VARCHAR,
    hreflang VARCHAR[][], headings JSON[], open_graph VARCHAR[][], json_ld_types VARCHAR[], word_count INTEGER,
    text VARCHAR, text_hash VARCHAR, simhash UBIGINT)"""
_RECORD = {
    "key": "VARCHAR",
    "url": "VARCHAR",
    "state": "VARCHAR",
    "reason": "VARCHAR",
    "detail": "VARCHAR",
    "tries": "INTEGER",
    "status": "INTEGER",
    "content_type": "VARCHAR",
    "charset": "VARCHAR",
    "is_html": "BOOLEAN",
    "final_url": "VARCHAR",
    "redirect_to": "VARCHAR",
    "redirect_key": "VARCHAR",
    "redirect_skip": "VARCHAR",
    "etag": "VARCHAR",
    "last_modified": "VARCHAR",
    "header_canonical": "VARCHAR",
    "header_robots": "VARCHAR[]",
    "bytes": "BIGINT",
    "decoded_bytes": "BIGINT",
    "truncated": "BOOLEAN",
    "response_time": "DOUBLE",
    "elapsed": "DOUBLE",
    "fetched_at": "DOUBLE",
    "facts": _FACTS,
    "links": f"{_LINK}[]",
    "batch": "VARCHAR",
}
_LEDGER = {
    "order": "BIGINT",
    "url": "VARCHAR",
    "key": "VARCHAR",
    "state": "VARCHAR",
    "reason": "VARCHAR",
    "detail": "VARCHAR",
    "depth": "INTEGER",
    "parent": "VARCHAR",
    "found_by": "VARCHAR",
    "phase": "VARCHAR",
    "found_at": "DOUBLE",
    "tries": "INTEGER",
}
_SITEMAP = {"key": "VARCHAR", "url": "VARCHAR", "lastmod": "VARCHAR", "sitemap": "VARCHAR"}


def load_ledger(db: duckdb.DuckDBPyConnection, rows: Iterable[LedgerRow], *, scratch: Path) -> None:
    """Create table `urls`: one row per discovered URL; `id` counts from 0 in order of discovery."""
    _load_lines(db, "ledger", rows, _LEDGER, scratch=scratch)
    db.execute('CREATE TABLE urls AS SELECT ledger.order AS id, * EXCLUDE ("order") FROM ledger ORDER BY id')
    db.execute("DROP TABLE ledger")


def load_sitemap(db: duckdb.DuckDBPyConnection, lines: Iterable[SitemapLine], *, scratch: Path) -> None:
    """Create table `listed`: the URLs of sitemaps with their `id` in `urls`, in sitemap order."""
    _load_lines(db, "sitemap_lines", lines, _SITEMAP, scratch=scratch)
    db.execute(
        """
        CREATE TABLE listed AS
        SELECT urls.id, s.url, s.lastmod, s.sitemap, s.line
        FROM (SELECT *, row_number() OVER () AS line FROM sitemap_lines) s JOIN urls USING (key) ORDER BY s.line
        """
    )
    db.execute("DROP TABLE sitemap_lines")


def load_records(db: duckdb.DuckDBPyConnection, files: Sequence[Path], *, scratch: Path) -> int:
    """Create tables `records` (one final record per URL) and `links`; return the number of surplus records."""
    _create(db, "records", {"id": "BIGINT", **_RECORD})
    part = scratch / "records.jsonl"
    damaged: list[Path] = []
    lines = chain.from_iterable(_named_lines(file, damaged) for file in files)
    try:
        while _write_some(part, lines):
            db.execute(
                f"""
                INSERT INTO records
                SELECT urls.id, r.* FROM read_json(
                    ?, format = 'newline_delimited', columns = {_shape(_RECORD)}, maximum_object_size = {LONGEST_RECORD}
                ) r JOIN urls USING (key) WHERE r.state <> 'deferred'
                """,
                [str(part)],
            )
    except _UNREADABLE as error:
        raise CorruptDataError(f"the page records cannot be read: {error}") from error
    part.unlink()
    if damaged:
        _require_records(db, damaged)
    ((total, distinct),) = db.execute("SELECT count(*), count(DISTINCT id) FROM records").fetchall()
    if total > distinct:
        db.execute(
            """
            CREATE OR REPLACE TABLE records AS
            SELECT * FROM records QUALIFY row_number() OVER (PARTITION BY id ORDER BY fetched_at) = 1
            """
        )
    db.execute(
        """
        CREATE TABLE links AS
        SELECT source, position, link.url AS url, link.key AS key, link.kind AS kind, link.region AS region,
               link.text AS text, link.nofollow OR page_nofollow AS nofollow, link.skip AS skip, urls.id AS target
        FROM (
            SELECT id AS source, unnest(links) AS link, generate_subscripts(links, 1) AS position,
                   list_has_any(list_concat(header_robots, coalesce(facts.robots, [])), ['nofollow', 'none'])
                       AS page_nofollow
            FROM records
        ) LEFT JOIN urls ON urls.key = link.key
        """
    )
    return int(total - distinct)


def _require_records(db: duckdb.DuckDBPyConnection, damaged: list[Path]) -> None:
    """Raise CorruptDataError if a fetched page has no record: what a damaged file lacks may be in a later one."""
    ((missing,),) = db.execute(
        "SELECT count(*) FROM urls ANTI JOIN records USING (id) WHERE urls.state IN ('fetched', 'unchanged')"
    ).fetchall()
    if missing:
        names = ", ".join(path.name for path in damaged[:3])
        raise CorruptDataError(f"the page records cannot be read: {missing:,} are missing or damaged ({names})")


def _named_lines(path: Path, damaged: list[Path]) -> Iterator[bytes]:
    """Yield the complete records of a batch, each with the name of the batch as its first field.

    A file that is missing or incomplete is added to `damaged`.
    """
    name = path.name.removesuffix(".jsonl.gz")
    opening = f'{{"batch":"{name}",'.encode()
    read = 0
    try:
        with igzip.open(path) as file:  # type: ignore[no-untyped-call]  # isal types its C part only
            for line in file:
                yield opening + line[1:]
                read += 1
    except BROKEN:
        damaged.append(path)
        rest = whole_members(path.read_bytes()) if path.is_file() else iter(())
        yield from (opening + line[1:] for line in islice(rest, read, None))


def _write_some(path: Path, lines: Iterator[bytes]) -> int:
    """Write lines into a file until it has `_PART` bytes or the lines end; return the bytes written.

    DuckDB reads one uncompressed file four times as fast as many gzipped ones.
    """
    size = 0
    with path.open("wb") as file:
        for line in lines:
            size += file.write(line)
            if size >= _PART:
                break
    return size


def _load_lines(
    db: duckdb.DuckDBPyConnection,
    table: str,
    rows: Iterable[LedgerRow] | Iterable[SitemapLine],
    columns: Mapping[str, str],
    *,
    scratch: Path,
) -> None:
    """Create a table from dataclasses through a JSON Lines file, which is much faster than row inserts."""
    path = scratch / f"{table}.jsonl"
    encoder = msgspec.json.Encoder()
    with path.open("wb") as file:
        file.writelines(chain.from_iterable((encoder.encode(row), b"\n") for row in rows))
    if path.stat().st_size:
        source = f"read_json(?, format = 'newline_delimited', columns = {_shape(columns)})"
        db.execute(f"CREATE TABLE {table} AS SELECT * FROM {source}", [str(path)])
    else:
        _create(db, table, columns)
    path.unlink()


def _create(db: duckdb.DuckDBPyConnection, table: str, columns: Mapping[str, str]) -> None:
    shape = ", ".join(f'"{name}" {kind}' for name, kind in columns.items())
    db.execute(f"CREATE TABLE {table} ({shape})")


def _shape(columns: Mapping[str, str]) -> str:
    """Return columns in the form that `read_json` expects."""
    return "{" + ", ".join(f"'{name}': '{kind}'" for name, kind in columns.items()) + "}"
