"""The requests session: plain requests in, plain responses out."""

import gzip
from collections.abc import Iterator
from queue import Queue
from time import monotonic
from typing import cast

import pytest
import requests
from requests import PreparedRequest
from tests.adapters.http.conftest import LOOPBACK, lookup
from tests.adapters.http.loopback import Peer, once, page, responding, serving
from tests.support.patience import HANG

from wavecrawl.adapters.http import transport
from wavecrawl.adapters.http.addresses import AddressPolicy
from wavecrawl.adapters.http.connections import ConnectionPool, Dialer
from wavecrawl.adapters.http.resolver import Resolver
from wavecrawl.adapters.http.target import target_of
from wavecrawl.adapters.http.transfer_errors import TransferError
from wavecrawl.adapters.http.transport import GuardedSession, RawResponse
from wavecrawl.domain.fetching.exchange import TransportFault

BODY = b"<p>hello</p>"


def connection_pool(*, max_endpoints: int = 4, max_idle: int = 2) -> ConnectionPool:
    dialer = Dialer(resolver=Resolver(lookup=lookup), policy=AddressPolicy(LOOPBACK))
    return ConnectionPool(dialer=dialer, ca_file=None, max_endpoints=max_endpoints, max_idle=max_idle)


@pytest.fixture
def session() -> Iterator[GuardedSession]:
    with GuardedSession(connection_pool()) as made:
        yield made


def test_a_response_is_what_users_of_requests_expect(session: GuardedSession) -> None:
    headers = ("Content-Type: text/html; charset=iso-8859-2", "Vary: Accept", "vary: Cookie", "Set-Cookie: a=1")
    with serving(responding(page(BODY, *headers, status="203 So it is"))) as server:
        response = session.get(f"{server.url}/a?b=c", headers={"X": "y"}, timeout=60)
    assert type(response) is requests.Response
    assert (response.status_code, response.reason, response.ok) == (203, "So it is", True)
    assert (response.content, response.text) == (BODY, BODY.decode())
    assert response.headers == {
        "Content-Length": "12",
        "Content-Type": "text/html; charset=iso-8859-2",
        "Vary": "Accept, Cookie",
        "Set-Cookie": "a=1",
    }
    assert response.headers["content-length"] == "12"
    assert type(response.request) is PreparedRequest
    assert (response.url, response.request.url, response.history) == (f"{server.url}/a?b=c", f"{server.url}/a?b=c", [])
    assert [len(response.cookies), len(session.cookies)] == [0, 0]
    assert server.requests[0].startswith(f"GET /a?b=c HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n".encode())
    assert server.requests[0].endswith(b"\r\nX: y")


def test_the_raw_response_has_the_headers_as_received_and_the_body_as_transferred(session: GuardedSession) -> None:
    zipped = gzip.compress(BODY, mtime=0)
    sent = page(zipped, "X-A: 1", "x-a: 2", "Content-Encoding: gzip")
    with serving(responding(sent)) as server:
        response = session.get(server.url, timeout=60, stream=True)
        raw = cast("RawResponse", response.raw)
        assert raw.head.headers[1:3] == (("X-A", "1"), ("x-a", "2"))
        assert (response.raw.read(5), response.raw.read(99), response.raw.read(99)) == (zipped[:5], zipped[5:], b"")
        response.close()


@pytest.mark.parametrize(("data", "sent"), [({"a": "ä"}, b"a=%C3%A4"), (b"\0\xff", b"\0\xff")])
def test_a_body_is_sent(session: GuardedSession, data: dict[str, str] | bytes, sent: bytes) -> None:
    bodies: list[bytes] = []

    def talk(peer: Peer) -> None:
        peer.request()
        while len(peer._rest) < len(sent):
            peer._rest += peer.sock.recv(65_536)
        bodies.append(peer._rest)
        peer.say(page(b""))

    with serving(talk) as server:
        session.post(server.url, data=data, timeout=60)
    assert bodies == [sent]
    assert f"Content-Length: {len(sent)}".encode() in server.requests[0]


def test_a_host_header_of_the_request_is_sent_once(session: GuardedSession) -> None:
    with serving(responding(page(BODY))) as server:
        session.get(server.url, headers={"host": "other.example"}, timeout=60)
    assert server.requests[0].lower().count(b"\r\nhost: ") == 1
    assert b"\r\nhost: other.example" in server.requests[0]


@pytest.mark.parametrize("location", ["/next", "http://[", "//", "\u20ac", "http://10.0.0.1/", "x:" * 5_000])
def test_no_location_is_followed_or_parsed(session: GuardedSession, location: str) -> None:
    with serving(responding(page(b"", f"Location: {location}", status="302 Found"))) as server:
        followed = session.get(server.url, timeout=60)
        not_followed = session.get(server.url, timeout=60, allow_redirects=False)
    for response in (followed, not_followed):
        assert (response.status_code, response.headers["Location"], response.next) == (302, location, None)
    assert len(server.requests) == 2


def test_an_address_that_is_not_public_is_an_error_of_requests(session: GuardedSession) -> None:
    with pytest.raises(requests.RequestException, match="is not on the public internet") as caught:
        session.get("http://inside.example/", timeout=60)
    assert isinstance(caught.value, TransferError)
    assert caught.value.fault is TransportFault.BLOCKED_ADDRESS


@pytest.mark.parametrize("url", ["http://me:secret@shop.example/", "http://shop.example:22/"])
def test_a_url_that_is_refused_is_an_error_of_requests(session: GuardedSession, url: str) -> None:
    with pytest.raises(requests.RequestException) as caught:
        session.get(url, timeout=60)
    assert isinstance(caught.value, TransferError)
    assert caught.value.fault is TransportFault.URL


@pytest.mark.parametrize(
    ("sent", "fault"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nhalf", TransportFault.RESET),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1, 2\r\n\r\n", TransportFault.PROTOCOL),
        (b"HTTP/1.1 200 OK\r\nContent-Ty", TransportFault.RESET),
    ],
)
def test_a_body_that_cannot_be_read_is_an_error_of_requests(
    session: GuardedSession, sent: bytes, fault: TransportFault
) -> None:
    with serving(once(sent)) as server:
        response = session.get(server.url, timeout=60, stream=True)
        assert response.status_code == 200
        with pytest.raises(TransferError) as caught, response:
            _ = response.content
    assert caught.value.fault is fault


def test_there_is_no_request_without_a_timeout(session: GuardedSession) -> None:
    with serving(responding(page(BODY))) as server, pytest.raises(TypeError):
        session.get(server.url)
    assert server.connections == 0


def test_a_response_closed_unread_costs_the_connection(session: GuardedSession) -> None:
    with serving(responding(page(BODY))) as server:
        for _ in range(2):
            session.get(server.url, timeout=60, stream=True).close()
    assert server.connections == 2


def test_a_response_can_be_closed_twice(session: GuardedSession) -> None:
    with serving(responding(page(BODY))) as server:
        response = session.get(server.url, timeout=60)
        response.raw.close()
        response.raw.close()
        assert session.get(server.url, timeout=60).content == BODY
    assert server.connections == 1


def test_an_interrupted_request_leaves_no_connection_open(
    session: GuardedSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    received: Queue[bytes] = Queue()

    def talk(peer: Peer) -> None:
        peer.request()
        received.put(peer.request())  # b"" is the end of the connection

    def interrupted(_stream: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(transport, "read_head", interrupted)
    with serving(talk) as server:
        with pytest.raises(KeyboardInterrupt):
            session.get(server.url, timeout=60)
        assert received.get(timeout=HANG) == b""  # the end of the connection


# the pool


def test_no_more_idle_connections_are_kept_than_allowed() -> None:
    pool = connection_pool(max_idle=2)
    with serving(responding(page(BODY))) as server:
        endpoint = target_of(server.url).endpoint
        borrowed = [pool.borrow(endpoint) for _ in range(3)]
        for connection in borrowed:
            connection.open(deadline=monotonic() + HANG)
            pool.give_back(connection)
        assert [connection.sock is None for connection in borrowed] == [False, False, True]
        assert [pool.borrow(endpoint) for _ in range(2)] == [borrowed[1], borrowed[0]]
        assert pool.borrow(endpoint) not in borrowed
        for connection in borrowed:
            connection.close()
