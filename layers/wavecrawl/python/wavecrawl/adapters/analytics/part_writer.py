"""The writer of parts: page records and changes of URLs become Parquet files."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType

import duckdb
import msgspec
from isal import igzip
from msgspec import structs

from wavecrawl.adapters.analytics.check_rows import CheckRow, is_check
from wavecrawl.adapters.analytics.database import copy_rows, json_rows, memory_database, parquet_rows
from wavecrawl.adapters.analytics.media_rows import MediaRow, texts_of
from wavecrawl.adapters.gzip_members import BROKEN, whole_lines
from wavecrawl.adapters.table_columns import COLUMNS
from wavecrawl.domain.checks.kinds import check_key
from wavecrawl.domain.crawl.ledger import UrlChange
from wavecrawl.domain.crawl.record import MediaReference, PageRecord, ResourceReference
from wavecrawl.domain.crawl.unchanged import needs_content, with_content
from wavecrawl.domain.media.kinds import media_key
from wavecrawl.domain.pages.fragment_names import fragment_hashes
from wavecrawl.domain.pages.page import PageFacts
from wavecrawl.domain.urls.link_filter import is_asset
from wavecrawl.errors import CorruptDataError
from wavecrawl.ports.parts import Table, file_of

TEXT_PIECE = 32_768
"""Characters per row of `texts`. DuckDB handles 2,048 rows at a time, so longer rows would need more memory."""

_MEMORY_MB = 256
_PIECE = 16 * 1024 * 1024  # bytes of lines that are copied to Parquet at once
_ROWS = 122_880  # rows per row group, DuckDB's default
_ROW_GROUP = 16 * 1024 * 1024  # bytes per row group of texts: it is kept in memory until it is written
_CONTENTS = 20  # records of earlier crawls in memory

Contents = Callable[[Sequence[str]], Mapping[str, PageRecord]]
"""Returns the records at places, by place."""


class _Lines(msgspec.Struct, frozen=True, kw_only=True):
    """How the lines of a table become rows. A line has the fields of a record, a row has the columns of the table."""

    differing: tuple[tuple[str, str], ...] = ()  # fields with their types, where they differ from the columns
    select: str = "*"  # the columns, in terms of the fields
    row_group: str = f"ROW_GROUP_SIZE {_ROWS}"
    longest: int = 2 * 1024 * 1024  # bytes of a line. DuckDB reserves twice as much


_LINES: Mapping[Table, _Lines] = MappingProxyType(
    {
        Table.PAGES: _Lines(
            differing=(
                ("hreflang", "VARCHAR[][]"),
                ("headings", "VARCHAR[][]"),
                ("open_graph", "VARCHAR[][]"),
                ("extracted", "VARCHAR[][]"),
                ("insecure", "VARCHAR[][]"),
                ("outside_head", "VARCHAR[][]"),
                ("simhash", "UBIGINT"),
                ("link_count", "INTEGER"),
                ("links", "VARCHAR"),  # an empty list
            ),
            # Athena has no unsigned numbers: the 64 bits of simhash become a signed one.
            select="""
                * EXCLUDE (link_count) REPLACE (
                    link_count AS links,
                    [{'language': pair[1], 'url': pair[2]} FOR pair IN hreflang] AS hreflang,
                    [{'level': pair[1]::INTEGER, 'text': pair[2]} FOR pair IN headings] AS headings,
                    [{'property': pair[1], 'content': pair[2]} FOR pair IN open_graph] AS open_graph,
                    [{'name': pair[1], 'value': pair[2]} FOR pair IN extracted] AS extracted,
                    [{'element': pair[1], 'url': pair[2]} FOR pair IN insecure] AS insecure,
                    [{'relation': pair[1], 'url': pair[2]} FOR pair IN outside_head] AS outside_head,
                    (simhash::HUGEINT - if(simhash >= 1::UBIGINT << 63, 1::HUGEINT << 64, 0))::BIGINT AS simhash
                )
            """,
            longest=32 * 1024 * 1024,  # a URL with the facts of its page
        ),
        Table.EDGES: _Lines(
            differing=(("key", "VARCHAR"), ("page_nofollow", "BOOLEAN")),
            select="""
                * EXCLUDE (key, page_nofollow) REPLACE (key AS target_key, nofollow OR page_nofollow AS nofollow)
            """,
        ),
        Table.TEXTS: _Lines(row_group=f"ROW_GROUP_SIZE_BYTES {_ROW_GROUP}"),
        Table.URLS: _Lines(),
        Table.MEDIA: _Lines(),
        Table.MEDIA_USES: _Lines(),
        Table.CHECKS: _Lines(),
        Table.RESOURCE_USES: _Lines(),
    }
)


class DuckDbPartWriter:
    """`ports.parts.PartWriter`."""

    def write(
        self,
        number: int,
        records: Sequence[Path],
        changes: Iterable[UrlChange],
        folder: Path,
        *,
        contents: Contents = lambda _: {},
        media: Iterable[UrlChange] = (),
        may_lack: Callable[[str], bool] = lambda _: False,
    ) -> None:
        """Write the tables of a part into an empty folder."""
        with (
            TemporaryDirectory(dir=folder) as name,
            memory_database(Path(name, "spill"), memory_mb=_MEMORY_MB) as db,
            ExitStack() as stack,
        ):
            tables = {table: stack.enter_context(closing(_TableFile(db, table, Path(name)))) for table in Table}
            later = {one.key: CheckRow(one) if is_check(one) else MediaRow(one) for one in media}
            found = _add_records(records, tables, _Contents(contents, may_lack), later)
            first = min((_wave_of(path) for path in records), default=number + 1)
            _add_changes(number, changes, tables[Table.URLS], first=first, found=found)
            for row in later.values():
                tables[row.table].add((row.line(number),))
            for table, lines in tables.items():
                lines.finish(folder / file_of(table), always=table is Table.URLS)


class _TableFile:
    """The rows of one table, as JSON Lines until some of them are copied to Parquet."""

    def __init__(self, db: duckdb.DuckDBPyConnection, table: Table, scratch: Path) -> None:
        self._db = db
        self._lines = _LINES[table]
        self._fields = {**COLUMNS[table], **dict(self._lines.differing)}
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
            self._copy(f"SELECT * FROM {parquet_rows(self._pieces)}", path)

    def close(self) -> None:
        """Close the file of lines."""
        self._file.close()

    def _copy_piece(self) -> None:
        self._file.flush()
        piece = self._path.with_name(f"{self._path.stem}-{len(self._pieces)}.parquet")
        rows = json_rows(self._path, self._fields, longest=self._lines.longest)
        self._copy(f"SELECT {self._lines.select} FROM {rows}", piece)
        self._pieces.append(piece)
        self._file.seek(0)
        self._file.truncate()

    def _copy(self, query: str, path: Path) -> None:
        try:
            copy_rows(self._db, query, path, f"FORMAT parquet, COMPRESSION zstd, {self._lines.row_group}")
        except duckdb.Error as error:
            raise CorruptDataError(f"the records cannot be written as {path.name}: {error}") from error


def _add_records(
    files: Sequence[Path],
    tables: Mapping[Table, _TableFile],
    contents: "_Contents",
    later: Mapping[str, MediaRow | CheckRow],
) -> set[str]:
    """Add the terminal records; return the url keys of pages that were fetched or are unchanged."""
    found: set[str] = set()
    for path in files:
        batch, wave = path.name.removesuffix(".jsonl.gz"), _wave_of(path)
        for position, record in _whole_records(path, batch, contents):
            if record.key in later:
                later[record.key].add(record, batch)
                tables[Table.TEXTS].add(_text_lines(record.key, *texts_of(record.asset)))
                tables[Table.MEDIA_USES].add(_use_lines(record.media, record.key, wave))  # by a stylesheet
                tables[Table.RESOURCE_USES].add(_use_lines(record.resources, record.key, wave))  # also
                continue
            for row in _settled_by(record, later):
                row.add(record, batch)
            tables[Table.MEDIA_USES].add(_use_lines(record.media, record.key, wave))
            tables[Table.RESOURCE_USES].add(_use_lines(record.resources, record.key, wave))
            tables[Table.PAGES].add((_page_line(record, batch, wave, position),))
            tables[Table.EDGES].add(_edge_lines(record, wave))
            if record.facts is not None:
                tables[Table.TEXTS].add(_text_lines(record.key, record.facts.text))
            if record.state.has_content:
                found.add(record.key)
    return found


def _settled_by(record: PageRecord, later: Mapping[str, MediaRow | CheckRow]) -> Iterator[MediaRow | CheckRow]:
    """Yield the rows of which a request as a page was the only one: see `domain.crawl.later_urls`."""
    if not later or record.state.has_content or not is_asset(record.url.partition("?")[0]):
        return
    for key in (check_key(record.key), media_key(record.key)):
        row = later.get(key)
        if row is not None and row.is_settled_without_request:
            yield row


class _Contents(msgspec.Struct, frozen=True):
    """The content of unchanged pages, from the records of earlier crawls."""

    read: Contents
    may_lack: Callable[[str], bool]  # returns whether the page with a url key may have no content

    def add_to(self, records: Sequence[PageRecord]) -> Iterator[PageRecord]:
        """Yield records of unchanged pages with their content; raise CorruptDataError if it no longer exists."""
        known = self.read([needs_content(record) for record in records]) if records else {}
        for record in records:
            place = needs_content(record)
            if place in known:
                yield with_content(record, known[place])
            elif self.may_lack(record.key):
                yield record
            else:
                raise CorruptDataError(
                    f"the content of the unchanged page {record.url} is missing: {place} does not exist any more. The "
                    "crawl that stored it was deleted; crawl the site again"
                )


def _whole_records(path: Path, batch: str, contents: _Contents) -> Iterator[tuple[int, PageRecord]]:
    """Yield the terminal records of a batch with their positions, those of unchanged pages with their content."""
    waiting: list[tuple[int, PageRecord]] = []  # unchanged pages: some at a time, as their contents are in memory

    def completed() -> Iterator[tuple[int, PageRecord]]:
        positions = [position for position, _ in waiting]
        yield from zip(positions, contents.add_to([record for _, record in waiting]), strict=True)
        waiting.clear()

    decoder = msgspec.json.Decoder(PageRecord)
    for position, line in enumerate(_complete_lines(path)):
        try:
            record = decoder.decode(line)
        except msgspec.MsgspecError as error:
            raise CorruptDataError(f"record {position} of batch {batch} cannot be read: {error}") from error
        if not record.state.terminal:
            continue
        if needs_content(record) and len(waiting) < _CONTENTS:
            waiting.append((position, record))
            continue
        yield from completed()
        if needs_content(record):
            waiting.append((position, record))
        else:
            yield position, record
    yield from completed()


def _add_changes(number: int, changes: Iterable[UrlChange], urls: _TableFile, *, first: int, found: set[str]) -> None:
    """Add the changes; raise CorruptDataError if a page that was fetched in wave `first` or later is not in `found`."""
    encoder = msgspec.json.Encoder()
    opening = b'{"wave":%d,' % number
    for change in changes:
        if change.state.has_content and change.batch_wave >= first and change.key not in found:
            raise CorruptDataError(
                f"the record of {change.url} in batch {change.batch} of wave {change.batch_wave} is missing or damaged"
            )
        urls.add((opening + encoder.encode(change)[1:] + b"\n",))


_ENCODER = msgspec.json.Encoder()


class _FragmentLink(msgspec.Struct, gc=False):
    """A link to a part of a page, with the hashes of the names that its fragment can mean."""

    link: int
    line: int
    fragment: str
    hashes: tuple[int, ...]


def _page_line(record: PageRecord, batch: str, wave: int, position: int) -> bytes:
    place = b'{"batch":"%b","wave":%d,"position":%d,"link_count":%d,"redirect_fragment":%b,' % (
        batch.encode(),
        wave,
        position,
        len(record.links),
        b"true" if any("#" in hop.location for hop in record.hops) else b"false",
    )
    facts = structs.replace(record.facts or PageFacts(), text="")
    named = [_FragmentLink(one.link, one.line, one.fragment, fragment_hashes(one.fragment)) for one in record.fragments]
    rest = structs.replace(record, facts=None, links=(), fragments=(), hops=(), cookies=(), media=None, resources=None)
    encode = _ENCODER.encode
    return b'%b%b,"fragment_links":%b,%b\n' % (place, encode(facts)[1:-1], encode(named), encode(rest)[1:])


def _edge_lines(record: PageRecord, wave: int) -> Iterator[bytes]:
    facts = record.facts or PageFacts()
    nofollow = facts.nofollow or not {"nofollow", "none"}.isdisjoint(record.header_robots)
    opening = b'{"source_key":"%b","wave":%d,"page_nofollow":%b,"position":' % (
        record.key.encode(),
        wave,
        b"true" if nofollow else b"false",
    )
    for position, link in enumerate(record.links, 1):
        found_in = b'"found_in":"dom",' if link.dom else b'"found_in":"html",'
        yield opening + b"%d," % position + found_in + _ENCODER.encode(link)[1:] + b"\n"


def _use_lines(
    references: Sequence[MediaReference] | Sequence[ResourceReference] | None, page: str, wave: int
) -> Iterator[bytes]:
    opening = b'{"page_key":"%b","wave":%d,"position":' % (page.encode(), wave)
    for position, reference in enumerate(references or (), 1):
        yield opening + b"%d," % position + _ENCODER.encode(reference)[1:] + b"\n"


def _text_lines(key: str, text: str, markdown: str = "") -> Iterator[bytes]:
    for piece, start in enumerate(range(0, max(len(text), len(markdown)), TEXT_PIECE)):
        row = {"key": key, "piece": piece, "text": text[start : start + TEXT_PIECE]}
        if markdown:
            row["markdown"] = markdown[start : start + TEXT_PIECE]
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
        rest = whole_lines(path.read_bytes()) if path.is_file() else iter(())
        yield from islice(rest, read, None)


def _wave_of(path: Path) -> int:
    return int(path.name.partition("-")[0])
