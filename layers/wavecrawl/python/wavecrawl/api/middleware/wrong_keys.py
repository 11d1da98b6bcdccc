"""The limit on requests with wrong API keys, per network address of the caller.

The counts are those of one process: of `wavecrawl serve`, or of one instance of a function. They cost no request to a
store, which is what the limit is for.
"""

from collections import OrderedDict
from ipaddress import IPv6Address, ip_address
from threading import Lock
from typing import Final

from wavecrawl.ports.rate_limits import end_of_window

MOST_ADDRESSES: Final = 10_000
"""Addresses whose counts are kept. Those whose last wrong key is longest ago are forgotten first."""

_SITE_BITS: Final = 64  # the host part of an IPv6 address (RFC 4291, section 2.5.1), which its owner can choose


class WrongKeys:
    """Counts the wrong keys of each address in a fixed window. Safe to share between threads."""

    def __init__(self) -> None:
        self._counts: OrderedDict[str, tuple[float, int]] = OrderedDict()  # address -> end of its window, count
        self._lock = Lock()

    def wait(self, address: str, *, limit: int, now: float) -> float:
        """Return the seconds for which an address is blocked, 0.0 = it is not, because it sent `limit` wrong keys."""
        with self._lock:
            ends_at, count = self._counts.get(network_of(address), (0.0, 0))
        return ends_at - now if ends_at > now and count >= limit else 0.0

    def count(self, address: str, *, window: float, now: float) -> None:
        """Count a wrong key. `window`: the length of the window in seconds."""
        caller = network_of(address)
        with self._lock:
            ends_at, count = self._counts.pop(caller, (0.0, 0))
            self._counts[caller] = (ends_at, count + 1) if ends_at > now else (end_of_window(window, now), 1)
            if len(self._counts) > MOST_ADDRESSES:
                self._counts.popitem(last=False)


def network_of(address: str) -> str:
    """Return what identifies a caller: its IPv4 address, or the network of its IPv6 address."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    return str(int(parsed) >> _SITE_BITS) if isinstance(parsed, IPv6Address) else str(parsed)
