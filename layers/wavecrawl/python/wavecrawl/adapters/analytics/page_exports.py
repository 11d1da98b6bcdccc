"""The exports with one row per page. Texts can be long, so all of them are made from pieces of limited size."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import duckdb

from wavecrawl.adapters.analytics.database import copy_csv, copy_lines, copy_rows, quoted, streamed, utc_time
from wavecrawl.adapters.analytics.load import part_rows
from wavecrawl.adapters.analytics.page_table import table_columns
from wavecrawl.adapters.gzip_members import compressed_in_pieces
from wavecrawl.adapters.table_columns import COLUMNS
from wavecrawl.domain.pages.plain_text import plain_text
from wavecrawl.ports.parts import Table
from wavecrawl.ports.results import PageDetail

_MOST_PAGES = 10_000
_MOST_TEXT = 16 * 1024 * 1024  # bytes
_ROW_GROUP = 64 * 1024 * 1024  # bytes; of a file from several pieces

_PAGE = (
    "url, status, revalidated, state, reason, detail, indexable, not_indexable, title, full_title, description, "
    "keywords, depth, lane, score, parent, phase, in_links, out_links, pagerank, words, content_type, charset, "
    "language, canonical, directives AS robots, in_sitemap, sitemap_lastmod, changed_on, orphan, duplicate_of, "
    "near_duplicate_of, similarity, redirect_to, final_url, tries, etag, last_modified, bytes, decoded_bytes, "
    "truncated, truncated_reason, shell, rendered, render_added, render_problem, screenshot, text_hash, simhash, key"
)
_TIMES = f"response_time, elapsed, {utc_time('fetched_at')} AS fetched_at"
_PLACE = "batch"  # batch and attempt whose records and WARC hold the page; differs from run to run
_LISTS = tuple(
    name
    for name in PageDetail.__struct_fields__
    if COLUMNS[Table.PAGES].get(name, "").endswith("[]") and name != "robots"  # those of the page and its headers
)
"""The facts of a page that are lists. A list that is added to `PageDetail` and to the parts is exported, too."""

_IN_PARTS = (
    "key, wave, reason, detail, keywords, language, charset, tries, etag, last_modified, decoded_bytes, text_hash, "
    f"shell, rendered, render_added, render_problem, screenshot, response_time, batch, {', '.join(_LISTS)}"
)
_AS_EXPORTED = dict.fromkeys(_LISTS, "coalesce({0}, [])") | {
    "extracted": """
    map_from_entries([
        {{'rule': rule, 'values': [pair.value FOR pair IN extracted IF pair.name = rule]}}
        FOR rule IN list_sort(list_distinct([pair.name FOR pair IN coalesce(extracted, [])]))
    ])"""
}
_AS_LISTS = ", ".join(f"{source.format(name)} AS {name}" for name, source in _AS_EXPORTED.items())
"""Pages that are not HTML have none."""

_AS_JSON = (
    "printf('%016x', simhash) AS simhash, coalesce(elapsed, 0) AS elapsed, coalesce(response_time, 0) AS response_time"
)
"""What differs in JSON: its numbers are exact up to 53 bits only."""


class PagePieces:
    """The pages in export order, with all facts and the text, as Parquet files of limited size."""

    def __init__(
        self,
        db: duckdb.DuckDBPyConnection,
        parts: Mapping[Table, Sequence[Path]],
        *,
        scratch: Path,
        rules: Sequence[str] = (),
    ) -> None:
        """`rules`: names of the rules that extracted values."""
        self._db = db
        self._rules = rules
        self._parts = parts
        self._scratch = scratch
        self._pieces: list[Path] = []

    def build(self) -> None:
        """Write the pieces."""
        db = self._db
        for table, key, size in (("pages", "key, wave", "0"), ("texts", "key", "strlen(coalesce(text, markdown))")):
            db.execute(
                f"""
                CREATE TABLE {table}_places AS
                SELECT v.rank, p.place, p.bytes FROM views v JOIN (
                    SELECT {key}, min(file_index) AS place, sum({size})::BIGINT AS bytes
                    FROM part_{table} GROUP BY {key}
                ) p USING ({key}) ORDER BY v.rank
                """
            )
        add_plain = self._add_plain if self._has_markdown() else None
        db.execute("CREATE TEMP TABLE plain (rank BIGINT, text VARCHAR)")
        for number, (first, end) in enumerate(list(_pieces(db))):
            piece = self._scratch / f"pages-{number:06d}.parquet"
            chosen = f"SELECT * FROM views WHERE rank >= {first} AND rank < {end}"
            db.execute(
                f"CREATE OR REPLACE TEMP TABLE chosen AS {chosen}"
            )  # few rows: so they are hashed, not the texts
            if add_plain is not None:
                add_plain(first, end)
            copy_rows(db, self._rows(first, end), piece, "FORMAT parquet, COMPRESSION zstd")
            self._pieces.append(piece)

    def write_parquet(self, folder: Path) -> None:
        """Write pages.parquet: all facts and the main text."""
        if len(self._pieces) == 1:
            (folder / "pages.parquet").hardlink_to(self._pieces[0])
        else:
            options = f"FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE_BYTES {_ROW_GROUP}"
            copy_rows(self._db, f"SELECT * FROM {_files(self._pieces)}", folder / "pages.parquet", options)

    def write_lines(self, folder: Path) -> None:
        """Write pages.jsonl.gz: all facts and the main text."""
        with (folder / "pages.jsonl.gz").open("wb") as file:  # DuckDB's own gzip is slow
            file.writelines(compressed_in_pieces(self._lines()))

    def write_table(self, folder: Path) -> None:
        """Write pages.csv: flat, without the text, in the order in which people read."""
        columns = ", ".join(f"{source} AS {name}" for name, source in table_columns(self._rules).items())
        copy_csv(self._db, f"SELECT {columns} FROM {_files(self._pieces)}", folder / "pages.csv")

    def _lines(self) -> Iterator[bytes]:
        part = self._scratch / "pages.part"
        for piece in self._pieces:
            copy_lines(self._db, f"SELECT * REPLACE ({_AS_JSON}) FROM {_files([piece])}", part)
            with part.open("rb") as lines:
                yield from lines
            part.unlink()

    def _rows(self, first: int, end: int) -> str:
        """Return the query of the `chosen` pages; only the parts that have them are read."""
        return f"""
            WITH facts AS (SELECT {_IN_PARTS} FROM ({self._source(Table.PAGES, first, end)})),
            texts AS ({self._texts("text", first, end)} UNION ALL SELECT * FROM plain)
            SELECT {_PAGE}, {", ".join(_LISTS)}, text, {_TIMES}, {_PLACE} FROM (
                SELECT c.*, f.* EXCLUDE (key, wave, {", ".join(_LISTS)}), {_AS_LISTS}, coalesce(t.text, '') AS text
                FROM chosen c JOIN facts f USING (key, wave) LEFT JOIN texts t USING (rank)
            ) ORDER BY rank
        """

    def _texts(self, column: str, first: int, end: int) -> str:
        """Return the query of the texts of the `chosen` pages in one of the two columns.

        Pieces of texts are sorted as lists, because string_agg in an order needs 32 KB of memory per page.
        """
        return f"""
            SELECT rank, array_to_string([p.value FOR p IN list_sort(list(pair))], '') AS {column}
            FROM (
                SELECT c.rank, {{'piece': s.piece, 'value': s.{column}}} AS pair
                FROM ({self._source(Table.TEXTS, first, end)}) s JOIN chosen c USING (key)
                JOIN texts_places p ON p.rank = c.rank AND p.place = s.place
                WHERE s.{column} IS NOT NULL
            ) GROUP BY rank
        """

    def _has_markdown(self) -> bool:
        """Return whether parts of an earlier version have the texts as Markdown."""
        found = self._db.execute("SELECT 1 FROM part_texts WHERE markdown IS NOT NULL AND text IS NULL LIMIT 1")
        return found.fetchone() is not None

    def _add_plain(self, first: int, end: int) -> None:
        """Fill table `plain` with the texts of the `chosen` pages in parts of an earlier version."""
        found = self._db.execute(self._texts("markdown", first, end)).fetchall()
        ranks, texts = [rank for rank, _ in found], [plain_text(markdown) for _, markdown in found]
        self._db.execute("DELETE FROM plain")
        self._db.execute("INSERT INTO plain SELECT unnest($1::BIGINT[]), unnest($2::VARCHAR[])", [ranks, texts])

    def _source(self, table: Table, first: int, end: int) -> str:
        """Return a query of the part files that have rows of these pages; `place` is a file's number."""
        places = self._db.execute(
            f"SELECT DISTINCT place FROM {table}_places WHERE rank >= ? AND rank < ? ORDER BY place", [first, end]
        ).fetchall()
        if not places:
            return f"SELECT *, 0 AS place FROM part_{table}"
        numbers = [place for (place,) in places]
        files = [self._parts[table][number] for number in numbers]
        return f"SELECT *, {numbers}[file_index::INTEGER + 1] AS place FROM {part_rows(self._db, table, files)}"


def write_without_texts(db: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Write the pages into one Parquet file: all facts, and an empty text."""
    copy_rows(
        db,
        f"""
        SELECT {_PAGE}, {", ".join(_LISTS)}, '' AS text, {_TIMES}, {_PLACE} FROM (
            SELECT v.*, f.* EXCLUDE (key, wave, {", ".join(_LISTS)}), {_AS_LISTS}
            FROM views v JOIN (SELECT {_IN_PARTS} FROM part_pages) f USING (key, wave)
        ) ORDER BY rank
        """,
        path,
        "FORMAT parquet, COMPRESSION lz4",
    )


def _pieces(db: duckdb.DuckDBPyConnection) -> Iterator[tuple[int, int]]:
    """Yield the first rank of each piece and the rank after its last."""
    first = pages = size = last = 0
    rows = streamed(
        db, "SELECT v.rank, coalesce(t.bytes, 0) FROM views v LEFT JOIN texts_places t USING (rank) ORDER BY v.rank"
    )
    for rank, bytes_ in rows:
        if pages and (pages == _MOST_PAGES or size + bytes_ > _MOST_TEXT):
            yield first, rank
            first, pages, size = rank, 0, 0
        pages, size, last = pages + 1, size + bytes_, rank
    yield first, last + 1


def _files(pieces: Sequence[Path]) -> str:
    return f"read_parquet([{', '.join(map(quoted, pieces))}])"
