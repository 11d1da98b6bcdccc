"""`wavecrawl serve`: a crawl that only waits leaves its slot to another crawl."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.support.campaign import slow
from tests.support.serving import served

from wavecrawl.demo.model import Failure, Robots, Site
from wavecrawl.demo.patterns import page
from wavecrawl.demo.server import SiteServer

START = page("/", "/a", "/b")
DELAYED = Site(pages=(START, page("/a"), page("/b")), robots=Robots(crawl_delay="200"))
PAUSED = Site(pages=(START, replace(page("/a"), failure=Failure(times=9, retry_after="3000")), page("/b")))
SETTINGS = {"max_retries": 1, "polite": {"interval": 0.0}}


@pytest.mark.parametrize("site", [DELAYED, PAUSED], ids=["Crawl-delay", "Retry-After"])
@slow
def test_a_crawl_that_only_waits_leaves_its_slot_to_another(tmp_path: Path, site: Site) -> None:
    with (
        SiteServer(site) as slow,
        SiteServer(Site(pages=(START,))) as fast,
        served(tmp_path, "--crawls", "1", "--workers", "1") as service,
    ):

        def started(url: str) -> str:
            crawl: str = service.ask("POST", "/v1/crawls", {"url": url, "settings": SETTINGS}).json()["crawl"]
            return crawl

        waiting, other = started(slow.url), started(fast.url)
        assert service.wait_for(other)["status"] == "completed"
        assert service.ask("GET", f"/v1/crawls/{waiting}").json()["status"] == "running"
        service.ask("POST", f"/v1/crawls/{waiting}/cancel")
        assert service.wait_for(waiting)["status"] == "cancelled"
