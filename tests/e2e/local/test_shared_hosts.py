"""A crawl over many hosts has the same result with and without shared batches, in any order and delivered twice."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from threading import Thread

import pytest
from tests.support.crawling import QUICK, crawl_inline, with_changes

from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.settings import ScopeMode

HOSTS = 8


@contextmanager
def linked_hosts() -> Iterator[Sequence[str]]:
    """Serve a site on each of some ports; yield their origins. Each page links to pages of all others."""
    origins: list[str] = []

    class Pages(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            known = self.path in ("/", "/a", "/b", "/c")
            near = {"/": ("/a", "/b"), "/a": ("/c",), "/b": ("/c", "/gone")}.get(self.path, ())
            links = "".join(f"<a href='{origin}{path}'>{path}</a>" for path in near for origin in reversed(origins))
            body = f"<title>{self.path}</title><p>{links}".encode()
            self.send_response(200 if known else 404)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    with ExitStack() as stack:
        for _ in range(HOSTS):
            server = stack.enter_context(ThreadingHTTPServer(("127.0.0.1", 0), Pages))
            stack.callback(server.shutdown)
            Thread(target=server.serve_forever, daemon=True).start()
            origins.append(f"http://127.0.0.1:{server.server_port}")
        yield origins


def crawled(folder: Path, origins: Sequence[str], *, batch_size: int, rng: Random) -> tuple[int, list[tuple[str, ...]]]:
    """Return the number of batches of the second wave, and the ledger in the order of discovery."""
    changes = {
        "scope.mode": ScopeMode.SUBDOMAINS,
        "polite.interval": 0.001,
        "waves.batch_size": batch_size,
        "max_pages": 30,
    }
    done = crawl_inline(f"{origins[0]}/", folder, with_changes(QUICK, changes), rng=rng, duplicates=0.5)
    store = LocalStore(folder)
    batches = store.batches.of_wave(done.row.id, 2)
    store.close()
    columns = ("url", "state", "reason", "depth", "parent")
    return len(batches), [tuple(row[name] for name in columns) for row in done.ledger()]


@pytest.fixture(name="origins", scope="module")
def some_origins() -> Iterator[Sequence[str]]:
    with linked_hosts() as origins:
        yield origins


def test_shared_batches_change_no_result(tmp_path: Path, origins: Sequence[str]) -> None:
    batches, alone = crawled(tmp_path / "alone", origins, batch_size=1, rng=Random(0))
    assert batches == 2 * HOSTS  # two pages of each host
    assert len(alone) > 30, "the limit of pages is reached within a wave"
    for number in range(2):
        batches, shared = crawled(tmp_path / str(number), origins, batch_size=100, rng=Random(number))
        assert batches == 1
        assert shared == alone
