"""The page client with well-behaved servers: what it sends, keeps and returns."""

import gzip
import json
import socket
import ssl
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from threading import Barrier

import pytest
from tests.adapters.http.conftest import LOOPBACK, lookup
from tests.adapters.http.loopback import CA_FILE, Peer, Talk, once, page, responding, serving
from tests.support.patience import HANG

from wavecrawl.adapters.http.client import RequestsPageClient
from wavecrawl.bootstrap.http_clients import page_client
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.fetching.exchange import Exchange, FetchRequest, TransportFault
from wavecrawl.domain.fetching.limits import FetchLimits

BRIEF = FetchLimits(timeout=1.0)
BODY = b"<p>hello</p>"
F = TransportFault


def get(client: RequestsPageClient, url: str, *headers: tuple[str, str], method: str = "GET") -> Exchange:
    return client.fetch(FetchRequest(url=url, method=method, headers=headers))


def ending(exchange: Exchange) -> tuple[int | None, TransportFault | None, bytes]:
    return exchange.status, exchange.fault, exchange.body


@contextmanager
def made(
    *, allowed: tuple[str, ...] = LOOPBACK, ca_file: str | None = CA_FILE, hosts: int = 64, language: str = ""
) -> Iterator[RequestsPageClient]:
    client = RequestsPageClient(
        user_agent="bot/1", allowed=allowed, ca_file=ca_file, hosts=hosts, accept_language=language, lookup=lookup
    )
    try:
        yield client
    finally:
        client.close()


def says_nothing(peer: Peer) -> None:
    peer.server.stopped.wait(HANG)


# the request


def test_a_request_is_sent_with_these_bytes_and_no_others(client: RequestsPageClient) -> None:
    with serving(responding(page(BODY))) as server:
        get(client, f"http://shop.example:{server.port}/a/b?c=d#fragment")
    assert server.requests == [
        (
            f"GET /a/b?c=d HTTP/1.1\r\nHost: shop.example:{server.port}\r\n"
            "User-Agent: wavecrawl/test (+https://example.com)\r\n"
            "Accept: text/html,application/xhtml+xml;q=0.9,application/xml;q=0.8,*/*;q=0.5\r\n"
            "Accept-Encoding: gzip, deflate, br, zstd\r\nConnection: keep-alive"
        ).encode()
    ]


def test_the_exchange_has_the_headers_that_were_sent(client: RequestsPageClient) -> None:
    with serving(responding(page(BODY))) as server:
        exchange = get(client, f"{server.url}/", ("If-None-Match", '"v1"'))
    lines = server.requests[0].decode().split("\r\n")[1:]
    assert [f"{name}: {value}" for name, value in exchange.request_headers] == lines


def test_conditional_headers_are_sent_as_they_are(client: RequestsPageClient) -> None:
    headers = (("If-None-Match", 'W/"ä\t1"'), ("If-Modified-Since", "Sat, 01 Aug 2026 00:00:00 GMT"))
    with serving(responding(page(b"", status="304 Not Modified"))) as server:
        exchange = get(client, f"{server.url}/", *headers)
    assert exchange.status == 304
    assert server.requests[0].endswith(
        'If-None-Match: W/"ä\t1"\r\nIf-Modified-Since: Sat, 01 Aug 2026 00:00:00 GMT'.encode()
    )


def test_a_header_of_the_request_replaces_the_clients_own(client: RequestsPageClient) -> None:
    with serving(responding(page(BODY))) as server:
        get(client, f"{server.url}/", ("user-agent", "other/2"))
    assert server.requests[0].lower().count(b"user-agent:") == 1
    assert b"user-agent: other/2" in server.requests[0]


def test_accept_language_is_sent_if_given() -> None:
    with made(language="de") as client, serving(responding(page(BODY))) as server:
        get(client, f"{server.url}/")
    assert b"\r\nAccept-Language: de\r\n" in server.requests[0]


def test_the_language_of_a_crawl_is_a_setting() -> None:
    client = page_client(CrawlSettings(allowed_addresses=LOOPBACK, accept_language="de-CH, de;q=0.8"))
    with serving(responding(page(BODY))) as server:
        get(client, f"http://127.0.0.1:{server.port}/")
    client.close()
    assert b"\r\nAccept-Language: de-CH, de;q=0.8\r\n" in server.requests[0]


@pytest.mark.parametrize(
    "header",
    [
        ("X", "a\r\nY: b"), ("X", "a\nb"), ("X", "a\0"), ("X", "\ud800"), ("X\r\nY", "a"), ("X Y", "a"), ("", "a"),
        ("X:", "a"), ("Ä", "a"), ("Host", "evil.example"), ("content-length", "5"), ("Transfer-Encoding", "chunked"),
        ("Connection", "close"), ("Expect", "100-continue"), ("Upgrade", "h2c"),
    ],
)  # fmt: skip
def test_a_header_that_would_change_the_message_is_not_sent(
    client: RequestsPageClient, header: tuple[str, str]
) -> None:
    with serving(responding(page(BODY))) as server:
        exchange = get(client, f"{server.url}/", header)
    assert (exchange.status, exchange.fault, server.connections) == (None, F.URL, 0)
    assert exchange.fault_detail.startswith("header cannot be sent: ")
    assert exchange.fault_detail.isprintable()


@pytest.mark.parametrize("bad", ["two\r\nlines", "nul\0", "bell\a", "half \udc80"])
def test_a_client_with_headers_that_cannot_be_sent_is_an_error(bad: str) -> None:
    with pytest.raises(ValueError, match="User-Agent must be printable"):
        RequestsPageClient(user_agent=bad)
    with pytest.raises(ValueError, match="Accept-Language must be printable"):
        RequestsPageClient(user_agent="bot/1", accept_language=bad)


def test_a_client_with_an_invalid_network_is_an_error() -> None:
    with pytest.raises(ValueError, match="everywhere"):
        RequestsPageClient(user_agent="bot/1", allowed=("everywhere",))


# URLs


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("", "not an absolute http(s) URL"),
        ("shop.example/", "not an absolute http(s) URL"),
        ("/docs", "not an absolute http(s) URL"),
        ("ftp://shop.example/", "not an absolute http(s) URL"),
        ("file:///etc/passwd", "not an absolute http(s) URL"),
        ("http:///x", "not an absolute http(s) URL"),
        ("http://", "not an absolute http(s) URL"),
        ("http\u017f://shop.example/", "not an absolute http(s) URL"),  # folds to "https"
        ("http://shop.example/\u212a", "not an absolute http(s) URL"),  # folds to "k"
        ("http://shop.example/a b", "not an absolute http(s) URL"),
        ("http://shop.example/a\r\nX: y", "not an absolute http(s) URL"),
        ("http://shop.example/\xe4", "not an absolute http(s) URL"),
        ("http://shop.example\\@evil.example/", "not an absolute http(s) URL"),
        ("http://me:secret@shop.example/", "credentials in a URL are not sent: shop.example"),
        ("http://shop example/", "not a host name: shop example"),
        ("http://shop.example\r\nX:1/", "not a host name"),
        ("http://b\xfccher.example/", "not a host name: b\xfccher.example"),
        ("http://shop..example/", "not a host name"),
        ("http://.example/", "not a host name"),
        (f"http://{'a' * 64}.example/", "not a host name"),
        (f"http://{'a.' * 127}a/", "not a host name"),
        ("http://sh%6fp.example/", "not a host and port"),
        ("http://[::1/", "not a host and port"),
        ("http://[fe80::1%25eth0]/", "not a host and port"),
        ("http://shop.example:80:80/", "not a host and port"),
        ("http://shop.example:port/", "not a host and port"),
        ("http://shop.example:-1/", "not a host and port"),
        ("http://shop.example:65536/", "port 65536 is not for web pages"),
        ("http://shop.example:0/", "port 0 is not for web pages"),
        ("http://shop.example:22/", "port 22 is not for web pages"),
        ("http://shop.example:25/", "port 25 is not for web pages"),
        ("https://shop.example:6667/", "port 6667 is not for web pages"),
    ],
)
def test_a_url_that_cannot_be_requested_is_a_fault(client: RequestsPageClient, url: str, said: str) -> None:
    exchange = get(client, url)
    assert (exchange.url, exchange.status, exchange.fault, exchange.address) == (url, None, F.URL, None)
    assert said in exchange.fault_detail
    assert "secret" not in exchange.fault_detail
    assert exchange.fault_detail.isprintable()


@pytest.mark.parametrize("method", ["POST", "DELETE", "get", "GET / HTTP/1.1\r\nX: y", ""])
def test_only_get_and_head_are_sent(client: RequestsPageClient, method: str) -> None:
    with serving(responding(page(BODY))) as server:
        exchange = get(client, f"{server.url}/", method=method)
    assert (exchange.fault, server.connections) == (F.URL, 0)


def test_a_url_without_path_requests_the_root(client: RequestsPageClient) -> None:
    with serving(responding(page(BODY))) as server:
        get(client, server.url)
        get(client, f"{server.url}?q=1")
    assert [head.split(b"\r\n")[0] for head in server.requests] == [b"GET / HTTP/1.1", b"GET /?q=1 HTTP/1.1"]


def test_an_ipv6_address_keeps_its_brackets_in_the_host_header(client: RequestsPageClient) -> None:
    with serving(responding(page(BODY)), address="::1") as server:
        exchange = get(client, f"{server.url}/")
    assert (exchange.status, exchange.address) == (200, "::1")
    assert f"\r\nHost: [::1]:{server.port}\r\n".encode() in server.requests[0]


# one hop, with nothing from outside the request


@pytest.mark.parametrize("status", ["301 Moved", "302 Found", "303 See Other", "307 Temporary", "308 Permanent"])
def test_a_redirect_is_returned_and_not_followed(client: RequestsPageClient, status: str) -> None:
    with serving(responding(page(b"", "Location: /next", status=status))) as server:
        exchange = get(client, f"{server.url}/")
    assert (exchange.status, exchange.header("location")) == (int(status[:3]), "/next")
    assert len(server.requests) == 1


def test_cookies_are_not_sent_back(client: RequestsPageClient) -> None:
    with serving(responding(page(BODY, "Set-Cookie: id=1; Path=/"))) as server:
        get(client, f"{server.url}/")
        get(client, f"{server.url}/")
    assert len(server.requests) == 2
    assert b"cookie" not in server.requests[1].lower()


def test_proxies_and_credentials_of_the_environment_are_ignored(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with serving(responding(page(b"from the proxy"))) as proxy, serving(responding(page(BODY))) as server:
        netrc = tmp_path / "netrc"
        netrc.write_text("machine shop.example login me password secret\ndefault login me password secret\n")
        netrc.chmod(0o600)
        monkeypatch.setenv("NETRC", str(netrc))
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        with made() as client:
            exchange = get(client, f"http://shop.example:{server.port}/")
    assert ending(exchange) == (200, None, BODY)
    assert proxy.connections == 0
    assert b"authorization" not in server.requests[0].lower()


# connections


def test_one_connection_serves_several_requests(client: RequestsPageClient) -> None:
    with serving(responding(page(BODY))) as server:
        for number in range(5):
            assert ending(get(client, f"{server.url}/{number}")) == (200, None, BODY)
    assert (server.connections, len(server.requests)) == (1, 5)


def test_two_names_of_one_address_share_no_connection(client: RequestsPageClient) -> None:
    with serving(responding(page(BODY))) as server:
        get(client, f"http://shop.example:{server.port}/")
        get(client, f"http://other.example:{server.port}/")
    assert server.connections == 2


@pytest.mark.parametrize(
    "response",
    [
        page(BODY, "Connection: close"),
        page(BODY, "connection: x, CLOSE"),
        b"HTTP/1.0 200 OK\r\nContent-Length: 12\r\n\r\n" + BODY,
        page(BODY) + b"more than promised",
        b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\nTransfer-Encoding: chunked\r\n\r\nc\r\n" + BODY + b"\r\n0\r\n\r\n",
    ],
    ids=["close", "close in a list", "HTTP/1.0", "leftovers", "length and chunks"],
)
def test_a_connection_that_cannot_be_reused_is_closed(client: RequestsPageClient, response: bytes) -> None:
    with serving(responding(response)) as server:
        for _ in range(2):
            assert ending(get(client, f"{server.url}/")) == (200, None, BODY)
    assert server.connections == 2


def test_a_body_that_was_cut_closes_the_connection(client: RequestsPageClient) -> None:
    with serving(responding(page(BODY))) as server:
        cut = client.fetch(FetchRequest(url=f"{server.url}/", limits=FetchLimits(max_bytes=3)))
        whole = get(client, f"{server.url}/")
    assert (cut.body, cut.truncated, whole.body) == (BODY[:3], True, BODY)
    assert server.connections == 2


def test_http_1_0_keeps_a_connection_with_keep_alive(client: RequestsPageClient) -> None:
    with serving(responding(b"HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 0\r\n\r\n")) as server:
        assert get(client, f"{server.url}/").http_version == "HTTP/1.0"
        assert get(client, f"{server.url}/").status == 200
    assert server.connections == 1


def test_a_connection_is_reused_after_chunks(client: RequestsPageClient) -> None:
    chunks = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: identity, chunked\r\n\r\nc\r\n" + BODY + b"\r\n0\r\n\r\n"
    with serving(responding(chunks)) as server:
        for _ in range(3):
            assert ending(get(client, f"{server.url}/")) == (200, None, BODY)
    assert server.connections == 1


def test_a_connection_is_reused_after_head(client: RequestsPageClient) -> None:
    def talk(peer: Peer) -> None:
        while head := peer.request():
            peer.say(page(BODY) if head.startswith(b"GET") else b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n")

    with serving(talk) as server:
        head = get(client, f"{server.url}/", method="HEAD")
        whole = get(client, f"{server.url}/")
    assert (head.method, head.header("Content-Length"), ending(head)) == ("HEAD", "12", (200, None, b""))
    assert ending(whole) == (200, None, BODY)
    assert [head.split(b" ")[0] for head in server.requests] == [b"HEAD", b"GET"]
    assert server.connections == 1


def test_an_idle_connection_that_the_server_closed_is_replaced(client: RequestsPageClient) -> None:
    with serving(once(page(BODY))) as server:
        for _ in range(3):
            assert ending(get(client, f"{server.url}/")) == (200, None, BODY)
    assert (server.connections, len(server.requests)) == (3, 3)


def ends_the_kept_connection(*, reset: bool = False, after: bytes = b"", hold: bool = False) -> Talk:
    """Respond to the first request of the first connection and end it at the second; respond on later connections."""

    def talk(peer: Peer) -> None:
        while peer.request():
            if peer.number or len(peer.server.requests) == 1:
                peer.say(page(BODY))
                continue
            peer.say(after)
            if hold:
                peer.hold()
            if reset:
                peer.reset()
            return

    return talk


@pytest.mark.parametrize("reset", [False, True], ids=["FIN", "RST"])
def test_a_request_is_repeated_if_the_kept_connection_ends_without_a_byte(
    client: RequestsPageClient, *, reset: bool
) -> None:
    with serving(ends_the_kept_connection(reset=reset)) as server:
        for _ in range(2):
            assert ending(get(client, f"{server.url}/")) == (200, None, BODY)
    assert (server.connections, len(server.requests)) == (2, 3)


def test_a_request_is_not_repeated_after_the_first_byte_of_a_response(client: RequestsPageClient) -> None:
    with serving(ends_the_kept_connection(after=b"H")) as server:
        get(client, f"{server.url}/")
        second = get(client, f"{server.url}/")
    assert ending(second) == (None, F.RESET, b"")
    assert (server.connections, len(server.requests)) == (1, 2)


def test_a_request_is_not_repeated_after_its_deadline(client: RequestsPageClient) -> None:
    with serving(ends_the_kept_connection(hold=True)) as server:
        get(client, f"{server.url}/")
        second = client.fetch(FetchRequest(url=f"{server.url}/", limits=BRIEF))
    assert ending(second) == (None, F.TIMEOUT, b"")
    assert (server.connections, len(server.requests)) == (1, 2)


def test_a_request_is_repeated_at_most_once(client: RequestsPageClient) -> None:
    def talk(peer: Peer) -> None:
        peer.request()
        if len(peer.server.requests) == 1:
            peer.say(page(BODY))
            peer.request()

    with serving(talk) as server:
        get(client, f"{server.url}/")
        second = get(client, f"{server.url}/")
    assert ending(second) == (None, F.RESET, b"")
    assert (server.connections, len(server.requests)) == (2, 3)


def test_a_repeated_request_uses_a_new_connection() -> None:
    together = Barrier(2)

    def talk(peer: Peer) -> None:
        peer.request()
        if peer.number < 2:
            together.wait(HANG)
        peer.say(page(BODY))
        peer.request()

    with made() as client, serving(talk) as server, ThreadPoolExecutor(2) as pool:
        for exchange in pool.map(lambda path: get(client, f"{server.url}/{path}"), "ab"):
            assert ending(exchange) == (200, None, BODY)
        assert ending(get(client, f"{server.url}/c")) == (200, None, BODY)
    assert (server.connections, len(server.requests)) == (3, 4)


def test_only_the_connections_of_the_last_endpoints_are_kept() -> None:
    with ExitStack() as stack:
        client = stack.enter_context(made(hosts=1))
        servers = [stack.enter_context(serving(responding(page(BODY)))) for _ in range(7)]
        for server in [*servers, servers[-1], servers[0]]:
            assert ending(get(client, f"{server.url}/")) == (200, None, BODY)
    assert [server.connections for server in servers] == [2, 1, 1, 1, 1, 1, 1]


def test_a_closed_client_has_closed_its_connections() -> None:
    received: SimpleQueue[bytes] = SimpleQueue()

    def talk(peer: Peer) -> None:
        peer.request()
        peer.say(page(BODY))
        received.put(peer.request())

    with serving(talk) as server, made() as client:
        get(client, f"{server.url}/")
        client.close()
        assert received.get(timeout=HANG) == b""  # the end of the connection, before the server ends it


def test_many_threads_share_one_client() -> None:
    threads, each = 16, 10
    together = Barrier(threads)

    def talk(peer: Peer) -> None:
        while head := peer.request():
            peer.say(page(head.split(b" ")[1]))

    with made() as client, serving(talk) as server, ThreadPoolExecutor(threads) as pool:

        def work(thread: int) -> list[tuple[int | None, TransportFault | None, bytes]]:
            together.wait(HANG)
            return [ending(get(client, f"{server.url}/{thread}/{number}")) for number in range(each)]

        found = list(pool.map(work, range(threads)))
    assert found == [[(200, None, f"/{t}/{n}".encode()) for n in range(each)] for t in range(threads)]
    assert server.connections <= threads
    assert len(server.requests) == threads * each


# TLS


def tls_only_after(garbage_after: bytes) -> Talk:
    """Speak TLS, then send bytes that are not TLS."""

    def talk(peer: Peer) -> None:
        peer.request()
        peer.say(garbage_after)
        with socket.socket(fileno=peer.sock.detach()) as bare:
            bare.sendall(b"this is no TLS record")

    return talk


@pytest.mark.parametrize(("host", "server_name"), [("shop.example", "shop.example"), ("127.0.0.1", None)])
def test_tls_checks_the_name_and_sends_it_to_the_server(
    client: RequestsPageClient, host: str, server_name: str | None
) -> None:
    with serving(responding(page(BODY)), tls=True) as server:
        for _ in range(2):
            exchange = get(client, f"https://{host}:{server.port}/")
            assert (ending(exchange), exchange.address) == ((200, None, BODY), "127.0.0.1")
    assert server.server_names == [server_name]  # one handshake, and no name for a bare address (RFC 6066 section 3)
    assert server.requests[0].split(b"\r\n")[1] == f"Host: {host}:{server.port}".encode()


def test_a_certificate_of_another_name_is_refused(client: RequestsPageClient) -> None:
    with serving(responding(page(BODY)), tls=True) as server:
        exchange = get(client, f"https://other.example:{server.port}/")
    assert (ending(exchange), server.requests) == ((None, F.TLS, b""), [])
    assert "other.example" in exchange.fault_detail


def test_a_certificate_of_an_unknown_authority_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"):
        monkeypatch.setenv(name, CA_FILE)  # the environment does not change which authorities are trusted
    with serving(responding(page(BODY)), tls=True) as server, made(ca_file=None) as client:
        exchange = get(client, f"https://shop.example:{server.port}/")
    assert (ending(exchange), server.requests) == ((None, F.TLS, b""), [])
    assert "certificate verify failed" in exchange.fault_detail.lower().replace("_", " ")


def test_tls_with_a_server_that_speaks_plainly_is_a_fault(client: RequestsPageClient) -> None:
    def talk(peer: Peer) -> None:
        peer.sock.recv(1)
        peer.say(page(BODY))
        peer.hold()

    with serving(talk) as server:
        exchange = get(client, f"https://shop.example:{server.port}/")
    assert ending(exchange) == (None, F.TLS, b"")
    assert exchange.fault_detail


def test_a_plain_request_to_a_tls_server_is_a_fault(client: RequestsPageClient) -> None:
    with serving(responding(page(BODY)), tls=True) as server:
        exchange = get(client, f"http://shop.example:{server.port}/")
    assert exchange.status is None
    assert exchange.fault in (F.PROTOCOL, F.RESET)


def test_a_handshake_that_never_ends_runs_into_the_deadline(client: RequestsPageClient) -> None:
    with serving(says_nothing) as server:
        exchange = client.fetch(FetchRequest(url=f"https://shop.example:{server.port}/", limits=BRIEF))
    assert ending(exchange) == (None, F.TIMEOUT, b"")


@pytest.mark.parametrize(
    ("before", "status"), [(b"", None), (b"HTTP/1.1 200 OK\r\n", 200), (b"HTTP/1.1 200 OK\r\n\r\nhalf", 200)]
)
def test_tls_that_breaks_in_the_middle_is_a_fault(
    client: RequestsPageClient, before: bytes, status: int | None
) -> None:
    with serving(tls_only_after(before), tls=True) as server:
        exchange = get(client, f"https://shop.example:{server.port}/")
    assert (exchange.status, exchange.fault) == (status, F.TLS)
    assert exchange.body in (b"", b"half")


# time


@pytest.mark.parametrize("timeout", [0.0, -1.0])
def test_a_request_without_time_is_not_sent(client: RequestsPageClient, timeout: float) -> None:
    with serving(responding(page(BODY))) as server:
        exchange = client.fetch(FetchRequest(url=f"{server.url}/", limits=FetchLimits(timeout=timeout)))
    assert (exchange.status, exchange.fault, server.requests) == (None, F.TIMEOUT, [])


def test_a_host_that_accepts_no_connection_ends_at_the_deadline(client: RequestsPageClient) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full, ExitStack() as stack:
        for _ in range(4):  # fill the system's queue of a server that never accepts
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(full.getsockname())
        exchange = client.fetch(FetchRequest(url=f"http://127.0.0.1:{full.getsockname()[1]}/", limits=BRIEF))
    assert (exchange.status, exchange.fault) == (None, F.CONNECT)
    assert exchange.elapsed >= 0.9 * BRIEF.timeout


# the response


def test_an_exchange_describes_the_whole_response(client: RequestsPageClient) -> None:
    zipped = gzip.compress(BODY, mtime=0)
    response = page(zipped, "X-A: 1", "x-b:  two  ", "X-A: 3", "Content-Encoding: x-gzip", status="203 So it is ")
    with serving(responding(response)) as server:
        before = time.time()
        exchange = get(client, f"{server.url}/")
        after = time.time()
    assert (exchange.url, exchange.method, exchange.address) == (f"{server.url}/", "GET", "127.0.0.1")
    assert (exchange.http_version, exchange.status, exchange.reason) == ("HTTP/1.1", 203, "So it is")
    assert exchange.headers == (
        ("Content-Length", str(len(zipped))),
        ("X-A", "1"),
        ("x-b", "two"),
        ("X-A", "3"),
        ("Content-Encoding", "x-gzip"),
    )
    assert (exchange.raw_body, exchange.body) == (zipped, BODY)
    assert (exchange.truncated, exchange.fault, exchange.fault_detail) == (False, None, "")
    assert before <= exchange.started_at <= after
    assert 0 < exchange.first_byte_after <= exchange.elapsed


def test_the_first_byte_and_the_last_are_timed(client: RequestsPageClient) -> None:
    def talk(peer: Peer) -> None:
        peer.request()
        peer.say(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n")
        peer.hold()

    with serving(talk) as server:
        exchange = client.fetch(FetchRequest(url=f"{server.url}/", limits=BRIEF))
    assert 0 < exchange.first_byte_after < exchange.elapsed
    assert exchange.elapsed >= 0.9 * BRIEF.timeout


def test_a_body_is_cut_at_each_limit(client: RequestsPageClient) -> None:
    plain = json.dumps(["x" * 50] * 20).encode()
    zipped = gzip.compress(plain, mtime=0)
    with serving(responding(page(zipped, "Content-Encoding: gzip"))) as server:
        decoded = client.fetch(FetchRequest(url=f"{server.url}/", limits=FetchLimits(max_decoded_bytes=100)))
        raw = client.fetch(FetchRequest(url=f"{server.url}/", limits=FetchLimits(max_bytes=30)))
    assert (decoded.body, decoded.raw_body, decoded.truncated, decoded.fault) == (plain[:100], zipped, True, None)
    assert (raw.raw_body, raw.truncated, raw.fault) == (zipped[:30], True, None)
    assert plain.startswith(raw.body)


@pytest.mark.parametrize(
    ("kind", "size", "only_html", "is_read"),
    [
        ("application/zip", 70_000, True, False),
        ("application/zip", 70_000, False, True),
        ("application/zip", 60_000, True, True),
        ("text/html; charset=utf-8", 70_000, True, True),
        ("", 70_000, True, True),
    ],
)
def test_the_long_body_of_a_file_is_not_read_if_only_html_is_needed(
    client: RequestsPageClient, kind: str, size: int, *, only_html: bool, is_read: bool
) -> None:
    with serving(responding(page(b"x" * size, f"Content-Type: {kind}" if kind else "X: y"))) as server:
        exchange = client.fetch(FetchRequest(url=server.url, only_html=only_html))
    assert (exchange.status, exchange.is_stream, len(exchange.body)) == (200, not is_read, size * is_read)


def test_an_error_is_read_also_if_only_html_is_needed(client: RequestsPageClient) -> None:
    head = b"HTTP/1.1 404 Not Found\r\nContent-Type: application/zip\r\nContent-Length: 70000\r\n\r\n"
    with serving(responding(head + b"x" * 70_000)) as server:
        exchange = client.fetch(FetchRequest(url=server.url, only_html=True))
    assert (exchange.status, exchange.is_stream, len(exchange.body)) == (404, False, 70_000)


def test_a_plain_body_is_cut_at_the_decoded_limit_too(client: RequestsPageClient) -> None:
    with serving(responding(page(BODY))) as server:
        exchange = client.fetch(FetchRequest(url=f"{server.url}/", limits=FetchLimits(max_decoded_bytes=5)))
    assert (exchange.body, exchange.raw_body, exchange.truncated) == (BODY[:5], BODY, True)


@dataclass(frozen=True, slots=True)
class Heading:
    name: str
    sent: bytes
    status: int | None
    fault: TransportFault | None = None
    headers: tuple[tuple[str, str], ...] = ()


OK = b"HTTP/1.1 200 OK\r\n"
END = b"Content-Length: 0\r\n\r\n"
LENGTH = ("Content-Length", "0")


@pytest.mark.parametrize(
    "case",
    [
        Heading("a folded line", OK + b"X: a\r\n\t b\r\n  c\r\n" + END, 200, None, (("X", "a b c"), LENGTH)),
        Heading("an empty value with a fold", OK + b"X:\r\n a\r\n" + END, 200, None, (("X", "a"), LENGTH)),
        Heading(
            "a fold after a line without colon", OK + b"X: a\r\ny\r\n z\r\n" + END, 200, None, (("X", "a"), LENGTH)
        ),
        Heading("a fold of nothing", OK + b"  lost\r\n" + END, 200, None, (LENGTH,)),
        Heading("a bare CR in a value", OK + b"X: a\rb\r\n" + END, 200, None, (("X", "a b"), LENGTH)),
        Heading(
            "a bare CR in a name", OK + b"X: a\r\nY\rZ: b\r\n" + END, 200, None, (("X", "a"), ("Y Z", "b"), LENGTH)
        ),
        Heading(
            "a bare CR before a name",
            OK + b"X: a\r\n\rContent-Length: 9\r\n" + END,
            200,
            None,
            (("X", "a Content-Length: 9"), LENGTH),
        ),
        Heading("a NUL in a head that breaks off", OK + b"X: a\r\nY: \0\r\n", 200, F.RESET, (("X", "a"),)),
        Heading("a line without a name", OK + b": x\r\n" + END, 200, None, (LENGTH,)),
        Heading("UTF-8", OK + "X: ä\r\n".encode() + END, 200, None, (("X", "ä"), LENGTH)),
        Heading("Latin-1", OK + b"X: \xe4\r\n" + END, 200, None, (("X", "ä"), LENGTH)),
        Heading(
            "UTF-8 and Latin-1 in two lines",
            OK + "X: ä\r\n".encode() + b"Y: \xe4\r\n" + END,
            200,
            None,
            (("X", "ä"), ("Y", "ä"), LENGTH),
        ),
        Heading(
            "a Location with bytes that are no UTF-8",
            OK + b"LOCATION: /caf\xe9/\xc3\xa4\r\n" + END,
            200,
            None,
            (("LOCATION", "/caf%E9/ä"), LENGTH),
        ),
        Heading("no status in whole lines", b"HTTP/1.1 OK\r\nX: y\r\n", None, F.RESET),
        Heading("an interim response that breaks off", b"HTTP/1.1 100 Continue\r\nX: y\r\n", None, F.RESET),
        Heading("a reason that is not printable", b"HTTP/1.1 200 O\x1bK\r\n" + END, 200, None, (LENGTH,)),
    ],
    ids=lambda case: case.name,
)
def test_a_head_with(case: Heading, client: RequestsPageClient) -> None:
    with serving(once(case.sent)) as server:
        exchange = get(client, f"{server.url}/")
    assert (exchange.status, exchange.fault, exchange.headers) == (case.status, case.fault, case.headers)
    assert exchange.reason.isprintable()


def test_a_trailer_that_is_too_long_is_a_fault(client: RequestsPageClient) -> None:
    chunks = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nc\r\n" + BODY + b"\r\n0\r\nX: " + b"x" * 5_000
    with serving(once(chunks)) as server:
        exchange = get(client, f"{server.url}/")
    assert ending(exchange) == (200, F.PROTOCOL, BODY)


def test_the_fake_authority_is_not_among_the_systems() -> None:
    assert CA_FILE not in str(ssl.get_default_verify_paths())
