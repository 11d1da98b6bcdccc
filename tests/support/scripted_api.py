"""An API on loopback with scripted responses. It records its requests."""

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True, slots=True, kw_only=True)
class Scripted:
    """One response. `breaks_off` announces more bytes than the body has."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    breaks_off: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request."""

    method: str
    path: str  # with the query
    headers: Mapping[str, str]  # names in lower case
    body: bytes


def document(body: Any, *, status: int = 200, **headers: str) -> Scripted:
    """Return a JSON response."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Scripted(
        status=status, body=json.dumps(body).encode(), headers={"content-type": "application/json", **named}
    )


def problem(status: int, detail: str = "no", **headers: str) -> Scripted:
    """Return a problem response (RFC 9457)."""
    body = {"type": "about:blank", "title": "Problem", "status": status, "detail": detail}
    return document(body, status=status, content_type="application/problem+json", **headers)


def stream(text: str, *, breaks_off: bool = False) -> Scripted:
    """Return a response with server-sent events."""
    return Scripted(body=text.encode(), headers={"content-type": "text/event-stream"}, breaks_off=breaks_off)


NO_ANSWER = Scripted(status=0)
"""The connection is closed without a response."""


class ScriptedApi:
    """An API that sends the scripted responses in turn and repeats the last one."""

    def __init__(self, *answers: Scripted) -> None:
        self.requests: list[Request] = []
        self._answers = list(answers)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def url(self) -> str:
        """The URL of the API."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _next(self, request: Request) -> Scripted:
        self.requests.append(request)
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        api = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                length = int(self.headers.get("content-length", "0"))
                headers = {name.lower(): value for name, value in self.headers.items()}
                body = self.rfile.read(length)
                scripted = api._next(Request(method=self.command, path=self.path, headers=headers, body=body))
                if scripted.status == 0:
                    self.close_connection = True
                    return
                self.send_response(scripted.status)
                for name, value in scripted.headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(scripted.body) + (10 if scripted.breaks_off else 0)))
                self.end_headers()
                self.wfile.write(scripted.body)

            do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = answer  # noqa: N815 - the names http.server looks for

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name in http.server
                """Log nothing."""

        return Handler
