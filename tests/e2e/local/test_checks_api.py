"""Checked URLs in the API, in the client and on the command line."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.support.asking import Response, ask
from tests.support.crawling import QUICK, Done, crawl_inline
from tests.support.media_site import MediaSite, html, png

from wavecrawl.api.app import Api
from wavecrawl.application.api_keys import create_key
from wavecrawl.application.explain_url import explain_url
from wavecrawl.bootstrap.local_settings import LOCAL_TENANT
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.checks.settings import CheckSettings
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.domain.tenants.role import Role

SETTINGS = replace(
    QUICK,
    checks=CheckSettings(external=True, resources=True),
    waves=replace(QUICK.waves, part_pages=1, part_seconds=0.0),
)


@pytest.fixture(name="crawled", scope="module")
def a_crawl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LocalStore, Done, str]]:
    folder = tmp_path_factory.mktemp("checks")
    store = LocalStore(folder)
    with MediaSite({"/ok": html("x"), "/gone": 410}) as other:
        links = f"<a href={other.origin}/ok>ok</a><a href={other.origin}/gone>gone</a>"
        with MediaSite({"/": html(f"{links}<img src=/a.png><script src=/b.js></script>"), "/a.png": png(1)}) as site:
            done = crawl_inline(site.url, folder, SETTINGS)
    yield store, done, other.origin
    store.close()


class Asker:
    """Sends requests to the API of a store."""

    def __init__(self, store: LocalStore) -> None:
        self._api = Api(store)
        self._key = create_key(
            LOCAL_TENANT, role=Role.TENANT, name="tests", keys=store.keys, now=store.clock.now()
        ).secret

    def __call__(self, path: str, **query: str) -> Response:
        return ask(self._api.resolve, "GET", path, query=query, key=self._key)


def names(body: dict[str, Any]) -> list[str]:
    return [one["url"].rpartition("/")[2] for one in body["checks"]]


def test_checked_urls_are_listed_by_kind_state_and_whether_they_are_broken(
    crawled: tuple[LocalStore, Done, str],
) -> None:
    store, done, _ = crawled
    asked, path = Asker(store), f"/v1/crawls/{done.row.id.crawl}/checks"
    everything = asked(path).body
    assert (names(everything), everything["total"]) == (["b.js", "gone", "a.png", "ok"], 4)
    gone = everything["checks"][1]
    assert {name: gone[name] for name in ("kind", "state", "status", "broken", "redirects", "pages", "page")} == {
        "kind": "link", "state": "not_found", "status": 410, "broken": True, "redirects": 0,
        "pages": 1, "page": done.row.root_url,
    }  # fmt: skip
    assert names(asked(path, kind="link").body) == ["gone", "ok"]
    assert names(asked(path, broken="true").body) == ["b.js", "gone"]
    assert names(asked(path, verdict="broken", kind="link").body) == ["gone"]
    assert (gone["verdict"], gone["evidence"]) == ("broken", "HTTP 410 Gone")
    assert names(asked(path, broken="false", state="fetched").body) == ["a.png", "ok"]
    first = asked(path, limit="3").body
    assert names(asked(path, limit="3", cursor=first["next_cursor"]).body) == ["ok"]
    assert asked(path, kind="page").status == 400


def test_statistics_and_issues_count_what_is_broken(crawled: tuple[LocalStore, Done, str]) -> None:
    store, done, other = crawled
    asked, path = Asker(store), f"/v1/crawls/{done.row.id.crawl}"
    assert asked(f"{path}/statistics").body["checks"] == {
        "link": {"urls": 2, "broken": 1, "unknown": 0, "moved": 0, "unchecked": 0},
        "image": {"urls": 1, "broken": 0, "unknown": 0, "moved": 0, "unchecked": 0},
        "script": {"urls": 1, "broken": 1, "unknown": 0, "moved": 0, "unchecked": 0},
    }
    (issue,) = asked(f"{path}/issues", kind="broken_external_link").body["issues"]
    assert (issue["url"], issue["related"], issue["detail"]) == (
        f"{other}/gone", done.row.root_url, 'not_found 410, link text "gone"',
    )  # fmt: skip


def test_a_running_crawl_lists_what_was_checked_so_far(
    crawled: tuple[LocalStore, Done, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, done, _ = crawled
    asked, path = Asker(store), f"/v1/crawls/{done.row.id.crawl}/checks"
    numbers = store.parts.numbers(done.row.id)
    monkeypatch.setattr(store.parts, "numbers", lambda _: numbers)
    store.crawls._crawls.put(replace(done.row, status=CrawlStatus.RUNNING))
    try:
        found = asked(path).body
        assert (names(found), found["as_of_wave"]) == (["b.js", "gone", "a.png", "ok"], numbers[-1])
    finally:
        store.crawls._crawls.put(done.row)


def test_a_crawl_without_checks_lists_none(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    try:
        with MediaSite({"/": html("<img src=/a.png>")}) as site:
            done = crawl_inline(site.url, tmp_path)
        answer = Asker(store)(f"/v1/crawls/{done.row.id.crawl}/checks")
        assert answer.body == {"checks": [], "next_cursor": None, "total": 0, "as_of_wave": None}
    finally:
        store.close()


def test_the_command_line_shows_a_checked_url(crawled: tuple[LocalStore, Done, str]) -> None:
    store, done, other = crawled
    lines = dict(explain_url(f"{other}/gone", done.row, store).lines(scored=False))
    assert lines["check"] == "link, not_found: HTTP 410 Gone"


def test_a_deleted_page_is_not_named_any_more(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    try:
        with MediaSite({"/": html("<img src=/a.png>")}) as site:
            done = crawl_inline(site.url, tmp_path, SETTINGS)
        asked, path = Asker(store), f"/v1/crawls/{done.row.id.crawl}/checks"
        assert [one["page"] for one in asked(path).body["checks"]] == [done.row.root_url]
        store.hidden.hide(done.row.id, done.pages()[0]["key"], now=0.0)
        assert [one["page"] for one in asked(path).body["checks"]] == [""]
    finally:
        store.close()
