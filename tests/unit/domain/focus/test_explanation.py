import pytest

from wavecrawl.domain.focus.explanation import score_parts
from wavecrawl.domain.focus.lane import Lane
from wavecrawl.domain.focus.score import Parts, ScoreColumns, columns_of, packed_score
from wavecrawl.domain.focus.scorer import points_of
from wavecrawl.domain.focus.settings import FocusSettings

PARTS = Parts(path_weight=160, anchor_signal=100, freshness=100, duplication_risk=20, trap_risk=40)


def test_the_parts_add_up_to_the_score() -> None:
    settings = FocusSettings()
    found = columns_of(packed_score(Lane.P3, points_of(PARTS, settings.weights), PARTS))
    parts = list(score_parts(found, settings))
    assert [(part.name, part.value, part.weight) for part in parts] == [
        ("path_weight", 0.8, 0.4),
        ("anchor_signal", 0.5, 0.4),
        ("freshness", 0.5, 0.2),
        ("duplication_risk", 0.1, -0.25),
        ("trap_risk", 0.2, -0.25),
    ]
    assert sum(part.value * part.weight for part in parts) == pytest.approx(found.score)
    assert parts[0].text == "0.800 x 0.40 = +0.320: lane, depth of the path, query parameters"
    assert parts[4].text.startswith("0.200 x -0.25 = -0.050: ")


def test_with_a_topic_the_anchor_signal_means_something_else() -> None:
    found = columns_of(packed_score(Lane.P3, 0, PARTS))
    meanings = [list(score_parts(found, FocusSettings(terms=terms)))[1].meaning for terms in ((), ("loop",))]
    assert ["focus terms" in meaning for meaning in meanings] == [False, True]


def test_a_url_outside_the_frontier_has_no_parts() -> None:
    assert list(score_parts(ScoreColumns(), FocusSettings())) == []
