"""Pages with the same text, and with nearly the same: SimHash within a few bits (spec [18])."""

from itertools import combinations

import duckdb

from wavecrawl.domain.simhash import similarity

FEWEST_WORDS = 50
"""Shorter texts are alike by chance."""

SAME = 0.92
"""More alike than this: near-duplicates. 64 bits, so at most 5 of them differ."""

_BITS = 5
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
        SELECT min(rank) AS rank, arg_min(id, rank) AS id, simhash FROM (
            SELECT * FROM texts WHERE words >= ? QUALIFY row_number() OVER (PARTITION BY text_hash ORDER BY rank) = 1
        ) GROUP BY simhash
        """,
        [FEWEST_WORDS],
    )
    starts = [sum(_BLOCKS[:position]) for position in range(len(_BLOCKS))]
    blocks = [f"(simhash >> {start}) & {(1 << width) - 1}" for start, width in zip(starts, _BLOCKS, strict=True)]
    selects = [
        f"SELECT rank, simhash, {number} AS pair, ({blocks[one]}) * 1024 + ({blocks[other]}) AS bucket FROM prints"
        for number, (one, other) in enumerate(combinations(range(len(_BLOCKS)), 2))
    ]
    db.execute(f"CREATE TABLE buckets AS {' UNION ALL '.join(selects)}")
    pairs = db.execute(
        """
        SELECT DISTINCT a.rank, b.rank FROM buckets a JOIN buckets b ON a.pair = b.pair AND a.bucket = b.bucket
        WHERE a.rank < b.rank AND bit_count(xor(a.simhash, b.simhash)) <= ? ORDER BY a.rank, b.rank
        """,
        [_BITS],
    ).fetchall()
    pages = dict(db.execute("SELECT rank, id FROM prints").fetchall())
    leaders: dict[int, int] = {}

    def leader(rank: int) -> int:
        while rank in leaders:
            rank = leaders[rank]
        return rank

    for one, other in pairs:
        first, second = sorted((leader(one), leader(other)))
        if first != second:
            leaders[second] = first
    db.execute("DROP TABLE buckets")
    return [(pages[rank], pages[leader(rank)]) for rank in sorted(leaders)]


if similarity(0, (1 << _BITS) - 1) <= SAME or similarity(0, (2 << _BITS) - 1) > SAME:
    raise AssertionError("_BITS does not fit SAME")
