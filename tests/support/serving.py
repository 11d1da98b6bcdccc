"""A `wavecrawl serve` process, requests to it, and its HTTP server in this process."""

import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests
from tests.support.patience import HANG, eventually

from wavecrawl.api.asgi import AsgiApi, Respond
from wavecrawl.api.server_limits import ServerLimits
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.cli.http_server import HttpServer

PROGRAM = [sys.executable, "-m", "wavecrawl.cli.main", "serve"]


@dataclass(slots=True, kw_only=True)
class Served:
    """A running service. `key` is the first key of its folder, or "" if the folder had one before.

    `dashboard` is the link that it prints.
    """

    process: "subprocess.Popen[str]"
    url: str
    key: str
    dashboard: str

    def ask(
        self, method: str, path: str, body: Any = None, *, headers: Mapping[str, str] | None = None
    ) -> requests.Response:
        """Send a request with the key."""
        sent = {"authorization": f"Bearer {self.key}", **(headers or {})}
        return requests.request(method, f"{self.url}{path}", json=body, headers=sent, timeout=HANG)

    def wait_for(self, crawl: str) -> dict[str, Any]:
        """Return the crawl once it has ended."""

        def shown() -> Any:
            return self.ask("GET", f"/v1/crawls/{crawl}").json()

        assert eventually(lambda: shown()["status"] not in ("queued", "running"), poll=0.5), (
            f"crawl {crawl} has not ended: {shown()}"
        )
        found: dict[str, Any] = shown()
        return found

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        """End the process by a signal. Return its exit code."""
        self.process.send_signal(number)
        return self.process.wait(timeout=HANG)


@contextmanager
def served(data: Path, *options: str, key: str = "") -> Iterator[Served]:
    """Serve a folder on a free port."""
    command = [*PROGRAM, "--data", str(data), "--port", "0", "--allow-address", "127.0.0.0/8", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            said: dict[str, str] = {}
            while "listening" not in said:
                line = process.stdout.readline()
                assert line, f"serve exited with {process.wait()}"
                name, _, value = line.strip().partition(" ")
                said[name] = value
            yield Served(process=process, url=said["listening"], key=said.get("key", key), dashboard=said["dashboard"])
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                try:
                    process.wait(timeout=HANG)
                except subprocess.TimeoutExpired:
                    process.kill()


@contextmanager
def answering(store: LocalStore, limits: ServerLimits, *extras: Respond) -> Iterator[tuple[str, HttpServer]]:
    """Run the HTTP server of a store in a thread, without background work. Yield its URL and the server."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = HttpServer(AsgiApi(store, limits=limits, extras=extras, uploads=store.uploads), listener, limits)
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    thread = threading.Thread(target=server.serve_until_stopped)
    thread.start()
    try:
        yield url, server
    finally:
        server.should_exit = True
        thread.join(timeout=HANG)
