"""A connection of `wavecrawl serve`: uvicorn's protocol, with limits for clients without an API key (ADR 32).

Four things differ from uvicorn. At most `_READ` bytes are received at a time. A body is not parsed before the
application asks for it. The work for one request is limited. A connection that is closed before its client has sent all
is read a little longer, unparsed, as the client would otherwise lose the response (RFC 9112, section 9.6).
"""

import asyncio
import json
from collections.abc import MutableMapping
from http import HTTPStatus
from types import MappingProxyType
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from wavecrawl.api.asgi import ADMITTED, LARGE_BODY, Message, Receive, Send
from wavecrawl.api.problems import PROBLEM_JSON, RETRY_AFTER, Problem
from wavecrawl.api.server_limits import ServerLimits
from wavecrawl.cli.open_connections import OpenConnections

MOST_HEAD: Final = 16_384
"""Bytes of the head of a request: the request line and the headers."""

MOST_PIECES: Final = 2_048
"""Reads of the socket, and chunks of the body, for one request. A body of 64 KiB may have chunks of 32 bytes.

A file that is sent to a signed URL may have more, and more bytes.
"""

MOST_RECEIVED: Final = 2_097_152
"""Bytes that are received for one request: twice the largest body that can be allowed, as chunks have heads."""

MOST_DISCARDED: Final = 256
"""Reads of the socket after a response before the end of the body."""

_READ: Final = 16_384
_UPLOADED_PIECE: Final = 512  # bytes
_LINGER: Final = 2.0  # seconds to read what a client still sends after a response before the end of the body
_CLOSE: Final = (b"connection", b"close")

_buffer = bytearray(_READ)  # shared by all connections: what is received is copied before the next one reads


class BoundedParser(h11.Connection):
    """h11's parser, which parses no body before `takes_body` is set and does a limited amount of work for a request."""

    def __init__(self) -> None:
        super().__init__(h11.SERVER, MOST_HEAD)
        self.problem: tuple[HTTPStatus, str] | None = None
        self._begin()

    def _begin(self) -> None:
        self.has_unread_body = False
        self.takes_body = False
        self.pieces = 0
        self.received = 0
        self.most_pieces = MOST_PIECES
        self.most_received = MOST_RECEIVED

    def expect(self, size: int) -> None:
        """Let the request have a body of `size` bytes, in reads and chunks of 512 bytes on average."""
        self.most_pieces += 2 * size // _UPLOADED_PIECE
        self.most_received += 2 * size

    def start_next_cycle(self) -> None:
        """Expect another request."""
        super().start_next_cycle()
        self._begin()

    def receive_data(self, data: bytes) -> None:
        """Add what was read from the socket."""
        self.pieces += 1
        self.received += len(data)
        super().receive_data(data)

    def next_event(self) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        """Return the next part of a request; raise RemoteProtocolError if it is invalid, or is too much work."""
        if self.has_unread_body and not self.takes_body:
            return h11.PAUSED
        if self.pieces > self.most_pieces or self.received > self.most_received:
            limits = f"{self.most_pieces:,} pieces or {self.most_received:,} bytes"
            detail = f"the request was sent in more than {limits}; use content-length or larger chunks"
            self.problem = (HTTPStatus.BAD_REQUEST, detail)
            raise h11.RemoteProtocolError("too many pieces")
        try:
            event = super().next_event()
        except h11.RemoteProtocolError as error:
            self.problem = _problem_of(error)
            raise
        if isinstance(event, h11.Request):
            self.has_unread_body = _has_body(event)
        elif isinstance(event, h11.Data):
            self.pieces += 1
        elif isinstance(event, h11.EndOfMessage):
            self.has_unread_body = False
        return event


class LimitedProtocol(H11Protocol, asyncio.BufferedProtocol):
    """One connection."""

    def __init__(self, limits: ServerLimits, connections: OpenConnections, /, **of_uvicorn: Any) -> None:
        super().__init__(**of_uvicorn)
        self.conn: BoundedParser = BoundedParser()
        self._limits = limits
        self._open = connections
        self._application, self.app = self.app, self._respond
        self._head_timer: asyncio.TimerHandle | None = None
        self._discarded = 0
        self._is_discarding = False
        self._lost = asyncio.Event()

    # What asyncio calls

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection in, or refuse it."""
        super().connection_made(transport)
        if self._open.open(self, self.client[0] if self.client else ""):
            self._await_head()
        else:
            transport.write(
                _raw(HTTPStatus.SERVICE_UNAVAILABLE, "too many connections are open", ("retry-after", RETRY_AFTER))
            )
            transport.close()

    def get_buffer(self, sizehint: int) -> bytearray:  # noqa: ARG002 - defined by asyncio
        """Return where the next bytes are received."""
        return _buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Parse what was received, unless the connection is only read to its end."""
        if self._is_discarding:
            self._discarded += 1
            if self._discarded > MOST_DISCARDED:
                self.transport.close()
        else:
            self.data_received(bytes(_buffer[:nbytes]))

    def data_received(self, data: bytes) -> None:
        """Parse what was received."""
        super().data_received(data)
        self._note_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._stop_waiting()
        self._open.close(self)
        self._lost.set()
        super().connection_lost(exc)

    def disconnect(self) -> None:
        """Close the connection immediately."""
        self.transport.abort()

    # What uvicorn calls

    def on_response_complete(self) -> None:
        """Expect another request, or close the connection."""
        if self.transport.is_closing() and self.transport.get_write_buffer_size():
            self.loop.call_later(self._limits.unread_seconds, self.transport.abort)
        super().on_response_complete()
        if self.conn.their_state is h11.IDLE and not self.transport.is_closing():
            self._open.waits(self)

    def timeout_keep_alive_handler(self) -> None:
        """Close a connection without a request. What its client has not read by now is dropped."""
        if self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            super().timeout_keep_alive_handler()

    def send_400_response(self, msg: str) -> None:
        """Respond to something that is no request, and close the connection."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.write(_raw(*(self.conn.problem or (HTTPStatus.BAD_REQUEST, msg))))
        if self.cycle is not None:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self._discard()

    def _should_upgrade(self) -> bool:
        """Ignore requests for another protocol (RFC 9110, section 7.8). Uvicorn logs a warning for each."""
        return False

    # The application of one request

    async def _respond(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        async def received() -> Message:
            if self.conn.has_unread_body and not self.conn.takes_body:
                self.conn.takes_body = True
                self.handle_events()
                self._note_head()
            return await receive()

        async def sent(message: Message) -> None:
            ends_early = self.conn.has_unread_body
            if ends_early and message["type"] == "http.response.start" and _CLOSE not in message["headers"]:
                message = {**message, "headers": [*message["headers"], _CLOSE]}
            is_last = message["type"] == "http.response.body" and not message.get("more_body", False)
            if self.flow.write_paused:
                await self._drained()
            await send({**message, "more_body": True} if is_last and ends_early else message)
            if is_last and ends_early:
                self._discard()
                await self._lost.wait()

        def admitted() -> None:
            self._open.works(self)

        extensions = {**(scope.get("extensions") or {}), LARGE_BODY: self.conn.expect, ADMITTED: admitted}
        await self._application({**scope, "extensions": extensions}, received, sent)

    async def _drained(self) -> None:
        """Wait until the client has read most of what was sent; raise ConnectionResetError if it does not in time."""
        try:
            async with asyncio.timeout(self._limits.unread_seconds):
                await self.flow.drain()
        except TimeoutError:
            self.transport.abort()
            raise ConnectionResetError from None

    def _discard(self) -> None:
        """Read what the client still sends, unparsed, then close the connection."""
        if not self._is_discarding:
            self._is_discarding = True
            self._open.waits(self)
            self.flow.resume_reading()
            self.loop.call_later(_LINGER, self.transport.abort)

    def _note_head(self) -> None:
        if self.conn.their_state is not h11.IDLE:
            self._stop_waiting()
            if not (self._is_discarding or self.conn.has_unread_body):
                self._open.works(self)
        elif self._head_timer is None:
            self._await_head()

    def _await_head(self) -> None:
        self._open.waits(self)
        self._head_timer = self.loop.call_later(self._limits.request_seconds, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None


def _has_body(request: h11.Request) -> bool:
    """Return whether a body follows (RFC 9112, section 6.3). h11 has checked the values."""
    return any(
        name == b"transfer-encoding" or (name == b"content-length" and int(value) > 0)
        for name, value in request.headers
    )


_DETAILS: Final = MappingProxyType(
    {
        HTTPStatus.BAD_REQUEST: "the request is not valid HTTP/1.1 (RFC 9112)",
        HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE: f"the head of a request may have at most {MOST_HEAD:,} bytes",
        HTTPStatus.NOT_IMPLEMENTED: "the only transfer coding that is supported is chunked",
    }
)


def _problem_of(error: h11.RemoteProtocolError) -> tuple[HTTPStatus, str]:
    status = HTTPStatus(error.error_status_hint)
    return status, _DETAILS.get(status, str(status.phrase))


def problem_document(status: HTTPStatus, detail: str) -> bytes:
    """Return the body of an error response."""
    return json.dumps(Problem(status, detail).document()).encode()


def _raw(status: HTTPStatus, detail: str, *headers: tuple[str, str]) -> bytes:
    """Return a complete response that closes the connection."""
    body = problem_document(status, detail)
    lines = [
        f"HTTP/1.1 {status.value} {status.phrase}",
        f"content-type: {PROBLEM_JSON}",
        f"content-length: {len(body)}",
        "connection: close",
        *(f"{name}: {value}" for name, value in headers),
    ]
    return "\r\n".join((*lines, "", "")).encode() + body
