"""The HTTP server of `wavecrawl serve`: uvicorn, with limits for clients without an API key (ADR 32)."""

import signal
import socket
from collections.abc import MutableMapping, Sequence
from functools import partial
from http import HTTPStatus
from typing import Any, Final

from uvicorn import Config, Server

from wavecrawl.api.asgi import AsgiApi, Receive, Send
from wavecrawl.api.problems import PROBLEM_JSON, RETRY_AFTER
from wavecrawl.api.server_limits import ServerLimits
from wavecrawl.cli.http_protocol import LimitedProtocol, problem_document
from wavecrawl.cli.open_connections import OpenConnections

TRUSTED_PROXIES: Final = ("127.0.0.1", "::1")
"""Proxies on the same machine, as self-hosting describes them."""


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
        self.open_connections = OpenConnections(limits, trusted_proxies)
        config = Config(
            SharedServer(application, self.open_connections),
            http=partial(LimitedProtocol, limits, self.open_connections),  # type: ignore[arg-type]  # it makes one
            loop="asyncio",
            ws="none",
            lifespan="off",
            log_config=None,
            log_level="error",  # a warning for each invalid request would let strangers fill the log
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


class SharedServer:
    """An ASGI application that refuses requests beyond the share of their client's network.

    Uvicorn calls it with the address of the client that a trusted proxy names.
    """

    def __init__(self, application: Any, connections: OpenConnections) -> None:
        self._application = application
        self._open = connections

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        """Respond to a request."""
        address = (scope.get("client") or ("",))[0]
        if not self._open.begin(address):
            await _refuse(send)
            return
        try:
            await self._application(scope, receive, send)
        finally:
            self._open.end(address)


async def _refuse(send: Send) -> None:
    body = problem_document(HTTPStatus.TOO_MANY_REQUESTS, "too many requests from your address are in progress")
    headers = {
        "content-type": PROBLEM_JSON,
        "content-length": str(len(body)),
        "retry-after": RETRY_AFTER,
        "connection": "close",
    }
    encoded = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": HTTPStatus.TOO_MANY_REQUESTS.value, "headers": encoded})
    await send({"type": "http.response.body", "body": body, "more_body": False})
