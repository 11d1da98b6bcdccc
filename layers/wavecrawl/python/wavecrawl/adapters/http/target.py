"""What a URL asks for: where to connect, and what to put into the request line."""

import re
from functools import lru_cache

from msgspec import Struct

from wavecrawl.adapters.http.transfer_errors import TransferError, one_line
from wavecrawl.domain.fetching.exchange import TransportFault

# Ports of other services that a web request must not be used to speak to: WHATWG Fetch, "port blocking".
BAD_PORTS = frozenset(
    int(port)
    for port in (
        "0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119"
        " 123 135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989"
        " 990 993 995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080"
    ).split()
)
_DEFAULT_PORTS = {"http": 80, "https": 443}
_HIGHEST_PORT = 65_535
_LONGEST_HOST = 253  # RFC 1035 3.1, as text
_PARTS = re.compile(r"(https?)://([^/?#\\]+)([!-\"$-\[\]-~]*)(?:#.*)?", re.DOTALL | re.IGNORECASE | re.ASCII)
_AUTHORITY = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^:@\[\]%]+))(?::([0-9]{0,5}))?")
_LABEL = re.compile(r"[A-Za-z0-9_~-][A-Za-z0-9_~!$&'()*+,;=-]{0,62}")


class Endpoint(Struct, frozen=True, kw_only=True, gc=False):
    """Where a request goes."""

    scheme: str
    host: str  # without brackets
    port: int
    host_header: str  # the port is in it where it is not the scheme's own


class Target(Struct, frozen=True, gc=False):
    """Where a request goes, and what it asks for there."""

    endpoint: Endpoint
    path: str  # with query, without fragment


def target_of(url: str) -> Target:
    """Take a serialised URL apart; raise TransferError (URL) where it cannot be requested."""
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
    port = int(digits) if digits else _DEFAULT_PORTS[scheme]
    if port > _HIGHEST_PORT or port in BAD_PORTS:
        raise _refused(f"port {port} is not for web pages")
    written = f"[{host}]" if v6 else host
    header = written if port == _DEFAULT_PORTS[scheme] else f"{written}:{port}"
    return Endpoint(scheme=scheme, host=host.lower(), port=port, host_header=header)


def _is_name(host: str) -> bool:
    labels = host.removesuffix(".").split(".")
    return len(host) <= _LONGEST_HOST and all(_LABEL.fullmatch(label) for label in labels)


def _refused(message: str) -> TransferError:
    return TransferError(TransportFault.URL, one_line(message))
