"""The routes of results: finished crawls, a running crawl, and requests without permission."""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.adapters.analytics.conftest import Crawled
from tests.adapters.analytics.results_service import ResultsService
from tests.support.crawling import Done, crawl_inline

from wavecrawl.api.routes.content import MOST
from wavecrawl.demo.model import Link, Page, Site
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.domain.tenants.role import Role

ROUTES = ("pages", "graph", "orphans", "issues", "statistics", "urls")
LARGE = b"0123456789" * (MOST // 10 + 100)
PAGES = (
    Page(
        path="/", title="Home", text=("Welcome.",),
        links=(Link(to="/same"), Link(to="/lost"), Link(to="/large"), Link(to="/script")),
    ),
    Page(path="/same", title="Same", text=("Always the same.",), etag='"1"'),
    Page(path="/lost", title="Lost", text=("Nothing here.",), status=404),
    Page(path="/large", content_type="application/x-large", body=LARGE),
    Page(path="/script", content_type="text/html", body=b"<script>alert(1)</script><p>words of a page</p>"),
)  # fmt: skip


class Two:
    """Two crawls of a small site and the API over them."""

    def __init__(self, folder: Path, first: Done, second: Done) -> None:
        self.service = ResultsService(folder)
        self.first, self.second = first.row.id.crawl, second.row.id.crawl
        self.row = first.row
        self.keys = {"/" + page["url"].split("/", 3)[3]: page["key"] for page in first.pages()}

    def get(self, path: str, crawl: str = "", **more: Any) -> Any:
        """Get a resource of a crawl."""
        return self.service.ask("GET", f"/v1/crawls/{crawl or self.first}/{path}", **more)

    def set_status(self, status: CrawlStatus) -> None:
        """Set the status of the first crawl, which no use case changes after the end."""
        self.service.store.crawls._crawls.put(replace(self.row, status=status))


@pytest.fixture(scope="session")
def _crawled_twice(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Done, Done]:
    folder = tmp_path_factory.mktemp("asked")
    with SiteServer(Site(pages=PAGES)) as server:
        return folder, crawl_inline(server.url, folder), crawl_inline(server.url, folder)


@pytest.fixture(name="two")
def two_crawls(_crawled_twice: tuple[Path, Done, Done]) -> Iterator[Two]:
    two = Two(*_crawled_twice)
    yield two
    database = two.service.store.database
    two.set_status(CrawlStatus.COMPLETED)
    database.change("DELETE FROM hidden_page")
    two.service.close()


def all_pages(two: Two, **query: str) -> list[dict[str, Any]]:
    pages: list[dict[str, Any]] = []
    while True:
        answered = two.get("pages", query=query)
        assert answered.status == 200, answered.text
        pages += answered.body["pages"]
        if answered.body["next_cursor"] is None or not answered.body["pages"]:
            return pages
        query["cursor"] = answered.body["next_cursor"]


def test_pages_are_listed_filtered_and_ordered(two: Two) -> None:
    assert [page["title"] for page in all_pages(two, limit="2")] == ["Home", "Same", "", "", ""]
    assert [page["key"] for page in all_pages(two, state="not_found")] == [two.keys["/lost"]]
    assert [page["key"] for page in all_pages(two, url="LARGE")] == [two.keys["/large"]]
    sizes = [page["bytes"] for page in all_pages(two, order="bytes", descending="true", limit="1")]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] == len(LARGE)


def test_a_cursor_is_good_for_its_own_list_alone(two: Two) -> None:
    cursor = two.get("pages", query={"limit": "1"}).body["next_cursor"]
    assert two.get("pages", query={"limit": "3", "cursor": cursor}).status == 200
    assert two.get("pages", query={"cursor": cursor, "state": "fetched"}).status == 400
    assert two.get("pages", two.second, query={"cursor": cursor}).status == 400
    assert two.get("pages", query={"cursor": cursor[:-2] + "AA"}).status == 400
    stranger = two.service.key("stranger")
    assert two.get("pages", query={"cursor": cursor}, key=stranger).status == 404


def test_a_page_is_shown_with_everything(two: Two) -> None:
    page = two.get(f"pages/{two.keys['/']}").body
    assert (page["title"], page["links"]["total"], page["linked_from"]["total"]) == ("Home", 4, 0)
    assert (page["text_length"], len(page["simhash"])) == (len(page["text"]), 16)
    two.set_status(CrawlStatus.RUNNING)
    page = two.get(f"pages/{two.keys['/']}").body
    assert (page["title"], page["links"]["total"], page["linked_from"]["total"]) == ("Home", 4, 0)


@pytest.mark.parametrize("key", ["0" * 32, "nothing", "..%2f", "A" * 32])
def test_what_is_no_page_is_not_found(two: Two, key: str) -> None:
    for path in (f"pages/{key}", f"pages/{key}/content", f"pages/{key}/response"):
        assert two.get(path).status == 404
    assert two.service.ask("DELETE", f"/v1/crawls/{two.first}/pages/{key}").status == 404


def test_content_comes_as_octets_that_no_browser_shows(two: Two) -> None:
    answered = two.get(f"pages/{two.keys['/script']}/content")
    assert answered.status == 200
    assert base64.b64decode(answered.text) == PAGES[4].body
    shown = answered.headers
    assert shown["content-type"] == "application/octet-stream"
    assert shown["content-disposition"] == f'attachment; filename="page-{two.keys["/script"]}.html"'
    assert shown["content-security-policy"].startswith("sandbox")
    assert shown["x-content-type-options"] == "nosniff"
    assert (shown["x-page-content-type"], shown["x-page-status"]) == ("text/html", "200")
    assert shown["content-location"] == f"/v1/crawls/{two.first}/pages/{two.keys['/script']}/content"
    again = two.get(f"pages/{two.keys['/script']}/content", headers={"if-none-match": shown["etag"]})
    assert again.status == 304


def test_the_content_of_an_unchanged_page_says_which_crawl_read_it(two: Two) -> None:
    answered = two.get(f"pages/{two.keys['/same']}/content", two.second)
    assert b"Always the same." in base64.b64decode(answered.text)
    assert answered.headers["content-location"].startswith(f"/v1/crawls/{two.first}/")


def test_content_that_is_too_large_for_one_answer_comes_in_ranges(two: Two) -> None:
    path = f"pages/{two.keys['/large']}/content"
    whole = two.get(path)
    assert (whole.status, whole.body["bytes"]) == (413, len(LARGE))
    data = b""
    while len(data) < len(LARGE):
        part = two.get(path, headers={"range": f"bytes={len(data)}-"})
        assert part.status == 206
        assert len(part.text) < 6_000_000
        body = base64.b64decode(part.text)
        assert part.headers["content-range"] == f"bytes {len(data)}-{len(data) + len(body) - 1}/{len(LARGE)}"
        data += body
    assert data == LARGE


@pytest.mark.parametrize(
    ("asked", "status", "body"),
    [
        ("bytes=0-4", 206, b"01234"),
        ("bytes=-3", 206, LARGE[-3:]),
        (f"bytes={len(LARGE) - 2}-{len(LARGE) + 9}", 206, LARGE[-2:]),
        (f"bytes={len(LARGE)}-", 416, None),
        ("bytes=-0", 416, None),
        ("bytes=5-2", 413, None),
        ("lines=1-2", 413, None),
        ("bytes=0-1,3-4", 413, None),
    ],
)
def test_ranges_are_those_of_http(two: Two, asked: str, status: int, body: bytes | None) -> None:
    answered = two.get(f"pages/{two.keys['/large']}/content", headers={"range": asked})
    assert answered.status == status
    if body is not None:
        assert base64.b64decode(answered.text) == body


def test_a_deleted_page_is_gone_from_every_answer(two: Two) -> None:
    path = f"/v1/crawls/{two.first}/pages/{two.keys['/script']}"
    assert two.service.ask("DELETE", path, key=two.service.key(role=Role.READ)).status == 403
    assert two.service.ask("DELETE", path).status == 204
    assert two.service.ask("DELETE", path).status == 404
    assert two.service.ask("GET", path).status == 404
    assert two.service.ask("GET", f"{path}/content").status == 404
    assert two.keys["/script"] not in {page["key"] for page in all_pages(two)}
    two.set_status(CrawlStatus.RUNNING)
    assert two.keys["/script"] not in {page["key"] for page in all_pages(two)}
    other = f"/v1/crawls/{two.first}/pages/{two.keys['/lost']}"
    assert two.service.ask("DELETE", other).status == 409


def test_the_graph_from_the_top_and_around_a_page(two: Two) -> None:
    top = two.get("graph", query={"depth": "0"}).body
    assert [node["title"] for node in top["nodes"]] == ["Home"]
    around = two.get("graph", query={"around": two.keys["/same"]}).body
    assert [node["title"] for node in around["nodes"]] == ["Same", "Home"]
    assert around["links"] == [[1, 0]]
    assert two.get("graph", query={"around": "0" * 32}).status == 404
    assert two.get("graph", query={"limit": "0"}).status == 400


def test_issues_orphans_and_statistics(two: Two) -> None:
    issues = two.get("issues", query={"kind": "broken_link"}).body["issues"]
    assert [issue["url"].rpartition("/")[2] for issue in issues] == ["lost"]
    assert two.get(f"pages/{issues[0]['key']}").body["status"] == 404
    assert two.get(f"pages/{issues[0]['related_key']}").body["url"] == issues[0]["related"]
    assert two.get("issues", query={"kind": "broken_links"}).status == 400
    assert two.get("issues", query={"severity": "grave"}).status == 400
    first = two.get("issues", query={"limit": "1"}).body
    assert {one["kind"]: one["issues"] for one in first["kinds"]} == two.get("statistics").body["issues"]
    assert first["kinds"][0]["fix"].startswith("Correct or remove the link")
    second = two.get("issues", query={"limit": "1", "cursor": first["next_cursor"]}).body
    assert first["issues"] != second["issues"]
    assert two.get("orphans").body["orphans"] == []
    assert two.get("statistics").body["states"] == {"fetched": 4, "not_found": 1}


def test_a_cursor_of_issues_is_good_for_its_own_list_alone(two: Two) -> None:
    cursor = two.get("issues", query={"limit": "1"}).body["next_cursor"]
    assert two.get("issues", query={"cursor": cursor}).status == 200
    assert two.get("issues", query={"cursor": cursor, "severity": "error"}).status == 400
    assert two.get("issues", two.second, query={"cursor": cursor}).status == 400
    assert two.get("orphans", query={"cursor": cursor}).status == 400
    assert two.get("diff", two.second, query={"base": two.first, "kind": "new", "cursor": cursor}).status == 400


def test_two_crawls_of_a_site_are_compared(two: Two) -> None:
    shown = two.get("diff", two.second, query={"base": two.first}).body
    assert (shown["base"], shown["crawl"], shown["differences"]) == (two.first, two.second, [])
    assert set(shown["kinds"].values()) == {0}
    assert two.get("diff", two.second, query={"base": two.first, "kind": "new"}).body["differences"] == []
    assert two.get("diff", two.second).status == 400
    assert two.get("diff", two.second, query={"base": "20200101-000000-abcdef"}).status == 404


def test_orphans_of_the_demo_site_come_in_pages(crawled: Crawled) -> None:
    service = ResultsService(crawled.done.folder.parents[5])
    path = f"/v1/crawls/{crawled.done.row.id.crawl}/orphans"
    whole = service.ask("GET", path, query={"limit": "100"}).body
    assert whole["orphans"]
    assert {one["sitemap"].rpartition("/")[2] for one in whole["orphans"]} == {"shop.xml.gz"}
    assert whole["blockers"] == crawled.done.summary.blockers
    first = service.ask("GET", path, query={"limit": "1"}).body
    second = service.ask("GET", path, query={"limit": "100", "cursor": first["next_cursor"]}).body
    assert first["orphans"] + second["orphans"] == whole["orphans"]
    service.close()


@pytest.mark.parametrize("status", [CrawlStatus.RUNNING, CrawlStatus.FAILED])
def test_a_crawl_without_results_has_results_so_far_and_is_not_compared(two: Two, status: CrawlStatus) -> None:
    two.set_status(status)
    for route in ROUTES:
        answered = two.get(route)
        assert (answered.status, answered.body["as_of_wave"] > 0) == (200, True), route
    assert two.get("diff", two.second, query={"base": two.first}).status == 409


def test_a_tenant_cannot_see_another_tenants_results(two: Two) -> None:
    stranger = two.service.key("stranger")
    key = two.keys["/"]
    for route in (*ROUTES, f"pages/{key}", f"pages/{key}/content", f"pages/{key}/response"):
        assert two.get(route, key=stranger).status == 404
    assert two.get("diff", query={"base": two.first}, key=stranger).status == 404
    assert two.service.ask("DELETE", f"/v1/crawls/{two.first}/pages/{key}", key=stranger).status == 404
