from collections.abc import Sequence
from itertools import permutations
from random import Random

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.campaign import examples, slow

from wavecrawl.adapters.analytics.pagerank import WHOLE, build_ranks

Flows = Sequence[tuple[int, int]]


def page_ranks(pages: Sequence[int], flows: Flows) -> list[int]:
    """Return the rank of each page."""
    with duckdb.connect() as db:
        db.execute("CREATE TABLE ranked AS SELECT unnest(?)::BIGINT AS id", [list(pages)])
        sources, targets = ([flow[end] for flow in flows] for end in (0, 1))
        db.execute(
            "CREATE TABLE flows AS SELECT unnest(?)::BIGINT AS source, unnest(?)::BIGINT AS target", [sources, targets]
        )
        build_ranks(db)
        found = dict(db.execute("SELECT id, rank FROM ranks").fetchall())
    return [found[page] for page in pages]


def test_pages_that_link_to_each_other_in_a_ring_share_alike() -> None:
    assert page_ranks([7, 8, 9, 10], [(7, 8), (8, 9), (9, 10), (10, 7)]) == [WHOLE // 4] * 4


def test_a_dead_end_gives_its_rank_to_everyone() -> None:
    first, second = page_ranks([1, 2], [(1, 2)])

    assert first / WHOLE == pytest.approx(20 / 57, abs=1e-9)  # a = 0.075 + 0.425 b, a + b = 1
    assert second / WHOLE == pytest.approx(37 / 57, abs=1e-9)


def test_a_site_without_pages_has_no_ranks() -> None:
    assert page_ranks([], []) == []


@st.composite
def sites(draw: st.DrawFn) -> tuple[list[int], list[tuple[int, int]]]:
    pages = draw(st.lists(st.integers(0, 99), min_size=1, max_size=7, unique=True))
    pairs = list(permutations(pages, 2))
    return pages, draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []


@settings(max_examples=examples(20))
@given(sites())
def test_ranks_are_those_of_the_random_surfer(site: tuple[list[int], list[tuple[int, int]]]) -> None:
    pages, flows = site

    ranks = page_ranks(pages, flows)

    assert [rank / WHOLE for rank in ranks] == pytest.approx(surfed(pages, flows), abs=0.003)


@settings(max_examples=examples(20))
@given(sites(), st.randoms(use_true_random=False))
@slow
def test_the_order_of_pages_and_links_changes_no_digit(
    site: tuple[list[int], list[tuple[int, int]]], chance: Random
) -> None:
    pages, flows = site
    known = dict(zip(pages, page_ranks(pages, flows), strict=True))

    chance.shuffle(pages)
    chance.shuffle(flows)

    assert dict(zip(pages, page_ranks(pages, flows), strict=True)) == known


def surfed(pages: Sequence[int], flows: Flows) -> list[float]:
    """Return the long-term position of a surfer who follows links and jumps to a random page at 15 % of the steps."""
    links = {page: [target for source, target in flows if source == page] or list(pages) for page in pages}
    shares = dict.fromkeys(pages, 1 / len(pages))
    for _ in range(300):
        following = dict.fromkeys(pages, 0.15 / len(pages))
        for page, share in shares.items():
            for target in links[page]:
                following[target] += 0.85 * share / len(links[page])
        shares = following
    return [shares[page] for page in pages]
