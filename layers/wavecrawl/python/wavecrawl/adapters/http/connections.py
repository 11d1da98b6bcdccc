"""urllib3 connections that go to a checked address, and the pools that keep them."""

import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from time import monotonic
from typing import Any

from requests.utils import DEFAULT_CA_BUNDLE_PATH
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, PoolManager
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.util.ssl_ import create_urllib3_context

from wavecrawl.adapters.http.addresses import AddressPolicy
from wavecrawl.adapters.http.faults import TransferError, one_line, timed_out
from wavecrawl.adapters.http.resolver import Resolver
from wavecrawl.adapters.http.target import Endpoint
from wavecrawl.domain.fetching.exchange import TransportFault

_MOST_ATTEMPTS = 4  # addresses of one host that are tried


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialer:
    """Opens sockets to addresses that the policy permits, and to no others."""

    resolver: Resolver
    policy: AddressPolicy

    def dial(self, host: str, port: int, *, deadline: float) -> tuple[socket.socket, str]:
        """Connect to the first address that answers; return the socket and that address. Raise TransferError.

        Addresses that are not permitted are passed over; each attempt gets its share of the time that is left.
        """
        found = self.resolver.addresses(host, deadline=deadline)
        permitted = [address for address in found if self.policy.permits(address)][:_MOST_ATTEMPTS]
        if not permitted:
            detail = f"{host} is not on the public internet: {', '.join(found)[:100]}"
            raise TransferError(TransportFault.BLOCKED_ADDRESS, detail)
        problems: list[str] = []
        for tried, address in enumerate(permitted):
            left = deadline - monotonic()
            if left <= 0:
                break
            try:
                return _connected(address, port, timeout=left / (len(permitted) - tried)), address
            except OSError as error:
                problems.append(f"{address} port {port}: {one_line(error)}")
        if not problems:
            raise timed_out(f"looking up {host}")
        raise TransferError(TransportFault.CONNECT, "; ".join(problems))


def _connected(address: str, port: int, *, timeout: float) -> socket.socket:
    sock = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
    try:
        sock.settimeout(timeout)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.connect((address, port))
    except BaseException:
        sock.close()
        raise
    return sock


class PinnedConnection(HTTPConnection):
    """A connection to the address that was checked. Host header, SNI and certificate keep the host's name."""

    dialer: Dialer
    deadline = 0.0  # monotonic seconds; until when connecting may take
    address = ""  # connected to

    def _new_conn(self) -> socket.socket:
        sock, self.address = self.dialer.dial(self._dns_host, self.port, deadline=self.deadline)
        try:
            sock.settimeout(max(0.001, self.deadline - monotonic()))  # what a TLS handshake may take as a whole
        except BaseException:
            sock.close()
            raise
        return sock

    def open(self, *, deadline: float) -> socket.socket:
        """Return the socket, connected and past the TLS handshake. Raise TransferError."""
        self.deadline = deadline
        if self.sock is None:
            try:
                self.connect()
            except TransferError:
                self.close()
                raise
            except TimeoutError as error:
                self.close()
                raise timed_out("shaking hands (TLS)") from error
            except (OSError, ValueError) as error:  # ssl.SSLError is an OSError; a name no certificate can hold
                self.close()
                raise TransferError(TransportFault.TLS, one_line(error)) from error
        return self.sock


class PinnedTlsConnection(PinnedConnection, HTTPSConnection):
    """The same with TLS."""


class KeptConnections(HTTPConnectionPool):
    """The connections to one endpoint."""

    ConnectionCls = PinnedConnection
    dialer: Dialer

    def borrow(self, *, fresh: bool = False) -> PinnedConnection:
        """Return a connection, a kept one where there is one that still lives and `fresh` does not forbid it."""
        connection = self._get_conn()
        if not isinstance(connection, PinnedConnection):
            raise TypeError(f"not one of ours: {connection!r}")
        connection.dialer = self.dialer
        if fresh:
            connection.close()
        return connection

    def give_back(self, connection: PinnedConnection, *, keep: bool) -> None:
        """Take a connection back, to be used again where `keep` says so."""
        if not keep:
            connection.close()
        self._put_conn(connection)


class KeptTlsConnections(KeptConnections, HTTPSConnectionPool):
    """The same with TLS."""

    ConnectionCls = PinnedTlsConnection


class Pools(PoolManager):
    """The pools of all endpoints, the longest unused one dropped first."""

    def __init__(self, *, dialer: Dialer, ca_file: str | None, pools: int, connections: int) -> None:
        super().__init__(num_pools=pools, maxsize=connections, block=False)
        self.pool_classes_by_scheme = {"http": KeptConnections, "https": KeptTlsConnections}
        self._dialer = dialer
        self._ca_file = ca_file
        self._keys: dict[Endpoint, tuple[Any, dict[str, Any]]] = {}  # what urllib3 makes of an endpoint
        self._most_keys = 4 * pools
        self._lock = Lock()

    def pool_for(self, endpoint: Endpoint) -> KeptConnections:
        """Return the endpoint's pool."""
        key, context = self._keys.get(endpoint) or self._key_of(endpoint)
        pool = self.connection_from_pool_key(key, context)
        if not isinstance(pool, KeptConnections):
            raise TypeError(f"not one of ours: {pool!r}")
        return pool

    def close(self) -> None:
        """Close every kept connection."""
        for key in self.pools.keys():  # noqa: SIM118 - urllib3's container refuses iteration, for thread safety
            pool = self.pools.get(key)
            if pool is not None:
                pool.close()
        self.clear()

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        context = create_urllib3_context()
        context.load_verify_locations(self._ca_file or DEFAULT_CA_BUNDLE_PATH)
        return context

    def _key_of(self, endpoint: Endpoint) -> tuple[Any, dict[str, Any]]:
        context = {
            **self.connection_pool_kw,
            "scheme": endpoint.scheme,
            "host": endpoint.host,
            "port": endpoint.port,
        }
        with self._lock:
            if len(self._keys) > self._most_keys:
                self._keys.clear()
            self._keys[endpoint] = found = (self.key_fn_by_scheme[endpoint.scheme](context), context)
        return found

    def _new_pool(
        self, scheme: str, host: str, port: int, request_context: dict[str, Any] | None = None
    ) -> HTTPConnectionPool:
        context: Mapping[str, Any] = request_context or {}
        settings = {**context, "ssl_context": self._tls} if scheme == "https" else dict(context)
        pool = super()._new_pool(scheme, host, port, request_context=settings)
        if isinstance(pool, KeptConnections):
            pool.dialer = self._dialer
        return pool
