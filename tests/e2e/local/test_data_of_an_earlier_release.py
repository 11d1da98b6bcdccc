"""Data folders that an earlier release wrote (`tests.support.earlier_release`) are read, and their crawls continue."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.comparing import fingerprint
from tests.support.earlier_release import OTHER_TENANT, PORT, site, site_server, unpack
from tests.support.serving import Served, served
from typer.testing import CliRunner

from wavecrawl.adapters.results import read_pages
from wavecrawl.cli.main import app
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.crawl.trigger import Trigger

RELEASES = sorted((Path(__file__).parents[2] / "data" / "releases").iterdir())
ORIGIN = f"http://127.0.0.1:{PORT}"
PAGES = {
    "/", "/docs/", "/docs/start", "/docs/start/first", "/docs/reference", "/blog", "/blog/news/", "/about", "/docs/new",
    "/orphan",
}  # fmt: skip
"""The pages of the second crawl. `/prices` was a page of the first one."""


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == 0, result.output
    return result.stdout


def pages_of(exports: Path) -> set[str]:
    lines = read_pages(exports).values()
    return {line.url.removeprefix(ORIGIN) for line in lines if UrlState(line.state).has_content}


@pytest.fixture(scope="module", params=RELEASES, ids=lambda path: path.name)
def release(request: pytest.FixtureRequest) -> Path:
    found: Path = request.param
    return found


@pytest.fixture(name="data")
def folder_of_the_release(release: Path, tmp_path: Path) -> Path:
    return unpack(release / "data.tar.xz", tmp_path / "data")


@pytest.fixture(name="service")
def service_over_the_folder(data: Path) -> Iterator[Served]:
    key = run("admin", "keys", "create", "local", "--role", "admin", "--data", str(data)).strip()
    with served(data, key=key) as service:
        yield service


def test_the_command_line_reads_its_crawls(data: Path) -> None:
    listed = [json.loads(line) for line in run("list", "--data", str(data), "--json").splitlines()]
    assert [(crawl["status"], crawl["pages"]) for crawl in listed] == [("completed", 10), ("completed", 10)]
    gone = json.loads(run("show", f"{ORIGIN}/prices", "--data", str(data), "--json"))
    assert gone["ledger"]["state"] == "not_found"
    query = "SELECT count(*) AS pages FROM pages WHERE state IN ('fetched', 'unchanged')"
    assert run("sql", "--data", str(data), "--format", "csv", query).split() == ["pages", "20"]
    changes = [json.loads(line) for line in run("diff", "--data", str(data), "--json").splitlines()]
    pages = [(one["kind"], one["url"].removeprefix(ORIGIN)) for one in changes[1:] if one["kind"] in ("new", "gone")]
    assert pages == [("new", "/docs/new"), ("gone", "/prices")]


def test_results_are_made_again_as_they_were(data: Path) -> None:
    exports = max(data.glob("tenants/*/sites/*/crawls/*/exports"))
    before = pages_of(exports)
    assert before == PAGES
    run("export", "all", "--rebuild", "--data", str(data))
    assert pages_of(exports) == before
    assert fingerprint(exports, ORIGIN)["pages.csv"]


def test_the_next_crawl_finds_the_same_pages(data: Path) -> None:
    with site_server(1) as server:
        crawl = json.loads(run("crawl", server.url, "--data", str(data), "--render", "never", "--json", "-q"))
    summary = json.loads(Path(crawl["results"], "summary.json").read_text(encoding="utf-8"))
    assert pages_of(Path(crawl["results"])) == PAGES
    assert summary["states"] == {"unchanged": len(PAGES), "not_found": 2, "robots_denied": 1}
    changes = json.loads(run("diff", "--data", str(data), "--json").splitlines()[0])
    assert {kind: changes["kinds"][kind] for kind in ("new", "gone", "changed")} == {"new": 0, "gone": 0, "changed": 0}


def test_the_service_has_its_sites_schedules_webhooks_tenants_and_keys(service: Served) -> None:
    (saved,) = service.ask("GET", "/v1/sites").json()["sites"]
    assert (saved["url"], saved["schedule"]["frequency"]) == (f"{ORIGIN}/", "weekly")
    own = service.ask("GET", f"/v1/sites/{saved['site']}").json()
    assert "polite.in_flight" in own["overrides"]
    (hook,) = service.ask("GET", "/v1/webhooks").json()["webhooks"]
    assert hook["url"] == "http://127.0.0.1:9/hook"
    tenants = service.ask("GET", "/v1/admin/tenants").json()["tenants"]
    assert OTHER_TENANT in {tenant["tenant"] for tenant in tenants}
    keys = service.ask("GET", f"/v1/admin/tenants/{OTHER_TENANT}/keys").json()["keys"]
    assert [key["name"] for key in keys] == ["first"]
    found = service.ask("GET", "/v1/crawls").json()["crawls"]
    crawls = [crawl for crawl in found if crawl["triggered_by"] != Trigger.SCHEDULE]
    assert [crawl["status"] for crawl in crawls] == ["completed", "completed"]
    pages = service.ask("GET", f"/v1/crawls/{crawls[0]['crawl']}/pages?limit=100").json()["pages"]
    assert {page["url"].removeprefix(ORIGIN) for page in pages if page["status"] != 404} == PAGES
    assert service.ask("GET", f"/v1/sites/{saved['site']}/search?q=page").status_code == 200


def test_an_interrupted_crawl_continues(release: Path, tmp_path: Path) -> None:
    data = unpack(release / "interrupted.tar.xz", tmp_path / "interrupted")
    with site_server(0):
        done = json.loads(run("resume", "--data", str(data), "--json", "-q"))
    expected = {page.path for page in site(0).pages} - {"/private/page"}
    assert pages_of(Path(done["results"])) == expected
