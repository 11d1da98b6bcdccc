"""The open connections of `wavecrawl serve`, and the share of each client's network in them."""

from collections import Counter
from collections.abc import Sequence
from ipaddress import ip_address, ip_network
from typing import Protocol

from wavecrawl.api.middleware.wrong_keys import network_of
from wavecrawl.api.server_limits import ServerLimits


class Closable(Protocol):
    """A connection."""

    def disconnect(self) -> None:
        """Close the connection immediately."""
        ...


class OpenConnections:
    """Decides which connection is closed if there are too many, in all or from one network.

    Connections of trusted proxies count towards the limit of all only: their requests count for the clients that the
    proxies name. A connection *waits* until it has sent a complete request, or the head of one with a valid API key.
    """

    def __init__(self, limits: ServerLimits, proxies: Sequence[str]) -> None:
        self._limits = limits
        self._proxies = [ip_network(proxy) for proxy in proxies]
        self._networks: dict[Closable, str] = {}
        self._waiting: dict[Closable, None] = {}  # the longest wait first
        self._counts: Counter[str] = Counter()
        self._requests: Counter[str] = Counter()

    def __len__(self) -> int:
        """Return the number of open connections."""
        return len(self._networks)

    def open(self, connection: Closable, address: str) -> bool:
        """Take a new connection in, and let it wait. Return False if there is no room for it.

        If there are too many, the one of the same network, or of all, that has waited longest is closed.
        """
        network = self._shared(address)
        if network and self._counts[network] >= self._limits.share:
            self._close_oldest(network)
        if len(self) >= self._limits.connections:
            self._close_oldest("")
        if len(self) >= self._limits.connections or (network and self._counts[network] >= self._limits.share):
            return False
        self._networks[connection] = network
        self._counts[network] += 1
        self._waiting[connection] = None
        return True

    def close(self, connection: Closable) -> None:
        """Forget a connection."""
        self._waiting.pop(connection, None)
        network = self._networks.pop(connection, None)
        if network is not None:
            _decrease(self._counts, network)

    def waits(self, connection: Closable) -> None:
        """Note that an open connection waits for a request, if it did not already."""
        if connection in self._networks:
            self._waiting.setdefault(connection)

    def works(self, connection: Closable) -> None:
        """Note that a connection no longer waits."""
        self._waiting.pop(connection, None)

    def begin(self, address: str) -> bool:
        """Count a request of a client. Return False if its network has as many requests as its share already."""
        network = self._shared(address)
        if network and self._requests[network] >= self._limits.share:
            return False
        self._requests[network] += 1
        return True

    def end(self, address: str) -> None:
        """Count a request of a client as completed."""
        _decrease(self._requests, self._shared(address))

    def _close_oldest(self, network: str) -> None:
        """Close the connection that has waited longest: of a network, or "" = of all."""
        found = (one for one in self._waiting if not network or self._networks[one] == network)
        if (oldest := next(found, None)) is not None:
            self.close(oldest)
            oldest.disconnect()

    def _shared(self, address: str) -> str:
        """Return the network that shares connections with an address; "" for those of trusted proxies."""
        try:
            parsed = ip_address(address)
        except ValueError:
            return network_of(address)
        return "" if any(parsed in proxy for proxy in self._proxies) else network_of(address)


def _decrease(counts: Counter[str], network: str) -> None:
    counts[network] -= 1
    if counts[network] <= 0:
        del counts[network]
