"""The page client, built on requests. Contract: `ports/page_client.py`."""

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from time import monotonic, time
from typing import cast

from msgspec import Struct
from requests import PreparedRequest

from wavecrawl.adapters.http.addresses import AddressPolicy
from wavecrawl.adapters.http.connections import ConnectionPool, Dialer
from wavecrawl.adapters.http.content_codings import ACCEPTED, MAX_CODINGS, codings_of
from wavecrawl.adapters.http.decoding import decode
from wavecrawl.adapters.http.download import saved_body
from wavecrawl.adapters.http.header_fields import HeaderFields
from wavecrawl.adapters.http.outbound_proxies import DIRECT, OutboundProxies
from wavecrawl.adapters.http.resolver import Lookup, Resolver, system_lookup
from wavecrawl.adapters.http.response_head import Headers
from wavecrawl.adapters.http.target import target_of
from wavecrawl.adapters.http.transfer_errors import TransferError, one_line
from wavecrawl.adapters.http.transport import GuardedSession, RawResponse, ReceivedBody
from wavecrawl.domain.fetching.exchange import Exchange, FetchRequest, TransportFault
from wavecrawl.domain.fetching.outcome import HTML_TYPES, is_redirect, media_type
from wavecrawl.domain.fetching.streams import is_endless, may_be_endless
from wavecrawl.domain.sites.authentication import COOKIE, Authentication

ACCEPT = "text/html,application/xhtml+xml;q=0.9,application/xml;q=0.8,*/*;q=0.5"

_SHORT_BODY = 65_536  # bytes of a body that is read although only HTML is needed: it keeps the connection
_REDIRECT_BODY = 1.0  # seconds for the body of a redirect, which nobody reads
_METHODS = frozenset(("GET", "HEAD"))
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110 5.6.2
_BAD_VALUE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f\ud800-\udfff]")  # surrogates have no bytes
# They delimit the message or name its target. Only the client itself sets them.
_RESERVED = frozenset(
    ("host", "connection", "content-length", "transfer-encoding", "te", "trailer", "upgrade", "expect")
)


class RequestsPageClient:
    """A PageClient over one requests session. Safe to share between threads.

    Create it in the process that uses it: connections do not survive a fork.
    """

    def __init__(
        self,
        *,
        user_agent: str,
        allowed: Iterable[str] = (),
        pool_size: int = 64,
        hosts: int = 64,
        accept_language: str = "",
        ca_file: str | None = None,
        authentication: Authentication | None = None,
        lookup: Lookup = system_lookup,
        on_sent: Callable[[int], None] = lambda _: None,
        denies: Callable[[str], bool] = lambda _: False,
        proxies: OutboundProxies = DIRECT,
    ) -> None:
        """Build a client without connecting. Raise ValueError if an argument is invalid.

        Args:
            user_agent: sent with every request.
            allowed: networks outside the public internet that may be requested, as CIDR.
            pool_size: idle connections kept per endpoint; at least the number of threads that share the client.
            hosts: endpoints whose idle connections are kept.
            accept_language: sent if it is not empty.
            ca_file: certificate authorities to trust besides the well-known ones, as a PEM file.
            authentication: what requests to the hosts of a site carry in addition. It is not in `request_headers` of
                the exchange.
            lookup: resolves host names to addresses.
            on_sent: called with numbers of bytes that left this machine, headers of packets included.
            denies: whether the operator forbids requests to a host or an address.
            proxies: through which hosts are reached.
        """
        own: list[tuple[str, str]] = [("User-Agent", user_agent), ("Accept", ACCEPT)]
        if accept_language:
            own.append(("Accept-Language", accept_language))
        own += [("Accept-Encoding", ACCEPTED), ("Connection", "keep-alive")]
        for name, value in own:
            if _BAD_VALUE.search(value):
                raise ValueError(f"{name} must be printable: {value!r}")
        self._headers: Headers = tuple(own)
        self._authentication = authentication
        dialer = Dialer(resolver=Resolver(lookup=lookup), policy=AddressPolicy(allowed), denies=denies, proxies=proxies)
        self._session = GuardedSession(
            ConnectionPool(
                dialer=dialer,
                ca_file=ca_file,
                max_endpoints=hosts,
                max_idle=pool_size,
                on_sent=on_sent,
                certificate_for=(lambda _: "") if authentication is None else authentication.certificate_for,
            )
        )

    def fetch(self, request: FetchRequest) -> Exchange:
        """Send the request and return the result. Never raises for the network, the server or the URL."""

        def receive(raw: RawResponse) -> _Body:
            if raw.longest_body > request.limits.max_bytes and may_be_endless(raw.content_type):
                return _Body(is_stream=True)
            if request.only_html and raw.longest_body > _SHORT_BODY and _is_file(raw):
                return _Body(is_stream=True)
            if is_redirect(raw.head.status, raw.head.headers):
                raw.end_within(_REDIRECT_BODY)
            if request.reserve is not None:
                raw.extend_deadline(request.reserve(min(request.limits.max_bytes, raw.longest_body)))
            return _decoded(request, raw, raw.receive(request.limits.max_bytes))

        return self._exchange(request, receive)

    def download(self, request: FetchRequest, path: Path) -> Exchange:
        """Send a GET request and write the body of a successful response to a new file at `path`."""

        def receive(raw: RawResponse) -> _Body:
            if raw.longest_body > request.limits.max_bytes and is_endless(raw.content_type):
                return _Body(is_stream=True)
            if is_redirect(raw.head.status, raw.head.headers):
                raw.end_within(_REDIRECT_BODY)
            body = saved_body(raw, path, limit=request.limits.max_bytes)
            return _Body(
                received_bytes=body.received, file_bytes=body.written, truncated=body.truncated, fault=body.fault
            )

        return self._exchange(request, receive)

    def close(self) -> None:
        """Close every idle connection. Do not send requests afterwards."""
        self._session.close()

    def _exchange(self, request: FetchRequest, receive: "Callable[[RawResponse], _Body]") -> Exchange:
        started_at, start = time(), monotonic()
        shown: Headers = ()
        try:
            shown, sent = self._authenticated(request, self._headers_for(request))
            prepared = PreparedRequest()
            prepared.method = request.method
            prepared.url = request.url  # exactly as it is: PreparedRequest.prepare would quote it again
            prepared.headers = HeaderFields(sent)
            timeout = request.limits.timeout - (monotonic() - start)
            with self._session.send(
                prepared, timeout=timeout, stream=True, allow_redirects=False, proxies={}
            ) as response:
                raw = cast("RawResponse", response.raw)
                body = receive(raw)
        except TransferError as error:
            return Exchange(
                url=request.url,
                method=request.method,
                request_headers=shown,
                fault=error.fault,
                fault_detail=one_line(error.detail),
                address=error.address,
                started_at=started_at,
                elapsed=monotonic() - start,
            )
        return _exchange(request, shown, raw, body, started_at=started_at, start=start)

    def _authenticated(self, request: FetchRequest, headers: Headers) -> tuple[Headers, Headers]:
        """Return the headers that may be stored, and those to send, with the credentials if the URL is the site's.

        Credentials replace headers of the same name. Cookies that the site set before are sent with its own cookies,
        and are not stored either: a site may set a cookie to the value that it received.
        """
        if self._authentication is None or request.anonymous:
            return headers, headers
        endpoint = target_of(request.url).endpoint
        cookies = next((value for name, value in headers if name.lower() == COOKIE.lower()), "")
        secret = self._authentication.fields_for(endpoint.origin, cookies=dict(_pairs(cookies)))
        names = {name.lower() for name, _ in secret}
        shown = tuple(one for one in headers if one[0].lower() not in names)
        return shown, (*shown, *secret)

    def _headers_for(self, request: FetchRequest) -> Headers:
        """Return the headers to send. Raise TransferError (URL) if the request cannot be sent.

        The request's headers replace the client's own of the same name.
        """
        if request.method not in _METHODS:
            raise TransferError(TransportFault.URL, f"method {one_line(request.method)!r} is not allowed for pages")
        own = (("Host", target_of(request.url).endpoint.host_header), *self._headers)
        if not request.headers:
            return own
        names: set[str] = set()
        for name, value in request.headers:
            key = name.lower()
            if not _TOKEN.fullmatch(name) or _BAD_VALUE.search(value) or key in _RESERVED or key in names:
                raise TransferError(TransportFault.URL, f"header cannot be sent: {one_line(f'{name}: {value}')!r}")
            names.add(key)
        return (*(field for field in own if field[0].lower() not in names), *request.headers)


def _is_file(raw: RawResponse) -> bool:
    """Return whether a response is successful, and not HTML by its Content-Type."""
    return 200 <= raw.head.status < 300 and media_type(raw.content_type) not in ("", *HTML_TYPES)  # noqa: PLR2004 - 2xx


def _pairs(cookies: str) -> Iterable[tuple[str, str]]:
    """Return the names and values of a Cookie header."""
    for pair in filter(None, cookies.split("; ")):
        name, _, value = pair.partition("=")
        yield name, value


class _Body(Struct, frozen=True, kw_only=True, gc=False):
    """The body of a response."""

    raw: bytes = b""
    decoded: bytes = b""
    received_bytes: int = 0
    file_bytes: int = 0
    truncated: bool = False
    is_stream: bool = False
    fault: TransferError | None = None


def _exchange(
    request: FetchRequest, shown: Headers, raw: RawResponse, body: _Body, *, started_at: float, start: float
) -> Exchange:
    head = raw.head
    return Exchange(
        url=request.url,
        method=request.method,
        request_headers=shown,
        status=head.status,
        reason=head.reason,
        headers=head.headers,
        http_version=head.version,
        raw_body=body.raw,
        body=body.decoded,
        received_bytes=body.received_bytes,
        file_bytes=body.file_bytes,
        truncated=body.truncated,
        is_stream=body.is_stream,
        fault=body.fault.fault if body.fault is not None else None,
        fault_detail=one_line(body.fault.detail) if body.fault is not None else "",
        address=raw.address or None,
        started_at=started_at,
        first_byte_after=raw.head_at - start if raw.head_at is not None else 0.0,
        elapsed=monotonic() - start,
    )


def _decoded(request: FetchRequest, raw: RawResponse, body: ReceivedBody) -> _Body:
    codings, limit = codings_of(raw.headers.members("content-encoding")), request.limits.max_decoded_bytes
    if request.reserve is not None and body.data and codings:
        request.reserve(min(len(codings), MAX_CODINGS) * limit)
    decoded = decode(body.data, codings, limit=limit, whole=body.fault is None and not body.truncated)
    fault = body.fault
    if fault is None and decoded.problem:
        fault = TransferError(TransportFault.DECODING, decoded.problem)
    return _Body(raw=body.data, decoded=decoded.body, truncated=body.truncated or decoded.truncated, fault=fault)
