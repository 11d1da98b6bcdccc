"""Reading of a crawl's exports, for commands."""

from dataclasses import dataclass
from pathlib import Path

import msgspec

from wavecrawl.adapters.gzip_members import BROKEN, decompressed
from wavecrawl.errors import CorruptDataError

_UNREADABLE: tuple[type[Exception], ...] = (*BROKEN, msgspec.MsgspecError, UnicodeDecodeError)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageLine:
    """The fields of a line of pages.jsonl.gz that comparisons need."""

    url: str
    state: str
    depth: int | None = None
    parent: str | None = None


def read_pages(folder: Path) -> dict[str, PageLine]:
    """Return the pages of an exports folder by URL; raise CorruptDataError if they cannot be read."""
    path = folder / "pages.jsonl.gz"
    decoder = msgspec.json.Decoder(PageLine)
    try:
        lines = [decoder.decode(line) for line in decompressed(path.read_bytes()).splitlines()]
    except _UNREADABLE as error:
        raise CorruptDataError(f"{path} cannot be read: {error}") from error
    return {line.url: line for line in lines}


def read_edges(folder: Path) -> set[tuple[str, str]]:
    """Return the links of an exports folder as (source URL, target URL); raise CorruptDataError if unreadable."""
    import duckdb  # noqa: PLC0415 - slow to load, and few commands need it

    path = folder / "edges.parquet"
    try:
        rows = duckdb.execute("SELECT source, target FROM read_parquet(?)", [str(path)]).fetchall()
    except duckdb.Error as error:
        raise CorruptDataError(f"{path} cannot be read: {error}") from error
    return {(source, target) for source, target in rows}


def links_to(folder: Path, url: str, *, at_most: int) -> list[tuple[str, str]]:
    """Return (source URL, anchor text) of links to `url`, by source; [] if there are no exports yet.

    Raise CorruptDataError if the exports cannot be read.
    """
    path = folder / "edges.parquet"
    if not path.is_file():
        return []
    import duckdb  # noqa: PLC0415 - the same

    sql = "SELECT source, text FROM read_parquet(?) WHERE target = ? ORDER BY source LIMIT ?"
    try:
        rows = duckdb.execute(sql, [str(path), url, at_most]).fetchall()
    except duckdb.Error as error:
        raise CorruptDataError(f"{path} cannot be read: {error}") from error
    return [(source, text) for source, text in rows]
