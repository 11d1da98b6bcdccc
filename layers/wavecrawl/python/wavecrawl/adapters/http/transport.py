"""The hardened transport adapter of requests: one request, one answer, in bounded time and space."""

from collections.abc import Mapping
from io import BytesIO
from time import monotonic
from typing import Any

from requests import PreparedRequest, Response
from requests.adapters import HTTPAdapter

from wavecrawl.adapters.http.bodies import Body, framing_of, read_body
from wavecrawl.adapters.http.connections import Dialer, KeptConnections, PinnedConnection, Pools
from wavecrawl.adapters.http.faults import StaleConnectionError, TransferError
from wavecrawl.adapters.http.heads import BrokenHeadError, Head, read_head
from wavecrawl.adapters.http.inbox import Inbox
from wavecrawl.adapters.http.target import Target
from wavecrawl.domain.fetching.exchange import TransportFault

# How a kept connection looks that the server had closed before the request came. A fresh one that breaks so is given a
# second chance as well: which of the two it is depends on timing, and what becomes of a page must not.
_STALE = frozenset((TransportFault.RESET, TransportFault.TLS))


class PageRequest(PreparedRequest):
    """A prepared request in the form the adapter sends; `headers` stays empty, the message holds them."""

    def __init__(self, *, url: str, method: str, target: Target, message: bytes, max_bytes: int) -> None:
        super().__init__()
        self.url = url
        self.method = method
        self.target = target
        self.message = message  # request line and header fields, ready to send
        self.max_bytes = max_bytes  # of the body


class PageResponse(Response):
    """An answer with what requests forgets: the headers as received, and how the exchange ended.

    `raw` holds the body with its content coding. `headers` stays empty: building its index costs more than
    receiving the page, and nobody here asks it.
    """

    def __init__(self, head: Head, body: Body, *, address: str, head_at: float | None = None) -> None:
        super().__init__()
        self.status_code = head.status
        self.reason = head.reason
        self.raw = BytesIO(body.data)
        self.head = head
        self.body = body
        self.address = address  # connected to
        self.head_at = head_at  # monotonic seconds: when the head was whole, None where it never was


class GuardedAdapter(HTTPAdapter):
    """Sends PageRequests. No redirects, no proxies, no cookies, no repeated request but the one RFC 9110 allows."""

    def __init__(self, *, dialer: Dialer, ca_file: str | None, pools: int, connections: int) -> None:
        self._dialer = dialer
        self._ca_file = ca_file
        super().__init__(pool_connections=pools, pool_maxsize=connections, max_retries=0, pool_block=False)

    def init_poolmanager(self, connections: int, maxsize: int, block: bool = False, **pool_kwargs: Any) -> None:  # noqa: FBT001, FBT002 - the signature is requests' own
        """Make the pools (called by requests)."""
        del block, pool_kwargs
        self.poolmanager = Pools(dialer=self._dialer, ca_file=self._ca_file, pools=connections, connections=maxsize)

    def send(  # noqa: PLR0917 - the signature is requests' own
        self,
        request: PreparedRequest,
        stream: bool = False,  # noqa: FBT001, FBT002 - the signature is requests' own
        timeout: Any = None,
        verify: Any = True,  # noqa: FBT002 - the signature is requests' own
        cert: Any = None,
        proxies: Mapping[str, str] | None = None,
    ) -> PageResponse:
        """Make the exchange; `timeout` in seconds bounds the whole of it. Raise TransferError where no status came."""
        del stream, verify, cert, proxies  # bodies are always read, certificates always checked, proxies never used
        if not isinstance(request, PageRequest):
            raise TypeError(f"a PageRequest is needed, not {request!r}")
        deadline = monotonic() + float(timeout)
        pool = self.poolmanager.pool_for(request.target.endpoint)
        try:
            return _attempt(pool.borrow(), pool, request, deadline)
        except StaleConnectionError:
            return _attempt(pool.borrow(fresh=True), pool, request, deadline)

    def close(self) -> None:
        """Close every kept connection."""
        self.poolmanager.close()


def _attempt(
    connection: PinnedConnection, pool: KeptConnections, request: PageRequest, deadline: float
) -> PageResponse:
    keep = False
    try:
        response, keep = _exchanged(connection, request, deadline)
    except TransferError as error:
        error.address = connection.address or None
        raise
    finally:
        pool.give_back(connection, keep=keep)
    return response


def _exchanged(connection: PinnedConnection, request: PageRequest, deadline: float) -> tuple[PageResponse, bool]:
    """Return the answer, and whether the connection is good for another request."""
    inbox = Inbox(connection.open(deadline=deadline), deadline=deadline)
    try:
        inbox.send(request.message)
        head = read_head(inbox)
    except TransferError as error:
        if not inbox.heard and error.fault in _STALE:
            raise StaleConnectionError(error.fault, error.detail) from error
        if isinstance(error, BrokenHeadError) and error.head is not None:
            return PageResponse(error.head, Body(b"", fault=error), address=connection.address), False
        raise
    head_at = monotonic()
    try:
        framing = framing_of(head, request.method or "")
    except TransferError as error:
        return PageResponse(head, Body(b"", fault=error), address=connection.address, head_at=head_at), False
    body = read_body(inbox, framing, limit=request.max_bytes)
    keep = framing.keep and body.fault is None and not body.truncated and not inbox.data
    return PageResponse(head, body, address=connection.address, head_at=head_at), keep
