"""One HTTP request and its ending, as values. Whatever happens on the wire, the page client returns an `Exchange`."""

from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct

from wavecrawl.domain.fetching.limits import FetchLimits


class TransportFault(StrEnum):
    """Why an exchange has no usable answer, or not a whole one."""

    DNS = "dns"  # the host name has no address
    BLOCKED_ADDRESS = "blocked_address"  # the host resolves to an address that is not public (spec 43)
    CONNECT = "connect"  # refused, unreachable, connect time-out
    TLS = "tls"  # handshake or certificate
    TIMEOUT = "timeout"  # the total deadline passed
    RESET = "reset"  # the connection broke before the answer was whole
    PROTOCOL = "protocol"  # not HTTP, or headers beyond their bounds
    DECODING = "decoding"  # the body does not match its Content-Encoding
    URL = "url"  # the URL cannot be requested


class FetchRequest(Struct, frozen=True, kw_only=True, gc=False):
    """One request to make: a single hop, redirects are never followed by the client."""

    url: str  # absolute, serialised, http or https
    method: str = "GET"  # GET or HEAD
    headers: tuple[tuple[str, str], ...] = ()  # beyond those the client always sends (If-None-Match, ...)
    limits: FetchLimits = FetchLimits()


class Exchange(Struct, frozen=True, kw_only=True, gc=False):
    """How one request ended. `status` is None exactly where no status line arrived."""

    url: str
    method: str = "GET"
    request_headers: tuple[tuple[str, str], ...] = ()  # as sent
    status: int | None = None
    reason: str = ""
    headers: tuple[tuple[str, str], ...] = ()  # as received: order, case and repeats kept
    http_version: str = "HTTP/1.1"
    raw_body: bytes = b""  # transfer coding undone, content coding kept (what a WARC stores)
    body: bytes = b""  # content coding undone
    truncated: bool = False  # a size limit cut the body; what arrived before is kept
    fault: TransportFault | None = None  # set with or without a status (a reset inside the body has both)
    fault_detail: str = ""  # one line for people
    address: str | None = None  # the address connected to
    started_at: float = 0.0  # Unix seconds
    first_byte_after: float = 0.0  # seconds from start to the end of the headers
    elapsed: float = 0.0  # seconds from start to the end

    def header(self, name: str) -> str | None:
        """Return the first header of that name (any case), or None."""
        return first_header(self.headers, name)


def first_header(headers: Sequence[tuple[str, str]], name: str) -> str | None:
    """Return the first value of the header `name` (any case), or None."""
    wanted = name.lower()
    for key, value in headers:
        if key.lower() == wanted:
            return value
    return None
