"""The benchmark of the hot path: all steps that it names are part of a crawl."""

from bench.profile_hot_path import SPOTS, WHOLE, profile
from bench.sites import QUICK_SITE, served

PAGES = 12


def test_each_step_of_a_crawl_is_timed() -> None:
    with served(QUICK_SITE) as url:
        pages, watch = profile(url, PAGES)
    assert pages == PAGES
    assert set(watch.spent) == {WHOLE, *(step for step, _, _ in SPOTS)}
