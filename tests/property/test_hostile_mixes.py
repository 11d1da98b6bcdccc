"""Whatever hostile behaviours a site mixes, its crawl ends in time, and its workers fit into their function."""

from collections.abc import Iterator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from infra.config import Config
from tests.adapters.http.loopback import Talk, responding
from tests.adapters.http.loopback import page as response
from tests.support.campaign import CAMPAIGN, examples
from tests.support.hostile.behaviour import HTML
from tests.support.hostile.crawls import MAX_SECONDS, Crawler, crawler
from tests.support.hostile.reading import serving_hostile
from tests.support.hostile.suite import BY_NAME, PAGE_PATH, PROBES, ROBOTS_PATH, Probe

GRACE = 200.0
"""Seconds by which a crawl may exceed `max_seconds`: far more than any machine needs."""

ENDED = ("completed", "failed")
SLOW_ROBOTS = ("drips its robots.txt", "never sends its robots.txt")  # each takes half a minute, as its limit is fixed

PAGES = st.lists(st.sampled_from([one for one in PROBES if PAGE_PATH in one.talks]), min_size=1, max_size=12)
SITEMAPS = st.none() | st.sampled_from([one for one in PROBES if one.group == "sitemaps"])
ROBOTS = st.none() | st.sampled_from(
    [one for one in PROBES if one.group == "robots" and (CAMPAIGN or one.name not in SLOW_ROBOTS)]
)


@pytest.fixture(scope="module")
def other_process() -> Iterator[Crawler]:
    """The process that crawls, so that its workers' memory is theirs alone."""
    with crawler() as running:
        yield running


def talks_of(pages: list[Probe], robots: Probe | None, sitemap: Probe | None) -> dict[str, Talk]:
    """Return a site whose root links to the pages."""
    links = "".join(f"<a href=/page-{number}>{number}</a>" for number in range(len(pages)))
    talks = {f"/page-{number}": probe.talks[PAGE_PATH] for number, probe in enumerate(pages)}
    talks[""] = responding(response(f"<title>Root</title>{links}".encode(), HTML))
    if sitemap is not None:
        talks |= sitemap.talks
    if robots is not None:
        talks[ROBOTS_PATH] = robots.talks[ROBOTS_PATH]
    return talks


@settings(max_examples=examples(3, long=60))
@given(pages=PAGES, robots=ROBOTS, sitemap=SITEMAPS)
@example(
    pages=[
        BY_NAME["sends a bomb of gzip inside gzip"],
        BY_NAME["asks to wait for ever"],
        BY_NAME["drips its head byte by byte"],
    ],
    robots=None,
    sitemap=BY_NAME["has a sitemap that is a bomb inside a bomb"],
)
def test_a_crawl_of_any_mix_ends_in_time_and_memory(
    other_process: Crawler, pages: list[Probe], robots: Probe | None, sitemap: Probe | None
) -> None:
    with serving_hostile(talks_of(pages, robots, sitemap)) as server:
        crawled = other_process.crawl(f"{server.url}/")
    assert crawled.status in ENDED
    assert crawled.seconds <= MAX_SECONDS + GRACE
    assert 0 < crawled.worker_mb <= Config().fetch_memory
    assert server.requests
