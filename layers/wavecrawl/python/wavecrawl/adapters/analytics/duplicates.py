"""Duplicate pages (same text) and near-duplicates (SimHash fingerprints that differ in a few bits)."""

from array import array
from itertools import combinations, groupby
from operator import itemgetter

import duckdb

from wavecrawl.adapters.analytics.database import streamed
from wavecrawl.domain.pages.simhash import similarity

FEWEST_WORDS = 50
"""Shorter texts can be similar by chance and are not compared."""

SAME = 0.92
"""Pages above this similarity are near-duplicates: at most 5 of 64 bits differ."""

_BITS = 5
_CROWD = 16  # fingerprints in a bucket up to which the database compares every pair
_BLOCKS = (10, 9, 9, 9, 9, 9, 9)  # bits; if at most 5 bits differ, at least 2 of 7 blocks are equal


def build_duplicates(db: duckdb.DuckDBPyConnection) -> None:
    """Create table `duplicates` (id, first, kind): `first` is the page with the same text nearest to the root."""
    db.execute(
        """
        CREATE TABLE texts AS
        SELECT r.id, n.rank, r.text_hash, r.simhash, r.word_count AS words
        FROM pages r JOIN nodes n USING (id)
        WHERE r.state IN ('fetched', 'unchanged') AND r.is_html AND r.text_hash <> '' AND r.id = n.final
        """
    )
    db.execute(
        """
        CREATE TABLE duplicates AS
        SELECT id, first_value(id) OVER same AS first, 'duplicate_content' AS kind FROM texts
        WINDOW same AS (PARTITION BY text_hash ORDER BY rank)
        QUALIFY count(*) OVER (PARTITION BY text_hash) > 1 AND id <> first_value(id) OVER same
        """
    )
    near = _near_duplicates(db)
    if near:
        pages, firsts = zip(*near, strict=True)
        db.execute("INSERT INTO duplicates SELECT unnest(?), unnest(?), 'near_duplicate'", [pages, firsts])


def _near_duplicates(db: duckdb.DuckDBPyConnection) -> list[tuple[int, int]]:
    """Return (page, first page of its cluster), one page per text; a cluster is a connected set of similar pairs."""
    db.execute(
        """
        CREATE TABLE prints AS
        SELECT row_number() OVER (ORDER BY rank) - 1 AS number, id, simhash FROM (
            SELECT min(rank) AS rank, arg_min(id, rank) AS id, simhash FROM (
                SELECT * FROM texts WHERE words >= ?
                QUALIFY row_number() OVER (PARTITION BY text_hash ORDER BY rank) = 1
            ) GROUP BY simhash
        )
        """,
        [FEWEST_WORDS],
    )
    _build_buckets(db)
    pages = [page for (page,) in db.execute("SELECT id FROM prints ORDER BY number").fetchall()]
    clusters = _Clusters(len(pages))
    for one, other in streamed(
        db,
        f"""
        SELECT a.number, b.number FROM buckets a JOIN buckets b ON a.pair = b.pair AND a.bucket = b.bucket
        WHERE a.members <= {_CROWD} AND a.number < b.number AND bit_count(xor(a.simhash, b.simhash)) <= {_BITS}
        """,
    ):
        clusters.unite(one, other)
    crowds = streamed(
        db,
        f"SELECT pair, bucket, number, simhash FROM buckets WHERE members > {_CROWD} ORDER BY pair, bucket, number",
    )
    for _, crowd in groupby(crowds, key=itemgetter(0, 1)):
        _unite_crowd([(number, simhash) for _, _, number, simhash in crowd], clusters)
    db.execute("DROP TABLE buckets")
    return [(page, pages[first]) for number, page in enumerate(pages) if (first := clusters.first(number)) != number]


def _build_buckets(db: duckdb.DuckDBPyConnection) -> None:
    """Create table `buckets`: fingerprints with an equal pair of blocks share a bucket."""
    starts = [sum(_BLOCKS[:position]) for position in range(len(_BLOCKS))]
    blocks = [f"(simhash >> {start}) & {(1 << width) - 1}" for start, width in zip(starts, _BLOCKS, strict=True)]
    selects = [
        f"SELECT number, simhash, {pair} AS pair, ({blocks[one]}) * 1024 + ({blocks[other]}) AS bucket FROM prints"
        for pair, (one, other) in enumerate(combinations(range(len(_BLOCKS)), 2))
    ]
    db.execute(
        f"""
        CREATE TABLE buckets AS SELECT *, count(*) OVER (PARTITION BY pair, bucket) AS members
        FROM ({" UNION ALL ".join(selects)}) QUALIFY members > 1
        """
    )


class _Clusters:
    """A disjoint-set forest over the numbers from 0; the lowest number identifies a cluster."""

    def __init__(self, count: int) -> None:
        self._parents = array("q", range(count))

    def first(self, number: int) -> int:
        """Return the lowest number of the cluster."""
        parents = self._parents
        while parents[number] != number:
            parents[number] = parents[parents[number]]  # path halving
            number = parents[number]
        return number

    def unite(self, one: int, other: int) -> None:
        """Merge two clusters."""
        low, high = sorted((self.first(one), self.first(other)))
        self._parents[high] = low


def _unite_crowd(crowd: list[tuple[int, int]], clusters: _Clusters) -> None:
    """Merge the clusters of similar fingerprints in one bucket.

    A page is not compared with pages of its own cluster, so thousands of similar pages from one template take
    linear time instead of quadratic.
    """
    groups: dict[int, list[int]] = {}  # fingerprints in this bucket, by the first of their cluster
    for number, simhash in crowd:
        mine = clusters.first(number)
        alike = [
            first
            for first, others in groups.items()
            if first != mine and any((simhash ^ other).bit_count() <= _BITS for other in others)
        ]
        for first in alike:
            clusters.unite(first, mine)
        members = [print_ for first in alike for print_ in groups.pop(first)]
        groups.setdefault(clusters.first(mine), groups.pop(mine, [])).extend([*members, simhash])


if similarity(0, (1 << _BITS) - 1) <= SAME or similarity(0, (2 << _BITS) - 1) > SAME:
    raise AssertionError("_BITS does not fit SAME")
