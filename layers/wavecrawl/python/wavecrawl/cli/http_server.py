"""The HTTP server of `wavecrawl serve`: uvicorn, with time limits for clients that send slowly (ADR 32)."""

import asyncio
import signal
import socket
from collections.abc import Sequence
from typing import Final

import h11
from uvicorn import Config, Server
from uvicorn.protocols.http.h11_impl import H11Protocol

from wavecrawl.api.asgi import AsgiApi
from wavecrawl.api.server_limits import ServerLimits

TRUSTED_PROXIES: Final = ("127.0.0.1", "::1")
"""Proxies on the same machine, as self-hosting describes them."""

_TOO_MANY: Final = (
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 5\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
)


class HttpServer(Server):
    """Serves an application on a socket that listens. Everything that it needs is loaded when it is created."""

    def __init__(
        self,
        application: AsgiApi,
        listener: socket.socket,
        limits: ServerLimits,
        *,
        trusted_proxies: Sequence[str] = TRUSTED_PROXIES,
    ) -> None:
        """`trusted_proxies`: addresses and networks whose X-Forwarded-For header names the client."""
        self._application = application
        self._listener = listener
        # Accepted connections inherit these options. The kernel closes a connection whose client reads nothing, finds
        # clients that vanished, and does not delay a body until the client has acknowledged its head:
        # https://man7.org/linux/man-pages/man7/tcp.7.html. asyncio sets the last one only on sockets whose protocol
        # number is TCP's; that of an accepted one is 0 here.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, round(limits.unread_seconds * 1000))
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        config = Config(
            application,
            http=_protocol(limits),
            loop="asyncio",
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="warning",
            access_log=False,
            proxy_headers=True,
            forwarded_allow_ips=list(trusted_proxies),
            server_header=False,
            timeout_keep_alive=round(limits.idle_seconds),
            timeout_graceful_shutdown=round(limits.stop_seconds),
        )
        config.load()
        super().__init__(config)

    def end_on_signals(self) -> None:
        """Let SIGTERM and SIGINT end `serve_until_stopped`, also if they come before it is called.

        No handler raises an exception: Python drops those that are raised in callbacks, such as those of imports.
        """
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self.handle_exit)

    def serve_until_stopped(self) -> None:
        """Serve until a signal of `end_on_signals`. Then finish the requests in progress."""
        try:
            self.run(sockets=[self._listener])
        finally:
            self._application.close()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the event streams, and wait for the other requests."""
        self._application.closing.set()
        await super().shutdown(sockets)


def _protocol(limits: ServerLimits) -> type[H11Protocol]:
    """Return uvicorn's protocol, which has no limits for connections that send no complete head of a request."""

    class LimitedProtocol(H11Protocol):
        head_timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            if len(self.connections) > limits.connections:
                transport.write(_TOO_MANY)
                transport.close()
                return
            self._await_head()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.conn.their_state is not h11.IDLE:
                self._stop_waiting()
            elif self.head_timer is None:
                self._await_head()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_waiting()
            super().connection_lost(exc)

        def _await_head(self) -> None:
            self.head_timer = self.loop.call_later(limits.request_seconds, self.transport.abort)

        def _stop_waiting(self) -> None:
            if self.head_timer is not None:
                self.head_timer.cancel()
                self.head_timer = None

    return LimitedProtocol
