"""Results of a crawl that runs: from its parts, compared with the results that were made at its end."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.adapters.analytics.results_service import ResultsService
from tests.support.campaign import slow
from tests.support.crawling import QUICK, Done, crawl_inline

from wavecrawl.adapters.analytics.live_results import LiveResults
from wavecrawl.application.results_so_far import inputs_so_far
from wavecrawl.demo.demo_site import demo_site
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.errors import TooLargeError
from wavecrawl.ports.results import PageQuery, Part

AT_THE_END = ("depth", "parent", "title", "pagerank", "duplicate_of", "near_duplicate_of", "similarity")
"""What only the results have, or have exactly."""

DUPLICATES = {"duplicate_content", "near_duplicate"}


@dataclass
class Running:
    """A crawl that is over, but whose row says that it runs, with a number of its parts."""

    service: ResultsService
    done: Done
    numbers: list[int]
    key: str

    def get(self, path: str, **query: str) -> Any:
        """Get a resource of the crawl."""
        answered = self.service.ask("GET", f"/v1/crawls/{self.done.row.id.crawl}/{path}", key=self.key, query=query)
        assert answered.status == 200, answered.text
        return answered.body

    def listed(self, path: str, name: str, **query: str) -> list[dict[str, Any]]:
        """Return all items of a list."""
        found: list[dict[str, Any]] = []
        while True:
            page = self.get(path, **query)
            found += page[name]
            if page["next_cursor"] is None or not page[name]:
                return found
            query["cursor"] = page["next_cursor"]

    def set_status(self, status: CrawlStatus) -> None:
        """Set the status of the crawl, which no use case changes after the end."""
        self.service.store.crawls._crawls.put(replace(self.done.row, status=status))


@pytest.fixture(scope="module", name="crawled_in_parts")
def _crawled_in_parts(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Done]:
    folder = tmp_path_factory.mktemp("parts")
    settings = replace(QUICK, waves=replace(QUICK.waves, part_pages=30, part_seconds=0.0))
    with SiteServer(demo_site()) as server:
        return folder, crawl_inline(server.url, folder, settings)


@pytest.fixture(name="running")
def a_running_crawl(crawled_in_parts: tuple[Path, Done], monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    folder, done = crawled_in_parts
    service = ResultsService(folder)
    running = Running(service=service, done=done, numbers=service.store.parts.numbers(done.row.id), key=service.key())
    assert len(running.numbers) > 2
    monkeypatch.setattr(service.store.parts, "numbers", lambda _: list(running.numbers))
    running.set_status(CrawlStatus.RUNNING)
    yield running
    running.set_status(CrawlStatus.COMPLETED)
    service.close()


def without(row: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in names}


def by_key(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {row["key"]: row for row in rows}


def test_pages_so_far_are_those_of_the_results(running: Running) -> None:
    last = running.numbers[-1]
    first = running.get("pages")
    listed = running.listed("pages", "pages", limit="100")
    assert (first["as_of_wave"], first["running"], first["total"]) == (last, True, len(listed))
    running.set_status(CrawlStatus.COMPLETED)
    first = running.get("pages")
    over = running.listed("pages", "pages", limit="100")
    assert (first["as_of_wave"], first["running"], first["total"]) == (None, False, len(over))
    assert {key: without(row, *AT_THE_END) for key, row in by_key(listed).items()} == {
        key: without(row, *AT_THE_END) for key, row in by_key(over).items()
    }
    assert {row["pagerank"] for row in listed} == {None}
    assert {row["duplicate_of"] for row in listed} == {None}


def test_a_later_part_only_appends_pages(running: Running) -> None:
    numbers, running.numbers = running.numbers, []
    assert running.get("pages") == {
        "pages": [],
        "next_cursor": running.get("pages")["next_cursor"],
        "total": 0,
        "as_of_wave": 0,
        "running": True,
    }
    seen: list[str] = []
    parts_without: list[int] = []
    for upto in range(1, len(numbers) + 1):
        running.numbers = numbers[:upto]
        keys = [page["key"] for page in running.listed("pages", "pages", limit="25")]
        assert keys[: len(seen)] == seen
        parts_without.extend([upto] * (len(keys) == len(seen)))
        seen = keys
    assert len(parts_without) == 1  # that of the only file that was requested to see if it is a page


def test_a_cursor_of_a_running_crawl_goes_on_with_newer_pages_and_after_the_end(running: Running) -> None:
    numbers, running.numbers = running.numbers, running.numbers[:1]
    first = running.get("pages", limit="100")
    assert running.get("pages", cursor=first["next_cursor"])["pages"] == []
    running.numbers = numbers
    second = running.listed("pages", "pages", limit="100", cursor=first["next_cursor"])
    assert len(first["pages"]) + len(second) == running.get("pages")["total"]
    running.set_status(CrawlStatus.COMPLETED)
    assert running.listed("pages", "pages", limit="100", cursor=first["next_cursor"]) == second


def test_a_sorted_list_stays_at_the_wave_where_it_began(running: Running) -> None:
    numbers, running.numbers = running.numbers, running.numbers[:2]
    whole = running.listed("pages", "pages", order="url", limit="100")
    first = running.get("pages", order="url", limit="3")
    running.numbers = numbers
    second = running.get("pages", order="url", limit="100", cursor=first["next_cursor"])
    assert second["as_of_wave"] == numbers[1]
    assert first["pages"] + second["pages"] == whole


@slow
def test_texts_are_included_if_they_are_asked_for(running: Running) -> None:
    assert {page["text"] for page in running.get("pages")["pages"]} == {None}
    so_far = by_key(running.listed("pages", "pages", include="text"))
    details = {key: running.get(f"pages/{key}") for key in list(so_far)[:3]}
    assert any(page["text"] for page in details.values())
    assert {key: page["text"] for key, page in details.items()} == {key: so_far[key]["text"] for key in details}
    running.set_status(CrawlStatus.COMPLETED)
    over = by_key(running.listed("pages", "pages", include="text"))
    assert {key: page["text"] for key, page in so_far.items()} == {key: page["text"] for key, page in over.items()}
    assert {page["text_length"] for page in details.values()} == {len(over[key]["text"]) for key in details}


def test_a_page_so_far_has_its_links_in_both_directions(running: Running) -> None:
    (root,) = (page["key"] for page in running.get("pages", depth="0")["pages"])
    so_far = running.get(f"pages/{root}")
    running.set_status(CrawlStatus.COMPLETED)
    over = running.get(f"pages/{root}")
    assert so_far["links"] == over["links"]
    assert so_far["linked_from"]["total"] == over["linked_from"]["total"]
    names = (*AT_THE_END, "links", "linked_from", "as_of_wave", "changed_on")
    assert without(so_far, *names) == without(over, *names)


def test_the_graph_so_far_has_the_links_of_the_results(running: Running) -> None:
    def pairs() -> set[tuple[str, str]]:
        graph = running.get("graph", depth="50", limit="2000")
        assert graph["links"]
        return {(graph["nodes"][one]["url"], graph["nodes"][other]["url"]) for one, other in graph["links"]}

    so_far = pairs()
    running.numbers = running.numbers[:1]
    assert pairs() < so_far
    running.set_status(CrawlStatus.COMPLETED)
    assert pairs() == so_far


def test_issues_orphans_and_statistics_so_far(running: Running) -> None:
    issues = running.listed("issues", "issues", limit="100")
    orphans = running.get("orphans", limit="100")
    statistics = running.get("statistics")
    assert statistics["as_of_wave"] == running.numbers[-1]
    running.set_status(CrawlStatus.COMPLETED)
    over = running.get("orphans", limit="100")
    assert {row["key"]: row["verdict"] for row in orphans["orphans"]} == {
        row["key"]: row["verdict"] for row in over["orphans"]
    }
    assert orphans["total"] == over["total"] == len(over["orphans"]) > 0
    kinds = {one["kind"] for one in issues}
    whole = [one for one in running.listed("issues", "issues", limit="100") if one["kind"] not in DUPLICATES]
    assert kinds >= {"broken_link", "orphan"}
    assert [one["url"] for one in issues if one["kind"] == "broken_link"] == [
        one["url"] for one in whole if one["kind"] == "broken_link"
    ]
    ended = running.get("statistics")
    counts = ("states", "reasons", "statuses", "content_types", "depths", "orphans")
    for name in ("pages", "urls", "edges", "max_depth", "bytes", *counts):
        assert statistics[name] == ended[name], name


def test_urls_of_every_state_are_listed(running: Running) -> None:
    listed = running.listed("urls", "urls", limit="50")
    rows = {row["url"]: row for row in running.done.ledger()}
    assert {row["url"]: (row["state"], row["reason"]) for row in listed} == {
        url: (row["state"], row["reason"]) for url, row in rows.items()
    }
    page = running.get("urls", state="skipped", limit="1")
    assert page["totals"] == running.get("statistics")["states"]
    assert page["total"] == page["totals"]["skipped"] > 1
    assert page["urls"][0]["state"] == "skipped"
    denied = running.get("urls", reason="robots_rule")["urls"]
    assert {row["state"] for row in denied} == {"robots_denied"}
    assert {row["depth"] for row in running.get("urls", depth="1")["urls"]} == {1}
    docs = running.get("urls", lane="p1")["urls"]
    assert docs
    assert {row["lane"] for row in docs} == {"p1"}
    assert all("radar" in row["url"] for row in running.get("urls", url="RADAR")["urls"])
    running.numbers = running.numbers[:1]
    waiting = running.get("urls", state="pending")
    assert (waiting["total"] > 0, waiting["as_of_wave"]) == (True, running.numbers[0])


def test_a_url_is_explained_as_the_last_wave_left_it(running: Running) -> None:
    row = running.get("pages", state="not_found", status="404")["pages"][0]
    so_far = running.get("urls/explain", url=row["url"])
    assert (so_far["found"]["state"], so_far["status"]) == ("not_found", 404)
    assert so_far["linked_from"]
    parent = so_far["found"]["parent"]
    for numbers in (running.numbers[:1], []):  # what no part has yet is in the snapshots
        running.numbers = numbers
        later = running.get("urls/explain", url=row["url"])
        assert (later["found"]["state"], later["status"], later["found"]["parent"]) == ("not_found", 404, parent)
        assert later["score"] == so_far["score"]
        assert sum(part["value"] * part["weight"] for part in later["score"]) == pytest.approx(
            later["found"]["score"], abs=0.001
        )
    running.set_status(CrawlStatus.COMPLETED)
    assert running.get("urls/explain", url=row["url"])["linked_from"]


@pytest.mark.parametrize(
    ("url", "because"),
    [
        ("/never-linked", "no crawled page links to it, and no sitemap lists it"),
        ("/never.png", "it is named like a file, and no response shows that it is a page"),
        ("/internal/never-linked", "robots.txt denies it"),
    ],
)
def test_a_url_that_was_never_found_is_explained(running: Running, url: str, because: str) -> None:
    found = running.get("urls/explain", url=url)
    assert (found["found"], found["because"], found["linked_from"]) == (None, because, [])


def test_a_url_that_cannot_be_crawled_is_a_bad_request(running: Running) -> None:
    path = f"/v1/crawls/{running.done.row.id.crawl}/urls/explain"
    assert running.service.ask("GET", path, key=running.key, query={"url": "mailto:a@example.com"}).status == 400
    assert running.service.ask("GET", path, key=running.key).status == 400


def test_a_deleted_page_is_in_no_list_of_urls(running: Running) -> None:
    running.set_status(CrawlStatus.COMPLETED)
    crawl = running.done.row.id
    page = running.get("pages", state="not_found")["pages"][0]
    before = running.get("urls")["totals"]["not_found"]
    running.service.store.hidden.hide(crawl, page["key"], now=1.0)
    try:
        assert running.get("urls")["totals"].get("not_found", 0) == before - 1
        assert running.get("urls/explain", url=page["url"])["found"] is None
        assert running.get("urls", url=page["url"])["urls"] == []
    finally:
        running.service.store.database.change("DELETE FROM hidden_page")


def live_results(running: Running, folder: Path, *, most_bytes: int, most_part_bytes: int = 10_000_000) -> LiveResults:
    store = running.service.store
    return LiveResults(
        lambda _: running.numbers,
        lambda crawl, tables, numbers: {table: store.parts.files(crawl, table, numbers) for table in tables},
        lambda crawl, parts, results: inputs_so_far(crawl, parts, results, store),
        store.hidden.of,
        folder=folder,
        most_bytes=most_bytes,
        most_part_bytes=most_part_bytes,
    )


@slow
def test_the_oldest_exports_make_room_for_new_ones(running: Running, tmp_path: Path) -> None:
    crawl = running.done.row.id
    live = live_results(running, tmp_path, most_bytes=60_000)

    def files() -> set[str]:
        return {path.parent.name for path in tmp_path.rglob("pages.parquet")}

    parts: list[Part[Any]] = []
    for number in running.numbers:
        parts.append(live.so_far(crawl, up_to=number).results.pages(crawl, PageQuery(limit=1000)))
        assert f"{number:06d}" in files()
    assert len(files()) < len(running.numbers)
    again = [live.so_far(crawl, up_to=number).results.pages(crawl, PageQuery(limit=1000)) for number in running.numbers]
    assert again == parts


def test_results_so_far_that_are_too_large_are_not_kept(running: Running, tmp_path: Path) -> None:
    crawl = running.done.row.id
    live = live_results(running, tmp_path, most_bytes=1_000)
    with pytest.raises(TooLargeError):
        live.so_far(crawl).results.pages(crawl, PageQuery())
    assert not list(tmp_path.rglob("*.parquet"))


def test_parts_that_are_too_large_are_not_read_for_a_query(running: Running, tmp_path: Path) -> None:
    crawl = running.done.row.id
    live = live_results(running, tmp_path, most_bytes=10_000_000, most_part_bytes=80_000)
    with pytest.raises(TooLargeError, match="too large to query while it runs"):
        live.so_far(crawl).results.top(crawl, depth=2, most=10)
    assert live.so_far(crawl).urls.totals(crawl) == running.get("urls")["totals"]
