"""`wavecrawl serve`: the API in embedded mode, used as after a plain installation."""

import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
import requests
from tests.support.campaign import slow
from tests.support.patience import HANG, eventually
from tests.support.serving import PROGRAM, Served, served

from wavecrawl.demo.demo_site import demo_site
from wavecrawl.demo.server import SiteServer

QUICK = {"polite": {"interval": 0.0}, "max_retries": 0}


@pytest.fixture(name="site", scope="module")
def a_site() -> Iterator[SiteServer]:
    with SiteServer(demo_site()) as server:
        yield server


@pytest.fixture(name="service", scope="module")
def a_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("serve")) as service:
        yield service


def test_a_site_is_crawled_to_the_end(service: Served, site: SiteServer) -> None:
    started = service.ask("POST", "/v1/crawls", {"url": site.url, "settings": QUICK | {"max_pages": 20}})
    assert started.status_code == 202
    crawl = service.wait_for(started.json()["crawl"])
    assert (crawl["status"], crawl["counters"]["fetched"]) == ("completed", 20)
    files = service.ask("GET", f"/v1/crawls/{crawl['crawl']}/exports").json()["exports"]
    assert "pages.csv" in {file["name"] for file in files}


def test_a_signed_url_downloads_results_without_a_key(service: Served, site: SiteServer) -> None:
    started = service.ask("POST", "/v1/crawls", {"url": f"{site.url}?2", "settings": QUICK | {"max_pages": 2}})
    crawl = service.wait_for(started.json()["crawl"])["crawl"]
    files = {one["name"]: one for one in service.ask("GET", f"/v1/crawls/{crawl}/exports").json()["exports"]}
    got = requests.get(files["pages.csv"]["url"], timeout=HANG)
    assert (got.status_code, len(got.content)) == (200, files["pages.csv"]["bytes"])
    assert got.headers["content-type"] == files["pages.csv"]["content_type"]
    assert got.headers["content-disposition"].startswith("attachment; ")
    assert requests.get(files["pages.csv"]["url"][:-1], timeout=HANG).status_code == 404


def test_a_file_is_created_when_it_is_asked_for(service: Served, site: SiteServer) -> None:
    started = service.ask("POST", "/v1/crawls", {"url": f"{site.url}?3", "settings": QUICK | {"max_pages": 2}})
    crawl = service.wait_for(started.json()["crawl"])["crawl"]
    path = f"/v1/crawls/{crawl}/exports/graph.json"
    first = service.ask("GET", path)
    assert (first.status_code, first.json()["export"]) == (202, None)
    assert eventually(lambda: service.ask("GET", path).status_code == 200)
    got = requests.get(service.ask("GET", path).json()["export"]["url"], timeout=HANG)
    assert [one["state"] for one in got.json()["nodes"]].count("fetched") == 2


def test_requests_without_the_key_are_refused(service: Served) -> None:
    answered = service.ask("GET", "/v1/crawls", headers={"authorization": "Bearer wrong"})
    assert (answered.status_code, answered.headers["content-type"]) == (401, "application/problem+json")


def test_a_folder_is_served_once(tmp_path: Path) -> None:
    with served(tmp_path) as first:
        second = subprocess.run(
            [*PROGRAM, "--data", str(tmp_path), "--port", "0"],
            capture_output=True,
            text=True,
            timeout=HANG,
            check=False,
        )
        assert (second.returncode, second.stdout) == (5, "")
        assert "being served by another process" in second.stderr.replace("\n", " ")
        assert first.stop() == 0
    with served(tmp_path, key=first.key) as third:
        assert third.ask("GET", "/v1/crawls").status_code == 200


def test_a_link_signs_in_to_the_dashboard_with_a_key_that_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    with served(tmp_path, "--open") as service:
        assert service.dashboard.startswith(f"{service.url}/#key=wck_")
        assert not service.dashboard.endswith(service.key)
        service.key, first = service.dashboard.partition("#key=")[2], service.key
        keys = {one["name"]: one for one in service.ask("GET", "/v1/keys").json()["keys"]}
        assert keys["first key"]["expires_at"] is None
        assert keys["dashboard"]["expires_at"] is not None
        assert requests.get(service.url, timeout=HANG).headers["content-type"] == "text/html; charset=utf-8"
    with served(tmp_path, key=first) as again:
        assert again.dashboard == f"{again.url}/"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_service_that_is_ended_as_soon_as_it_listens_ends_well(tmp_path: Path, number: signal.Signals) -> None:
    with served(tmp_path) as service:
        assert service.stop(number) == 0


@slow
def test_how_large_a_package_may_be_is_an_option(tmp_path: Path, site: SiteServer) -> None:
    with served(tmp_path, "--wacz-mb", "0") as service:
        crawl = service.ask("POST", "/v1/crawls", {"url": site.url, "settings": {"max_pages": 2}}).json()["crawl"]
        assert service.wait_for(crawl)["status"] == "completed"
        names = {one["name"] for one in service.ask("GET", f"/v1/crawls/{crawl}/exports").json()["exports"]}
    assert "summary.json" in names
    assert "crawl.wacz" not in names


def test_the_description_is_served(service: Served) -> None:
    assert requests.get(f"{service.url}/openapi.json", timeout=HANG).json()["openapi"].startswith("3.1")
    assert requests.get(f"{service.url}/docs", timeout=HANG).headers["content-type"] == "text/html; charset=utf-8"


def test_a_body_of_any_bytes_is_answered_with_a_problem(service: Served) -> None:
    headers = {"authorization": f"Bearer {service.key}", "content-type": "application/json"}
    for body, status in ((b"\xff\xfe", 400), (b"x" * 70_000, 413), (b"", 400)):
        answered = requests.post(f"{service.url}/v1/crawls", data=body, headers=headers, timeout=HANG)
        assert (answered.status_code, answered.headers["content-type"]) == (status, "application/problem+json")


def test_a_running_crawl_continues_at_the_next_start(tmp_path: Path) -> None:
    with SiteServer(demo_site(), latency=0.05) as site:
        with served(tmp_path) as first:
            settings = QUICK | {"max_pages": 40, "polite": {"interval": 0.05, "in_flight": 2, "adapt": False}}
            crawl = first.ask("POST", "/v1/crawls", {"url": site.url, "settings": settings}).json()["crawl"]
            key, process = first.key, psutil.Process(first.process.pid)
            children = _children(process)
            assert first.stop() == 0
        assert not [child for child in children if child.is_running()]
        with served(tmp_path, key=key) as second:
            assert second.key == key
            over = second.wait_for(crawl)
            assert (over["status"], over["counters"]["fetched"]) == ("completed", 40)


def _children(process: psutil.Process) -> list[psutil.Process]:
    while not (found := process.children(recursive=True)):
        pass
    return found
