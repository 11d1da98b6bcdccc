"""Clusters of near-duplicate pages, compared with a search over all pairs of pages."""

from random import Random

import duckdb
import pytest

from wavecrawl.adapters.analytics.duplicates import FEWEST_WORDS, build_duplicates

FAR = 6  # bits; texts that differ in this many are no near-duplicates
PRINTS = 400


def prints(random: Random, *, centers: int, most_bits: int) -> list[int]:
    """Return fingerprints around a few centers, crowded so that most share their buckets."""
    around = [random.getrandbits(64) for _ in range(centers)]
    return [
        random.choice(around) ^ sum(1 << bit for bit in random.sample(range(64), random.randint(0, most_bits)))
        for _ in range(PRINTS)
    ]


def clusters_of(found: list[int]) -> dict[int, int]:
    """Return each page's first page of its cluster, for pages other than that page itself, by a plain search."""
    unseen, first_of = set(range(len(found))), {}
    while unseen:
        first = min(unseen)
        pending = [first]
        while pending:
            here = pending.pop()
            near = {other for other in unseen if (found[here] ^ found[other]).bit_count() < FAR}
            unseen -= near
            pending += near
            first_of.update(dict.fromkeys(near, first))
    return {page: first for page, first in first_of.items() if page != first}


@pytest.mark.parametrize("most_bits", [1, 3, 6, 10, 64])
@pytest.mark.parametrize("centers", [1, 7])
def test_clusters_are_what_a_chain_of_near_pages_connects(centers: int, most_bits: int) -> None:
    random = Random(f"{centers} {most_bits}")
    found = list(dict.fromkeys(prints(random, centers=centers, most_bits=most_bits)))
    pages = list(range(len(found)))
    ids = random.sample(range(10_000), len(found))  # a page's rank counts, not its number
    with duckdb.connect() as db:
        db.execute(
            "CREATE TABLE nodes AS SELECT unnest(?) AS id, unnest(?) AS rank, unnest(?) AS final", [ids, pages, ids]
        )
        db.execute(
            """
            CREATE TABLE pages AS SELECT unnest(?) AS id, 'fetched' AS state, true AS is_html,
                unnest(?) AS text_hash, unnest(?)::UBIGINT AS simhash, ? AS word_count
            """,
            [ids, list(map(str, pages)), found, FEWEST_WORDS],
        )
        build_duplicates(db)
        stored = dict(db.execute("SELECT id, first FROM duplicates WHERE kind = 'near_duplicate'").fetchall())
    assert stored == {ids[page]: ids[first] for page, first in clusters_of(found).items()}
    assert most_bits == 64 or stored
