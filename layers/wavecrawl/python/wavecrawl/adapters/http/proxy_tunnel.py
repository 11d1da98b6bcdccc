"""Tunnels through an outbound proxy, by CONNECT (RFC 9110 section 9.3.6)."""

import socket
from typing import Final

from wavecrawl.adapters.http.deadline_socket import DeadlineSocket
from wavecrawl.adapters.http.outbound_proxies import OutboundProxy
from wavecrawl.adapters.http.response_head import read_head
from wavecrawl.adapters.http.transfer_errors import TransferError
from wavecrawl.domain.fetching.exchange import TransportFault

AUTHENTICATION_REQUIRED: Final = 407


def open_tunnel(sock: socket.socket, proxy: OutboundProxy, host: str, port: int, *, deadline: float) -> None:
    """Let a connection to a proxy lead to a host and port. Raise TransferError. `deadline`: in monotonic seconds."""
    stream = DeadlineSocket(sock, deadline=deadline)
    where = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    proof = f"Proxy-Authorization: {proxy.authorization}\r\n" if proxy.authorization else ""
    stream.send(f"CONNECT {where} HTTP/1.1\r\nHost: {where}\r\n{proof}\r\n".encode("ascii"))
    try:
        status = read_head(stream).status
    except TransferError as error:
        raise proxy_error(error.detail, fault=error.fault) from error
    if status == AUTHENTICATION_REQUIRED:
        raise unauthenticated()
    if not 200 <= status < 300:  # noqa: PLR2004 - the 2xx class
        raise proxy_error(f"it does not connect to {where}: status {status}")
    if stream.buffer:
        raise proxy_error("it sent something before the server could", fault=TransportFault.PROTOCOL)


def proxy_error(detail: str, *, fault: TransportFault = TransportFault.CONNECT) -> TransferError:
    """Return the error for an outbound proxy. It does not name the proxy: tenants see errors."""
    return TransferError(fault, f"the outbound proxy cannot be used: {detail}")


def unauthenticated() -> TransferError:
    """Return the error for a proxy that wants other credentials than it got."""
    return proxy_error(f"it requires a user name and password, or others than it got: status {AUTHENTICATION_REQUIRED}")
