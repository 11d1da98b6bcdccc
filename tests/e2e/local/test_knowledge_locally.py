"""The knowledge index on one machine: crawl, search, recrawl, delete; on the command line and over the API."""

import gzip
import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.support.campaign import slow
from tests.support.patience import HANG, eventually
from tests.support.serving import served
from typer.testing import CliRunner, Result

from wavecrawl.adapters.embedded.lock import FolderLock
from wavecrawl.adapters.knowledge.site_files import knowledge_folder
from wavecrawl.application.crawls import delete_crawl
from wavecrawl.application.index_report import texts_of
from wavecrawl.application.index_site import note_problem
from wavecrawl.application.pages import hide_page
from wavecrawl.bootstrap import knowledge
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.cli.console import Exit
from wavecrawl.cli.main import app
from wavecrawl.client import ApiError, Client, CrawlSettings, NewCrawl, PoliteSettings, SearchMode
from wavecrawl.demo.model import Link, Page, Site
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.knowledge.index_status import IndexStatus
from wavecrawl.domain.knowledge.passage import SiteId

QUICK = ("--interval", "0", "--no-adapt", "--set", "retry_base=0", "--workers", "1", "--wacz-mb", "0", "--quiet")
TEXTS = {
    "pilots": "A pilot boards each large vessel at the outer buoy, and steers it through the narrow channel.",
    "fees": "Owners pay a fee for every night at the quay. \x1b[31mIt depends on the length of the boat.",
    "storms": "Before a storm, all boats leave the outer basin, and the gate is closed by the harbour master.",
}
INTRODUCTION = "This site explains how a small port is run, with one page for each task of its people."


def site_of(texts: dict[str, str]) -> Site:
    links = tuple(Link(to=f"/{name}", text=name) for name in texts)
    pages = [Page(path=f"/{name}", title=name.title(), text=("## At night", text)) for name, text in texts.items()]
    return Site(pages=(Page(path="/", title="Port", text=(INTRODUCTION,), links=links), *pages))


def run(*arguments: str, expected: Exit = Exit.OK) -> Result:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == expected, result.output
    return result


def crawl(data: Path, texts: dict[str, str], *options: str, port: int = 0) -> int:
    """Crawl a site of these texts; return its port."""
    with SiteServer(site_of(texts), port=port) as server:
        run("crawl", server.url, "--data", str(data), *QUICK, *options)
        return int(server.url.rstrip("/").rpartition(":")[2])


def found(data: Path, question: str, *options: str) -> list[dict[str, Any]]:
    printed = run("search", question, "--data", str(data), "--json", *options)
    return [json.loads(line) for line in printed.stdout.splitlines()]


def titles(data: Path, question: str) -> list[str]:
    return [one["title"] for one in found(data, question)]


def chunks(data: Path, crawl_id: str) -> list[dict[str, Any]]:
    (path,) = data.glob(f"tenants/local/sites/*/crawls/{crawl_id}/exports/chunks.jsonl.gz")
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def newest(data: Path) -> str:
    with closing(LocalStore(data)) as store:
        return store.find(None).id.crawl


def test_the_first_search_indexes_a_crawl_and_the_index_follows_the_next_one(tmp_path: Path) -> None:
    port = crawl(tmp_path, TEXTS)
    assert list(tmp_path.rglob("passages.sqlite")) == []
    first_search = run("search", "who steers vessels", "--data", str(tmp_path))
    assert first_search.stderr == f"building the search index of crawl {newest(tmp_path)} ...\n"
    assert run("search", "who steers vessels", "--data", str(tmp_path)).stderr == ""
    (first,) = found(tmp_path, "who steers vessels")
    assert first["url"].endswith("/pilots")
    assert first["heading_path"] == []  # a short page is one passage
    assert "steers it through the narrow channel" in first["snippet"]
    before = newest(tmp_path)
    assert sorted(line["title"] for line in chunks(tmp_path, before)) == ["Fees", "Pilots", "Port", "Storms"]

    changed = {"pilots": TEXTS["pilots"], "storms": "When it is calm, boats may stay in the outer basin over night."}
    crawl(tmp_path, changed, port=port)
    assert titles(tmp_path, "quay") == []  # the page is gone
    assert titles(tmp_path, "gate closed") == []  # the text is another one
    assert titles(tmp_path, "calm") == ["Storms"]
    after = newest(tmp_path)
    lines = {line["title"]: line for line in chunks(tmp_path, after)}
    assert {*lines} == {"Pilots", "Port", "Storms"}
    assert lines["Pilots"]["id"] == first["id"]
    assert lines["Storms"]["text"].endswith(changed["storms"])
    assert lines["Storms"]["characters"] == len(lines["Storms"]["text"])
    assert {line["crawl"] for line in lines.values()} == {after}

    printed = run("index", "--data", str(tmp_path)).stdout
    assert printed == "0 pages indexed (0 passages), 3 unchanged, 0 removed\n"
    printed = run("index", "--crawl", before, "--data", str(tmp_path)).stdout
    assert printed == "2 pages indexed (2 passages), 1 unchanged, 0 removed\n"  # the page that is gone stays so


def test_deleted_pages_and_crawls_are_not_found(tmp_path: Path) -> None:
    crawl(tmp_path, TEXTS)
    key = found(tmp_path, "quay")[0]["key"]
    with closing(LocalStore(tmp_path)) as store:
        row = store.find(None)
        hide_page(row, key, store)
        assert titles(tmp_path, "quay") == []
        assert titles(tmp_path, "harbour master") == ["Storms"]
        run("index", "--data", str(tmp_path))
        assert titles(tmp_path, "quay") == []  # it stays deleted
        delete_crawl(row, store)
        site = SiteId(tenant=row.id.tenant, site=row.id.site)
        assert store.knowledge.passages.matching(site, "harbour master", limit=9) == []


@slow
def test_without_the_extra_crawls_work_and_indexing_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as without:
        without.setattr(knowledge, "is_installed", lambda **_: False)
        crawl(tmp_path, TEXTS)
        refused = run("index", "--data", str(tmp_path), expected=Exit.FAILED)
        search = run("search", "quay", "--data", str(tmp_path), expected=Exit.NOT_FOUND)
    assert "pip install '.[knowledge]'" in refused.output
    said = " ".join(search.output.split())
    assert "has no knowledge index: the knowledge index needs the extra `knowledge`, which is not installed" in said
    assert "pip install '.[knowledge]' in wavecrawl's checkout, then run `wavecrawl index`" in said
    assert titles(tmp_path, "quay") == ["Fees"]
    unknown = run("search", "quay", "--site", "x.example", "--data", str(tmp_path), expected=Exit.NOT_FOUND)
    assert "no crawl of site 'x.example'" in unknown.output
    printed = run("search", "night at the [quay]", "--data", str(tmp_path)).stdout
    assert "1. Fees" in printed
    assert "It depends on the length" in printed
    assert "\x1b" not in printed
    assert "\x1b" not in run("search", "quay", "--json", "--data", str(tmp_path)).stdout


def test_the_results_stay_if_indexing_is_interrupted_and_it_can_be_done_later_by_one_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as stopped, SiteServer(site_of(TEXTS)) as server:
        stopped.setattr(knowledge, "index_local_crawl", interrupted)
        printed = run("crawl", server.url, "--index", "--data", str(tmp_path), *QUICK)
    assert "the crawl has its results, but its texts are not indexed: stopped" in " ".join(printed.output.split())
    assert f"wavecrawl index --crawl {newest(tmp_path)}" in " ".join(printed.output.split())
    run("export", "summary", "--data", str(tmp_path))
    with closing(LocalStore(tmp_path)) as store:
        site = SiteId(tenant="local", site=store.find(None).id.site)
    lock = FolderLock(knowledge_folder(tmp_path, site) / "index.lock")
    assert lock.try_alone(within=0.0)
    refused = run("index", "--data", str(tmp_path), expected=Exit.CONFLICT)
    assert "being indexed by another process" in " ".join(refused.output.split())
    lock.release()
    run("index", "--data", str(tmp_path))
    assert titles(tmp_path, "quay") == ["Fees"]


def test_with_index_a_crawl_waits_for_its_index_and_with_no_index_it_never_has_one(tmp_path: Path) -> None:
    port = crawl(tmp_path, TEXTS, "--index")
    with closing(LocalStore(tmp_path)) as store:
        site = SiteId(tenant="local", site=store.find(None).id.site)
        assert len(store.knowledge.passages.hashes(site)) == 4
    assert len(chunks(tmp_path, newest(tmp_path))) == 4
    crawl(tmp_path, {"pilots": "Another text about pilots."}, "--no-index", port=port)
    assert titles(tmp_path, "quay") == ["Fees"]  # the index is that of the first crawl
    crawl(tmp_path / "other", TEXTS, "--no-index")
    refused = run("search", "quay", "--data", str(tmp_path / "other"), expected=Exit.NOT_FOUND)
    assert "has no knowledge index" in " ".join(refused.output.split())
    refused = run("crawl", "http://127.0.0.1:1/", "--index", "--no-results", expected=Exit.BAD_INPUT)
    assert "--index needs the results" in refused.output


def test_a_search_says_why_an_index_is_not_built_and_index_builds_it(tmp_path: Path) -> None:
    crawl(tmp_path, TEXTS)
    with closing(LocalStore(tmp_path)) as store:
        row = store.find(None)
        site = SiteId(tenant="local", site=row.id.site)
        note_problem(site, texts_of(row), "indexing exceeded a limit; raise it", store.knowledge)
    refused = run("search", "quay", "--data", str(tmp_path), expected=Exit.NOT_FOUND)
    assert "is not built: indexing exceeded a limit; raise it" in " ".join(refused.output.split())
    run("export", "summary", "--data", str(tmp_path))
    run("index", "--data", str(tmp_path))
    assert titles(tmp_path, "quay") == ["Fees"]


def test_a_served_crawl_is_searched_over_the_api(tmp_path: Path) -> None:
    settings = CrawlSettings(polite=PoliteSettings(interval=0.0), max_retries=0)
    with SiteServer(site_of(TEXTS)) as server, served(tmp_path) as service, Client(service.url, service.key) as client:
        crawl_id = client.start_crawl(NewCrawl(url=server.url, settings=settings)).crawl
        client.wait_for_crawl(crawl_id, timeout=HANG, interval=0.1)
        site = client.get_crawl(crawl_id).site

        assert eventually(lambda: client.get_search_index(site).status is IndexStatus.CURRENT)
        assert client.search_site(site, "gate").index.crawl == crawl_id
        (passage,) = client.search_site(site, "who closes the gate", limit=1).passages
        assert (passage.title, passage.heading_path) == ("Storms", [])
        assert "gate is closed" in passage.snippet
        assert client.search_site(site, "xylophone", mode=SearchMode.WORDS).passages == []
        with pytest.raises(ApiError, match="no knowledge index") as refused:
            client.search_site("x.example", "gate")
        assert refused.value.status == 404
        with pytest.raises(ApiError, match="made with no embedder"):
            client.search_site(site, "gate", mode=SearchMode.VECTORS)
