"""Crawls of generated sites, compared with the result computed from their model."""

from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.support.campaign import ALL, examples, slow
from tests.support.crawling import QUICK, crawl_inline, with_changes
from tests.support.known_answer.answer import answer_of
from tests.support.random_site import random_site
from tests.support.verdict import differences

from wavecrawl.demo.demo_site import demo_site
from wavecrawl.demo.model import Site
from wavecrawl.demo.server import SiteServer


def crawled(site: Site, *, seed: int = 0, max_depth: int = 25) -> list[str]:
    """Crawl a site in a shuffled order with duplicate deliveries. Return the differences from the expected result."""
    with TemporaryDirectory() as folder, SiteServer(site) as server:
        settings = with_changes(QUICK, {"max_depth": max_depth})
        done = crawl_inline(server.url, Path(folder), settings, rng=Random(seed), duplicates=0.3)
        assert done.summary.duplicate_records == 0
        return list(differences(done, answer_of(site, max_depth=max_depth), server.origin))


def test_the_demo_site_is_crawled_as_its_generator_says() -> None:
    assert crawled(demo_site()) == []


@slow
def test_a_depth_limit_cuts_the_demo_site_as_its_generator_says() -> None:
    assert crawled(demo_site(), max_depth=2) == []


@example(seed=359, pages=26)  # the deepest page is the second spelling of another one
@settings(max_examples=examples(15 if ALL else 5))
@given(seed=st.integers(min_value=0, max_value=2**32), pages=st.integers(min_value=1, max_value=30))
def test_every_random_site_is_crawled_as_its_generator_says(seed: int, pages: int) -> None:
    assert crawled(random_site(Random(seed), pages), seed=seed) == []
