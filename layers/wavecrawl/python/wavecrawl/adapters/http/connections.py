"""urllib3 connections to checked addresses, and the pool that keeps idle ones."""

import socket
import ssl
from collections.abc import Callable, Sequence
from threading import Lock
from time import monotonic
from typing import Any
from weakref import finalize

from msgspec import Struct
from requests.utils import DEFAULT_CA_BUNDLE_PATH
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.util.ssl_ import create_urllib3_context

from wavecrawl.adapters.http.addresses import AddressPolicy, literal_address, shown_address
from wavecrawl.adapters.http.client_certificates import show_certificate
from wavecrawl.adapters.http.outbound import bytes_out
from wavecrawl.adapters.http.outbound_proxies import DIRECT, OutboundProxies, OutboundProxy
from wavecrawl.adapters.http.own_authorities import trust, trust_system
from wavecrawl.adapters.http.proxy_tunnel import open_tunnel, proxy_error
from wavecrawl.adapters.http.resolver import Resolver
from wavecrawl.adapters.http.target import Endpoint
from wavecrawl.adapters.http.transfer_errors import TransferError, one_line, timed_out
from wavecrawl.domain.fetching.exchange import TransportFault
from wavecrawl.errors import InvalidInputError

_MAX_ATTEMPTS = 4  # addresses of one host
_VERIFY = ssl.VERIFY_X509_PARTIAL_CHAIN
"""As in browsers, in each version of Python. From 3.13 on, urllib3's default also refuses authorities without key
identifiers, which companies have: https://docs.python.org/3.13/library/ssl.html#ssl.VERIFY_X509_STRICT"""


class Dialer(Struct, frozen=True, kw_only=True):
    """Opens sockets, only to addresses that the policy permits, or to an outbound proxy."""

    resolver: Resolver
    policy: AddressPolicy
    denies: Callable[[str], bool] = lambda _: False  # whether the operator forbids requests to a host or an address
    proxies: OutboundProxies = DIRECT

    def check(self, host: str) -> None:
        """Raise TransferError if the operator forbids requests to a host."""
        if self.denies(host):
            raise TransferError(TransportFault.DENIED_HOST, f"the operator does not allow requests to {host}")

    def dial(self, host: str, port: int, *, deadline: float, scheme: str = "https") -> tuple[socket.socket, str]:
        """Return a socket connected to the host, and its address. Raise TransferError.

        The host's permitted addresses are tried in order. Each attempt gets an equal share of the time left. Errors
        name no addresses but public ones: tenants see them, and must not look up names in the operator's network.

        If the host is reached through a proxy, its address is unknown and "". Only a host that is an address itself can
        be checked then. The socket leads to the host if the scheme is https, else to the proxy, which wants URLs.
        """
        self.check(host)
        proxy = self.proxies.proxy_for(scheme, host, port)
        if proxy is None:
            permitted = self._permitted(host, self.resolver.addresses(host, deadline=deadline), port)
            return self._connect(permitted, host, port, deadline=deadline)
        if (literal := literal_address(host)) is not None:
            self._permitted(host, (literal,), port)
        return self._through(proxy, host, port, deadline=deadline, is_tunnel=scheme == "https"), ""

    def _permitted(self, host: str, found: Sequence[str], port: int) -> list[str]:
        permitted = [address for address in found if self.policy.permits(address, port)][:_MAX_ATTEMPTS]
        if not permitted:
            raise TransferError(TransportFault.BLOCKED_ADDRESS, f"{host} is not on the public internet")
        if denied := [address for address in permitted if self.denies(address)]:
            self.check(denied[0])
        return permitted

    def _connect(self, addresses: Sequence[str], host: str, port: int, *, deadline: float) -> tuple[socket.socket, str]:
        problems: list[str] = []
        for tried, address in enumerate(addresses):
            left = deadline - monotonic()
            if left <= 0:
                break
            try:
                return _connected(address, port, timeout=left / (len(addresses) - tried)), address
            except OSError as error:
                problems.append(f"{shown_address(address, host)} port {port}: {one_line(error)}")
        if not problems:
            raise timed_out(f"looking up {host}")
        raise TransferError(TransportFault.CONNECT, "; ".join(dict.fromkeys(problems)))

    def _through(
        self, proxy: OutboundProxy, host: str, port: int, *, deadline: float, is_tunnel: bool
    ) -> socket.socket:
        try:
            addresses = self.resolver.addresses(proxy.host, deadline=deadline)[:_MAX_ATTEMPTS]
            sock, _ = self._connect(addresses, proxy.host, proxy.port, deadline=deadline)
        except TransferError as error:
            raise proxy_error(f"it cannot be reached ({error.fault.value})") from error
        try:
            if is_tunnel:
                open_tunnel(sock, proxy, host, port, deadline=deadline)
        except BaseException:
            sock.close()
            raise
        return sock


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
    """A connection to the checked address, or to a proxy. Host header, SNI and certificate check use the host name."""

    def __init__(self, endpoint: Endpoint, dialer: Dialer, **tls: Any) -> None:
        super().__init__(endpoint.host, endpoint.port, **tls)
        self.endpoint = endpoint
        self.address = ""  # of the server, once connected; "" behind a proxy
        self.forwarder = (  # the proxy that gets whole URLs and forwards requests, None if the server gets them itself
            dialer.proxies.proxy_for("http", endpoint.host, endpoint.port) if endpoint.scheme == "http" else None
        )
        self.on_sent: Callable[[int], None] = lambda _: None  # called with the bytes that were sent since the last call
        self._counted = 0  # bytes of the current socket
        self._dialer = dialer
        self._deadline = 0.0  # monotonic seconds

    def _new_conn(self) -> socket.socket:
        sock, self.address = self._dialer.dial(
            self._dns_host, self.port, deadline=self._deadline, scheme=self.endpoint.scheme
        )
        try:
            sock.settimeout(max(0.001, self._deadline - monotonic()))  # for the whole TLS handshake
        except BaseException:
            sock.close()
            raise
        return sock

    def count_sent(self) -> None:
        """Report the bytes that were sent over this connection and have not been reported."""
        if self.sock is None:
            return
        sent = bytes_out(self.sock)
        if sent > self._counted:
            self.on_sent(sent - self._counted)
            self._counted = sent

    def close(self) -> None:
        """Close the connection."""
        self.count_sent()
        self._counted = 0
        super().close()

    def open(self, *, deadline: float) -> socket.socket:
        """Return the socket, connected and with TLS set up. Raise TransferError."""
        self._deadline = deadline
        self._dialer.check(self.endpoint.host)
        if self.sock is None:
            try:
                self.connect()
            except TransferError:
                self.close()
                raise
            except TimeoutError as error:
                self.close()
                raise timed_out("setting up TLS") from error
            except (OSError, ValueError) as error:  # ssl.SSLError is an OSError; ValueError: not a name for TLS
                self.close()
                raise TransferError(TransportFault.TLS, one_line(error)) from error
        return self.sock


class PinnedTlsConnection(PinnedConnection, HTTPSConnection):
    """A PinnedConnection with TLS."""


class ConnectionPool:
    """Makes connections and keeps idle ones, by endpoint. Safe to share between threads."""

    def __init__(
        self,
        *,
        dialer: Dialer,
        ca_file: str | None,
        max_endpoints: int,
        max_idle: int,
        on_sent: Callable[[int], None] = lambda _: None,
        certificate_for: Callable[[str], str] = lambda _: "",
    ) -> None:
        """Build an empty pool.

        Args:
            dialer: opens the sockets.
            ca_file: certificate authorities to trust besides those of requests and of this machine, as a PEM file.
            max_endpoints: endpoints with idle connections; the one unused for longest is dropped.
            max_idle: idle connections per endpoint.
            on_sent: called with numbers of bytes that left this machine, headers of packets included.
            certificate_for: returns the client certificate to show to an origin, as PEM; "" for none.
        """
        self._certificate_for = certificate_for
        self._contexts: dict[str, ssl.SSLContext] = {}  # by client certificate
        self._dialer = dialer
        self._on_sent = on_sent
        self._ca_file = ca_file
        self._max_endpoints = max_endpoints
        self._max_idle = max_idle
        self._idle: dict[Endpoint, list[PinnedConnection]] = {}  # the endpoint used last is the last one
        self._lock = Lock()
        finalize(self, _close_all, self._idle)  # a pool that was never closed leaves no open sockets

    def borrow(self, endpoint: Endpoint, *, fresh: bool = False) -> PinnedConnection:
        """Return an idle connection that is still open, or a new one. `fresh` asks for a new one."""
        with self._lock:
            idle = self._idle.get(endpoint)
            connection = idle.pop() if idle and not fresh else None
        if connection is not None:
            if connection.is_connected:
                return connection
            connection.close()
        if endpoint.scheme == "https":
            connection = PinnedTlsConnection(endpoint, self._dialer, ssl_context=self._tls(endpoint))
        else:
            connection = PinnedConnection(endpoint, self._dialer)
        connection.on_sent = self._on_sent
        return connection

    def give_back(self, connection: PinnedConnection) -> None:
        """Keep an open connection for later requests, or close it if there are too many."""
        connection.count_sent()
        surplus: list[PinnedConnection] = []
        with self._lock:
            idle = self._idle.pop(connection.endpoint, [])
            self._idle[connection.endpoint] = idle
            (idle if len(idle) < self._max_idle else surplus).append(connection)
            if len(self._idle) > self._max_endpoints:
                surplus += self._idle.pop(next(iter(self._idle)))
        for each in surplus:
            each.close()

    def close(self) -> None:
        """Close every idle connection."""
        with self._lock:
            _close_all(self._idle)

    def _tls(self, endpoint: Endpoint) -> ssl.SSLContext:
        """Return the context of connections to an endpoint. Two threads that make it at first may each make one."""
        certificate = self._certificate_for(endpoint.origin)
        if certificate not in self._contexts:
            self._contexts[certificate] = self._new_context(certificate)
        return self._contexts[certificate]

    def _new_context(self, certificate: str) -> ssl.SSLContext:
        context = create_urllib3_context(verify_flags=_VERIFY)
        if certificate:
            try:
                show_certificate(context, certificate)
            except InvalidInputError as error:  # it was valid when it was stored
                raise TransferError(TransportFault.TLS, one_line(error)) from error
        context.load_verify_locations(DEFAULT_CA_BUNDLE_PATH)
        trust_system(context)
        if self._ca_file is not None:
            trust(context, self._ca_file)
        return context


def _close_all(idle: dict[Endpoint, list[PinnedConnection]]) -> None:
    for connections in idle.values():
        for connection in connections:
            connection.close()
    idle.clear()
