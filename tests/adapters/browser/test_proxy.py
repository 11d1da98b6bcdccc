"""The proxy of the browser, without a browser."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from wavecrawl.adapters.browser.page_gate import PageGate
from wavecrawl.adapters.browser.proxy import GREETING, GuardedProxy
from wavecrawl.adapters.browser.proxy_messages import MAX_HEAD
from wavecrawl.adapters.http.addresses import AddressPolicy
from wavecrawl.adapters.http.connections import Dialer
from wavecrawl.adapters.http.outbound_proxies import outbound_proxies
from wavecrawl.adapters.http.resolver import Resolver

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Setting:
    """A proxy with the gate of one page, and a server behind it."""

    def __init__(self, port: int, proxy: GuardedProxy, gate: PageGate) -> None:
        self.port, self.proxy, self.gate = port, proxy, gate
        self.received: list[bytes] = []

    async def send(self, message: str, *, proof: str | None = None, more: bytes = b"") -> bytes:
        """Send a request to the proxy with the gate's credential, and return everything that it sends."""
        reader, writer = await asyncio.open_connection("127.0.0.1", int(self.proxy.url.rpartition(":")[2]))
        proof = self.gate.authorization if proof is None else proof
        lines = message.format(port=self.port).rstrip().splitlines()
        field = [f"Proxy-Authorization: {proof}"] if proof else []
        writer.write("\r\n".join((lines[0], *field, *lines[1:], "", "")).encode() + more)
        try:
            return await reader.read()
        except ConnectionResetError:
            return b""
        finally:
            writer.close()


def running(
    test: Callable[[Setting], Awaitable[None]],
    *,
    response: bytes = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\nX: y\r\n\r\nok",
    allowed: str = "127.0.0.1:{port}",
    max_bytes: int = 10_000,
    outer: str = "",
) -> None:
    async def main() -> None:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                setting.received.append(await reader.readuntil(b"\r\n\r\n"))
                writer.write(response)
            except EOFError:
                pass  # the proxy closed the connection
            finally:
                writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        policy = AddressPolicy((allowed.format(port=port),))
        proxies = outbound_proxies({"WAVECRAWL_PROXY": outer.format(port=port)})
        resolver = Resolver(lookup=lambda _: ("127.0.0.1",))
        proxy = GuardedProxy(Dialer(resolver=resolver, policy=policy, proxies=proxies))
        await proxy.start()
        setting = Setting(port, proxy, PageGate(max_bytes=max_bytes))
        proxy.open(setting.gate)
        try:
            await asyncio.wait_for(test(setting), 60)
        finally:
            await proxy.close()
            server.close()

    asyncio.run(main())


GET = (
    "GET http://site.example:{port}/path?q HTTP/1.1\r\nHost: site.example:{port}\r\n"
    "Proxy-Connection: keep-alive\r\nA: b"
)
CONNECT = "CONNECT site.example:{port} HTTP/1.1\r\nHost: site.example:{port}"


def test_a_request_is_forwarded_without_what_is_for_the_proxy() -> None:
    async def test(setting: Setting) -> None:
        received = await setting.send(GET)
        assert received == b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX: y\r\nConnection: close\r\n\r\nok"
        host = f"site.example:{setting.port}".encode()
        assert setting.received == [b"GET /path?q HTTP/1.1\r\nHost: " + host + b"\r\nA: b\r\nConnection: close\r\n\r\n"]
        assert setting.gate.received == len(received)

    running(test)


def test_a_tunnel_passes_bytes_as_they_are() -> None:
    async def test(setting: Setting) -> None:
        received = await setting.send(CONNECT, more=b"GET / HTTP/1.1\r\n\r\n")
        assert received.startswith(b"HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 200 OK\r\n")
        assert received.endswith(b"Connection: keep-alive\r\nX: y\r\n\r\nok")

    running(test)


OUTER = "http://me:secret@proxy.example:{port}"
PROOF = b"Proxy-Authorization: Basic bWU6c2VjcmV0\r\n"


def test_an_outbound_proxy_gets_the_whole_url_and_its_own_credentials() -> None:
    async def test(setting: Setting) -> None:
        assert (await setting.send(GET)).endswith(b"ok")
        where = f"site.example:{setting.port}".encode()
        assert setting.received == [
            b"GET http://" + where + b"/path?q HTTP/1.1\r\nHost: " + where + b"\r\nA: b\r\nConnection: close\r\n"
            b"" + PROOF + b"\r\n"
        ]

    running(test, outer=OUTER)


def test_a_tunnel_leads_through_the_outbound_proxy() -> None:
    async def test(setting: Setting) -> None:
        assert (await setting.send(CONNECT)).startswith(b"HTTP/1.1 200 Connection established\r\n\r\n")
        where = f"site.example:{setting.port}".encode()
        assert setting.received == [b"CONNECT " + where + b" HTTP/1.1\r\nHost: " + where + b"\r\n" + PROOF + b"\r\n"]

    running(test, outer=OUTER, response=b"HTTP/1.1 200 OK\r\n\r\n")


@pytest.mark.parametrize(("message", "expected"), [(GET, b""), (CONNECT, b"HTTP/1.1 502 Bad Gateway\r\n")])
def test_the_browser_is_not_asked_for_the_credentials_of_the_outbound_proxy(message: str, expected: bytes) -> None:
    async def test(setting: Setting) -> None:
        received = await setting.send(message)
        assert received.startswith(expected)
        assert b"407" not in received
        assert setting.received

    response = b'HTTP/1.1 407 Required\r\nProxy-Authenticate: Basic realm="x"\r\nContent-Length: 0\r\n\r\n'
    running(test, outer=OUTER, response=response)


@pytest.mark.parametrize("message", [GET, CONNECT])
def test_the_outbound_proxy_is_not_asked_for_addresses_outside_the_internet(message: str) -> None:
    async def test(setting: Setting) -> None:
        await setting.send(message.replace("site.example", "10.0.0.1"))
        assert setting.received == []

    running(test, outer=OUTER)


@pytest.mark.parametrize("message", [GET, CONNECT])
@pytest.mark.parametrize("proof", ["", "Basic eDp5", "Bearer x"])
def test_another_program_is_not_served(message: str, proof: str) -> None:
    async def test(setting: Setting) -> None:
        received = await setting.send(message, proof=proof)
        assert received.startswith(b"HTTP/1.1 407 Proxy Authentication Required\r\n")
        assert setting.received == []

    running(test)


@pytest.mark.parametrize("message", [GET, CONNECT])
def test_a_page_is_not_served_after_it_is_done(message: str) -> None:
    async def test(setting: Setting) -> None:
        setting.proxy.shut(setting.gate)
        assert (await setting.send(message)).startswith(b"HTTP/1.1 407 ")
        assert setting.received == []

    running(test)


def test_a_connection_ends_with_its_page() -> None:
    async def test(setting: Setting) -> None:
        entered, enter = asyncio.Event(), setting.gate.enter

        def noted(connection: asyncio.Task[None]) -> None:
            enter(connection)
            entered.set()

        setting.gate.enter = noted  # type: ignore[method-assign]
        waiting = asyncio.create_task(setting.send(CONNECT))  # the server waits for a request
        await entered.wait()
        setting.proxy.shut(setting.gate)
        assert (await waiting).partition(b"\r\n")[0] in {b"", b"HTTP/1.1 200 Connection established"}

    running(test)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (GET, b""),
        (CONNECT, b"HTTP/1.1 502 "),
        ("GET http://127.0.0.1:{port}/ HTTP/1.1", b""),
        ("CONNECT 169.254.169.254:80 HTTP/1.1", b"HTTP/1.1 502 "),
    ],
)
def test_addresses_that_are_not_allowed_are_refused(message: str, expected: bytes) -> None:
    async def test(setting: Setting) -> None:
        received = await setting.send(message)
        assert received[: len(expected)] == expected
        assert bool(received) == bool(expected)
        assert setting.received == []

    running(test, allowed="127.0.0.1:1")


@pytest.mark.parametrize(
    "message",
    [
        "GET https://site.example/ HTTP/1.1",
        "GET / HTTP/1.1",
        "GET http://user@site.example:{port}/ HTTP/1.1",
        "CONNECT site.example:22 HTTP/1.1",
        "CONNECT site.example:{port}/x HTTP/1.1",
        "CONNECT HTTP/1.1",
        "nonsense",
        "GET http://site.example:{port}/\u00e9 HTTP/1.1",
        "GET http://site.example:{port}/ HTTP/1.1\r\nX: " + "x" * MAX_HEAD,
    ],
)
def test_malformed_requests_are_not_forwarded(message: str) -> None:
    async def test(setting: Setting) -> None:
        assert await setting.send(message) == b""
        assert setting.received == []

    running(test)


@pytest.mark.parametrize(
    "response", [b"", b"garbage\r\n\r\n", b"HTTP/1.1 abc\r\n\r\n", b"HTTP/1.1 200 OK\r\nunfinished"]
)
def test_a_response_that_is_not_http_ends_the_connection(response: bytes) -> None:
    async def test(setting: Setting) -> None:
        assert await setting.send(GET) == b""

    running(test, response=response)


def test_interim_responses_are_passed_on() -> None:
    early = b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"

    async def test(setting: Setting) -> None:
        assert await setting.send(GET) == early + b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"

    running(test, response=early + b"HTTP/1.1 204 No Content\r\n\r\n")


def test_a_page_that_receives_too_much_is_cut() -> None:
    async def test(setting: Setting) -> None:
        received = await setting.send(GET)
        assert len(received) <= 1_000
        assert setting.gate.problem == "the page received more than 1,000 bytes"
        assert await setting.send(GET) == b""
        assert len(setting.received) == 1

    running(test, response=b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 200_000, max_bytes=1_000)


def test_the_greeting_teaches_the_credential() -> None:
    async def test(setting: Setting) -> None:
        greeting = f"GET {GREETING} HTTP/1.1"
        assert (await setting.send(greeting, proof="")).startswith(b"HTTP/1.1 407 ")
        assert (await setting.send(greeting)).startswith(b"HTTP/1.1 204 ")
        assert setting.received == []

    running(test)
