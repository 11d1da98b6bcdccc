"""Reading of a crawl's exports, for commands."""

from pathlib import Path

import msgspec

from wavecrawl.adapters.gzip_members import BROKEN, decompressed
from wavecrawl.errors import CorruptDataError

_UNREADABLE: tuple[type[Exception], ...] = (*BROKEN, msgspec.MsgspecError, UnicodeDecodeError)


class PageLine(msgspec.Struct, frozen=True, kw_only=True):
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
        rows = duckdb.connect().execute("SELECT source, target FROM read_parquet(?)", [str(path)]).fetchall()
    except duckdb.Error as error:
        raise CorruptDataError(f"{path} cannot be read: {error}") from error
    return {(source, target) for source, target in rows}
