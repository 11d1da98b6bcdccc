"""A server of the check site on loopback: API Gateway's host names do not resolve in tests."""

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from wavecrawl.adapters.aws import check_site


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._respond()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self._respond()

    def _respond(self) -> None:
        headers = {"host": self.headers["host"], "x-forwarded-proto": "http"}
        event = {"requestContext": {"http": {"method": self.command}}, "rawPath": self.path, "headers": headers}
        answer = check_site.response(event)
        assert answer is not None, self.path
        body = base64.b64decode(answer["body"])
        self.send_response(answer["statusCode"])
        for name, value in answer["headers"].items():
            self.send_header(name, value)
        if answer["statusCode"] != 204:
            self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@contextmanager
def check_site_server() -> Iterator[str]:
    """Serve the check site. Yield the URL at which functions reach it."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
