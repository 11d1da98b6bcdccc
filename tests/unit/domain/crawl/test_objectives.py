import msgspec
import pytest
from msgspec.structs import replace

from wavecrawl.domain.crawl.objectives import DAY, Figures, ObjectiveName, ObjectiveSettings, judged

FIGURES = Figures(
    requested=100, fetched=80, words=20_000, content_words=15_000, duplicates=10, important=40, covered=30, again=50,
    changed=5, age=1.5 * DAY,
)  # fmt: skip
EMPTY = Figures(requested=0, fetched=0, words=0, content_words=0, duplicates=0, important=0, covered=0)
VALUES = {
    ObjectiveName.DENSITY: 0.75,
    ObjectiveName.COVERAGE: 0.75,
    ObjectiveName.STALENESS: 1.5,
    ObjectiveName.DISCARD_RATE: 0.3,
    ObjectiveName.CHANGE_YIELD: 0.1,
}


def test_every_figure_is_measured_without_an_objective() -> None:
    found = judged(FIGURES, ObjectiveSettings())
    assert {one.name: one.value for one in found} == VALUES
    assert {(one.target, one.met) for one in found} == {(None, None)}


@pytest.mark.parametrize("name", ObjectiveName)
def test_objectives_know_whether_one_is_set(name: ObjectiveName) -> None:
    assert not ObjectiveSettings(min_words=9).has_target
    assert msgspec.convert({name.value: 0.5}, ObjectiveSettings).has_target


def test_an_objective_that_cannot_be_measured_is_neither_met_nor_missed() -> None:
    settings = ObjectiveSettings(density=0.5, coverage=0.5, staleness=1, discard_rate=0.5, change_yield=0.5)
    found = judged(EMPTY, settings)
    assert {(one.value, one.met) for one in found} == {(None, None)}
    assert len({one.target for one in found}) == 2


@pytest.mark.parametrize("name", ObjectiveName)
def test_an_objective_is_met_at_its_target(name: ObjectiveName) -> None:
    highest = name in (ObjectiveName.STALENESS, ObjectiveName.DISCARD_RATE)
    for target, met in ((VALUES[name], True), (VALUES[name] - 0.01, not highest), (VALUES[name] + 0.01, highest)):
        settings = msgspec.convert({name.value: target}, ObjectiveSettings)
        (one,) = (one for one in judged(FIGURES, settings) if one.name is name)
        assert (one.target, one.met) == (target, met)


def test_density_is_not_measured_if_no_text_was_read() -> None:
    found = judged(replace(FIGURES, words=None, content_words=0), ObjectiveSettings(density=0.5))
    assert [(one.value, one.met) for one in found if one.name is ObjectiveName.DENSITY] == [(None, None)]


def test_a_memory_that_is_newer_than_the_crawl_is_not_stale() -> None:
    (one,) = (one for one in judged(replace(FIGURES, age=-5.0), ObjectiveSettings()) if one.name == "staleness")
    assert one.value == 0
