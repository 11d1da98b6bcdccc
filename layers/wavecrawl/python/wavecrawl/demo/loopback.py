"""A small threaded HTTP/1.1 server on 127.0.0.1. It keeps connections alive and sends prepared responses.

Each response is one write, so a benchmark on the same machine measures the crawler and not the server.
The server can also fail on purpose.
"""

import select
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Self

import msgspec

from wavecrawl.demo.reply import Fault, Reply, error_reply

HOST = "127.0.0.1"
_HEAD_LIMIT = 65_536  # bytes of a request
_ABORT = struct.pack("ii", 1, 0)  # SO_LINGER that resets the connection when it is closed
_MANY = 10_000  # ports to remember; after that many, a port may be used a second time
_MISSING = 8  # bytes at the end of a body that is cut: all links of a page come before them

_had: set[int] = set()
"""The ports used by this process. None is used twice, because a crawler identifies a site by its origin."""


class Served(msgspec.Struct, frozen=True, kw_only=True):
    """One request as the server saw it. Times are `time.monotonic` seconds."""

    path: str  # including the query
    method: str
    started: float  # when the request had been read
    ended: float  # when the response had been sent
    status: int  # 0 if the connection was broken on purpose


class LoopbackServer:
    """A server of the responses that `find` returns for a path with its query (None = 404). A context manager.

    `latency` (seconds) is added to every response. If `record` is false, requests are neither logged nor counted.
    """

    def __init__(self, *, host: str = HOST, port: int = 0, latency: float = 0.0, record: bool = True) -> None:
        self.host = host
        self.port = port
        self.log: list[Served] = []
        self.max_in_flight = 0
        self._latency = latency
        self._record = record
        self._find: Callable[[str], Reply | None] = lambda _: None
        self._lock = threading.Lock()
        self._in_flight = 0
        self._failed: Counter[str] = Counter()
        self._stopping = threading.Event()
        self._connections: dict[threading.Thread, socket.socket] = {}
        self._listener: socket.socket | None = None
        self._acceptor: threading.Thread | None = None
        self._wake: tuple[socket.socket, socket.socket] | None = None

    @property
    def origin(self) -> str:
        """scheme://host:port. The port is known once the server runs."""
        return f"http://{self.host}:{self.port}"

    @property
    def url(self) -> str:
        """The URL of the root."""
        return f"{self.origin}/"

    def forget(self) -> None:
        """Clear the record of requests, and the failures counted for flaky pages."""
        with self._lock:
            self.log.clear()
            self._failed.clear()
            self.max_in_flight = self._in_flight

    def __enter__(self) -> Self:
        """Listen. Raise OSError if the port is in use."""
        self._listener = _listening(self.host, self.port)
        self.port = self._listener.getsockname()[1]
        self._stopping.clear()
        self._wake = socket.socketpair()
        try:
            self._find = self._finder()
        except BaseException:
            self._close_listener()
            raise
        self._acceptor = threading.Thread(target=self._accept, args=(self._listener, self._wake[0]), name="accept")
        self._acceptor.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopping.set()
        if self._wake is not None and self._acceptor is not None:
            self._wake[1].send(b".")
            self._acceptor.join()
        with self._lock:
            connections = dict(self._connections)
            for connection in connections.values():
                with suppress(OSError):  # the client has closed the connection already
                    connection.shutdown(socket.SHUT_RDWR)
        for thread in connections:
            thread.join()
        self._close_listener()

    def _finder(self) -> Callable[[str], Reply | None]:
        """Return the function that finds responses. Called once the port is known."""
        raise NotImplementedError

    def _close_listener(self) -> None:
        for open_socket in (self._listener, *(self._wake or ())):
            if open_socket is not None:
                open_socket.close()
        self._listener, self._wake = None, None

    def _accept(self, listener: socket.socket, wake: socket.socket) -> None:
        while True:
            ready, _, _ = select.select([listener, wake], [], [])
            if wake in ready:
                return
            connection, _ = listener.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            thread = threading.Thread(target=self._serve, args=(connection,), name="serve", daemon=True)
            with self._lock:
                self._connections[thread] = connection
            thread.start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            buffer = b""
            while not self._stopping.is_set():
                while (end := buffer.find(b"\r\n\r\n")) < 0:
                    chunk = connection.recv(_HEAD_LIMIT)
                    if not chunk or len(buffer) > _HEAD_LIMIT:
                        return
                    buffer += chunk
                head, buffer = buffer[:end], buffer[end + 4 :]
                if not self._respond(connection, head):
                    return
        except OSError:
            return  # the client closed the connection
        finally:
            with self._lock:
                self._connections.pop(threading.current_thread(), None)
                connection.close()

    def _respond(self, connection: socket.socket, head: bytes) -> bool:
        """Send one response. Return whether the connection stays open."""
        started = time.monotonic()
        line, _, fields = head.partition(b"\r\n")
        method, _, rest = line.decode("latin-1").partition(" ")
        path, _, version = rest.partition(" ")
        if self._record:
            with self._lock:
                self._in_flight += 1
                self.max_in_flight = max(self.max_in_flight, self._in_flight)
        status = 0
        try:
            reply = self._reply(method, path, version)
            wait = self._latency + reply.delay
            if wait:
                self._stopping.wait(wait)
            if self._fails(method, path, reply):
                status = self._fail(connection, reply)
                return status != 0
            status, data = reply.answer(method, fields)
            connection.sendall(data)
            return not (reply.closes or version == "HTTP/1.0" or b"connection: close" in fields.lower())
        finally:
            if self._record:
                served = Served(path=path, method=method, started=started, ended=time.monotonic(), status=status)
                with self._lock:
                    self._in_flight -= 1
                    self.log.append(served)

    def _reply(self, method: str, path: str, version: str) -> Reply:
        if not version.startswith("HTTP/1.") or not path.startswith("/"):
            return error_reply(400, closes=True)
        if method not in ("GET", "HEAD"):
            return error_reply(405, closes=True)
        return self._find(path) or error_reply(404)

    def _fails(self, method: str, path: str, reply: Reply) -> bool:
        if not reply.failures or method != "GET":
            return False
        with self._lock:
            self._failed[path] += 1
            return self._failed[path] <= reply.failures

    def _fail(self, connection: socket.socket, reply: Reply) -> int:
        """Fail in the way the reply describes. Return the status sent, or 0 if the connection must be closed."""
        if reply.fault is Fault.STATUS:
            connection.sendall(reply.failure_data)
            return reply.failure_status
        if reply.fault is Fault.RESET:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _ABORT)
        elif reply.fault is Fault.SHORT:
            connection.sendall(reply.data[: max(reply.head_size, len(reply.data) - _MISSING)])
        else:
            connection.sendall(b"\x00\x01 this is no HTTP \xff\r\n\r\n")
        return 0


def _listening(host: str, port: int) -> socket.socket:
    """Listen. For port 0, choose a port that no earlier server of this process used."""
    listener = socket.create_server((host, port), backlog=256)
    while not port and listener.getsockname()[1] in _had and len(_had) < _MANY:
        listener.close()
        listener = socket.create_server((host, port), backlog=256)
    _had.add(listener.getsockname()[1])
    return listener
