"""Files of lists that are sent to the HTTP server of `wavecrawl serve`."""

import errno
import os
import socket
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import NoReturn
from urllib.parse import urlsplit

import pytest
import requests
from tests.support.patience import HANG, eventually
from tests.support.serving import answering

from wavecrawl.adapters.embedded.uploads import OpenUpload
from wavecrawl.api.server_limits import ServerLimits
from wavecrawl.application.api_keys import create_key
from wavecrawl.application.url_list import load_urls
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.client import ApiError, Client
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.tenants.role import Role
from wavecrawl.ports.url_lists import UPLOAD_SECONDS, UrlList

TEXT = b"https://site.example/1\nhttps://site.example/2\n"
NAME = "uploads/local/list-1"


class Server:
    """A server, and its store."""

    def __init__(self, store: LocalStore, url: str) -> None:
        self.store = store
        self.url = url
        key = create_key("local", role=Role.TENANT, name="tests", keys=store.keys, now=store.clock.now())
        self.key = key.secret

    def upload_url(self, size: int = len(TEXT)) -> str:
        """Return a signed URL, with the address of this server."""
        row = UrlList(tenant="local", list="list-1", bytes=size)
        return self.url + urlsplit(self.store.url_lists.upload_url(row)).path

    def put(self, url: str, data: bytes = TEXT) -> requests.Response:
        return requests.put(url, data=data, timeout=HANG)

    @property
    def uploaded(self) -> bytes | None:
        pieces = self.store.url_lists.uploaded("local", "list-1")
        return None if pieces is None else b"".join(pieces)

    @property
    def files(self) -> list[Path]:
        return [path for path in (self.store.root / "uploads").rglob("*") if path.is_file()]


@pytest.fixture(name="server")
def a_server(tmp_path: Path) -> Iterator[Server]:
    store = LocalStore(tmp_path)
    limits = ServerLimits(threads=2, request_seconds=HANG)
    with answering(store, limits) as (url, _):
        yield Server(store, url)
    store.close()


def test_a_file_is_stored_as_it_was_sent(server: Server) -> None:
    answer = server.put(server.upload_url())
    assert (answer.status_code, answer.content) == (204, b"")
    assert server.uploaded == TEXT
    assert server.put(server.upload_url(), TEXT[::-1]).status_code == 204  # a repeated upload replaces it
    assert server.uploaded == TEXT[::-1]


def test_a_file_may_be_larger_than_any_body_of_the_api(server: Server) -> None:
    data = b"https://site.example/\n" * 200_000
    assert len(data) > 4 * 1024 * 1024
    assert server.put(server.upload_url(len(data)), data).status_code == 204
    assert server.uploaded == data


@pytest.mark.parametrize("size", [len(TEXT) - 1, len(TEXT) + 1])
def test_a_file_of_another_size_is_refused(server: Server, size: int) -> None:
    answer = server.put(server.upload_url(size))
    assert answer.status_code == 400
    assert answer.json()["detail"].startswith(f"the body has 46 bytes, but the list was created for {size}; send the")
    assert server.files == []


@pytest.mark.parametrize("size", [len(TEXT) - 1, len(TEXT) + 1])
def test_a_file_of_unknown_size_is_measured_as_it_is_received(server: Server, size: int) -> None:
    answer = requests.put(server.upload_url(size), data=iter([TEXT[:10], TEXT[10:]]), timeout=HANG)  # chunked
    assert answer.status_code == 400
    assert "but the list was created for" in answer.json()["detail"]
    assert server.files == []


def test_a_url_that_was_not_signed_takes_nothing(server: Server) -> None:
    url = server.upload_url()
    for wrong in (f"{url}x", url.replace("/v1/uploads/", "/v1/uploads/x"), f"{server.url}/v1/uploads/"):
        answer = server.put(wrong)
        assert (answer.status_code, answer.json()["title"]) == (404, "Not Found")
    assert server.files == []


def test_a_url_whose_time_is_over_takes_nothing(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    url, now = server.upload_url(), server.store.clock.now()
    monkeypatch.setattr(server.store.clock, "now", lambda: now + UPLOAD_SECONDS + 5)
    assert server.put(url).status_code == 404


def test_a_signed_name_outside_of_the_folder_of_uploads_is_refused(server: Server) -> None:
    for name in ("wavecrawl.sqlite", "uploads/../wavecrawl.sqlite", "tenants/local/lists/list-1.txt.gz"):
        url = server.store.uploads.url_of(name, size=len(TEXT))
        assert server.put(server.url + urlsplit(url).path).status_code == 404


def test_a_signature_of_a_download_is_none_of_an_upload(server: Server) -> None:
    url = server.store.downloads.url_of(NAME, content_type="text/plain", disposition="inline")
    token = urlsplit(url).path.removeprefix("/v1/downloads/")
    assert server.put(f"{server.url}/v1/uploads/{token}").status_code == 404


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_only_put_uploads(server: Server, method: str) -> None:
    assert requests.request(method, server.upload_url(), data=TEXT, timeout=HANG).status_code in (401, 404)
    assert server.files == []


def test_nothing_is_left_of_an_upload_whose_client_leaves(server: Server) -> None:
    url = urlsplit(server.upload_url())
    with socket.create_connection((url.hostname, url.port), timeout=HANG) as client:
        head = f"PUT {url.path} HTTP/1.1\r\nhost: x\r\ncontent-length: {len(TEXT)}\r\nexpect: 100-continue\r\n\r\n"
        client.sendall(head.encode())
        assert client.recv(100).startswith(b"HTTP/1.1 100")  # the server has started to read the body
        client.sendall(TEXT[:5])
    assert server.put(server.upload_url()).status_code == 204  # the server goes on
    assert server.uploaded == TEXT
    eventually(lambda: [path.name for path in server.files] == ["list-1"])


def test_an_upload_to_a_full_disk_can_be_repeated(
    server: Server, monkeypatch: pytest.MonkeyPatch, logged: StringIO
) -> None:
    full = OSError(errno.ENOSPC, "No space left on device", "/data/uploads/x")

    def fail(*_: object) -> NoReturn:
        raise full

    with monkeypatch.context() as patch:
        patch.setattr(OpenUpload, "write", fail)
        answer = server.put(server.upload_url())
    assert (answer.status_code, answer.headers["content-type"]) == (503, "application/problem+json")
    assert ("/data" in answer.text, "No space left on device" in logged.getvalue()) == (False, True)
    assert server.files == []
    assert server.put(server.upload_url()).status_code == 204


def test_a_part_is_deleted_although_its_last_bytes_cannot_be_written(tmp_path: Path) -> None:
    upload = OpenUpload(tmp_path / "list", 3)
    upload.write(b"abc")
    with Path("/dev/full").open("wb") as full:
        os.dup2(full.fileno(), upload._file.fileno())
    with pytest.raises(OSError, match="No space left"):
        upload.close()
    assert list(tmp_path.iterdir()) == []


def test_the_client_uploads_a_list_of_100_000_urls_and_the_crawl_keeps_it(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server.store.uploads, "_base_url", server.url)
    urls = [f"https://site.example/{number}" for number in range(100_000)]
    with Client(server.url, server.key) as client:
        made = client.upload_list(urls, name="All")
        assert (made.urls, made.state) == (100_000, "ready")
        assert [one.list for one in client.list_lists().lists] == [made.list]
        crawl = CrawlId(tenant="local", site="s", crawl="c1")
        assert server.store.url_lists.give("local", made.list, crawl)
        client.delete_list(made.list)
        with pytest.raises(ApiError, match="404"):
            client.get_list(made.list)
    assert list(load_urls(server.store.objects, crawl, made.list)) == urls
