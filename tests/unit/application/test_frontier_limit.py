"""A crawl that knows more URLs than may wait at once crawls all of them nevertheless."""

from pathlib import Path
from typing import Any

import pytest
from tests.support.simulation import ORIGIN, Outcome, Simulation, Web

from wavecrawl.domain.crawl.settings import Discovery
from wavecrawl.domain.focus.settings import Strategy

PAGES = 60
WIDE = Web((tuple(range(1, PAGES)), *[()] * (PAGES - 1)))
DEEP = Web(tuple((*range(3 * n + 1, min(3 * n + 4, PAGES)), n // 3) for n in range(PAGES)))


def crawled(web: Web, folder: Path, **settings: Any) -> Outcome:
    simulation = Simulation(Web(web.links), folder, **settings)
    try:
        return simulation.crawl([])
    finally:
        simulation.close()


def states(outcome: Outcome) -> set[tuple[str, str]]:
    return {(state, reason) for _, state, reason, _, _ in outcome.ledger}


@pytest.mark.parametrize("most", [1, 7, PAGES])
def test_listed_urls_beyond_the_limit_are_crawled_when_there_is_room(tmp_path: Path, most: int) -> None:
    listed = tuple(f"{ORIGIN}/{page}" for page in range(1, PAGES))
    outcome = crawled(WIDE, tmp_path, max_frontier=most, max_pages=PAGES - 1, discovery=Discovery.LIST, urls=listed)
    assert outcome.fetched == PAGES - 1
    assert states(outcome) == {("fetched", "")}


@pytest.mark.parametrize("web", [WIDE, DEEP])
@pytest.mark.parametrize("most", [1, 7])
def test_if_all_scores_are_equal_the_limit_only_changes_the_number_of_waves(
    tmp_path: Path, web: Web, most: int
) -> None:
    free = crawled(web, tmp_path / "free", max_pages=40)
    limited = crawled(web, tmp_path / "limited", max_pages=40, max_frontier=most)
    fetched = [row for row in free.ledger if row[1] == "fetched"]
    assert len(fetched) == 40
    assert [row for row in limited.ledger if row[1] == "fetched"] == fetched


def test_urls_for_which_there_never_was_room_are_in_the_ledger(tmp_path: Path) -> None:
    outcome = crawled(WIDE, tmp_path, max_frontier=5, max_pages=20)
    assert outcome.fetched == 20
    assert states(outcome) == {("fetched", ""), ("skipped", "max_pages"), ("skipped", "frontier_cap")}
    fetched = [row[1] == "fetched" for row in outcome.ledger]
    assert fetched == [True] * 20 + [False] * (PAGES - 20)  # all scores are equal, so the last found were evicted


@pytest.mark.parametrize("strategy", Strategy)
def test_the_lowest_scores_are_left_out_first_with_any_strategy(tmp_path: Path, strategy: Strategy) -> None:
    facets = tuple(f"{ORIGIN}/list?{'&'.join(f'f{n}=1' for n in range(1 + page % 4))}&n={page}" for page in range(40))
    listed = (*facets, *(f"{ORIGIN}/{page}" for page in range(1, 10)))
    settings = {"strategy": strategy, "discovery": Discovery.LIST, "urls": listed, "max_frontier": 9, "max_pages": 9}
    outcome = crawled(WIDE, tmp_path, **settings)
    assert outcome.fetched == 9
    fetched = [url for url, state, *_ in outcome.ledger if state == "fetched"]
    assert fetched == [f"{ORIGIN}/{page}" for page in range(1, 10)]
    assert ("skipped", "frontier_cap") in states(outcome)
