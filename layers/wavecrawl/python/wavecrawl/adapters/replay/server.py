"""The server of a replay on loopback: the engine, the page with the replay, and one archive in byte ranges."""

import re
from collections.abc import Mapping
from functools import cached_property
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from pathlib import Path
from threading import Thread
from types import TracebackType
from typing import Any, Final, Self

from wavecrawl.adapters.replay.engine import WORKER, ReplayEngine

HOST: Final = "127.0.0.1"
ARCHIVE: Final = "/crawl.wacz"
COLLECTION: Final = "archive"
"""The name of the archive in URLs of the engine."""

_PIECE: Final = 1_048_576  # bytes
_RANGE: Final = re.compile(r"bytes=(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))")


class ReplayServer:
    """Serves one archive to the browser that replays it, on a free port. A context manager."""

    def __init__(self, engine: ReplayEngine, archive: Path) -> None:
        self.archive = archive
        self._engine = engine
        self._server = _Server((HOST, 0), _Handler, self)
        self._thread = Thread(target=self._server.serve_forever, name="replay", daemon=True)

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self._server.server_address[1])

    @property
    def origin(self) -> str:
        """The URL of the server, without a slash at the end."""
        return f"http://{HOST}:{self.port}"

    def url_of(self, url: str, time: str) -> str:
        """Return where the engine shows a page as it was at a time (14 digits)."""
        return f"{self.origin}/w/{COLLECTION}/{time}mp_/{url}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @cached_property
    def files(self) -> Mapping[str, tuple[str, bytes]]:
        """Media type and content by path, without the archive."""
        page = files("wavecrawl.adapters.replay").joinpath("replay.html").read_bytes()
        return {
            "/": ("text/html; charset=utf-8", page),
            f"/{WORKER}": ("text/javascript; charset=utf-8", self._engine.content(WORKER)),
        }


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: tuple[str, int], handler: Any, replay: ReplayServer) -> None:
        super().__init__(address, handler)
        self.replay = replay


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path == ARCHIVE:
            self._send_archive()
        elif path in self.server.replay.files:
            kind, body = self.server.replay.files[path]
            self._begin(HTTPStatus.OK, {"Content-Type": kind, "Content-Length": str(len(body))})
            self._write(body)
        else:
            self._begin(HTTPStatus.NOT_FOUND, {"Content-Length": "0"})

    do_HEAD = do_GET  # noqa: N815 - http.server calls it so

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base class
        """Write no log."""

    def _send_archive(self) -> None:
        path = self.server.replay.archive
        size = path.stat().st_size
        span = byte_range(self.headers.get("Range", ""), size)
        fields = {"Content-Type": "application/wacz", "Accept-Ranges": "bytes"}
        if span is None:
            fields |= {"Content-Length": "0", "Content-Range": f"bytes */{size}"}
            self._begin(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, fields)
            return
        first, end = span
        fields["Content-Length"] = str(end - first)
        if "Range" in self.headers:
            fields["Content-Range"] = f"bytes {first}-{end - 1}/{size}"
        self._begin(HTTPStatus.PARTIAL_CONTENT if "Range" in self.headers else HTTPStatus.OK, fields)
        with path.open("rb") as file:
            file.seek(first)
            while first < end and self.command != "HEAD":
                piece = file.read(min(_PIECE, end - first))
                self._write(piece)
                first += len(piece) or end

    def _begin(self, status: HTTPStatus, fields: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name, value)
        self.end_headers()

    def _write(self, body: bytes) -> None:
        if self.command != "HEAD":
            self.wfile.write(body)


def byte_range(header: str, size: int) -> tuple[int, int] | None:
    """Return the first byte and the end of a Range header, None if it has no bytes of a file (RFC 9110 14.1.2).

    A header that is not one range of bytes is ignored: the range is the whole file.
    """
    match = _RANGE.fullmatch(header.strip())
    if match is None:
        return 0, size
    first, last, suffix = match.groups()
    if suffix is not None:
        return (max(0, size - int(suffix)), size) if int(suffix) and size else None
    end = min(int(last) + 1, size) if last else size
    return (int(first), end) if int(first) < end else None
