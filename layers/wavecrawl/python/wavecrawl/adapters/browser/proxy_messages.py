"""The heads of requests and responses that pass the proxy (RFC 9112)."""

from msgspec import Struct

from wavecrawl.adapters.http.outbound_proxies import OutboundProxy
from wavecrawl.adapters.http.proxy_tunnel import AUTHENTICATION_REQUIRED, unauthenticated
from wavecrawl.adapters.http.target import Endpoint, target_of
from wavecrawl.adapters.http.transfer_errors import protocol_error

MAX_HEAD = 262_144  # bytes of a request or response

_OWN = (b"connection", b"keep-alive", b"proxy-connection", b"proxy-authorization")
_FIRST_FINAL = 200  # status; responses below are interim (RFC 9110 15.2)


class ProxyRequest(Struct, frozen=True, kw_only=True):
    """A request to the proxy."""

    endpoint: Endpoint
    is_tunnel: bool
    authorization: str  # "" if there is none
    head: bytes = b""  # to send to the server; b"" for a tunnel

    def head_for(self, proxy: OutboundProxy | None) -> bytes:
        """Return the head to send: to a proxy with the whole URL (RFC 9112 section 3.2.2), and its credentials."""
        if proxy is None:
            return self.head
        method, path, rest = self.head.split(b" ", 2)
        url = f"http://{self.endpoint.host_header}".encode() + path
        proof = f"Proxy-Authorization: {proxy.authorization}\r\n".encode() if proxy.authorization else b""
        return b" ".join((method, url, rest)).removesuffix(b"\r\n") + proof + b"\r\n"


def parse_request(head: bytes) -> ProxyRequest:
    """Parse the head of a request. Raise TransferError if it is malformed or its target cannot be requested."""
    first, *fields = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    try:
        method, target, version = first.decode("ascii").split(" ")
    except ValueError as error:
        raise protocol_error("the request line is malformed") from error
    authorization = next((value for name, value in map(_field, fields) if name == b"proxy-authorization"), b"")
    proof = authorization.decode("latin-1")
    if method == "CONNECT":
        tunnel = target_of(f"http://{target}/")
        if tunnel.path != "/":
            raise protocol_error("the target of CONNECT is not a host and port")
        return ProxyRequest(endpoint=tunnel.endpoint, is_tunnel=True, authorization=proof)
    if not target.lower().startswith("http://"):
        raise protocol_error("the request's target is not an http URL")
    parsed = target_of(target)
    line = f"{method} {parsed.path} {version}".encode("ascii")
    return ProxyRequest(endpoint=parsed.endpoint, is_tunnel=False, authorization=proof, head=_joined(line, fields))


def forwarded_response(head: bytes, proxy: OutboundProxy | None = None) -> tuple[bytes, bool]:
    """Return the head of a response for the browser, and whether it is the final one. Raise TransferError.

    `proxy`: the one that sent it, if it is not from the server itself.
    """
    first, *fields = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    parts = first.split(b" ", 2)
    if len(parts) < 2 or not parts[0].startswith(b"HTTP/1.") or not parts[1].isdigit():  # noqa: PLR2004 - version and status
        raise protocol_error("the status line is malformed")
    if proxy is not None and int(parts[1]) == AUTHENTICATION_REQUIRED:
        raise unauthenticated()  # the browser would take it for a request of this proxy
    if int(parts[1]) < _FIRST_FINAL:
        return head, False
    return _joined(first, fields), True


def _joined(first: bytes, fields: list[bytes]) -> bytes:
    kept = [field for field in fields if _field(field)[0] not in _OWN]
    return b"\r\n".join((first, *kept, b"Connection: close", b"", b""))


def _field(line: bytes) -> tuple[bytes, bytes]:
    name, _, value = line.partition(b":")
    return name.strip().lower(), value.strip()
