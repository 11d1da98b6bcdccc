"""The proxy between the browser and the network: HTTP/1.1, and tunnels by CONNECT for TLS and websockets.

It connects as `adapters/http` does: the same addresses and ports, checked at connect time, and through the same
outbound proxy. It serves only the pages that are being rendered, each with its own random credential. TLS is not
decrypted.
"""

import asyncio
import socket
from asyncio import StreamReader, StreamWriter
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from time import monotonic

from wavecrawl.adapters.browser.page_gate import GateClosedError, PageGate
from wavecrawl.adapters.browser.proxy_messages import MAX_HEAD, ProxyRequest, forwarded_response, parse_request
from wavecrawl.adapters.http.connections import Dialer
from wavecrawl.adapters.http.outbound_proxies import OutboundProxy
from wavecrawl.adapters.http.target import Endpoint
from wavecrawl.adapters.http.transfer_errors import TransferError

HOST = "127.0.0.1"
NAME = "proxy.wavecrawl.invalid"
"""The name of the proxy in the browser. It is the only one that the browser resolves, to `HOST`."""

_HEAD_SECONDS = 30.0  # for the browser to send a request
_DIAL_SECONDS = 15.0  # for a name lookup and a connection
_DIALS = 16  # at the same time, each in a thread
_CHUNK = 65_536  # bytes
_AUTHENTICATE = (
    b'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="wavecrawl"\r\n'
    b"Content-Length: 0\r\nConnection: close\r\n\r\n"
)
_GREETING_HOST = "wavecrawl.invalid"  # no host has this name (RFC 6761 6.4)
GREETING = f"http://{_GREETING_HOST}/"
"""A URL to which the proxy itself responds, without content.

A page requests it first. The browser then knows the credential, and sends it with every request. It would not send it
after a 407 response to an image of another origin, or to a websocket.
"""

_GREETED = b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"
_REFUSED = b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
_TUNNEL = b"HTTP/1.1 200 Connection established\r\n\r\n"
_ENDED = (OSError, EOFError, asyncio.LimitOverrunError, TimeoutError, GateClosedError, TransferError)

Count = Callable[[int], None]


class GuardedProxy:
    """A proxy on loopback for the pages that are being rendered. Use it in one event loop."""

    def __init__(self, dialer: Dialer) -> None:
        self.url = ""  # once it is started
        self._dialer = dialer
        self._gates: dict[str, PageGate] = {}  # by the value of Proxy-Authorization
        self._server: asyncio.Server | None = None
        self._threads = ThreadPoolExecutor(_DIALS, thread_name_prefix="dial")
        self._connections: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Listen on a free port, unless it does already."""
        if self._server is None:
            self._server = await asyncio.start_server(self._serve, HOST, 0, limit=MAX_HEAD)
            self.url = f"http://{NAME}:{self._server.sockets[0].getsockname()[1]}"

    async def close(self) -> None:
        """End every connection and stop listening."""
        for gate in tuple(self._gates.values()):
            self.shut(gate)
        if self._server is not None:
            self._server.close()
        for task in tuple(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        self._threads.shutdown(wait=False)

    def open(self, gate: PageGate) -> None:
        """Serve the page that has this gate."""
        self._gates[gate.authorization] = gate

    def shut(self, gate: PageGate) -> None:
        """Serve the page no longer, and end its connections."""
        self._gates.pop(gate.authorization, None)
        gate.close()

    async def _serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - it is called by a task
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)
        try:
            async with asyncio.timeout(_HEAD_SECONDS):
                request = parse_request(await reader.readuntil(b"\r\n\r\n"))
            gate = self._gates.get(request.authorization)
            if gate is None:
                writer.write(_AUTHENTICATE)
                await writer.drain()
            else:
                gate.enter(task)
                if request.endpoint.host == _GREETING_HOST:
                    writer.write(_GREETED)
                    await writer.drain()
                    return
                await self._forward(request, reader, writer, gate)
        except _ENDED:
            pass  # the browser sees a closed connection
        except asyncio.CancelledError:
            pass  # the page is done
        finally:
            with suppress(OSError):
                writer.close()

    async def _forward(self, request: ProxyRequest, reader: StreamReader, writer: StreamWriter, gate: PageGate) -> None:
        endpoint, via = request.endpoint, None
        if not request.is_tunnel:
            via = self._dialer.proxies.proxy_for("http", endpoint.host, endpoint.port)
        try:
            sock = await self._dial(endpoint, scheme="https" if request.is_tunnel else "http")
        except TransferError:
            if request.is_tunnel:
                writer.write(_REFUSED)
                await writer.drain()
            return
        up_reader, up_writer = await asyncio.open_connection(sock=sock, limit=MAX_HEAD)
        try:
            if request.is_tunnel:
                writer.write(_TUNNEL)
                respond = _pump(up_reader, writer, gate.count_received)
            else:
                gate.count_sent(len(request.head))
                up_writer.write(request.head_for(via))
                respond = _response(up_reader, writer, gate.count_received, via)
            await _until_answered(_pump(reader, up_writer, gate.count_sent), respond)
        finally:
            with suppress(OSError):
                up_writer.close()

    async def _dial(self, endpoint: Endpoint, *, scheme: str) -> socket.socket:
        """Return a connected socket. Raise TransferError if the address may not be reached, or cannot be."""
        deadline = monotonic() + _DIAL_SECONDS
        dialled = self._threads.submit(
            self._dialer.dial, endpoint.host, endpoint.port, deadline=deadline, scheme=scheme
        )
        try:
            sock, _ = await asyncio.wrap_future(dialled)
        except asyncio.CancelledError:
            dialled.add_done_callback(_close_dialled)
            raise
        sock.setblocking(False)
        return sock


def _close_dialled(dialled: "Future[tuple[socket.socket, str]]") -> None:
    if not dialled.cancelled() and dialled.exception() is None:
        dialled.result()[0].close()


async def _until_answered(sending: Awaitable[None], responding: Awaitable[None]) -> None:
    """Send until the response is complete: a server may respond before it has read everything."""
    sender = asyncio.ensure_future(sending)
    try:
        await responding
    finally:
        sender.cancel()
        with suppress(asyncio.CancelledError, *_ENDED):
            await sender


async def _response(reader: StreamReader, writer: StreamWriter, count: Count, via: OutboundProxy | None) -> None:
    """Pass on one response. Its connection is closed afterwards, so the next request is checked by itself."""
    final = False
    while not final:
        head, final = forwarded_response(await reader.readuntil(b"\r\n\r\n"), via)
        count(len(head))
        writer.write(head)
    await _pump(reader, writer, count)


async def _pump(reader: StreamReader, writer: StreamWriter, count: Count) -> None:
    while data := await reader.read(_CHUNK):
        count(len(data))
        writer.write(data)
        await writer.drain()
    if writer.can_write_eof():
        writer.write_eof()
