"""Loading a crawl into DuckDB: records, links, ledger and sitemap entries become tables."""

from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path

import duckdb
import msgspec

from wavecrawl.domain.ledger import LedgerRow
from wavecrawl.errors import CorruptDataError
from wavecrawl.ports.analytics import SitemapLine

LONGEST_RECORD = 64 * 1024 * 1024
"""Bytes of one page record, decompressed: a page of 20 MB with its text and 10,000 links stays below it."""

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
_BATCH = r"([0-9]+-[0-9]+-[0-9]+)[.]jsonl[.]gz$"
"""How the names of files of records end: wave, batch and attempt."""

_SITEMAP = {"key": "VARCHAR", "url": "VARCHAR", "lastmod": "VARCHAR", "sitemap": "VARCHAR"}


def load_ledger(db: duckdb.DuckDBPyConnection, rows: Iterable[LedgerRow], *, scratch: Path) -> None:
    """Make table `urls`: one row for every URL ever seen; `id` counts from 0 in order of discovery."""
    _load_lines(db, "ledger", rows, _LEDGER, scratch=scratch)
    db.execute('CREATE TABLE urls AS SELECT ledger.order AS id, * EXCLUDE ("order") FROM ledger ORDER BY id')
    db.execute("DROP TABLE ledger")


def load_sitemap(db: duckdb.DuckDBPyConnection, lines: Iterable[SitemapLine], *, scratch: Path) -> None:
    """Make table `listed`: the URLs that sitemaps name, with their `id` in `urls`, in the order of the files."""
    _load_lines(db, "sitemap_lines", lines, _SITEMAP, scratch=scratch)
    db.execute(
        """
        CREATE TABLE listed AS
        SELECT urls.id, s.url, s.lastmod, s.sitemap, s.line
        FROM (SELECT *, row_number() OVER () AS line FROM sitemap_lines) s JOIN urls USING (key) ORDER BY s.line
        """
    )
    db.execute("DROP TABLE sitemap_lines")


def load_records(db: duckdb.DuckDBPyConnection, files: Sequence[Path]) -> int:
    """Make tables `pages` (final records, one a URL) and `links`; return how many records were one too many (0).

    `pages.cut`: whether links may be missing because the page was not read to its end.
    """
    names = [str(path) for path in files]
    columns = ", ".join(f"'{name}': '{kind}'" for name, kind in _RECORD.items())
    source = (
        f"read_json($files, format = 'newline_delimited', compression = 'gzip', columns = {{{columns}}}, "
        f"maximum_object_size = {LONGEST_RECORD}, filename = true)"
        if names
        else f"(SELECT '' AS filename, {', '.join(f'NULL::{kind} AS {n}' for n, kind in _RECORD.items())} LIMIT 0)"
    )
    try:
        db.execute(
            f"""
            CREATE TABLE records AS
            SELECT urls.id, r.* EXCLUDE (filename), regexp_extract(r.filename, '{_BATCH}', 1) AS batch
            FROM {source} r JOIN urls USING (key) WHERE r.state <> 'deferred'
            """,
            {"files": names} if names else {},
        )
    except duckdb.Error as error:
        raise CorruptDataError(f"the page records cannot be read: {error}") from error
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


def _load_lines(
    db: duckdb.DuckDBPyConnection,
    table: str,
    rows: Iterable[LedgerRow] | Iterable[SitemapLine],
    columns: dict[str, str],
    *,
    scratch: Path,
) -> None:
    """Make a table of dataclasses, by way of a file of JSON lines: far quicker than inserting row by row."""
    path = scratch / f"{table}.jsonl"
    encoder = msgspec.json.Encoder()
    with path.open("wb") as file:
        file.writelines(chain.from_iterable((encoder.encode(row), b"\n") for row in rows))
    if path.stat().st_size:
        shape = ", ".join(f"'{name}': '{kind}'" for name, kind in columns.items())
        source = f"read_json(?, format = 'newline_delimited', columns = {{{shape}}})"
        db.execute(f"CREATE TABLE {table} AS SELECT * FROM {source}", [str(path)])
    else:
        shape = ", ".join(f'"{name}" {kind}' for name, kind in columns.items())
        db.execute(f"CREATE TABLE {table} ({shape})")
    path.unlink()
