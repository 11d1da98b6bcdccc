"""The right of one page to use the proxy while it is rendered, and what it has used."""

import secrets
from asyncio import Task
from base64 import b64encode
from typing import Any

_TOO_MUCH = "the page received more than {limit:,} bytes"


class GateClosedError(Exception):
    """The page may not send or receive any more."""


class PageGate:
    """A random credential for the proxy, which counts the bytes of the page that has it.

    Closing it ends the page's connections.
    """

    def __init__(self, *, max_bytes: int) -> None:
        self.user, self.password = secrets.token_urlsafe(16), secrets.token_urlsafe(32)
        self.received = 0  # bytes
        self.sent = 0  # bytes
        self.problem = ""  # why the gate was closed while the page loaded
        self.closed = False
        self._max_bytes = max_bytes
        self._connections: set[Task[Any]] = set()

    @property
    def authorization(self) -> str:
        """The value of Proxy-Authorization (RFC 7617)."""
        return f"Basic {b64encode(f'{self.user}:{self.password}'.encode()).decode()}"

    def enter(self, connection: Task[Any]) -> None:
        """Note a connection, until it is done. Raise GateClosedError."""
        if self.closed:
            raise GateClosedError
        self._connections.add(connection)
        connection.add_done_callback(self._connections.discard)

    def count_received(self, size: int) -> None:
        """Count bytes for the page. Raise GateClosedError if they are too many."""
        self.received += size
        self._check(self.received)

    def count_sent(self, size: int) -> None:
        """Count bytes from the page. Raise GateClosedError if they are too many."""
        self.sent += size
        self._check(self.sent)

    def close(self) -> None:
        """End the page's connections; no others are accepted."""
        self.closed = True
        for connection in tuple(self._connections):
            connection.cancel()

    def _check(self, size: int) -> None:
        if size > self._max_bytes:
            self.problem = _TOO_MUCH.format(limit=self._max_bytes)
            self.close()
        if self.closed:
            raise GateClosedError
