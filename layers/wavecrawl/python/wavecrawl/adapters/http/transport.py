"""The requests session and transport adapter behind the page client and the webhook sender."""

from collections.abc import Iterator, Mapping
from time import monotonic
from typing import Any

from msgspec import Struct
from requests import PreparedRequest, Response, Session
from requests.adapters import BaseAdapter

from wavecrawl.adapters.http.body_buffer import BodyBuffer
from wavecrawl.adapters.http.connections import ConnectionPool, PinnedConnection
from wavecrawl.adapters.http.deadline_socket import DeadlineSocket
from wavecrawl.adapters.http.header_fields import HeaderFields
from wavecrawl.adapters.http.outbound_proxies import OutboundProxy
from wavecrawl.adapters.http.proxy_tunnel import AUTHENTICATION_REQUIRED, unauthenticated
from wavecrawl.adapters.http.response_body import BodyReader, framing_of
from wavecrawl.adapters.http.response_head import ResponseHead, ResponseHeadError, read_head
from wavecrawl.adapters.http.target import Target, target_of
from wavecrawl.adapters.http.transfer_errors import StaleConnectionError, TransferError
from wavecrawl.domain.fetching.exchange import TransportFault

# What a client sees if the server closed an idle connection before the request arrived. A new connection that breaks
# the same way is retried too: which of the two happens depends on timing, and the result of a page must not.
_STALE = frozenset((TransportFault.RESET, TransportFault.TLS))


class GuardedSession(Session):
    """A requests session that sends everything through one GuardedAdapter.

    It follows no redirects and takes nothing from the environment: the pool knows certificates and proxies. Send with
    `stream=True` and read from `Response.raw`, which bounds the body; `Response.content` does not.
    """

    def __init__(self, pool: ConnectionPool) -> None:
        super().__init__()
        self.trust_env = False
        self.adapters.clear()
        adapter = GuardedAdapter(pool)
        self.mount("http://", adapter)
        self.mount("https://", adapter)

    def resolve_redirects(self, *_args: Any, **_options: Any) -> Iterator[Response]:
        """Return no further responses: redirects are not followed, and requests does not parse their Location."""
        return iter(())


class ReceivedBody(Struct, frozen=True, gc=False):
    """The part of a body that was received, without its transfer coding."""

    data: bytes
    truncated: bool = False  # cut at the limit
    fault: TransferError | None = None  # why the rest is missing


class RawResponse:
    """The `raw` of a requests Response: the head as received, and the body, still in its content coding."""

    __slots__ = ("_body", "_connection", "_pool", "address", "head", "head_at", "headers")

    def __init__(
        self,
        head: ResponseHead,
        headers: HeaderFields,
        body: BodyReader | TransferError,  # an error: why the body cannot be read
        *,
        pool: ConnectionPool,
        connection: PinnedConnection,
        head_at: float | None = None,
    ) -> None:
        self.head = head
        self.headers = headers
        self.head_at = head_at  # monotonic seconds when the head was complete; None if it never was
        self.address = connection.address  # of the server
        self._body = body
        self._pool = pool
        self._connection: PinnedConnection | None = connection

    def read(self, amt: int) -> bytes:
        """Return at least one and at most `amt` bytes, or b"" at the end of the body. Raise TransferError.

        The end and errors release the connection, so that `Response.content` needs no `close`.
        """
        try:
            if isinstance(self._body, TransferError):
                raise self._body
            piece = self._body.read(amt)
        except TransferError:
            self.close()
            raise
        if not piece:
            self.close()
        return piece

    def receive(self, limit: int) -> ReceivedBody:
        """Read the body up to `limit` bytes. Never raises: bytes received before a fault are returned with it."""
        body = self._body
        if isinstance(body, TransferError):
            return ReceivedBody(b"", fault=body)
        data = BodyBuffer()
        fault = None
        try:
            while body.more() and data.size < limit:
                data.add(body.read(limit - data.size))
        except TransferError as error:
            fault = error
        return ReceivedBody(data.content(limit), truncated=fault is None and not body.ended, fault=fault)

    @property
    def longest_body(self) -> int:
        """The most bytes that the body can have, without its transfer coding."""
        return self._body.longest if isinstance(self._body, BodyReader) else 0

    @property
    def content_type(self) -> str:
        """The Content-Type as sent, "" if there is none."""
        return self.headers.get("Content-Type", "")

    def extend_deadline(self, seconds: float) -> None:
        """Give the body more time: the client was not ready to read it."""
        if isinstance(self._body, BodyReader):
            self._body.extend_deadline(seconds)

    def end_within(self, seconds: float) -> None:
        """Give the body no more than this time."""
        if isinstance(self._body, BodyReader):
            self._body.end_within(seconds)

    def close(self) -> None:
        """Return the connection to the pool, or close it if it cannot be used again."""
        connection, self._connection = self._connection, None
        if connection is None:
            return
        if isinstance(self._body, BodyReader) and self._body.can_reuse_connection:
            self._pool.give_back(connection)
        else:
            connection.close()


class GuardedAdapter(BaseAdapter):
    """A transport adapter that connects to checked addresses only and ends at a deadline.

    It repeats a request in the one case that RFC 9110 section 9.2.2 allows: the connection broke before the first byte
    of the response.
    """

    def __init__(self, pool: ConnectionPool) -> None:
        super().__init__()
        self._pool = pool

    def send(  # noqa: PLR0917 - the signature is requests' own
        self,
        request: PreparedRequest,
        stream: bool = False,  # noqa: FBT001, FBT002 - the signature is requests' own
        timeout: Any = None,
        verify: Any = True,  # noqa: FBT002 - the signature is requests' own
        cert: Any = None,
        proxies: Mapping[str, str] | None = None,
    ) -> Response:
        """Send the request and return the response with its body unread.

        `timeout` is required and bounds the whole exchange with its body, in seconds. Raise TransferError if no status
        is received. Certificates are always verified, and the dialer decides on proxies, whatever the other arguments
        say.
        """
        del stream, verify, cert, proxies
        deadline = monotonic() + float(timeout)
        target = target_of(request.url or "")
        try:
            raw = self._exchange(request, target, deadline=deadline)
        except StaleConnectionError:
            raw = self._exchange(request, target, deadline=deadline, fresh=True)
        return _response(request, raw)

    def close(self) -> None:
        """Close every idle connection."""
        self._pool.close()

    def _exchange(
        self, request: PreparedRequest, target: Target, *, deadline: float, fresh: bool = False
    ) -> RawResponse:
        connection = self._pool.borrow(target.endpoint, fresh=fresh)
        message = _message(request, target, connection.forwarder)
        try:
            stream = DeadlineSocket(connection.open(deadline=deadline), deadline=deadline)
            return self._send(connection, stream, message, request.method or "")
        except BaseException as error:
            connection.close()
            if isinstance(error, TransferError):
                error.address = connection.address or None
            raise

    def _send(self, connection: PinnedConnection, stream: DeadlineSocket, message: bytes, method: str) -> RawResponse:
        try:
            stream.send(message)
            head = read_head(stream)
        except TransferError as error:
            if not stream.has_received and error.fault in _STALE:
                raise StaleConnectionError(error.fault, error.detail) from error
            if isinstance(error, ResponseHeadError) and error.head is not None:
                return RawResponse(
                    error.head, HeaderFields(error.head.headers), error, pool=self._pool, connection=connection
                )
            raise
        if connection.forwarder is not None and head.status == AUTHENTICATION_REQUIRED:
            raise unauthenticated()
        head_at = monotonic()
        headers = HeaderFields(head.headers)
        body: BodyReader | TransferError
        try:
            body = BodyReader(stream, framing_of(head.version, head.status, headers, method))
        except TransferError as error:
            body = error
        return RawResponse(head, headers, body, pool=self._pool, connection=connection, head_at=head_at)


def _message(request: PreparedRequest, target: Target, forwarder: OutboundProxy | None) -> bytes:
    """Return the request as bytes. Host comes first (RFC 9110 section 7.2), from the URL unless the request has one.

    A proxy that forwards it gets the whole URL (RFC 9112 section 3.2.2), and its credentials.
    """
    path = target.path
    fields = [f"{name}: {value}\r\n" for name, value in request.headers.items()]
    if "Host" not in request.headers:
        fields.insert(0, f"Host: {target.endpoint.host_header}\r\n")
    if forwarder is not None:
        path = f"http://{target.endpoint.host_header}{path}"
        if forwarder.authorization:
            fields.append(f"Proxy-Authorization: {forwarder.authorization}\r\n")
    head = f"{request.method} {path} HTTP/1.1\r\n{''.join(fields)}\r\n".encode()
    body = request.body or b""
    return head + (body.encode() if isinstance(body, str) else body)


def _response(request: PreparedRequest, raw: RawResponse) -> Response:
    response = Response()
    response.request = request
    response.url = request.url or ""
    response.status_code = raw.head.status
    response.reason = raw.head.reason
    response.headers = raw.headers
    response.raw = raw
    return response
