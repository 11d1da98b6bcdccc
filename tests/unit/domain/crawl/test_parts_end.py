"""When parts of a crawl's results end."""

from functools import partial

import pytest

from wavecrawl.domain.crawl.parts import PartEnds, parts_to_remember
from wavecrawl.domain.crawl.settings import WaveSettings

WAVES = WaveSettings(part_pages=100, part_seconds=60.0)
STARTED = PartEnds(at=1000.0)

after = partial(PartEnds.after, waves=WAVES, goes_on=True, must_end=False)


def test_the_time_of_the_first_part_starts_with_the_first_plan() -> None:
    assert after(PartEnds(), 0, settled=0, now=1000.0) == STARTED


def test_a_part_ends_with_its_number_of_settled_urls() -> None:
    assert after(STARTED, 3, settled=99, now=1059.0) == STARTED
    assert after(STARTED, 4, settled=100, now=1001.0) == PartEnds(numbers=(4,), settled=100, at=1001.0)


def test_a_part_ends_after_its_time_if_any_url_is_settled() -> None:
    assert after(STARTED, 3, settled=0, now=2000.0) == STARTED
    assert after(STARTED, 4, settled=1, now=1060.0) == PartEnds(numbers=(4,), settled=1, at=1060.0)


def test_the_next_part_counts_from_the_end_of_the_last_one() -> None:
    ended = PartEnds(numbers=(4,), settled=100, at=1001.0)
    assert after(ended, 5, settled=199, now=1060.0) == ended
    assert after(ended, 6, settled=200, now=1060.0).numbers == (4, 6)


def test_a_crawl_that_has_probably_ended_leaves_the_rest_to_its_finish() -> None:
    assert after(STARTED, 3, settled=500, now=2000.0, goes_on=False) == STARTED


def test_a_crawl_that_stops_at_once_ends_its_part() -> None:
    ended = after(STARTED, 3, settled=5, now=1001.0, goes_on=False, must_end=True)
    assert ended == PartEnds(numbers=(3,), settled=5, at=1001.0)
    assert after(PartEnds(), 0, settled=0, now=1000.0, goes_on=False, must_end=True).numbers == (0,)


@pytest.mark.parametrize(
    ("ended", "due"),
    [
        ([3, 50], []),
        ([3, 50, 99], []),
        ([3, 50, 100], [3, 50, 100]),
        ([3, 50, 100, 120], []),
        ([3, 50, 104, 120, 260], [120, 260]),  # waves without parts are skipped
        ([3, 50, 104, 120, 260, 300, 400], [400]),
        ([150], [150]),
        ([], []),
    ],
)
def test_the_pages_since_the_last_hundredth_wave_are_remembered(ended: list[int], due: list[int]) -> None:
    assert parts_to_remember(ended) == due
