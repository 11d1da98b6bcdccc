"""Indexing in the background: beside the crawls, interrupted, killed; by an embedder whose responses the tests hold."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
from tests.support.campaign import slow
from tests.support.embedding_endpoint import Endpoint
from tests.support.embedding_endpoint import served as embedding
from tests.support.patience import HANG, eventually
from tests.support.serving import Served, served

from wavecrawl.cli.console import Exit
from wavecrawl.demo.model import Page, Site
from wavecrawl.demo.server import SiteServer

SETTINGS = {"max_retries": 0, "polite": {"interval": 0.0}}


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    with embedding(Endpoint()) as served_endpoint:
        monkeypatch.setenv("WAVECRAWL_EMBEDDER", "openai")
        monkeypatch.setenv("WAVECRAWL_EMBEDDING_URL", served_endpoint.url)
        monkeypatch.setenv("WAVECRAWL_EMBEDDING_MODEL", "m")
        monkeypatch.setenv("WAVECRAWL_EMBEDDING_DIMENSIONS", "2")
        try:
            yield served_endpoint
        finally:
            served_endpoint.opened.set()


def site_of(text: str) -> Site:
    return Site(pages=(Page(path="/", title="Port", text=(text,)),))


def key_of(service: Served, tenant: str) -> str:
    """Create a tenant; return its key."""
    service.ask("POST", "/v1/admin/tenants", {"tenant": tenant, "plan": "pro"})
    made = service.ask("POST", f"/v1/admin/tenants/{tenant}/keys", {"name": "k", "role": "tenant"})
    assert made.status_code == 201, made.text
    return str(made.json()["secret"])


class Tenant:
    """A tenant of a service, with one site."""

    def __init__(self, service: Served, key: str) -> None:
        self._service = service
        self._headers = {"authorization": f"Bearer {key}"}
        self.site = ""

    def ask(self, method: str, path: str, body: Any = None) -> requests.Response:
        return self._service.ask(method, path, body, headers=self._headers)

    def crawl(self, url: str) -> None:
        """Crawl a site to its end."""
        started = self.ask("POST", "/v1/crawls", {"url": url, "settings": SETTINGS})
        assert started.status_code == 202, started.text
        crawl = started.json()["crawl"]
        assert eventually(lambda: self.ask("GET", f"/v1/crawls/{crawl}").json()["status"] == "completed")
        self.site = started.json()["site"]

    def search(self, question: str) -> requests.Response:
        return self.ask("GET", f"/v1/sites/{self.site}/search?q={question}&mode=words")

    def index(self) -> dict[str, Any]:
        found: dict[str, Any] = self.ask("GET", f"/v1/sites/{self.site}/index").json()
        return found

    def found(self, question: str) -> list[str]:
        return [one["text"] for one in self.search(question).json()["passages"]]


def index_processes(service: Served) -> list[int]:
    """Return the processes of a service that index."""
    children = Path(f"/proc/{service.process.pid}/task").glob("*/children")
    pids = [int(pid) for path in children for pid in path.read_text().split()]
    return [pid for pid in pids if "index_process" in Path(f"/proc/{pid}/cmdline").read_text()]


@slow
def test_a_site_that_is_indexed_holds_no_crawl_up_and_a_killed_process_leaves_the_old_index(
    tmp_path: Path, endpoint: Endpoint
) -> None:
    with served(tmp_path, "--crawls", "1", "--workers", "1") as service:
        one, two = (Tenant(service, key_of(service, name)) for name in ("one", "two"))
        endpoint.opened.clear()
        with SiteServer(site_of("Pilots steer large vessels through the narrow channel of the port.")) as server:
            port = int(server.url.rstrip("/").rpartition(":")[2])
            one.crawl(server.url)
        assert eventually(lambda: endpoint.requests)
        assert one.index()["status"] == "building"
        with SiteServer(site_of("Owners of boats pay a fee for every night that they stay at the quay.")) as server:
            two.crawl(server.url)  # the only slot is free
        refused = one.search("vessels")
        assert (refused.status_code, refused.headers["retry-after"]) == (409, "5")
        assert "is being built" in refused.json()["detail"]
        assert two.search("boats").status_code == 409
        assert two.index()["status"] == "waiting"
        assert "is not built yet" in two.index()["message"]
        endpoint.opened.set()
        assert eventually(lambda: one.index()["status"] == two.index()["status"] == "current")
        assert len(one.found("vessels")) == len(two.found("boats")) == 1

        endpoint.opened.clear()
        with SiteServer(site_of("When it is calm, boats may stay in the outer basin over night."), port=port) as server:
            one.crawl(server.url)
        before = len(endpoint.requests)
        assert eventually(lambda: len(endpoint.requests) > before)
        (pid,) = index_processes(service)
        os.kill(pid, signal.SIGKILL)
        assert eventually(lambda: index_processes(service) not in ([], [pid]))  # a new process
        assert one.index()["can_search"]
        assert one.found("vessels") == ["Port\n\nPilots steer large vessels through the narrow channel of the port."]
        assert one.search("vessels").json()["index"]["status"] == "building"
        endpoint.opened.set()
        assert eventually(lambda: one.index()["status"] == "current")
        assert [text[:20] for text in one.found("calm")] == ["Port\n\nWhen it is cal"]
        endpoint.opened.clear()
        with SiteServer(site_of("A text about ships, which is embedded while the service ends."), port=port) as server:
            one.crawl(server.url)
        assert eventually(lambda: index_processes(service))
        assert service.stop() == 0


def test_ctrl_c_ends_indexing_at_once_and_the_next_search_does_it(tmp_path: Path, endpoint: Endpoint) -> None:
    program = [sys.executable, "-m", "wavecrawl.cli.main"]
    with SiteServer(site_of("Pilots steer large vessels through the narrow channel of the port.")) as server:
        subprocess.run([*program, "crawl", server.url, "--data", str(tmp_path), "--quiet"], check=True)
    assert endpoint.requests == []  # a crawl does not index
    search = [*program, "search", "vessels", "--data", str(tmp_path), "--json"]
    endpoint.opened.clear()
    with subprocess.Popen(search, stdout=subprocess.PIPE) as process:
        assert eventually(lambda: endpoint.requests)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=HANG) == Exit.INTERRUPTED
    endpoint.opened.set()
    assert b"narrow channel" in subprocess.run(search, check=True, stdout=subprocess.PIPE).stdout
