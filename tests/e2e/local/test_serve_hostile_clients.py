"""The HTTP server of `wavecrawl serve` and hostile clients without a key, over sockets. Work is counted, not timed."""

import json
import socket
from collections.abc import Iterator
from contextlib import closing, suppress
from urllib.parse import urlsplit

import pytest
from tests.support.patience import HANG, eventually
from tests.support.serving import answering

from wavecrawl.adapters.embedded.message_secrets import MessageSecretFile
from wavecrawl.api.asgi import Respond
from wavecrawl.api.local_webhooks import crawl_webhooks
from wavecrawl.api.server_limits import ServerLimits
from wavecrawl.application.api_keys import create_key
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.cli.http_protocol import MOST_HEAD, MOST_PIECES, BoundedParser
from wavecrawl.domain.tenants.role import Role

SIGNED = "webhook-id: a\r\nwebhook-timestamp: 1700000000\r\nwebhook-signature: v1,AAAA\r\n"
CHUNKED = "transfer-encoding: chunked\r\n"
JSON = "content-type: application/json\r\n"


@pytest.fixture(name="store", scope="module")
def a_store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalStore]:
    with closing(LocalStore(tmp_path_factory.mktemp("hostile-clients"))) as store:
        yield store


@pytest.fixture(name="key", scope="module")
def a_key(store: LocalStore) -> str:
    return create_key("local", role=Role.TENANT, name="own", keys=store.keys, now=store.clock.now()).secret


@pytest.fixture(name="url", scope="module")
def a_server(store: LocalStore) -> Iterator[str]:
    with answering(store, ServerLimits()) as (url, _):
        yield url


@pytest.fixture(name="events")
def counted_events(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Return what the parser reports: heads, chunks and ends of requests, and that it waits or is invalid."""
    found: list[object] = []
    parse = BoundedParser.next_event

    def counted(self: BoundedParser) -> object:
        found.append(None)
        return parse(self)

    monkeypatch.setattr(BoundedParser, "next_event", counted)
    return found


def head(method: str, path: str, headers: str = "", version: str = "1.1") -> bytes:
    return f"{method} {path} HTTP/{version}\r\nhost: localhost\r\n{headers}\r\n".encode()


def connected(url: str, source: str = "127.0.0.1") -> socket.socket:
    at = urlsplit(url)
    return socket.create_connection((at.hostname, at.port), timeout=HANG, source_address=(source, 0))


def sent(url: str, data: bytes) -> bytes:
    """Send data, and return the first response."""
    with connected(url) as client:
        with suppress(ConnectionError):  # the server may close the connection before it has received all
            client.sendall(data)
        return response(client, has_body=not data.startswith(b"HEAD"))


def response(client: socket.socket, *, has_body: bool = True) -> bytes:
    """Return a response, which has a content-length."""
    found = b""
    while b"\r\n\r\n" not in found:
        part = client.recv(65_536)
        assert part, found
        found += part
    start, _, body = found.partition(b"\r\n\r\n")
    _, _, length = start.lower().partition(b"content-length: ")
    missing = int(length.split(b"\r\n")[0]) - len(body) if has_body else 0
    return found + (client.recv(missing, socket.MSG_WAITALL) if missing > 0 else b"")


def received(client: socket.socket) -> bytes:
    """Return what is received until the connection is closed."""
    found = b""
    with suppress(ConnectionResetError):
        while part := client.recv(65_536):
            found += part
    return found


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


TINY = b"1\r\nx\r\n" * 100_000
CRAWLS = head("POST", "/v1/crawls", JSON + CHUNKED)


@pytest.mark.parametrize(
    ("request_", "expected"),
    [
        (CRAWLS + TINY, 401),
        (head("POST", "/v1/crawls", JSON + CHUNKED + "authorization: Bearer wrong\r\n") + TINY, 401),
        (head("POST", "/v1/crawls", JSON + "content-length: 999999999\r\n") + b"x" * 100_000, 401),
        (head("POST", "/v1/crawls", JSON + CHUNKED + "expect: 100-continue\r\n"), 401),
        (head("POST", "/v1/crawls", JSON + CHUNKED, "1.0") + TINY, 401),
        (head("POST", "/v1/crawls", JSON + CHUNKED + "content-encoding: gzip\r\n") + TINY, 401),
        (head("POST", "/v1/crawls", CHUNKED + "connection: upgrade\r\nupgrade: websocket\r\n") + TINY, 401),
        (head("GET", "/v1/crawls", CHUNKED) + TINY, 401),
        (head("DELETE", "/v1/keys/a", CHUNKED) + TINY, 401),
        (head("GET", "/health", CHUNKED) + TINY, 200),
        (head("GET", "/", CHUNKED) + TINY, 200),
        (head("HEAD", "/", CHUNKED) + TINY, 200),
        (head("OPTIONS", "*", CHUNKED) + TINY, 401),
        (head("CONNECT", "localhost:80", CHUNKED) + TINY, 401),
        (head("POST", "/webhooks/crawl", CHUNKED) + TINY, 401),
        (head("POST", "/webhooks/qstash", CHUNKED + "upstash-signature: \r\n") + TINY, 401),
        (head("POST", "/webhooks/other", CHUNKED + SIGNED) + TINY, 401),
    ],
    ids=lambda value: value[:70].decode().replace("\r\n", " ") if isinstance(value, bytes) else str(value),
)
def test_a_body_without_a_key_is_not_read(url: str, events: list[object], request_: bytes, expected: int) -> None:
    answer = sent(url, request_)
    assert status(answer) == expected
    assert b"\r\nconnection: close\r\n" in answer.lower()
    assert b"100 Continue" not in answer
    assert len(events) <= 4


@pytest.mark.parametrize(
    "body",
    [TINY, b"20\r\n" + b"x" * 32 + b"\r\n" + TINY, b"1;" + b"e" * 10_000 + b"\r\nx\r\n" + TINY],
    ids=["one byte", "after a larger chunk", "with an extension"],
)
def test_the_chunks_of_a_message_are_counted(key: str, store: LocalStore, body: bytes, events: list[object]) -> None:
    with answering(store, ServerLimits(), messages(store)) as (url, _):
        for path, headers in (
            ("/webhooks/crawl", SIGNED),
            ("/webhooks/qstash", "upstash-signature: a.b.c\r\n"),
            ("/v1/crawls", f"{JSON}authorization: Bearer {key}\r\n"),
        ):
            events.clear()
            answer = sent(url, head("POST", path, CHUNKED + headers) + body)
            assert status(answer) == 400
            assert b"use content-length or larger chunks" in answer
            assert len(events) <= MOST_PIECES + 20


def messages(store: LocalStore) -> Respond:
    return crawl_webhooks(store, MessageSecretFile(store.root).read, base_url="http://localhost")


def test_a_message_that_is_too_large_is_refused_by_its_length(store: LocalStore, events: list[object]) -> None:
    with answering(store, ServerLimits(), messages(store)) as (url, _):
        length = store.settings.max_body_bytes + 1
        answer = sent(url, head("POST", "/webhooks/crawl", SIGNED + f"content-length: {length}\r\n") + b"x" * 1_000)
        assert (status(answer), len(events)) == (413, 2)
        answer = sent(
            url, head("POST", "/webhooks/crawl", SIGNED + CHUNKED) + 9 * (b"2000\r\n" + b"x" * 8_192 + b"\r\n")
        )
        assert status(answer) == 413


def test_a_body_in_ordinary_chunks_is_read(key: str, url: str) -> None:
    request = head("POST", "/v1/crawls", JSON + CHUNKED + f"authorization: Bearer {key}\r\nconnection: close\r\n")
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (b'{"unknown"', b": 1}", b" " * 60_000))
    answer = sent(url, request + chunks + b"0\r\n\r\n")
    assert (status(answer), b"unknown" in answer) == (400, True)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"GET / HTTP/1.1\r\n" + b"a: " + b"x" * 3 * MOST_HEAD, 431),
        (b"GET /" + b"x" * 3 * MOST_HEAD, 431),
        (b"GET / HTTP/1.1\r\n" + b"a:\r\n" * MOST_HEAD, 431),
        (b"GET / HTTP/1.1\r\n\r\n", 400),  # no Host
        (b"\x16\x03\x01\x02\x00", 400),  # the start of TLS
        (b"\r\n\r\n", 400),
        (head("POST", "/v1/crawls", "content-length: 1\r\ncontent-length: 2\r\n"), 400),
        (head("POST", "/v1/crawls", "content-length: -1\r\n"), 400),
        (head("POST", "/v1/crawls", "content-length: " + "9" * 5_000 + "\r\n"), 400),
        (head("POST", "/v1/crawls", "transfer-encoding: gzip\r\n"), 501),
    ],
    ids=[
        "long header",
        "long target",
        "many headers",
        "no host",
        "TLS",
        "empty",
        "two lengths",
        "-1",
        "9",
        "gzip",
    ],
)
def test_a_head_that_is_invalid_or_too_large_ends_the_connection(
    url: str, events: list[object], data: bytes, expected: int
) -> None:
    assert status(sent(url, data)) == expected
    assert len(events) <= 4


def test_pipelined_requests_are_answered_one_after_the_other(url: str) -> None:
    with connected(url) as client:
        client.sendall(head("GET", "/health") * 20 + head("GET", "/health", "connection: close\r\n"))
        assert received(client).count(b"HTTP/1.1 200 ") == 21


def test_a_connection_that_is_read_no_further_is_closed(store: LocalStore) -> None:
    with answering(store, ServerLimits()) as (url, server), connected(url) as client:
        client.sendall(CRAWLS)
        assert status(response(client)) == 401
        with pytest.raises(ConnectionError):
            client.sendall(TINY * 200)
        assert eventually(lambda: len(server.open_connections) == 0)


def test_a_client_that_sends_its_whole_body_reads_the_refusal(url: str) -> None:
    body = b"x" * 1_000_000
    answer = sent(url, head("POST", "/v1/crawls", JSON + f"content-length: {len(body)}\r\n") + body)
    assert status(answer) == 401
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["status"] == 401


def test_an_address_has_a_share_of_the_connections(store: LocalStore) -> None:
    limits = ServerLimits(connections=8, address_connections=2, request_seconds=3_600)
    with answering(store, limits) as (url, server):
        many = [connected(url, "127.0.0.2") for _ in range(6)]
        other = connected(url, "127.0.0.3")
        other.sendall(head("GET", "/health"))
        assert other.recv(12, socket.MSG_WAITALL) == b"HTTP/1.1 200"
        assert [received(client) for client in many[:4]] == [b""] * 4  # the oldest are closed
        assert eventually(lambda: len(server.open_connections) == 3)
        for client in (*many, other):
            client.close()


def test_only_bodies_of_callers_with_a_key_keep_their_connections(store: LocalStore, key: str) -> None:
    limits = ServerLimits(connections=2, address_connections=2)
    forged = head("POST", "/webhooks/crawl", CHUNKED + SIGNED + "expect: 100-continue\r\n")
    own = head("POST", "/v1/crawls", JSON + CHUNKED + f"authorization: Bearer {key}\r\nexpect: 100-continue\r\n")
    for request, expected in ((forged, 200), (own, 503)):
        with answering(store, limits, messages(store)) as (url, _), connected(url) as one, connected(url) as other:
            for client in (one, other):
                client.sendall(request)
                assert status(client.recv(1_000)) == 100  # the server asks for the body, which never comes
            assert status(sent(url, head("GET", "/health"))) == expected


def test_a_client_behind_a_proxy_has_the_share_too(store: LocalStore, key: str) -> None:
    limits = ServerLimits(connections=100, address_connections=2, request_seconds=3_600)
    request = JSON + "content-length: 9\r\nexpect: 100-continue\r\n" + f"authorization: Bearer {key}\r\n"
    with answering(store, limits) as (url, _):
        clients = [connected(url) for _ in range(4)]
        answers = []
        for client, address in zip(clients, (1, 1, 1, 2), strict=True):
            client.sendall(head("POST", "/v1/crawls", request + f"x-forwarded-for: 192.0.2.{address}\r\n"))
            answers.append(int(client.recv(12, socket.MSG_WAITALL)[9:]))
        assert answers == [100, 100, 429, 100]
        for client in clients:
            client.close()


def test_a_response_that_is_not_read_does_not_keep_its_connection(store: LocalStore) -> None:
    limits = ServerLimits(unread_seconds=0.3, idle_seconds=0.3)

    def large(_: object) -> dict[str, object]:
        return {"statusCode": 200, "headers": {}, "body": "x" * 20_000_000}

    with answering(store, limits, large) as (url, server):
        for more in ("", "connection: close\r\n"):
            client = connected(url)
            client.sendall(head("GET", "/large", more))
            assert client.recv(12, socket.MSG_WAITALL) == b"HTTP/1.1 200"
            assert eventually(lambda: len(server.open_connections) == 0)
            client.close()
