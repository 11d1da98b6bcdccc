"""An HTTP server of a few fixed files and of archives in byte ranges, for the browser in which an archive is shown."""

import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import BoundedSemaphore, Thread
from typing import Any, Final

from msgspec import Struct

from wavecrawl.domain.fetching.byte_ranges import NoSuchRangeError, span_of

_PIECE: Final = 1_048_576  # bytes
_CONNECTIONS: Final = 64  # at the same time; further ones are closed
_IDLE_SECONDS: Final = 60.0  # until a connection that sends or takes nothing is closed
_BACKLOG: Final = 64


class Content(Struct, frozen=True, kw_only=True):
    """A fixed file."""

    kind: str  # media type
    body: bytes
    headers: Mapping[str, str] = {}


class FileServer:
    """Serves in threads of its own. Responses are for GET and HEAD; others get 501."""

    def __init__(
        self, listener: socket.socket, contents: Mapping[str, Content], archive_at: Callable[[str], Path | None]
    ) -> None:
        """Take a socket that listens, the fixed files by path, and what finds the archive of any other path."""
        self._server = _Server(listener, contents, archive_at)
        self._thread = Thread(target=self._server.serve_forever, name="archives", daemon=True)

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self._server.server_address[1])

    def start(self) -> None:
        """Start. Returns immediately."""
        self._thread.start()

    def stop(self) -> None:
        """Stop, and close the socket."""
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(
        self, listener: socket.socket, contents: Mapping[str, Content], archive_at: Callable[[str], Path | None]
    ) -> None:
        super().__init__(listener.getsockname()[:2], _Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listener
        self.contents = contents
        self.archive_at = archive_at
        self._slots = BoundedSemaphore(_CONNECTIONS)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection in a thread, or close it if there are too many."""
        if self._slots.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve a connection."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._slots.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore a connection that breaks: the browser has closed it."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = _IDLE_SECONDS
    server: _Server

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        content = self.server.contents.get(path)
        if content is not None:
            fields = {"Content-Type": content.kind, "Content-Length": str(len(content.body)), **content.headers}
            self._begin(HTTPStatus.OK, fields)
            self._write(content.body)
            return
        archive = self.server.archive_at(path)
        if archive is None:
            self._begin(HTTPStatus.NOT_FOUND, {"Content-Length": "0"})
        else:
            self._send(archive)

    do_HEAD = do_GET  # noqa: N815 - http.server calls it so

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base class
        """Write no log."""

    def _send(self, archive: Path) -> None:
        with archive.open("rb") as file:
            size = file.seek(0, 2)
            fields = {"Content-Type": "application/wacz", "Accept-Ranges": "bytes"}
            try:
                span = span_of(self.headers.get("Range", ""), size)
            except NoSuchRangeError:
                fields |= {"Content-Length": "0", "Content-Range": f"bytes */{size}"}
                self._begin(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, fields)
                return
            first, last = span or (0, size - 1)
            fields["Content-Length"] = str(last + 1 - first)
            if span is not None:
                fields["Content-Range"] = f"bytes {first}-{last}/{size}"
            self._begin(HTTPStatus.OK if span is None else HTTPStatus.PARTIAL_CONTENT, fields)
            file.seek(first)
            while first <= last and self.command != "HEAD":
                piece = file.read(min(_PIECE, last + 1 - first))
                if not piece:
                    self.close_connection = True  # the file has become shorter
                    return
                self._write(piece)
                first += len(piece)

    def _begin(self, status: HTTPStatus, fields: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {**fields, "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"}.items():
            self.send_header(name, value)
        self.end_headers()

    def _write(self, body: bytes) -> None:
        if self.command != "HEAD":
            with suppress(ConnectionError):  # the browser has what it needs
                self.wfile.write(body)


def listen(host: str, port: int = 0) -> socket.socket:
    """Return a socket that listens; port 0 = any free one. Raise OSError."""
    family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
    return socket.create_server((host, port), family=family, backlog=_BACKLOG)
