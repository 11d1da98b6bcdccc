"""Parts of a crawl's link graph that are small enough to draw."""

from collections.abc import Sequence

import duckdb
import msgspec

from wavecrawl.ports.results import GraphNode, GraphPiece

LINKS_A_NODE = 20
"""Maximum average number of links per node. With more, a picture of the graph is not readable."""

_NODE = "key, url, title, state, status, depth, coalesce(in_links, 0), coalesce(out_links, 0), orphan"
_NAMES = ("key", "url", "title", "state", "status", "depth", "in_links", "out_links", "orphan")
_IS_LINK = "kind NOT IN ('redirect', 'canonical')"


def top(db: duckdb.DuckDBPyConnection, *, depth: int, most: int) -> GraphPiece:
    """Return pages down to a depth, nearest to the root first, then by number of links to them."""
    found = db.execute(
        "SELECT row FROM pages WHERE depth <= $depth ORDER BY depth, in_links DESC NULLS LAST, row LIMIT $most",
        {"depth": depth, "most": most + 1},
    ).fetchall()
    return _piece(db, [row for (row,) in found[:most]], truncated=len(found) > most)


def around(db: duckdb.DuckDBPyConnection, key: str, *, steps: int, most: int) -> GraphPiece | None:
    """Return the pages within `steps` links of a page, nearest first; None if the page is unknown."""
    found = db.execute("SELECT row FROM pages WHERE key = $key", {"key": key}).fetchall()
    if not found:
        return None
    rows = newest = [found[0][0]]
    for _ in range(steps):
        neighbours = db.execute(
            """
            SELECT DISTINCT neighbour, p.in_links FROM (
                SELECT target_page AS neighbour FROM links WHERE source_page IN (SELECT unnest($newest))
                UNION ALL
                SELECT source_page FROM links WHERE target_page IN (SELECT unnest($newest))
            ) JOIN pages p ON p.row = neighbour
            WHERE neighbour NOT IN (SELECT unnest($rows))
            ORDER BY p.in_links DESC NULLS LAST, neighbour LIMIT $most
            """,
            {"newest": newest, "rows": rows, "most": most - len(rows) + 1},
        ).fetchall()
        newest = [row for row, _ in neighbours]
        rows = rows + newest
        if not newest or len(rows) > most:
            break
    return _piece(db, rows[:most], truncated=len(rows) > most)


def _piece(db: duckdb.DuckDBPyConnection, rows: Sequence[int], *, truncated: bool) -> GraphPiece:
    found = db.execute(f"SELECT row, {_NODE} FROM pages WHERE row IN (SELECT unnest($rows))", {"rows": list(rows)})
    nodes = {row: dict(zip(_NAMES, values, strict=True)) for row, *values in found.fetchall()}
    most = LINKS_A_NODE * len(rows)
    links = _pairs(db, rows, _IS_LINK, most)
    return GraphPiece(
        nodes=tuple(msgspec.convert(nodes[row], GraphNode) for row in rows),
        links=tuple(links[:most]),
        redirects=tuple(_pairs(db, rows, "kind = 'redirect'", most)[:most]),
        truncated=truncated or len(links) > most,
    )


def _pairs(db: duckdb.DuckDBPyConnection, rows: Sequence[int], where: str, most: int) -> list[tuple[int, int]]:
    """Return the links between `rows` as pairs of positions in `rows`; at most one more than `most`."""
    return db.execute(
        f"""
        WITH chosen AS (SELECT unnest($rows) AS row, generate_subscripts($rows, 1) - 1 AS place)
        SELECT DISTINCT s.place AS source, t.place AS target
        FROM links l JOIN chosen s ON s.row = l.source_page JOIN chosen t ON t.row = l.target_page
        WHERE {where} ORDER BY source, target LIMIT $most
        """,
        {"rows": list(rows), "most": most + 1},
    ).fetchall()
