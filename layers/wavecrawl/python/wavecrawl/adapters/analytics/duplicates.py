"""Pages with the same text, and with nearly the same: SimHash within a few bits (spec [18])."""

from array import array
from itertools import combinations, groupby
from operator import itemgetter

import duckdb

from wavecrawl.adapters.analytics.streaming import streamed
from wavecrawl.domain.pages.simhash import similarity

FEWEST_WORDS = 50
"""Shorter texts are alike by chance."""

SAME = 0.92
"""More alike than this: near-duplicates. 64 bits, so at most 5 of them differ."""

_BITS = 5
_CROWD = 16  # fingerprints in a bucket; fewer are compared by the database, each with each
_BLOCKS = (10, 9, 9, 9, 9, 9, 9)  # bits; of 7 blocks at least 2 agree wherever 5 bits differ, or fewer


def build_duplicates(db: duckdb.DuckDBPyConnection) -> None:
    """Make table `duplicates` (id, first, kind): `first` is the page nearest to the root that has the same text."""
    db.execute(
        """
        CREATE TABLE texts AS
        SELECT r.id, n.rank, r.facts.text_hash AS text_hash, r.facts.simhash AS simhash, r.facts.word_count AS words
        FROM records r JOIN nodes n USING (id)
        WHERE r.state IN ('fetched', 'unchanged') AND r.is_html AND r.facts.text_hash <> '' AND r.id = n.final
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
    """Return (page, first page of its cluster), one page a text; clusters are what a chain of pairs connects."""
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
    """Make table `buckets`: fingerprints that may differ in few bits share one, by some pair of blocks."""
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
    """What belongs together, of numbers from 0: the first of each cluster stands for it."""

    def __init__(self, count: int) -> None:
        self._above = array("q", range(count))

    def first(self, number: int) -> int:
        """Return the lowest number of the cluster."""
        above = self._above
        while above[number] != number:
            above[number] = above[above[number]]  # halves the way for whoever comes next
            number = above[number]
        return number

    def unite(self, one: int, other: int) -> None:
        """Make one cluster of two."""
        low, high = sorted((self.first(one), self.first(other)))
        self._above[high] = low


def _unite_crowd(crowd: list[tuple[int, int]], clusters: _Clusters) -> None:
    """Unite what is alike in one bucket. Of a cluster that a page belongs to already, no other page is looked at.

    So pages made from one template, thousands of which are alike, are compared once each, and not each with each.
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
