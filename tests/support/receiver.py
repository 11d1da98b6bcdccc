"""A webhook receiver on loopback."""

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Event, Thread
from typing import Any

from standardwebhooks import Webhook as Verifier

SECRET = "whsec_dGVzdC1zZWNyZXQtb2YtYS1yZWNlaXZlcg=="


class Receiver(HTTPServer):
    """A receiver that verifies messages. It responds with the scripted statuses, then with 204."""

    def __init__(self, *answers: int) -> None:
        super().__init__(("127.0.0.1", 0), _Receiving)
        self.answers = list(answers)
        self.secret = SECRET
        self.received: list[dict[str, Any]] = []
        self.ids: list[str] = []
        self.arrived = Event()


class _Receiving(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.received.append(Verifier(self.server.secret).verify(body, dict(self.headers)))
        self.server.ids.append(self.headers["webhook-id"])
        self.send_response(self.server.answers.pop(0) if self.server.answers else 204)
        self.end_headers()
        self.server.arrived.set()

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@contextmanager
def receiving(*answers: int) -> Iterator[Receiver]:
    with Receiver(*answers) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield server
        server.shutdown()
        thread.join()
