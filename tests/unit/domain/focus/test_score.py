import pytest

from wavecrawl.domain.focus.lane import Lane
from wavecrawl.domain.focus.score import UNSCORED, Parts, ScoreColumns, columns_of, matches_focus, packed_score, rank_of

PARTS = Parts(path_weight=200, anchor_signal=1, freshness=100, duplication_risk=50, trap_risk=0)


@pytest.mark.parametrize("lane", Lane)
@pytest.mark.parametrize("points", [0, 1, 612, 1_000])
@pytest.mark.parametrize("matches", [False, True])
def test_lane_score_and_parts_are_read_back(lane: Lane, points: int, *, matches: bool) -> None:
    packed = packed_score(lane, points, PARTS, matches=matches)
    assert matches_focus(packed) is matches
    assert columns_of(packed) == ScoreColumns(
        lane=lane,
        score=points / 1_000,
        path_weight=1.0,
        anchor_signal=0.005,
        freshness=0.5,
        duplication_risk=0.25,
        trap_risk=0.0,
    )


def test_a_url_without_a_score_has_no_lane() -> None:
    assert columns_of(UNSCORED) == ScoreColumns()
    assert not matches_focus(UNSCORED)


def test_ranks_follow_the_lane_then_the_score() -> None:
    best_first = [
        packed_score(lane, points, parts)
        for lane in Lane
        for points in (1_000, 999, 0)
        for parts in (Parts(), PARTS)  # parts do not matter
    ]
    ranks = [rank_of(one) for one in best_first]
    assert ranks == sorted(ranks)
    assert len(set(ranks)) == 12
    assert max(best_first) < 1 << 64


def test_urls_that_match_the_topic_come_first_by_score_alone() -> None:
    best_first = [
        packed_score(Lane.P3, 766, PARTS, matches=True),
        packed_score(Lane.P1, 440, PARTS, matches=True),
        packed_score(Lane.P3, 0, PARTS, matches=True),
        packed_score(Lane.P0, 1_000, PARTS),
        packed_score(Lane.P1, 440, PARTS),
    ]
    ranks = [rank_of(one) for one in best_first]
    assert ranks == sorted(set(ranks))
    assert max(best_first) < 1 << 63  # a signed number of SQLite
