"""The target of a request: the endpoint to connect to and the path of the request line, parsed from a URL."""

import re
from functools import lru_cache

from msgspec import Struct

from wavecrawl.adapters.http.transfer_errors import TransferError, one_line
from wavecrawl.domain.fetching.exchange import TransportFault
from wavecrawl.domain.urls.limits import DEFAULT_PORTS

# Ports of other services that must not receive web requests: WHATWG Fetch, "port blocking".
BAD_PORTS = frozenset(
    int(port)
    for port in (
        "0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119"
        " 123 135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989"
        " 990 993 995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080"
    ).split()
)
_MAX_PORT = 65_535
_MAX_HOST = 253  # characters, RFC 1035 section 3.1
_PARTS = re.compile(r"(https?)://([^/?#\\]+)([!-\"$-\[\]-~]*)(?:#.*)?", re.DOTALL | re.IGNORECASE | re.ASCII)
_AUTHORITY = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^:@\[\]%]+))(?::([0-9]{0,5}))?")
_LABEL = re.compile(r"[A-Za-z0-9_~-][A-Za-z0-9_~!$&'()*+,;=-]{0,62}")


class Endpoint(Struct, frozen=True, kw_only=True, gc=False):
    """A server to connect to."""

    scheme: str
    host: str  # without brackets
    port: int
    host_header: str  # with the port, unless it is the scheme's default

    @property
    def origin(self) -> str:
        """The origin, serialised."""
        return f"{self.scheme}://{self.host_header}"


class Target(Struct, frozen=True, gc=False):
    """An endpoint and a path there."""

    endpoint: Endpoint
    path: str  # with query and without fragment


def target_of(url: str) -> Target:
    """Parse a serialised URL. Raise TransferError (URL) if it cannot be requested."""
    parts = _PARTS.fullmatch(url)
    if parts is None:
        raise _refused(f"not an absolute http(s) URL in ASCII: {url}")
    scheme, authority, path = parts.groups()
    endpoint = _endpoint(scheme.lower(), authority)
    return Target(endpoint, path if path.startswith("/") else f"/{path}")


@lru_cache(maxsize=1024)
def _endpoint(scheme: str, authority: str) -> Endpoint:
    if "@" in authority:
        raise _refused(f"credentials in a URL are not sent: {authority.rpartition('@')[2]}")
    match = _AUTHORITY.fullmatch(authority)
    if match is None:
        raise _refused(f"not a host and port: {authority}")
    v6, name, digits = match.groups()
    host = v6 or name
    if not v6 and not _is_name(host):
        raise _refused(f"not a host name: {host}")
    port = int(digits) if digits else DEFAULT_PORTS[scheme]
    if port > _MAX_PORT or port in BAD_PORTS:
        raise _refused(f"port {port} is not for web pages")
    written = f"[{host}]" if v6 else host
    header = written if port == DEFAULT_PORTS[scheme] else f"{written}:{port}"
    return Endpoint(scheme=scheme, host=host.lower(), port=port, host_header=header)


def _is_name(host: str) -> bool:
    labels = host.removesuffix(".").split(".")
    return len(host) <= _MAX_HOST and all(_LABEL.fullmatch(label) for label in labels)


def _refused(message: str) -> TransferError:
    return TransferError(TransportFault.URL, one_line(message))
