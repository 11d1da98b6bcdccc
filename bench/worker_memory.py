"""The peak memory of a worker that fetches a batch of hostile responses: `python -m bench.worker_memory`.

Each case has a worker process of its own, and a server on loopback that sends the same response to each request. The
worker fetches, decodes, parses and stores a batch with 5 requests in flight. Its peak is the VmHWM of Linux.
"""

import argparse
import gzip
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from socketserver import StreamRequestHandler, ThreadingTCPServer
from threading import Thread

import brotli
import msgspec
import zstandard
from bench.measuring import peak_of_this_process
from bench.report import setting, table, write_section
from bench.sites import ROOT
from infra.config import Config
from msgspec.structs import asdict, replace

from wavecrawl.adapters.embedded.worker import Reporter
from wavecrawl.adapters.memory_arena import share_one_arena
from wavecrawl.application.fetch_batch import fetch_batch
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.bootstrap.worker import local_worker_ports
from wavecrawl.domain.crawl.job import BatchId, BatchJob, BatchKind, JobItem
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.settings_bounds import REQUEST_BOUNDS
from wavecrawl.domain.fetching.limits import FetchLimits
from wavecrawl.domain.politeness.pace import Pace
from wavecrawl.domain.politeness.settings import PoliteSettings

MIB = 1024 * 1024
IN_FLIGHT = 5
URLS = 10
FUNCTION_MB = Config().fetch_memory
LARGEST = int(REQUEST_BOUNDS.range_of("limits.max_bytes")[1])  # bytes that a tenant may set
DEFAULTS = FetchLimits(timeout=120.0)  # seconds: the server and its worker share the machine
LARGE = replace(DEFAULTS, max_bytes=20 * MIB)
MOST = replace(DEFAULTS, max_bytes=LARGEST, max_decoded_bytes=LARGEST)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A hostile response."""

    body: Callable[[], bytes]
    coding: str = ""
    chunk: int = 0  # bytes per chunk of the transfer coding; 0 = Content-Length
    limits: FetchLimits = DEFAULTS
    urls: int = URLS


def _html(size: int) -> Callable[[], bytes]:
    """Return a maker of a page of text and links."""
    part = b"".join(
        b"<p>paragraph %d <a href='/%d'>link %d</a></p>\n" % (number, number, number) for number in range(999)
    )
    return lambda: (b"<title>large</title>" + part * (size // len(part) + 1))[:size]


def _stacked(times: int) -> bytes:
    body = Random(1).randbytes(5 * MIB - 4_096)  # cannot be compressed
    for _ in range(times):
        body = brotli.compress(body, quality=0) + b"x"
    return body


CASES = {
    "page of 5 MB in chunks of 1 byte": Case(body=_html(5 * MIB), chunk=1, urls=2),
    "pages of 20 MB": Case(body=_html(20 * MIB), limits=LARGE),
    "pages of 20 MB in chunks of 16 bytes": Case(body=_html(20 * MIB), chunk=16, limits=LARGE, urls=5),
    "pages of 20 MB, gzip": Case(body=lambda: gzip.compress(_html(20 * MIB)()), coding="gzip"),
    "pages of 20 MB, br": Case(body=lambda: brotli.compress(_html(20 * MIB)(), quality=1), coding="br"),
    "bomb of 400 MB, gzip": Case(body=lambda: gzip.compress(bytes(400 * MIB)), coding="gzip"),
    "bomb of 400 MB, br": Case(body=lambda: brotli.compress(bytes(400 * MIB), quality=1), coding="br"),
    "bomb of 400 MB, zstd": Case(body=lambda: zstandard.compress(bytes(400 * MIB)), coding="zstd"),
    "br with a byte too many": Case(body=lambda: _stacked(1), coding="br"),
    "br, br, br, each with a byte too many": Case(body=lambda: _stacked(3), coding="br, br, br"),
    "pages of 50 MB, the most of a tenant": Case(body=_html(LARGEST), limits=MOST, urls=5),
}


class Peak(msgspec.Struct, frozen=True, kw_only=True):
    """The measurements of a case."""

    case: str
    megabytes: float  # peak resident set
    before: float  # MB before the batch
    seconds: float  # CPU per page
    pages: int  # fetched


class _Handler(StreamRequestHandler):
    """Sends one response to each request."""

    response = b""

    def handle(self) -> None:
        while self.rfile.readline():
            while self.rfile.readline().strip():
                pass
            try:
                self.wfile.write(self.response)
            except OSError:
                return


def _response(case: Case) -> bytes:
    body = case.body()
    head = "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
    if case.coding:
        head += f"Content-Encoding: {case.coding}\r\n"
    if not case.chunk:
        return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body
    size = case.chunk
    pieces = (body[start : start + size] for start in range(0, len(body), size))
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
    return f"{head}Transfer-Encoding: chunked\r\n\r\n".encode() + chunks + b"0\r\n\r\n"


def measure(name: str) -> Peak:
    """Run a case in a worker process."""
    handler = type("Handler", (_Handler,), {"response": _response(CASES[name])})
    with ThreadingTCPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        Thread(target=server.serve_forever, daemon=True).start()
        command = [sys.executable, "-m", "bench.worker_memory", "--worker", name, str(server.server_address[1])]
        output = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
        server.shutdown()
    return Peak(**json.loads(output))


class _NoReports(Reporter):
    """A reporter without a pool."""

    def __init__(self) -> None:
        """Report nothing."""

    def succeed(self, *_arguments: object) -> None:
        """Do nothing."""


def work(name: str, port: int) -> Peak:
    """Fetch a batch in this process, and measure it."""
    share_one_arena()
    case, host = CASES[name], f"127.0.0.1:{port}"
    settings = CrawlSettings(
        limits=case.limits, polite=PoliteSettings(obey_robots=False), allowed_addresses=("127.0.0.0/8",)
    )
    with tempfile.TemporaryDirectory() as folder:
        store = LocalStore(Path(folder))
        crawl = store.start(f"http://{host}/", settings)
        store.crawls.settle_root(crawl.id, crawl.start_url)
        store.waves.create(crawl.id, 1, planned=1)
        ports = local_worker_ports(store, crawl.id, signals=_NoReports(), owner="w", watch=lambda _: None)
        items = tuple(
            JobItem(url=f"http://{host}/{number}", key=f"{number:032x}", depth=1, tries=1)
            for number in range(case.urls)
        )
        pace = Pace(interval=0.0, in_flight=IN_FLIGHT)
        id_ = BatchId(crawl=crawl.id, wave=1, batch=0)
        job = BatchJob(id=id_, kind=BatchKind.FETCH, host=host, items=items, starts_at=0.0, pace=pace)
        before, start = peak_of_this_process(), time.process_time()
        fetch_batch(job, ports)
        seconds = time.process_time() - start
        pages = store.waves.progress(crawl.id).fetched
        store.close()
    return Peak(case=name, megabytes=peak_of_this_process(), before=before, seconds=seconds / case.urls, pages=pages)


def report(peaks: Sequence[Peak]) -> str:
    """Return the section of the results."""
    rows = [
        [
            f"{peak.case}, {CASES[peak.case].urls} URLs",
            f"{peak.megabytes:,.0f}",
            f"{peak.megabytes - peak.before:,.0f}",
            f"{peak.seconds:,.2f}",
        ]
        for peak in peaks
    ]
    heads = ("response", "peak MB", "above the idle worker", "CPU seconds per page")
    return f"""## A worker's memory under hostile responses

{table(heads, rows)}

Largest resident set of a local worker process that fetches a batch with {IN_FLIGHT} requests in flight. A worker
function has {FUNCTION_MB} MB. Its libraries take about 30 MB more than those of a local worker. The limits are the
defaults, except for plain pages of 20 MB and the pages with the largest limits that a tenant may set. The memory for
bodies is `waves.max_bytes_in_flight`: {CrawlSettings().waves.max_bytes_in_flight // MIB} MiB.

{setting(("wavecrawl", "brotli", "zstandard", "isal"))}"""


def main() -> int:
    """Run the benchmark. Return 1 if a case takes more memory than a function has."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worker", nargs=2, metavar=("CASE", "PORT"), help=argparse.SUPPRESS)
    parser.add_argument("--case", action="append", choices=list(CASES), help="measure only this, and write nothing")
    arguments = parser.parse_args()
    if arguments.worker:
        name, port = arguments.worker
        sys.stdout.write(json.dumps(asdict(work(name, int(port)))))
        return 0
    peaks = [measure(name) for name in arguments.case or CASES]
    text = report(peaks)
    sys.stdout.write(f"{text}\n")
    if not arguments.case:
        write_section("worker memory", text)
    return int(any(peak.megabytes > FUNCTION_MB for peak in peaks))


if __name__ == "__main__":
    sys.exit(main())
