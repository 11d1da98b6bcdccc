"""The Python client against `wavecrawl serve`: a crawl from its start to its files."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.patience import HANG
from tests.support.plain_site import plain_site
from tests.support.serving import served

from wavecrawl.client import (
    ApiError,
    Client,
    CrawlSettings,
    CrawlStatus,
    NewCrawl,
    NewSite,
    PoliteSettings,
    RetryPolicy,
    SiteUpdate,
)
from wavecrawl.demo.server import SiteServer

PAGES = 30


@pytest.fixture(name="site", scope="module")
def a_site() -> Iterator[SiteServer]:
    with SiteServer(plain_site(pages=PAGES)) as server:
        yield server


@pytest.fixture(name="client", scope="module")
def a_client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with served(tmp_path_factory.mktemp("serve")) as service, Client(service.url, service.key) as client:
        yield client


@pytest.fixture(name="crawl", scope="module")
def a_crawl(client: Client, site: SiteServer) -> str:
    """A crawl that was followed to its end."""
    quick = CrawlSettings(polite=PoliteSettings(interval=0.0), max_retries=0)
    return client.start_crawl(NewCrawl(url=site.url, settings=quick)).crawl


def test_a_crawl_is_followed_to_its_end(client: Client, crawl: str) -> None:
    events = list(client.stream_events(crawl))
    logged = [event for event in events if event.kind != "progress"]  # progress has no id of its own
    assert (logged[0].kind, logged[-1].kind) == ("crawl.started", "crawl.completed")
    ids = [int(event.id) for event in logged]
    assert ids == sorted(set(ids))
    assert list(client.stream_events(crawl, last_event_id=logged[-1].id)) == []


def test_a_crawl_is_waited_for(client: Client, crawl: str) -> None:
    shown = client.wait_for_crawl(crawl, timeout=HANG, interval=0.2)
    assert (shown.status, shown.counters.fetched) == (CrawlStatus.COMPLETED, PAGES)


def test_pages_are_gone_through_over_many_lists(client: Client, crawl: str) -> None:
    client.wait_for_crawl(crawl, interval=0.2)
    pages = list(client.iter_pages(crawl, limit=7))
    assert len({page.key for page in pages}) == len(pages) >= PAGES
    content = client.get_page_content(crawl, pages[0].key)
    assert content is not None
    assert b"<html" in content.body.lower()
    response = client.get_page_response(crawl, pages[0].key)
    assert (response.crawl, response.url, response.status) == (crawl, pages[0].url, 200)
    assert ("content-type", content.content_type) in {
        (one.name.lower(), one.value.partition(";")[0]) for one in response.headers
    }


def test_results_are_downloaded(client: Client, crawl: str, tmp_path: Path) -> None:
    client.wait_for_crawl(crawl, interval=0.2)
    files = {file.name: file for file in client.list_exports(crawl).exports}
    assert client.download(files["pages.csv"].url, tmp_path / "pages.csv") == files["pages.csv"].bytes
    assert (tmp_path / "pages.csv").read_text(encoding="utf-8").count("\n") > PAGES


def test_a_change_that_comes_too_late_is_refused(client: Client, site: SiteServer) -> None:
    made = client.create_site(NewSite(url=site.url))
    seen = f'"{client.get_site(made.site).version}"'
    assert client.update_site(made.site, SiteUpdate(name="first"), if_match=seen).name == "first"
    with pytest.raises(ApiError) as refused:
        client.update_site(made.site, SiteUpdate(name="second"), if_match=seen)
    assert refused.value.status == 412
    client.delete_site(made.site)


def test_an_invalid_key_raises_an_error(client: Client) -> None:
    with (
        Client(client._transport._url, "wck_no_key", retries=RetryPolicy(attempts=1)) as stranger,
        pytest.raises(ApiError) as refused,
    ):
        next(stranger.iter_crawls())
    assert (refused.value.status, refused.value.problem.title) == (401, "Unauthorized")
