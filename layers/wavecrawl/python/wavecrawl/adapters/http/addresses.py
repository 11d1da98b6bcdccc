"""The policy for addresses that may be connected to.

The lists replace `ipaddress.is_global`, whose result differs between Python versions: 3.11.7 calls 64:ff9b:1::/48,
3fff::/20, 5f00::/16 and 192.0.0.9 global. It also calls multicast, 6to4, fec0::/10 and `::7f00:1` global.
Source: the IANA special-purpose address registries (RFC 6890), as of 2025.
"""

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from socket import inet_aton

from wavecrawl.domain.fetching.allowed_networks import allowed_network

_REFUSED_V4 = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # "this network"; 0.0.0.0 reaches the local host
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # carrier-grade NAT, RFC 6598
        "127.0.0.0/8",  # loopback
        "169.254.0.0/16",  # link-local, with the metadata service of clouds
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # IETF protocol assignments
        "192.0.2.0/24",  # documentation
        "192.88.99.0/24",  # 6to4 relays, deprecated by RFC 7526
        "192.168.0.0/16",  # private
        "198.18.0.0/15",  # benchmarking
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and broadcast
    )
)
_GLOBAL_UNICAST = IPv6Network("2000::/3")  # nothing else is allocated, RFC 4291 section 2.4
_REFUSED_V6 = tuple(
    IPv6Network(network)
    for network in (
        "2001::/23",  # IETF protocol assignments: Teredo, benchmarking, ORCHID
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4: contains an IPv4 address, deprecated by RFC 7526
        "3fff::/20",  # documentation, RFC 9637
    )
)
_NAT64 = IPv6Network("64:ff9b::/96")  # RFC 6052: the last 32 bits are the IPv4 address


class AddressPolicy:
    """Permits public addresses and the networks that the operator lists."""

    def __init__(self, allowed: Iterable[str] = ()) -> None:
        """Take networks outside the public internet, as CIDR or as address and port. Raise ValueError for others."""
        self._allowed = tuple(allowed_network(network) for network in allowed)

    def permits(self, address: str, port: int) -> bool:
        """Return whether an address and port may be connected to. Text that is not an address may not."""
        try:
            parsed = _unmapped(ip_address(address))
        except ValueError:
            return False
        return is_public(parsed) or any(network.contains(parsed, port) for network in self._allowed)


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Return whether the address belongs to the public internet.

    IPv4-mapped and NAT64 addresses count as the IPv4 address they contain: hosts with IPv6 only reach the IPv4 internet
    through NAT64. 6to4, Teredo and IPv4-compatible addresses are always refused: nothing public is reached that way.
    """
    address = _unmapped(address)
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _REFUSED_V4)
    if address in _NAT64:
        return is_public(IPv4Address(int(address) & 0xFFFFFFFF))
    return address in _GLOBAL_UNICAST and not any(address in network for network in _REFUSED_V6)


def literal_address(host: str) -> str | None:
    """Return the address that a host is, also in the old forms of IPv4 (127.1, 0x7f.1, 2130706433); None for a name."""
    bare = host.rstrip(".")
    try:
        return str(_unmapped(ip_address(bare)))
    except ValueError:
        pass
    try:
        return str(IPv4Address(inet_aton(bare)))
    except OSError:
        return None


def shown_address(address: str, host: str) -> str:
    """Return the address of a host if everyone can look it up, else the name of the host."""
    return address if is_public(ip_address(address)) else host


def _unmapped(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """Return the IPv4 address in ::ffff:a.b.c.d, which is the one the system connects to."""
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address
