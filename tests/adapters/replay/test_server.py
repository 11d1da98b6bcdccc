"""The server of a replay: what it serves, in which ranges, and nothing else."""

from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import pytest

from wavecrawl.adapters.replay.engine import ReplayEngine
from wavecrawl.adapters.replay.server import HOST, ReplayServer

ARCHIVE = bytes(range(256)) * 10


@pytest.fixture(name="server")
def a_server(tmp_path: Path) -> Iterator[ReplayServer]:
    (tmp_path / "sw.js").write_text("// the engine", encoding="utf-8")
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    (tmp_path / "a.wacz").write_bytes(ARCHIVE)
    with ReplayServer(ReplayEngine(folder=tmp_path), tmp_path / "a.wacz") as server:
        yield server


def _response(server: ReplayServer, path: str, *, method: str = "GET", range_: str = "") -> tuple[HTTPResponse, bytes]:
    connection = HTTPConnection(HOST, server.port)
    connection.request(method, path, headers={"Range": range_} if range_ else {})
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response, body


def test_the_engine_and_the_page_are_served(server: ReplayServer) -> None:
    response, body = _response(server, "/sw.js?any=query")
    assert (response.status, body) == (200, b"// the engine")
    assert response.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert b"<iframe>" in _response(server, "/")[1]


@pytest.mark.parametrize("path", ["/ui.js", "/secret.txt", "/../secret.txt", "/a.wacz", "//etc/passwd"])
def test_nothing_else_is_served(server: ReplayServer, path: str) -> None:
    assert _response(server, path)[0].status == 404


def test_the_archive_is_served_whole_and_in_ranges(server: ReplayServer) -> None:
    response, body = _response(server, "/crawl.wacz")
    assert (response.status, response.headers["Accept-Ranges"], body) == (200, "bytes", ARCHIVE)
    response, body = _response(server, "/crawl.wacz", range_="bytes=5-9")
    assert (response.status, response.headers["Content-Range"], body) == (206, "bytes 5-9/2560", ARCHIVE[5:10])
    response, body = _response(server, "/crawl.wacz", range_="bytes=-3")
    assert (response.status, response.headers["Content-Range"], body) == (206, "bytes 2557-2559/2560", ARCHIVE[-3:])


def test_a_head_request_has_the_size_and_no_body(server: ReplayServer) -> None:
    response, body = _response(server, "/crawl.wacz", method="HEAD")
    assert (response.status, response.headers["Content-Length"], body) == (200, "2560", b"")


def test_a_range_beyond_the_end_is_refused(server: ReplayServer) -> None:
    response, _ = _response(server, "/crawl.wacz", range_="bytes=2560-")
    assert (response.status, response.headers["Content-Range"]) == (416, "bytes */2560")
