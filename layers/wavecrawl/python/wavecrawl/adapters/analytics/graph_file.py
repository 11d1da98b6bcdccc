"""graph.bin.gz: the link graph as columns of numbers, small enough for a browser (docs/graph-file.md)."""

import gzip
import sys
from array import array
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import duckdb
import msgspec

from wavecrawl.adapters.analytics.database import streamed
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.focus.lane import Lane
from wavecrawl.domain.graph.orphans import Verdict
from wavecrawl.domain.graph.settings import GraphSettings

FILE: Final = "graph.bin.gz"
MAGIC: Final = b"WCGRAPH1"
NONE: Final = 0xFFFF_FFFF
"""The number that stands for no node."""

_STATES: Final = tuple(state.value for state in UrlState)
_LANES: Final = ("", *(lane.value for lane in Lane))
_ORPHANS: Final = ("", *(verdict.value for verdict in Verdict))
_LONGEST_TITLE: Final = 120  # characters
_MOST_DEPTH: Final = 0xFFFF
_SHAPES: Final = {
    "parent": "I",
    "redirect": "I",
    "in_links": "I",
    "out_links": "I",
    "linked": "I",
    "status": "H",
    "depth": "H",
    "state": "B",
    "lane": "B",
    "orphan": "B",
}
_TYPES: Final = {"I": "uint32", "H": "uint16", "B": "uint8"}


def write_graph_file(db: duckdb.DuckDBPyConnection, folder: Path, *, root_key: str, settings: GraphSettings) -> None:
    """Write graph.bin.gz. The root is its first node; the others have the order of the other exports."""
    _choose_nodes(db, root_key, settings.max_nodes)
    _choose_links(db, settings.max_links)
    columns, urls, titles = _nodes(db)
    targets = array("I")
    for source, target in streamed(db, "SELECT source, target FROM drawn ORDER BY source, target"):
        columns["linked"][source] += 1
        targets.append(target)
    ((all_nodes, all_links),) = db.execute(
        "SELECT (SELECT count(*) FROM views), (SELECT count(*) FROM edges e SEMI JOIN views v ON v.id = e.source "
        "SEMI JOIN views t ON t.id = e.target WHERE NOT e.canonical)"
    ).fetchall()
    for table in ("drawn", "shown"):
        db.execute(f"DROP TABLE {table}")
    facts = {
        "nodes": len(urls),
        "links": len(targets),
        "all_nodes": all_nodes,
        "all_links": all_links,
        "states": _STATES,
        "lanes": _LANES,
        "orphans": _ORPHANS,
    }
    with (folder / FILE).open("wb") as file, gzip.GzipFile(fileobj=file, mode="wb", mtime=0, filename="") as packed:
        packed.writelines(_content(facts, {**columns, "targets": targets}, {"urls": urls, "titles": titles}))


def _choose_nodes(db: duckdb.DuckDBPyConnection, root_key: str, most: int) -> None:
    """Create table `shown` (id, node): the pages of the file and their numbers."""
    db.execute(
        """
        CREATE TEMP TABLE shown AS
        SELECT id, row_number() OVER (ORDER BY key = $root DESC, rank) - 1 AS node
        FROM (
            SELECT id, key, rank FROM views ORDER BY key = $root DESC, pagerank DESC NULLS LAST, rank LIMIT $most
        )
        """,
        {"root": root_key, "most": most},
    )


def _choose_links(db: duckdb.DuckDBPyConnection, most: int) -> None:
    """Create table `drawn` (source, target): the links of the file, as numbers of nodes."""
    db.execute(
        """
        CREATE TEMP TABLE drawn AS
        SELECT s.node AS source, t.node AS target
        FROM edges e JOIN shown s ON s.id = e.source JOIN shown t ON t.id = e.target
        JOIN nodes n ON n.id = e.target
        LEFT JOIN metrics a ON a.id = e.source LEFT JOIN metrics b ON b.id = e.target
        WHERE NOT e.canonical
        ORDER BY (n.parent IS NOT DISTINCT FROM e.source) DESC, coalesce(a.pagerank, 0) + coalesce(b.pagerank, 0) DESC,
                 source, target
        LIMIT $most
        """,
        {"most": most},
    )


def _nodes(db: duckdb.DuckDBPyConnection) -> tuple[dict[str, "array[int]"], list[str], list[str]]:
    columns = {name: array(code) for name, code in _SHAPES.items()}
    urls: list[str] = []
    titles: list[str] = []
    rows = streamed(
        db,
        f"""
        SELECT coalesce(p.node, {NONE}), coalesce(f.node, {NONE}), coalesce(v.in_links, 0), coalesce(v.out_links, 0), 0,
               coalesce(v.status, 0), least(v.depth, {_MOST_DEPTH}), v.state, coalesce(v.lane, ''), v.orphan,
               v.url,
               left(v.title, {_LONGEST_TITLE})
        FROM shown s JOIN views v USING (id) JOIN nodes n USING (id)
        LEFT JOIN shown p ON p.id = n.parent LEFT JOIN shown f ON f.id = n.final AND n.final <> n.id
        ORDER BY s.node
        """,
    )
    for *numbers, state, lane, orphan, url, title in rows:
        codes = (_STATES.index(state), _LANES.index(lane), _ORPHANS.index(orphan))
        for column, value in zip(columns.values(), (*numbers, *codes), strict=True):
            column.append(value)
        urls.append(_line(url))
        titles.append(_line(title))
    return columns, urls, titles


def _line(text: str | None) -> str:
    """Return a text without line breaks, as they separate the texts."""
    return " ".join((text or "").split())


def _content(
    facts: Mapping[str, object], columns: Mapping[str, "array[int]"], texts: Mapping[str, Sequence[str]]
) -> Iterable[bytes]:
    """Yield the parts of the file: magic, length of the header, header, and the arrays."""
    arrays = [(name, _TYPES[column.typecode], _little_endian(column)) for name, column in columns.items()]
    arrays += [(name, "utf-8", "\n".join(lines).encode()) for name, lines in texts.items()]
    header = {**facts, "arrays": [{"name": name, "type": kind, "bytes": len(data)} for name, kind, data in arrays]}
    encoded = msgspec.json.encode(header)
    yield MAGIC
    yield len(encoded).to_bytes(4, "little")
    yield encoded
    for _, _, data in arrays:
        yield data


def _little_endian(column: "array[int]") -> bytes:
    if sys.byteorder == "big":
        column.byteswap()
    return column.tobytes()
