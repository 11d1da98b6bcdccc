"""Results from the deployed service's function with DuckDB, during a crawl and after it."""

from typing import Any
from urllib.parse import quote

from tests.support.cloud import API_KEY, Service

from wavecrawl.demo.demo_site import demo_site
from wavecrawl.demo.server import SiteServer

SETTINGS = {
    "retry_base": 0.0,
    "polite": {"interval": 0.0, "adapt": False, "cooldown": 1.0, "in_flight": 4},
}


def listed(service: Service, crawl: str) -> list[dict[str, Any]]:
    pages: list[dict[str, Any]] = []
    path = f"/v1/crawls/{crawl}/pages?limit=100"
    while True:
        part = service.api("GET", path)
        pages += part["pages"]
        if part["next_cursor"] is None:
            return pages
        path = f"/v1/crawls/{crawl}/pages?limit=100&cursor={part['next_cursor']}"


def test_a_deployed_crawl_can_be_asked(service: Service) -> None:
    with SiteServer(demo_site()) as server:
        crawl = service.start(server.url, SETTINGS)
        assert "pages" in service.api("GET", f"/v1/crawls/{crawl}/pages")
        assert service.wait_for(crawl)["status"] == "completed"
    statistics = service.api("GET", f"/v1/crawls/{crawl}/statistics")
    pages = listed(service, crawl)
    done = [page for page in pages if page["state"] in ("fetched", "unchanged")]
    assert len(done) == statistics["pages"] > 100
    key = pages[0]["key"]
    page = service.api("GET", f"/v1/crawls/{crawl}/pages/{key}")
    assert page["linked_from"]["total"] > 0
    graph = service.api("GET", f"/v1/crawls/{crawl}/graph?around={key}&limit=50")
    assert graph["nodes"][0]["key"] == key
    assert service.api("GET", f"/v1/crawls/{crawl}/issues?severity=error")["issues"]
    assert service.api("GET", f"/v1/crawls/{crawl}/orphans")["orphans"]
    urls = service.api("GET", f"/v1/crawls/{crawl}/urls?state=robots_denied")
    assert urls["totals"] == statistics["states"]
    explained = service.api("GET", f"/v1/crawls/{crawl}/urls/explain?url={quote(urls['urls'][0]['url'])}")
    assert explained["because"] == "robots.txt denies it"
    assert explained["linked_from"]
    assert set(service.api("GET", f"/v1/crawls/{crawl}/diff?base={crawl}")["kinds"].values()) == {0}
    answer = service.request(
        "GET", f"/v1/crawls/{crawl}/pages/{key}/content", headers={"authorization": f"Bearer {API_KEY}"}
    )
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/octet-stream")
    assert page["full_title"].partition(" | ")[0].encode() in answer.content
