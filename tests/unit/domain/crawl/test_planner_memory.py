"""Whether a planner has enough memory for the URLs of its crawl."""

import pytest

from wavecrawl.domain.crawl.planner_memory import MEBIBYTE, fits, is_nearly_full

GIBIBYTE = 1024 * MEBIBYTE


@pytest.mark.parametrize(
    ("memory_mb", "urls", "expected"),
    [
        (1_769, 2_400_000, True),  # a million pages of a usual site, in the default function
        (1_769, 5_000_000, True),
        (1_769, 8_000_000, False),
        (3_008, 8_000_000, True),
        (16_384, 10_000_000, True),  # in the task
        (16_384, 80_000_000, True),
        (16_384, 120_000_000, False),
    ],
)
def test_a_url_takes_170_bytes_and_a_wave_some_hundred_megabytes(memory_mb: int, urls: int, *, expected: bool) -> None:
    assert fits(170 * urls, memory_mb * MEBIBYTE) is expected


def test_a_small_function_plans_small_crawls() -> None:
    assert fits(100 * MEBIBYTE, 512 * MEBIBYTE)
    assert not fits(120 * MEBIBYTE, 512 * MEBIBYTE)
    assert fits(0, 0)


def test_a_process_is_nearly_full_before_its_memory_is_used_up() -> None:
    assert not is_nearly_full(850 * MEBIBYTE, 1_000 * MEBIBYTE)
    assert is_nearly_full(851 * MEBIBYTE, 1_000 * MEBIBYTE)
