"""A loopback server with the embeddings API of OpenAI."""

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

from tests.support.patience import HANG


def _set() -> Event:
    event = Event()
    event.set()
    return event


@dataclass
class Endpoint:
    """A server with the embeddings API: the vector of a text has its length and 1. Fails first as told."""

    failures: list[tuple[int, dict[str, str], str]] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    url: str = ""
    reply: Any = None  # instead of the vectors
    opened: Event = field(default_factory=_set)  # while it is not set, requests get no response

    def respond(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["content-length"])))
        self.requests.append(body)
        self.headers.append({name.lower(): value for name, value in handler.headers.items()})
        self.opened.wait(HANG)
        status, headers, text = self.failures.pop(0) if self.failures else (200, {}, "")
        rows = [{"index": n, "embedding": [float(len(one)), 1.0]} for n, one in enumerate(body["input"])]
        payload = text.encode() or json.dumps(self.reply or {"data": rows[::-1]}).encode()
        handler.send_response(status)
        for name, value in {**headers, "content-length": str(len(payload))}.items():
            handler.send_header(name, value)
        with suppress(BrokenPipeError, ConnectionResetError):  # the client may have ended
            handler.end_headers()
            handler.wfile.write(payload)


@contextmanager
def served(endpoint: Endpoint) -> Iterator[Endpoint]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == "/v1/embeddings"
            endpoint.respond(self)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        endpoint.url = f"http://127.0.0.1:{server.server_port}/v1"
        try:
            yield endpoint
        finally:
            server.shutdown()
            thread.join()
