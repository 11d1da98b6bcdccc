"""Media in the API and on the command line: lists, uses, assets, deletion."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.support.asking import Response, ask
from tests.support.crawling import QUICK, Done, crawl_inline
from tests.support.media_site import PNG, MediaSite, html, png

from wavecrawl.api.app import Api
from wavecrawl.application.api_keys import create_key
from wavecrawl.application.crawls import delete_crawl
from wavecrawl.application.explain_url import explain_url
from wavecrawl.bootstrap.local_settings import LOCAL_TENANT
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.domain.media.settings import MediaGroup, MediaSettings
from wavecrawl.domain.tenants.role import Role
from wavecrawl.ports.crawls import CrawlRow

MEDIA = replace(QUICK, media=MediaSettings(include=tuple(MediaGroup)))
CONTENT: dict[str, tuple[str, bytes] | int | str] = {
    "/": html("<a href=/b>b</a><img src=/logo.png alt=Logo><a href=/sheet.pdf>A sheet</a>"),
    "/b": html("<img src=/logo.png><img src=/gone.png><img src=/copy.png>"),
    "/logo.png": png(1),
    "/copy.png": png(1),
    "/sheet.pdf": ("application/pdf", b"%PDF-1.7\n# A\n\n" + b"The depth. " * 2_000),
}


@pytest.fixture(name="crawled", scope="module")
def a_crawl(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LocalStore, Done]]:
    folder = tmp_path_factory.mktemp("media")
    store = LocalStore(folder)
    with MediaSite(CONTENT) as site:
        done = crawl_inline(site.url, folder, MEDIA, assets=store.media)
    yield store, done
    store.close()


class Asker:
    """Sends requests to the API of a store, with keys of its own tenant."""

    def __init__(self, store: LocalStore) -> None:
        self._api = Api(store)
        self._key = create_key(
            LOCAL_TENANT, role=Role.TENANT, name="tests", keys=store.keys, now=store.clock.now()
        ).secret

    def __call__(self, method: str, path: str, **query: str) -> Response:
        return ask(self._api.resolve, method, path, query=query, key=self._key)


@pytest.fixture
def asked(crawled: tuple[LocalStore, Done]) -> Asker:
    return Asker(crawled[0])


def path_of(done: Done, rest: str) -> str:
    return f"/v1/crawls/{done.row.id.crawl}{rest}"


def shown(done: Done, items: list[dict[str, Any]], *names: str) -> list[tuple[Any, ...]]:
    origin = done.row.root_url.removesuffix("/")
    return [
        tuple(item[name].removeprefix(origin) if name.endswith("url") else item[name] for name in names)
        for item in items
    ]


def test_media_are_listed_and_filtered(crawled: tuple[LocalStore, Done], asked: Asker) -> None:
    _, done = crawled
    answer = asked("GET", path_of(done, "/media"))
    assert answer.status == 200
    assert shown(done, answer.body["media"], "url", "kind", "state", "uses") == [
        ("/logo.png", "image", "fetched", 2),
        ("/sheet.pdf", "document", "fetched", 1),
        ("/gone.png", "image", "not_found", 1),
        ("/copy.png", "image", "fetched", 1),
    ]
    assert answer.body["media"][3]["duplicate_of"].endswith("/logo.png")
    copies = asked("GET", path_of(done, "/media"), duplicate="true").body
    assert (shown(done, copies["media"], "url"), copies["total"]) == ([("/copy.png",)], 1)
    assert asked("GET", path_of(done, "/media"), duplicate="false").body["total"] == 3
    assert asked("GET", path_of(done, "/summary")).body["media"] == 3
    filtered = asked("GET", path_of(done, "/media"), kind="image", state="fetched", limit="1")
    assert (len(filtered.body["media"]), filtered.body["total"]) == (1, 2)
    cursor = filtered.body["next_cursor"]
    rest = asked("GET", path_of(done, "/media"), kind="image", state="fetched", limit="1", cursor=cursor)
    assert shown(done, rest.body["media"], "url") == [("/copy.png",)]
    assert rest.body["next_cursor"] is None


def test_media_have_urls_of_their_files_only_on_request(crawled: tuple[LocalStore, Done], asked: Asker) -> None:
    store, done = crawled
    listed = asked("GET", path_of(done, "/media"), kind="image", downloads="true").body["media"]
    urls = [one["download_url"] for one in listed]
    assert [url is not None for url in urls] == [True, False, True]  # the second one was not found
    downloads = f"{store.settings.base_url}/v1/downloads/"
    assert all(url.startswith(downloads) for url in (urls[0], urls[2]))
    without = asked("GET", path_of(done, "/media"), kind="image").body["media"]
    assert [one["download_url"] for one in without] == [None, None, None]


def test_a_page_has_its_media_and_an_asset_its_pages(crawled: tuple[LocalStore, Done], asked: Asker) -> None:
    _, done = crawled
    (root,) = [page["key"] for page in done.pages() if page["url"] == done.row.root_url]
    page = asked("GET", path_of(done, f"/pages/{root}")).body
    assert shown(done, page["media"], "url", "kind", "source", "text", "position", "state") == [
        ("/logo.png", "image", "img", "Logo", 1, "fetched"),
        ("/sheet.pdf", "document", "link", "A sheet", 2, "fetched"),
    ]
    logo = page["media"][0]["hash"]
    uses = asked("GET", path_of(done, f"/media/{logo}/uses"))
    assert shown(done, uses.body["uses"], "url", "media_url", "position") == [
        ("/", "/logo.png", 1), ("/b", "/logo.png", 1), ("/b", "/copy.png", 3),
    ]  # fmt: skip
    assert asked("GET", path_of(done, f"/media/{'0' * 64}/uses")).status == 404
    assert asked("GET", path_of(done, "/media/x/uses")).status == 404


def test_an_asset_has_facts_the_beginning_of_its_text_and_a_download(
    crawled: tuple[LocalStore, Done], asked: Asker
) -> None:
    store, done = crawled
    sheet = asked("GET", path_of(done, "/media"), kind="document").body["media"][0]["hash"]
    asset = asked("GET", f"/v1/media/{sheet}").body
    assert (asset["kind"], asset["media_type"], asset["extension"], asset["pages"], asset["title"]) == (
        "document", "application/pdf", "pdf", 1, "A document",
    )  # fmt: skip
    assert (len(asset["text"]), asset["size"], asset["stored_bytes"]) == (10_000, 22_014, 22_014)
    assert asset["markdown"] == f"# A\n\n{'The depth. ' * 2_000}"[:10_000]
    assert asset["first_url"].endswith("/sheet.pdf")
    assert asset["download_url"].startswith(store.settings.base_url)
    assert asked("GET", f"/v1/media/{'0' * 64}").status == asked("GET", "/v1/media/x").status == 404


def test_the_command_line_lists_the_media_of_a_page(crawled: tuple[LocalStore, Done]) -> None:
    store, done = crawled
    lines = list(explain_url(f"{done.row.root_url}b", done.row, store).lines(scored=False))
    start = [name for name, _ in lines].index("media (3)")
    assert [value.rpartition("/")[2] for _, value in lines[start : start + 3]] == [
        "logo.png  (image)", "gone.png  (image)", "copy.png  (image)",
    ]  # fmt: skip


def test_an_asset_that_any_crawl_uses_is_deleted_only_by_force(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    asked = Asker(store)
    try:
        with MediaSite({"/": html("<img src=/a.png><img src=/b.png>"), "/a.png": png(1), "/b.png": png(2)}) as site:
            done = crawl_inline(site.url, tmp_path, MEDIA, assets=store.media)
            first, second = (row["hash"] for row in asked("GET", path_of(done, "/media")).body["media"])
            refused = asked("DELETE", f"/v1/media/{first}")
            assert (refused.status, "force=true" in refused.body["detail"]) == (409, True)
            assert asked("DELETE", f"/v1/media/{first}", force="true").status == 204
            assert asked("DELETE", f"/v1/media/{first}", force="true").status == 404
            site.content["/"] = html("<img src=/a.png>")
            crawl_inline(site.url, tmp_path, MEDIA, assets=store.media)  # no page uses the second one any more
            crawl_inline(site.url, tmp_path)  # stores no media
            running = store.start(site.url, MEDIA)
            store.crawls.settle_root(running.id, site.url)
            assert store.media.read(LOCAL_TENANT, first) is not None
        busy = asked("DELETE", f"/v1/media/{second}")
        assert (busy.status, f"crawl {running.id.crawl} is running" in busy.body["detail"]) == (409, True)
        store.crawls.finish(running.id, status=CrawlStatus.CANCELLED, now=store.clock.now())
        delete_crawl(row_of(store, running.id), store)
        used = asked("DELETE", f"/v1/media/{second}")
        assert (used.status, f"in crawl {done.row.id.crawl}" in used.body["detail"]) == (409, True)
        delete_crawl(row_of(store, done.row.id), store)
        assert asked("DELETE", f"/v1/media/{second}").status == 204
        assert store.media.open(LOCAL_TENANT, second) is None
        assert asked("DELETE", f"/v1/media/{first}").status == 409
    finally:
        store.close()


def test_a_deleted_page_uses_nothing_any_more(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    asked = Asker(store)
    try:
        content = {"/": html("<a href=/b>b</a>"), "/b": html("<img src=/a.png>"), "/a.png": png(1)}
        with MediaSite(content) as site:
            done = crawl_inline(site.url, tmp_path, MEDIA, assets=store.media)
        (key,) = [page["key"] for page in done.pages() if page["url"].endswith("/b")]
        (asset,) = asked("GET", path_of(done, "/media")).body["media"]
        assert asked("DELETE", path_of(done, f"/pages/{key}")).status == 204
        assert asked("GET", path_of(done, "/media")).body["media"][0]["uses"] == 0
        assert asked("GET", path_of(done, f"/media/{asset['hash']}/uses")).body["uses"] == []
        assert asked("DELETE", f"/v1/media/{asset['hash']}").status == 204
    finally:
        store.close()


def test_a_running_crawl_lists_the_media_so_far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = LocalStore(tmp_path)
    asked = Asker(store)
    settings = replace(MEDIA, waves=replace(MEDIA.waves, part_pages=1, part_seconds=0.0))
    try:
        with MediaSite(CONTENT) as site:
            done = crawl_inline(site.url, tmp_path, settings, assets=store.media)
        numbers = store.parts.numbers(done.row.id)
        parts = list(numbers)
        monkeypatch.setattr(store.parts, "numbers", lambda _: list(parts))
        names = ("url", "kind", "state", "uses", "hash")
        whole = shown(done, asked("GET", path_of(done, "/media")).body["media"], *names)
        root = next(page for page in done.pages() if page["depth"] == 0)
        of_root = asked("GET", path_of(done, f"/pages/{root['key']}")).body["media"]
        uses = asked("GET", path_of(done, f"/media/{whole[0][-1]}/uses")).body["uses"]
        assert len(whole) == 4
        assert (len(of_root), len(uses)) == (2, 3)
        store.crawls._crawls.put(replace(done.row, status=CrawlStatus.RUNNING))

        last = asked("GET", path_of(done, "/media"), limit="3").body
        assert (last["as_of_wave"], last["total"]) == (numbers[-1], 4)
        rest = asked("GET", path_of(done, "/media"), limit="3", cursor=last["next_cursor"]).body
        assert shown(done, [*last["media"], *rest["media"]], *names) == whole
        assert asked("GET", path_of(done, f"/pages/{root['key']}")).body["media"] == of_root
        assert asked("GET", path_of(done, f"/media/{whole[0][-1]}/uses")).body["uses"] == uses

        parts[:] = numbers[:1]  # only the root is fetched
        first = asked("GET", path_of(done, "/media")).body
        assert first["as_of_wave"] == numbers[0]
        assert shown(done, first["media"], *names) == [
            ("/logo.png", "image", "pending", 1, ""),
            ("/sheet.pdf", "document", "pending", 1, ""),
        ]
        parts.clear()
        nothing = asked("GET", path_of(done, "/media"))
        assert (nothing.status, nothing.body["media"], nothing.body["as_of_wave"]) == (200, [], 0)
    finally:
        store.close()


def test_without_the_export_of_uses_pages_are_shown_and_assets_are_deleted_by_force(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    asked = Asker(store)
    try:
        with MediaSite({"/": html("<img src=/a.png>"), "/a.png": png(1)}) as site:
            done = crawl_inline(site.url, tmp_path, MEDIA, assets=store.media)
        (asset,) = asked("GET", path_of(done, "/media")).body["media"]
        (done.exports / "media_uses.parquet").unlink()  # as if it could not be written
        page = asked("GET", path_of(done, f"/pages/{done.pages()[0]['key']}"))
        assert (page.status, page.body["media"]) == (200, [])
        refused = asked("DELETE", f"/v1/media/{asset['hash']}")
        assert (refused.status, done.row.id.crawl in refused.body["detail"]) == (409, True)
        assert asked("DELETE", f"/v1/media/{asset['hash']}", force="true").status == 204
    finally:
        store.close()


def test_a_crawl_without_media_lists_none(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    asked = Asker(store)
    try:
        with MediaSite({"/": html("<img src=/a.png>"), "/a.png": ("image/png", PNG)}) as site:
            done = crawl_inline(site.url, tmp_path)
        answer = asked("GET", path_of(done, "/media"))
        assert answer.status == 200
        assert answer.body == {"media": [], "next_cursor": None, "total": 0, "as_of_wave": None}
        (page,) = done.pages()
        assert asked("GET", path_of(done, f"/pages/{page['key']}")).body["media"] == []
    finally:
        store.close()


def row_of(store: LocalStore, id_: CrawlId) -> CrawlRow:
    row = store.crawls.read(id_)
    assert row is not None
    return row
