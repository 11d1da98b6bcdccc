"""Reading a page takes time in proportion to its size, whatever it contains."""

import gc
from time import process_time

import pytest
from tests.support.campaign import ALL, CAMPAIGN
from tests.support.expensive_pages import PAGES

from wavecrawl.domain.pages.extraction import extract
from wavecrawl.domain.pages.page import MediaSearch

PARTS = 3_000 if CAMPAIGN else 1_500
TIMES = 4
MOST = 2.2 * TIMES
"""How many times as long a page takes that is four times as large: 4 in linear time, 16 in quadratic time."""
SHORT = 0.05  # seconds of processor time; below, start-up and caches decide
ATTEMPTS = 4
BOTH = MediaSearch(media=True, resources=True)


def seconds(parts: int, kind: str) -> float:
    """Return the seconds of processor time that a page takes. It does not depend on the load of the machine."""
    html = PAGES[kind](parts).encode()
    gc.collect()
    begin = process_time()
    extract(html, url="https://site.example/", search=BOTH)
    return process_time() - begin


@pytest.mark.parametrize("kind", PAGES if ALL else [*PAGES][::4])
def test_a_page_four_times_as_large_takes_about_four_times_as_long(kind: str) -> None:
    small = large = 0.0
    for attempt in range(ATTEMPTS):  # each with larger pages: where a limit begins to apply, the time has a step
        parts = PARTS << attempt
        small, large = seconds(parts, kind), seconds(TIMES * parts, kind)
        if large <= max(SHORT, MOST * small):
            return
    pytest.fail(f"{small:.3f} s and {large:.3f} s")
