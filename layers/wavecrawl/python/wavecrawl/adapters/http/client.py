"""The page client on requests. Contract: `ports.page_client`."""

import re
from collections.abc import Iterable, Sequence
from time import monotonic, time

from requests import Session

from wavecrawl.adapters.http.addresses import AddressPolicy
from wavecrawl.adapters.http.connections import Dialer
from wavecrawl.adapters.http.decoding import ACCEPTED, Decoded, codings_of, decode
from wavecrawl.adapters.http.faults import TransferError, one_line
from wavecrawl.adapters.http.resolver import Lookup, Resolver, system_lookup
from wavecrawl.adapters.http.target import target_of
from wavecrawl.adapters.http.transport import GuardedAdapter, PageRequest, PageResponse
from wavecrawl.domain.fetching.exchange import Exchange, FetchRequest, TransportFault

ACCEPT = "text/html,application/xhtml+xml;q=0.9,application/xml;q=0.8,*/*;q=0.5"

_METHODS = frozenset(("GET", "HEAD"))
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110 5.6.2
_BAD_VALUE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f\ud800-\udfff]")  # surrogates have no bytes
# These frame the message or name its target: they are the client's own.
_OWN = frozenset(("host", "connection", "content-length", "transfer-encoding", "te", "trailer", "upgrade", "expect"))

Headers = tuple[tuple[str, str], ...]


class RequestsPageClient:
    """A PageClient over one requests session with a hardened transport adapter. Safe to share between threads.

    Make it in the process that uses it: connections do not survive a fork.
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
        lookup: Lookup = system_lookup,
    ) -> None:
        """Build a client that connects to nothing yet. Raise ValueError where an argument does not hold.

        Args:
            user_agent: sent with every request.
            allowed: networks outside the public internet that may be requested, as CIDR.
            pool_size: connections kept per endpoint; at least the number of threads that share the client.
            hosts: endpoints whose connections are kept.
            accept_language: sent where it is given.
            ca_file: the certificate authorities to trust instead of the well-known ones, as a PEM file.
            lookup: how host names become addresses.
        """
        own: list[tuple[str, str]] = [("User-Agent", user_agent), ("Accept", ACCEPT)]
        if accept_language:
            own.append(("Accept-Language", accept_language))
        own += [("Accept-Encoding", ACCEPTED), ("Connection", "keep-alive")]
        for name, value in own:
            if _BAD_VALUE.search(value):
                raise ValueError(f"{name} must be printable: {value!r}")
        self._headers: Headers = tuple(own)
        dialer = Dialer(resolver=Resolver(lookup=lookup), policy=AddressPolicy(allowed))
        self._session = Session()
        self._session.trust_env = False
        self._session.adapters.clear()
        adapter = GuardedAdapter(dialer=dialer, ca_file=ca_file, pools=hosts, connections=pool_size)
        self._session.mount("http://", adapter)
        self._session.mount("https://", adapter)
        self._adapter = adapter

    def fetch(self, request: FetchRequest) -> Exchange:
        """Make the request and return how it ended; never raises for what network, server or URL do."""
        started_at, start = time(), monotonic()
        sent: Headers = ()
        try:
            prepared, sent = self._prepared(request)
            response = self._adapter.send(prepared, timeout=request.limits.timeout - (monotonic() - start))
        except TransferError as error:
            return Exchange(
                url=request.url,
                method=request.method,
                request_headers=sent,
                fault=error.fault,
                fault_detail=one_line(error.detail),
                address=error.address,
                started_at=started_at,
                elapsed=monotonic() - start,
            )
        return _exchange(request, sent, response, started_at=started_at, start=start)

    def close(self) -> None:
        """Close every kept connection; no fetch may follow."""
        self._session.close()

    def _prepared(self, request: FetchRequest) -> tuple[PageRequest, Headers]:
        """Return the message to send and its header fields; raise TransferError (URL) where there can be none."""
        if request.method not in _METHODS:
            raise TransferError(TransportFault.URL, f"method {one_line(request.method)!r} is not for pages")
        target = target_of(request.url)
        sent = (("Host", target.endpoint.host_header), *self._with(request.headers))
        fields = "".join([f"{name}: {value}\r\n" for name, value in sent])
        message = f"{request.method} {target.path} HTTP/1.1\r\n{fields}\r\n".encode()
        prepared = PageRequest(
            url=request.url, method=request.method, target=target, message=message, max_bytes=request.limits.max_bytes
        )
        return prepared, sent

    def _with(self, extra: Sequence[tuple[str, str]]) -> Headers:
        """Return the client's own headers and the request's; the request's win where both name one."""
        if not extra:
            return self._headers
        for name, value in extra:
            if not _TOKEN.fullmatch(name) or _BAD_VALUE.search(value) or name.lower() in _OWN:
                raise TransferError(TransportFault.URL, f"header cannot be sent: {one_line(f'{name}: {value}')!r}")
        named = {name.lower() for name, _ in extra}
        return (*(field for field in self._headers if field[0].lower() not in named), *extra)


def _exchange(
    request: FetchRequest, sent: Headers, response: PageResponse, *, started_at: float, start: float
) -> Exchange:
    head, body = response.head, response.body
    decoded = _decoded(response, limit=request.limits.max_decoded_bytes)
    fault, detail = None, ""
    if body.fault is not None:
        fault, detail = body.fault.fault, body.fault.detail
    elif decoded.problem:
        fault, detail = TransportFault.DECODING, decoded.problem
    return Exchange(
        url=request.url,
        method=request.method,
        request_headers=sent,
        status=head.status,
        reason=head.reason,
        headers=head.headers,
        http_version=head.version,
        raw_body=body.data,
        body=decoded.body,
        truncated=body.truncated or decoded.truncated,
        fault=fault,
        fault_detail=one_line(detail),
        address=response.address,
        started_at=started_at,
        first_byte_after=response.head_at - start if response.head_at is not None else 0.0,
        elapsed=monotonic() - start,
    )


def _decoded(response: PageResponse, *, limit: int) -> Decoded:
    body = response.body
    values = [value for name, value in response.head.headers if name.lower() == "content-encoding"]
    if not values:
        return Decoded(body=body.data[:limit], truncated=len(body.data) > limit)
    return decode(body.data, codings_of(values), limit=limit, whole=body.fault is None and not body.truncated)
