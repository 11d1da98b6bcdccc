"""One HTTP request and its result, as values. The page client returns an `Exchange` even if the request fails."""

import re
from collections.abc import Callable, Sequence
from enum import StrEnum
from hashlib import sha1

from msgspec import Struct

from wavecrawl.domain.fetching.limits import FetchLimits


class TransportFault(StrEnum):
    """Why an exchange has no response, or no complete and usable one."""

    DNS = "dns"  # the host name has no address
    BLOCKED_ADDRESS = "blocked_address"  # the host resolves to a non-public address
    CONNECT = "connect"  # refused, unreachable, connect time-out
    TLS = "tls"  # handshake or certificate
    TIMEOUT = "timeout"  # the total deadline passed
    RESET = "reset"  # the connection ended before the response was complete
    PROTOCOL = "protocol"  # not HTTP, or headers beyond their limits
    DECODING = "decoding"  # the body does not match its Content-Encoding
    URL = "url"  # the URL cannot be requested
    DENIED_HOST = "denied_host"  # the operator forbids requests to the host


class Cut(StrEnum):
    """Why the end of a body is missing, in the words of the field WARC-Truncated (ISO 28500:2017, 5.13)."""

    NONE = ""  # it is complete
    LENGTH = "length"  # a limit on its size
    TIME = "time"  # a limit on its time
    DISCONNECT = "disconnect"  # the connection ended
    UNSPECIFIED = "unspecified"  # it breaks the rules of HTTP, or is a stream that was not read


_PARTIAL_CONTENT = 206
_RANGE = re.compile(r"bytes 0-([0-9]{1,18})/([0-9]{1,18})", re.IGNORECASE)

_CUTS = {
    TransportFault.TIMEOUT: Cut.TIME,
    TransportFault.RESET: Cut.DISCONNECT,
    TransportFault.TLS: Cut.DISCONNECT,
    TransportFault.PROTOCOL: Cut.UNSPECIFIED,
}
"""Faults inside a body. After the fault `decoding` it is complete, as received."""


_BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
_BASE32_PAIRS = tuple(first + second for first in _BASE32 for second in _BASE32)
_PLACES = tuple(range(150, -1, -10))  # of the pairs of base32 digits in the 160 bits of a SHA-1


class FetchRequest(Struct, frozen=True, kw_only=True, gc=False):
    """One request. The client does not follow redirects."""

    url: str  # absolute, serialised, http or https
    method: str = "GET"  # GET or HEAD
    headers: tuple[tuple[str, str], ...] = ()  # in addition to those the client always sends
    limits: FetchLimits = FetchLimits()
    anonymous: bool = False  # without the credentials of the site, but with its client certificate
    only_html: bool = False  # a long body is only read if it is HTML by its Content-Type, or has none
    reserve: Callable[[int], float] | None = None
    """Called with the most bytes of memory that a body may take, before it is read, and again before it is decoded.
    Returns when these bytes are available, with the seconds waited. They do not count towards the time limit."""


class StoredPayload(Struct, frozen=True, kw_only=True, gc=False):
    """A full response in an archive, to which the records of later, equal responses refer."""

    url: str
    at: float  # Unix seconds of its request
    id: str = ""  # of its WARC record; "" = unknown, as an earlier version stored it
    digest: str = ""  # of its body with content coding, as in its WARC record; "" = unknown


class Exchange(Struct, frozen=True, kw_only=True, gc=False):
    """The result of one request. `status` is None if no status line arrived."""

    url: str
    method: str = "GET"
    request_headers: tuple[tuple[str, str], ...] = ()  # as sent, without the credentials of the site
    status: int | None = None
    reason: str = ""
    headers: tuple[tuple[str, str], ...] = ()  # as received: order, case and repeats kept
    http_version: str = "HTTP/1.1"
    raw_body: bytes = b""  # without transfer coding, with content coding (stored in WARCs)
    body: bytes = b""  # without content coding
    received_bytes: int = 0  # of a download: its body as transferred
    file_bytes: int = 0  # of a download: what was written to the file, without content coding
    truncated: bool = False  # a size limit cut the body
    is_stream: bool = False  # the body was not read: it may have no end, or it is long and not needed
    fault: TransportFault | None = None  # a response may have a status and a fault, such as a reset inside the body
    fault_detail: str = ""  # one line of text
    address: str | None = None  # the address connected to
    started_at: float = 0.0  # Unix seconds
    first_byte_after: float = 0.0  # seconds from start to the end of the headers
    elapsed: float = 0.0  # seconds from start to the end
    known: StoredPayload | None = None  # an earlier response with the same body; None = there is none

    @property
    def stored_body(self) -> bytes:
        """The body as it is stored in WARCs."""
        return self.raw_body if self.known is None else b""

    @property
    def cut(self) -> Cut:
        """Why the end of the body is missing, as it was transferred."""
        if self.truncated:
            return Cut.LENGTH
        if self.is_stream:
            return Cut.UNSPECIFIED
        return _CUTS.get(self.fault, Cut.NONE) if self.fault is not None and self.status is not None else Cut.NONE

    @property
    def content_cut(self) -> Cut:
        """Why the end of the content is missing: of the body, or of what could be decoded of it.

        The content of an unknown coding is the body itself, as in browsers, which is complete. Status 206 says that the
        server sent a range, although no request asks for one.
        """
        is_undecoded = self.fault is TransportFault.DECODING and (not self.body or self.body != self.raw_body)
        if is_undecoded or (self.status == _PARTIAL_CONTENT and not self._has_whole_range):
            return self.cut or Cut.UNSPECIFIED
        return self.cut

    @property
    def _has_whole_range(self) -> bool:
        """Whether Content-Range (RFC 9110, section 14.4) says that the range is the whole content."""
        found = _RANGE.fullmatch((self.header("Content-Range") or "").strip())
        return found is not None and int(found[1]) + 1 == int(found[2])

    @property
    def is_partial(self) -> bool:
        """Whether a part of the content did not arrive. What is cut at the limit of its size is the same each time."""
        return self.content_cut not in (Cut.NONE, Cut.LENGTH)

    def header(self, name: str) -> str | None:
        """Return the first value of the header `name` (any case), or None."""
        return first_header(self.headers, name)


def digest_of(*parts: bytes) -> str:
    """Return the SHA-1 of a body with content coding, labelled and in base32, as WARC tools write digests.

    The body may come in parts.
    https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1-annotated/ (WARC-Block-Digest)
    """
    digest = sha1(usedforsecurity=False)
    for part in parts:
        digest.update(part)
    number = int.from_bytes(digest.digest(), "big")
    return "sha1:" + "".join([_BASE32_PAIRS[number >> place & 1023] for place in _PLACES])


def first_header(headers: Sequence[tuple[str, str]], name: str) -> str | None:
    """Return the first value of the header `name` (any case), or None."""
    wanted = name.lower()
    for key, value in headers:
        if key.lower() == wanted:
            return value
    return None
