"""The link graph of a crawl: depths, parents, degrees and PageRank, with redirects collapsed."""

from array import array
from pathlib import Path

import duckdb

from wavecrawl.adapters.analytics.database import streamed
from wavecrawl.adapters.analytics.pagerank import WHOLE, build_ranks
from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.domain.crawl.record import UNREACHABLE, Reason
from wavecrawl.domain.crawl.settings import Discovery
from wavecrawl.domain.graph.walk import NO_NODE, Graph, Walk
from wavecrawl.domain.pages.page import LinkKind
from wavecrawl.ports.analytics import CrawlFacts

_DENIAL_REASONS = [
    reason.value
    for reason in (
        Reason.OUT_OF_SCOPE,
        Reason.EXCLUDED,
        Reason.NOT_INCLUDED,
        Reason.ASSET,
        Reason.TOO_LONG,
        Reason.ROBOTS_RULE,
        Reason.ROBOTS_UNREACHABLE,
        Reason.DELAY_TOO_LONG,
        Reason.FEED,
        Reason.DATA,
        *UNREACHABLE,
    )
]


def read_graph(db: duckdb.DuckDBPyConnection, crawl: CrawlFacts, *, with_links: bool = True) -> Graph:
    """Return the links and redirects between known URLs, or the redirects only."""
    ((count,),) = db.execute("SELECT count(*) FROM urls").fetchall()
    follow = f"kind NOT IN ('{LinkKind.FEED}', '{LinkKind.DATA}')"
    follow += "" if crawl.follow_nofollow else " AND NOT nofollow"
    if crawl.settings["discovery"] in (Discovery.LIST, Discovery.SITEMAP_ONLY):
        follow = "FALSE"
    first = array("q", [0]) * (count + 1)
    targets, followed = array("i"), bytearray()
    links = f"SELECT source, target, {follow} FROM links WHERE target IS NOT NULL ORDER BY source, position"
    for source, target, is_followed in streamed(db, links) if with_links else ():
        first[source + 1] += 1
        targets.append(target)
        followed.append(is_followed)
    for node in range(count):
        first[node + 1] += first[node]
    redirects = array("i", [NO_NODE]) * count
    outward: dict[int, int] = {}
    found = db.execute("SELECT r.id, t.id, r.redirect_skip = '' FROM pages r JOIN urls t ON t.key = r.redirect_key")
    for source, target, inward in found.fetchall():
        if inward:
            redirects[source] = target
        else:
            outward[source] = target
    closed = bytearray(count)
    for (node,) in db.execute(
        "SELECT id FROM urls ANTI JOIN pages USING (id) WHERE reason IN (SELECT unnest(?))", [_DENIAL_REASONS]
    ).fetchall():
        closed[node] = True
    return Graph(
        first=first,
        targets=targets,
        followed=followed,
        redirects=redirects,
        outward=outward,
        closed=closed,
        max_depth=_number(crawl, "max_depth"),
        max_redirects=_number(crawl, "max_redirects") if crawl.settings["follow_redirects"] else 0,
    )


def walk_graph(db: duckdb.DuckDBPyConnection, graph: Graph, crawl: CrawlFacts) -> Walk:
    """Walk the final graph in the phases of the crawl."""
    walk = Walk(graph)
    discovery = crawl.settings["discovery"]
    listed = [id_ for (id_,) in db.execute("SELECT id FROM listed ORDER BY line").fetchall()]
    named = db.execute("SELECT id FROM urls WHERE found_by = 'list' ORDER BY id").fetchall()
    known = db.execute("SELECT id, depth FROM urls WHERE found_by = 'memory' ORDER BY depth, id").fetchall()
    roots = db.execute("SELECT id FROM urls WHERE key = ?", [crawl.root_key]).fetchall()
    match discovery:
        case Discovery.LIST:
            walk.start([(id_, 0) for (id_,) in named], phase=Phase.BFS)
        case Discovery.SITEMAP_ONLY:
            walk.start([(id_, 0) for id_ in listed], phase=Phase.SITEMAP)
        case Discovery.SITEMAP_FIRST:
            seeds = [(id_, 0) for (id_,) in roots] + known + [(id_, 1) for id_ in listed]
            walk.start(seeds, phase=Phase.BFS)
        case _:
            walk.start([(id_, 0) for (id_,) in roots] + known, phase=Phase.BFS)
            tried = streamed(db, "SELECT id FROM urls WHERE tries > 0")  # as in the crawl, also second spellings
            deepest = max((walk.depth[id_] for (id_,) in tried if walk.admitted[id_]), default=-1)
            if discovery == Discovery.LINKS_FIRST:
                walk.start([(id_, deepest + 1) for id_ in listed], phase=Phase.SITEMAP)
    return walk


def store_walk(db: duckdb.DuckDBPyConnection, graph: Graph, walk: Walk, *, scratch: Path) -> None:
    """Create table `nodes`: id, depth, parent, phase, rank (order in exports), final (end of its redirects)."""
    ranks = array("q", [NO_NODE]) * len(graph)
    for rank, node in enumerate(walk.order):
        ranks[node] = rank
    ends = graph.ends()
    path = scratch / "nodes.csv"
    with path.open("w", encoding="ascii") as file:
        for node, rank in enumerate(ranks):
            row = (node, walk.depth[node], walk.parent[node], walk.phase[node].value, rank, ends[node])
            file.write(",".join(map(str, row)) + "\n")
    shape = (
        "{'id': 'BIGINT', 'depth': 'INTEGER', 'parent': 'BIGINT', 'phase': 'VARCHAR', 'seen': 'BIGINT', "
        "'final': 'BIGINT'}"
    )
    db.execute(
        f"""
        CREATE TABLE nodes AS
        SELECT n.id,
               CASE WHEN n.seen < 0 THEN u.depth ELSE n.depth END AS depth,
               nullif(n.parent, {NO_NODE}) AS parent,
               CASE WHEN n.seen < 0 THEN u.phase ELSE n.phase END AS phase,
               row_number() OVER (
                   ORDER BY CASE WHEN n.seen < 0 THEN u.depth ELSE n.depth END, n.seen < 0, n.seen, u.url) AS rank,
               n.final
        FROM read_csv(?, auto_detect = false, delim = ',', header = false, columns = {shape}) n JOIN urls u USING (id)
        ORDER BY n.id
        """,
        [str(path)],
    )
    path.unlink()


def build_edges(db: duckdb.DuckDBPyConnection) -> None:
    """Create table `edges`: linked pairs of different pages of the site, with redirects and spellings collapsed.

    `canonical`: all links of the pair are canonical links. `followed`: at least one of them is not nofollow.
    """
    db.execute(
        """
        CREATE TABLE edges AS
        SELECT coalesce(s.page, l.source) AS source, n.final AS target, bool_and(l.kind = 'canonical') AS canonical,
               bool_or(NOT l.nofollow) AS followed
        FROM links l JOIN nodes n ON n.id = l.target LEFT JOIN spellings s ON s.id = l.source
        WHERE coalesce(s.page, l.source) <> n.final AND l.skip NOT IN ('out_of_scope', 'asset', 'feed', 'data')
        GROUP BY ALL ORDER BY ALL
        """
    )


def build_metrics(db: duckdb.DuckDBPyConnection, *, with_ranks: bool = True) -> None:
    """Create table `metrics`: in_links, out_links and pagerank, which is NULL without ranks."""
    if with_ranks:
        _rank_pages(db)
    else:
        db.execute("CREATE TABLE ranks (id BIGINT, rank BIGINT)")
    db.execute(
        """
        CREATE TABLE metrics AS
        SELECT r.id, coalesce(i.links, 0) AS in_links, coalesce(o.links, 0) AS out_links,
               k.rank / $whole AS pagerank
        FROM pages r
        LEFT JOIN (SELECT target AS id, count(*) AS links FROM edges WHERE NOT canonical GROUP BY target) i USING (id)
        LEFT JOIN (SELECT source AS id, count(*) AS links FROM edges WHERE NOT canonical GROUP BY source) o USING (id)
        LEFT JOIN ranks k USING (id)
        """,
        {"whole": float(WHOLE)},
    )
    db.execute("DROP TABLE ranks")


def _rank_pages(db: duckdb.DuckDBPyConnection) -> None:
    """Create table `ranks`: of each page that was read, by the followed links that also make up in_links."""
    db.execute("CREATE TABLE ranked AS SELECT id FROM pages WHERE state IN ('fetched', 'unchanged')")
    db.execute(
        """
        CREATE TABLE flows AS
        SELECT e.source, e.target
        FROM edges e SEMI JOIN ranked s ON s.id = e.source SEMI JOIN ranked t ON t.id = e.target
        WHERE e.followed AND NOT e.canonical
        """
    )
    build_ranks(db)
    for table in ("ranked", "flows"):
        db.execute(f"DROP TABLE {table}")


def _number(crawl: CrawlFacts, name: str) -> int:
    value = crawl.settings[name]
    if not isinstance(value, int):
        raise TypeError(f"setting {name} is not an integer: {value!r}")
    return value
