"""The writer of parts: page records and changes of URLs become Parquet files."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType

import duckdb
import msgspec
from isal import igzip
from msgspec import structs

from wavecrawl.adapters.gzip_members import BROKEN, whole_members
from wavecrawl.domain.crawl.ledger import UrlChange
from wavecrawl.domain.crawl.record import PageRecord
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.pages.page import PageFacts
from wavecrawl.errors import CorruptDataError
from wavecrawl.ports.parts import Table, file_of

TEXT_PIECE = 32_768
"""Characters per row of `texts`. DuckDB handles 2,048 rows at a time, so longer rows would need more memory."""

_MEMORY_MB = 256
_PIECE = 16 * 1024 * 1024  # bytes of lines that are copied to Parquet at once
_LONGEST_PAGE = 32 * 1024 * 1024  # bytes of a line: a URL with the facts of its page. DuckDB reserves twice as much
_LONGEST_LINE = 2 * 1024 * 1024  # bytes of a line of another table
_ROWS = 122_880  # rows per row group, DuckDB's default
_ROW_GROUP = 16 * 1024 * 1024  # bytes per row group of texts: it is kept in memory until it is written
_READ = (UrlState.FETCHED, UrlState.UNCHANGED)

_FACTS = """STRUCT(
    title VARCHAR, description VARCHAR, keywords VARCHAR, canonical VARCHAR, robots VARCHAR[], language VARCHAR,
    hreflang VARCHAR[][], headings VARCHAR[][], open_graph VARCHAR[][], json_ld_types VARCHAR[], word_count INTEGER,
    text_hash VARCHAR, simhash UBIGINT)"""
_SIGNED = "(CASE WHEN {0} >= 1::UBIGINT << 63 THEN {0}::HUGEINT - (1::HUGEINT << 64) ELSE {0} END)::BIGINT"
"""The 64 bits of an unsigned number as a signed one, as Athena has no unsigned numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shape:
    """How the lines of a table become rows."""

    columns: Mapping[str, str]  # of the lines, with their types
    select: str  # the columns of the table
    row_group: str = f"ROW_GROUP_SIZE {_ROWS}"
    longest: int = _LONGEST_LINE


_SHAPES: Mapping[Table, _Shape] = MappingProxyType(
    {
        Table.PAGES: _Shape(
            columns={
                "key": "VARCHAR",
                "url": "VARCHAR",
                "wave": "INTEGER",
                "batch": "VARCHAR",
                "position": "INTEGER",
                "state": "VARCHAR",
                "reason": "VARCHAR",
                "detail": "VARCHAR",
                "depth": "INTEGER",
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
                "body_at": "VARCHAR",
                "facts": _FACTS,
                "link_count": "INTEGER",
            },
            select=f"""
                key, url, wave, batch, position, state, reason, detail, depth, tries, status, content_type, charset,
                is_html, final_url, redirect_to, redirect_key, redirect_skip, etag, last_modified, header_canonical,
                header_robots, bytes, decoded_bytes, truncated, response_time, elapsed, fetched_at, body_at,
                coalesce(facts.title, '') AS title, coalesce(facts.description, '') AS description,
                coalesce(facts.keywords, '') AS keywords, coalesce(facts.canonical, '') AS canonical,
                coalesce(facts.robots, []) AS robots, coalesce(facts.language, '') AS language,
                [{{'language': pair[1], 'url': pair[2]}} FOR pair IN coalesce(facts.hreflang, [])] AS hreflang,
                [{{'level': pair[1]::INTEGER, 'text': pair[2]}} FOR pair IN coalesce(facts.headings, [])] AS headings,
                [{{'property': pair[1], 'content': pair[2]}} FOR pair IN coalesce(facts.open_graph, [])] AS open_graph,
                coalesce(facts.json_ld_types, []) AS json_ld_types, coalesce(facts.word_count, 0) AS word_count,
                coalesce(facts.text_hash, '') AS text_hash, {_SIGNED.format("coalesce(facts.simhash, 0)")} AS simhash,
                link_count AS links
            """,
            longest=_LONGEST_PAGE,
        ),
        Table.EDGES: _Shape(
            columns={
                "source_key": "VARCHAR",
                "key": "VARCHAR",
                "url": "VARCHAR",
                "position": "INTEGER",
                "kind": "VARCHAR",
                "region": "VARCHAR",
                "text": "VARCHAR",
                "nofollow": "BOOLEAN",
                "page_nofollow": "BOOLEAN",
                "skip": "VARCHAR",
                "wave": "INTEGER",
            },
            select="""
                source_key, key AS target_key, url, position, kind, region, text, nofollow OR page_nofollow AS nofollow,
                skip, wave
            """,
        ),
        Table.TEXTS: _Shape(
            columns={"key": "VARCHAR", "piece": "INTEGER", "text": "VARCHAR"},
            select="key, piece, text",
            row_group=f"ROW_GROUP_SIZE_BYTES {_ROW_GROUP}",
        ),
        Table.URLS: _Shape(
            columns={
                "id": "BIGINT",
                "url": "VARCHAR",
                "key": "VARCHAR",
                "state": "VARCHAR",
                "reason": "VARCHAR",
                "detail": "VARCHAR",
                "depth": "INTEGER",
                "parent": "BIGINT",
                "found_by": "VARCHAR",
                "phase": "VARCHAR",
                "found_in": "INTEGER",
                "found_at": "DOUBLE",
                "tries": "INTEGER",
                "batch_wave": "INTEGER",
                "batch": "INTEGER",
                "wave": "INTEGER",
            },
            select="*",
        ),
    }
)


class DuckDbPartWriter:
    """`ports.parts.PartWriter`."""

    def write(self, number: int, records: Sequence[Path], changes: Iterable[UrlChange], folder: Path) -> None:
        """Write the tables of a part into an empty folder."""
        with TemporaryDirectory(dir=folder) as name, _database(Path(name)) as db, ExitStack() as stack:
            tables = {table: stack.enter_context(closing(_Lines(db, table, Path(name)))) for table in Table}
            found = _add_records(records, tables)
            first = min((_wave_of(path) for path in records), default=number + 1)
            _add_changes(number, changes, tables[Table.URLS], first=first, found=found)
            for table, lines in tables.items():
                lines.finish(folder / file_of(table), always=table is Table.URLS)


class _Lines:
    """The rows of one table, as JSON Lines until some of them are copied to Parquet."""

    def __init__(self, db: duckdb.DuckDBPyConnection, table: Table, scratch: Path) -> None:
        self._db = db
        self._shape = _SHAPES[table]
        self._path = scratch / f"{table.value}.jsonl"
        self._file = self._path.open("wb")
        self._pieces: list[Path] = []

    def add(self, lines: Iterable[bytes]) -> None:
        """Add rows."""
        self._file.writelines(lines)
        if self._file.tell() >= _PIECE:
            self._copy_piece()

    def finish(self, path: Path, *, always: bool) -> None:
        """Write the rows to a Parquet file: if there are none, only if `always` says so."""
        if self._file.tell() or (always and not self._pieces):
            self._copy_piece()
        if len(self._pieces) == 1:
            self._pieces[0].replace(path)
        elif self._pieces:
            names = ", ".join(f"'{_quoted(piece)}'" for piece in self._pieces)
            self._copy(f"SELECT * FROM read_parquet([{names}])", path)

    def close(self) -> None:
        """Close the file of lines."""
        self._file.close()

    def _copy_piece(self) -> None:
        self._file.flush()
        columns = "{" + ", ".join(f"'{name}': '{kind}'" for name, kind in self._shape.columns.items()) + "}"
        piece = self._path.with_name(f"{self._path.stem}-{len(self._pieces)}.parquet")
        self._copy(
            f"""
            SELECT {self._shape.select} FROM read_json('{_quoted(self._path)}', format = 'newline_delimited',
                columns = {columns}, maximum_object_size = {self._shape.longest})
            """,
            piece,
        )
        self._pieces.append(piece)
        self._file.seek(0)
        self._file.truncate()

    def _copy(self, query: str, path: Path) -> None:
        options = f"FORMAT parquet, COMPRESSION zstd, {self._shape.row_group}"
        try:
            self._db.execute(f"COPY ({query}) TO '{_quoted(path)}' ({options})")
        except duckdb.Error as error:
            raise CorruptDataError(f"the records cannot be written as {path.name}: {error}") from error


def _database(scratch: Path) -> duckdb.DuckDBPyConnection:
    return duckdb.connect(
        config={
            "memory_limit": f"{_MEMORY_MB}MB",
            "temp_directory": str(scratch / "spill"),
            "threads": 1,  # rows in the order of the lines, and no more memory than needed
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        }
    )


def _add_records(files: Sequence[Path], tables: Mapping[Table, _Lines]) -> set[str]:
    """Add the terminal records; return the url keys of pages that were fetched or are unchanged."""
    found: set[str] = set()
    decoder = msgspec.json.Decoder(PageRecord)
    for path in files:
        batch, wave = path.name.removesuffix(".jsonl.gz"), _wave_of(path)
        for position, line in enumerate(_complete_lines(path)):
            try:
                record = decoder.decode(line)
            except msgspec.MsgspecError as error:
                raise CorruptDataError(f"record {position} of batch {batch} cannot be read: {error}") from error
            if not record.state.terminal:
                continue
            tables[Table.PAGES].add((_page_line(record, batch, wave, position),))
            tables[Table.EDGES].add(_edge_lines(record, wave))
            if record.facts is not None:
                tables[Table.TEXTS].add(_text_lines(record.key, record.facts.text))
            if record.state in _READ:
                found.add(record.key)
    return found


def _add_changes(number: int, changes: Iterable[UrlChange], urls: _Lines, *, first: int, found: set[str]) -> None:
    """Add the changes; raise CorruptDataError if a page that was fetched in wave `first` or later is not in `found`."""
    encoder = msgspec.json.Encoder()
    opening = b'{"wave":%d,' % number
    for change in changes:
        if change.state in _READ and change.batch_wave >= first and change.key not in found:
            raise CorruptDataError(
                f"the record of {change.url} in batch {change.batch} of wave {change.batch_wave} is missing or damaged"
            )
        urls.add((opening + encoder.encode(change)[1:] + b"\n",))


_ENCODER = msgspec.json.Encoder()


def _page_line(record: PageRecord, batch: str, wave: int, position: int) -> bytes:
    opening = b'{"batch":"%b","wave":%d,"position":%d,"link_count":%d,' % (
        batch.encode(),
        wave,
        position,
        len(record.links),
    )
    facts = structs.replace(record.facts, text="") if record.facts is not None else None
    return opening + _ENCODER.encode(structs.replace(record, facts=facts, links=(), hops=()))[1:] + b"\n"


def _edge_lines(record: PageRecord, wave: int) -> Iterator[bytes]:
    facts = record.facts or PageFacts()
    nofollow = facts.nofollow or not {"nofollow", "none"}.isdisjoint(record.header_robots)
    opening = b'{"source_key":"%b","wave":%d,"page_nofollow":%b,"position":' % (
        record.key.encode(),
        wave,
        b"true" if nofollow else b"false",
    )
    for position, link in enumerate(record.links, 1):
        yield opening + b"%d," % position + _ENCODER.encode(link)[1:] + b"\n"


def _text_lines(key: str, text: str) -> Iterator[bytes]:
    for piece, start in enumerate(range(0, len(text), TEXT_PIECE)):
        row = {"key": key, "piece": piece, "text": text[start : start + TEXT_PIECE]}
        yield _ENCODER.encode(row) + b"\n"


def _complete_lines(path: Path) -> Iterator[bytes]:
    """Yield the records of a batch; of a damaged file, the complete ones."""
    read = 0
    try:
        with igzip.open(path) as file:  # type: ignore[no-untyped-call]  # isal types its C part only
            for line in file:
                yield line
                read += 1
    except BROKEN:
        rest = whole_members(path.read_bytes()) if path.is_file() else iter(())
        yield from islice(rest, read, None)


def _wave_of(path: Path) -> int:
    return int(path.name.partition("-")[0])


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")
