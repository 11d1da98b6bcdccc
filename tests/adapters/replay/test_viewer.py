"""The viewer of archives: what it serves, and that it has nothing else."""

from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from socket import create_connection

import pytest

from wavecrawl.adapters.embedded.downloads import Download
from wavecrawl.adapters.replay.engine import ReplayEngine
from wavecrawl.adapters.replay.file_server import FileServer, listen
from wavecrawl.adapters.replay.server import HOST
from wavecrawl.adapters.replay.viewer import viewer
from wavecrawl.errors import NotFoundError


@pytest.fixture(name="server")
def a_viewer(tmp_path: Path) -> Iterator[FileServer]:
    for name in ("sw.js", "ui.js", "crawl.wacz", "pages.csv"):
        (tmp_path / name).write_text(f"content of {name}", encoding="utf-8")

    def find(token: str) -> Download:
        if not token.startswith("signed-"):
            raise NotFoundError("no such download")
        path = tmp_path / token.removeprefix("signed-")
        return Download(path=path, bytes=1, content_type="", disposition="", etag="")

    server = viewer(listen(HOST), ReplayEngine(folder=tmp_path), find)
    server.start()
    yield server
    server.stop()


def _get(server: FileServer, path: str, *, method: str = "GET") -> tuple[int, dict[str, str], str]:
    connection = HTTPConnection(HOST, server.port)
    connection.request(method, path)
    response = connection.getresponse()
    body = response.read().decode()
    connection.close()
    return response.status, dict(response.headers), body


def test_the_application_and_the_engine_are_served(server: FileServer) -> None:
    status, headers, body = _get(server, "/?source=anything")
    assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert "<replay-app-main>" in body
    assert [_get(server, f"/{name}")[2] for name in ("sw.js", "ui.js")] == ["content of sw.js", "content of ui.js"]


@pytest.mark.parametrize("path", ["/", "/sw.js", "/ui.js"])
def test_the_engine_reaches_its_own_server_only(server: FileServer, path: str) -> None:
    headers = _get(server, path)[1]
    policy = dict(part.strip().split(" ", 1) for part in headers["Content-Security-Policy"].split(";"))
    assert policy["default-src"].split() == ["'self'", "'unsafe-inline'", "'unsafe-eval'", "data:", "blob:"]
    assert headers["Referrer-Policy"] == "no-referrer"  # the address has a signed URL


def test_an_archive_is_served_by_its_signed_url(server: FileServer) -> None:
    assert _get(server, "/archives/signed-crawl.wacz/site.wacz")[::2] == (200, "content of crawl.wacz")


@pytest.mark.parametrize(
    "path",
    [
        "/archives/forged/site.wacz",
        "/archives/signed-crawl.wacz",
        "/archives/signed-crawl.wacz/site.html",
        "/archives/signed-pages.csv/site.wacz",
        "/archives/",
        "/v1/sites",
        "/v1/downloads/signed-crawl.wacz",
        "/index.html",
        "/../pages.csv",
    ],
)
def test_nothing_else_is_served(server: FileServer, path: str) -> None:
    assert _get(server, path)[::2] == (404, "")


def test_only_reading_is_possible(server: FileServer) -> None:
    assert _get(server, "/", method="POST")[0] == 501


def test_connections_beyond_the_limit_are_closed(server: FileServer) -> None:
    waiting = [create_connection((HOST, server.port)) for _ in range(64)]
    try:
        with create_connection((HOST, server.port)) as refused:
            assert refused.recv(1) == b""
    finally:
        for connection in waiting:
            connection.close()
