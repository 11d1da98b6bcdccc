"""`wavecrawl serve` beside clients that are idle, send slowly, read nothing or follow a crawl."""

import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests
from tests.support.campaign import slow
from tests.support.patience import HANG, eventually
from tests.support.paused_site import PausedSite
from tests.support.plain_site import plain_site
from tests.support.serving import Served, answering, served
from tests.support.sse import EventSource, Received
from uvicorn.protocols.http.h11_impl import H11Protocol

from wavecrawl.api.asgi import FileResponse
from wavecrawl.api.server_limits import ServerLimits
from wavecrawl.bootstrap.store import LocalStore

IDLE, DRIPPING = 100, 20
HEAD = b"POST /v1/crawls HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 64\r\n"
QUICK = {"max_pages": 12, "polite": {"interval": 0.0, "in_flight": 1, "adapt": False}}
STREAM = "text/event-stream"


@pytest.fixture(name="service", scope="module")
def a_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("clients"), "--request-seconds", "3600") as service:
        yield service


@pytest.fixture(name="site")
def a_paused_site() -> Iterator[PausedSite]:
    with PausedSite(plain_site(pages=12, body_bytes=500, links_per_page=4)) as site:
        site.pause_at(6)
        yield site
        site.go_on()


def connected(url: str) -> socket.socket:
    at = urlsplit(url)
    return socket.create_connection((at.hostname, at.port), timeout=HANG)


def with_key(service: Served) -> bytes:
    """Return the head of a request whose body is read."""
    return HEAD + f"authorization: Bearer {service.key}\r\n\r\n".encode()


@contextmanager
def followed(service: Served, crawl: str, *, after: str = "") -> Iterator[Iterator[Received]]:
    """Follow the events of a crawl over one connection. Yield them as they are received."""
    headers = {"authorization": f"Bearer {service.key}"} | ({"last-event-id": after} if after else {})
    url = f"{service.url}/v1/crawls/{crawl}/events"
    with requests.get(url, headers=headers, stream=True, timeout=HANG) as response:
        assert (response.status_code, response.headers["content-type"]) == (200, STREAM)
        yield received(response)


def received(response: requests.Response) -> Iterator[Received]:
    client, block = EventSource(), ""
    for line in response.iter_lines(chunk_size=1, decode_unicode=True):
        block += f"{line}\n"
        if not line:
            client.read(block)
            block = ""
            yield from client.received
            client.received.clear()


def next_of(events: Iterator[Received], kind: str) -> Received:
    """Return the next event of a kind."""
    return next(event for event in events if event.type == kind)


def started(service: Served, url: str) -> str:
    crawl: str = service.ask("POST", "/v1/crawls", {"url": url, "settings": QUICK}).json()["crawl"]
    return crawl


def test_idle_and_dripping_clients_hold_up_nobody(service: Served) -> None:
    with ExitStack() as open_ones:
        idle, dripping = (
            [open_ones.enter_context(connected(service.url)) for _ in range(count)] for count in (IDLE, DRIPPING)
        )
        for byte in with_key(service) + b"{":
            for client in dripping:
                client.send(bytes([byte]))
            if byte == ord("\n"):
                assert service.ask("GET", "/v1/crawls").status_code == 200
        for client in (*idle, *dripping):  # nothing was received: all are still connected, and waiting
            client.setblocking(False)
            with pytest.raises(BlockingIOError):
                client.recv(1)


def test_a_client_that_does_not_complete_its_request_is_disconnected(tmp_path: Path) -> None:
    with served(tmp_path, "--request-seconds", "0.3") as service:
        for part in (b"", HEAD[:20]):
            with connected(service.url) as client:
                client.send(part)
                assert ended(client) == b""
        with connected(service.url) as client:
            client.send(with_key(service) + b"{")
            answered = ended(client)
            assert answered.startswith(b"HTTP/1.1 408 ")
            assert b"the body was not received within 0.3 seconds" in answered
        with connected(service.url) as client:  # the limit also holds for the second request of a connection
            client.send(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n")
            assert client.recv(12, socket.MSG_WAITALL) == b"HTTP/1.1 200"
            client.send(HEAD[:20])
            assert b"HTTP/1.1" not in ended(client)


def ended(client: socket.socket) -> bytes:
    """Return what a client receives until the connection is closed."""
    found = b""
    try:
        while part := client.recv(65_536):
            found += part
    except ConnectionResetError:
        pass
    return found


def test_a_full_service_closes_the_oldest_connection_without_a_request(tmp_path: Path) -> None:
    with served(tmp_path, "--connections", "2", "--request-seconds", "3600") as service:
        with connected(service.url) as oldest, connected(service.url) as second:
            assert service.ask("GET", "/health").status_code == 200
            assert ended(oldest) == b""
            send_head(service, second)
            with connected(service.url) as third:
                send_head(service, third)
                with connected(service.url) as refused:
                    assert ended(refused).startswith(b"HTTP/1.1 503 ")
        assert eventually(lambda: service.ask("GET", "/health").status_code == 200)


def send_head(service: Served, client: socket.socket) -> None:
    """Send the head of a request, and wait until the service expects its body."""
    client.send(with_key(service).replace(b"\r\n\r\n", b"\r\nexpect: 100-continue\r\n\r\n"))
    assert client.recv(12, socket.MSG_WAITALL) == b"HTTP/1.1 100"


def test_events_come_over_one_connection_until_the_crawl_has_ended(service: Served, site: PausedSite) -> None:
    crawl = started(service, site.url)
    with followed(service, crawl) as events:
        first = next_of(events, "crawl.started")
        next_of(events, "crawl.progress")
        assert eventually(lambda: site.is_paused)
        site.go_on()
        rest = list(events)  # the service ends the response
    assert rest[-1].type == "crawl.completed"
    with followed(service, crawl, after=first.last_event_id) as events:
        resumed = [event for event in events if event.type != "progress"]
    assert "crawl.started" not in {event.type for event in resumed}
    assert resumed[-1] == rest[-1]


def test_a_stream_ends_with_its_key_and_with_the_service(tmp_path: Path, site: PausedSite) -> None:
    with served(tmp_path) as service:
        crawl = started(service, site.url)
        made = service.ask("POST", "/v1/keys", {"name": "reader", "role": "read"}).json()
        reader = Served(process=service.process, url=service.url, key=made["secret"], dashboard="")
        with followed(reader, crawl) as read, followed(service, crawl) as own:
            next_of(read, "crawl.started")
            next_of(own, "crawl.started")
            assert service.ask("DELETE", f"/v1/keys/{made['key']}").status_code == 204
            assert "crawl.completed" not in {event.type for event in read}
            site.go_on()
            service.process.terminate()
            list(own)  # the service ends the response
        assert service.process.wait(timeout=HANG) == 0


@slow
def test_more_streams_than_allowed_end_after_the_events_so_far(tmp_path: Path, site: PausedSite) -> None:
    with served(tmp_path, "--streams", "1") as service:
        crawl = started(service, site.url)
        with followed(service, crawl) as kept:
            next_of(kept, "crawl.started")
            with followed(service, crawl) as further:
                next_of(further, "crawl.started")
                assert "crawl.completed" not in {event.type for event in further}
            site.go_on()
            assert list(kept)[-1].type == "crawl.completed"


def test_a_client_that_reads_nothing_is_disconnected(tmp_path: Path) -> None:
    large = tmp_path / "large"
    with large.open("wb") as file:
        file.truncate(200_000_000)
    answer = FileResponse(path=large, bytes=200_000_000, headers={"content-type": "application/octet-stream"})
    limits = ServerLimits(unread_seconds=0.5)
    begun = threading.Event()

    def respond(_: object) -> FileResponse:
        begun.set()
        return answer

    store = LocalStore(tmp_path)
    with closing(store), answering(store, limits, respond) as (url, server), connected(url) as client:
        client.send(b"GET /large HTTP/1.1\r\nhost: localhost\r\n\r\n")
        assert begun.wait(HANG)
        assert eventually(lambda: not server.server_state.connections)


def test_the_body_of_a_response_does_not_wait_until_its_head_is_acknowledged(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    with closing(store), answering(store, ServerLimits()) as (url, server), connected(url) as client:
        client.send(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n")
        assert client.recv(12, socket.MSG_WAITALL) == b"HTTP/1.1 200"
        (connection,) = server.server_state.connections
        assert isinstance(connection, H11Protocol)
        accepted = connection.transport.get_extra_info("socket")
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 1
