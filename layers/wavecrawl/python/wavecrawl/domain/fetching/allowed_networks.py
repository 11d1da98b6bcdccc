"""Networks outside the public internet that may be requested, as an operator writes them."""

import re
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network

import msgspec

_WITH_PORT = re.compile(r"(?:\[(?P<v6>[^\]]+)\]|(?P<v4>[^:]+)):(?P<port>[0-9]{1,5})", re.ASCII)
_MAX_PORT = 65_535


class AllowedNetwork(msgspec.Struct, frozen=True, kw_only=True):
    """A network, and the only port that may be requested there, None for every port."""

    network: IPv4Network | IPv6Network
    port: int | None = None

    def contains(self, address: IPv4Address | IPv6Address, port: int) -> bool:
        """Return whether the address and port may be requested."""
        return address in self.network and self.port in (None, port)


def allowed_network(text: str) -> AllowedNetwork:
    """Parse a network: `10.0.0.0/8`, `::1/128`, or with a port `127.0.0.1:8000`, `[::1]:8000`. Raise ValueError."""
    match = _WITH_PORT.fullmatch(text)
    if match is None:
        return AllowedNetwork(network=ip_network(text))
    port = int(match["port"])
    if not 0 < port <= _MAX_PORT:
        raise ValueError(f"{text!r} has no port from 1 to {_MAX_PORT}")
    return AllowedNetwork(network=ip_network(match["v6"] or match["v4"]), port=port)
