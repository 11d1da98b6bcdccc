"""Response times of the API while a crawl runs: `python -m bench.live`.

wavecrawl crawls a generated site. Once a second, this process sends each request to the API over the same data folder,
without HTTP. The first request after a new part makes the exports that the others read.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from bench.report import RESULTS, setting, table, write_section
from bench.sites import ROOT
from tests.support.asking import ask

from wavecrawl.api.app import Api
from wavecrawl.application.api_keys import create_key
from wavecrawl.bootstrap.local_settings import LOCAL_TENANT, LocalSettings
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.tenants.role import Role

PROMISE = 1.0  # seconds, median
ROUTES = ("pages", "graph", "orphans", "statistics", "issues", "urls")
PROMISED = ("pages", "graph", "orphans", "statistics")
BODY_BYTES = 4_096
INTERVAL = 0.005  # seconds between requests of the crawl
EVERY = 1.0  # seconds


@dataclass(slots=True, kw_only=True)
class Times:
    """The response times of one route."""

    all: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)  # of the first response as of a wave

    def add(self, seconds: float, *, is_first: bool) -> None:
        """Add a response time."""
        self.all.append(seconds)
        if is_first:
            self.first.append(seconds)


def main(arguments: Sequence[str] | None = None) -> None:
    """Crawl, ask, and write a section of bench/results.md."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=20_000)
    parser.add_argument("--results", type=Path, default=RESULTS, help="the file to write to")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        times, parts, seconds = _measured(Path(name), options.pages)
    rows = [
        [route, f"{len(one.all)}", f"{median(one.all):.2f}", f"{median(one.first):.2f}", f"{max(one.all):.2f}"]
        for route, one in times.items()
    ]
    text = f"""## Results of a running crawl: {options.pages:,} pages

{table(["request", "responses", "median s", "median s, first of a part", "longest s"], rows)}

The API over a data folder in which a crawl of {options.pages:,} generated pages runs with 2 workers and
{INTERVAL * 1000:g} ms between requests, for {seconds:.0f} s. Each request is sent once a second, without HTTP.
There were {parts} parts. The first request after a new part makes the exports that the others read. The promise is a
median of {PROMISE:g} s.

{setting(["wavecrawl", "duckdb"])}
"""
    write_section("live", text, file=options.results)
    slow = [route for route in PROMISED if median(times[route].all) > PROMISE]
    if slow:
        sys.exit(f"more than {PROMISE} s: {', '.join(slow)}")


def _measured(folder: Path, pages: int) -> tuple[dict[str, Times], int, float]:
    server = subprocess.Popen(
        [sys.executable, "-m", "bench.serve", "plain", str(pages), str(BODY_BYTES)],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    url = server.stdout.readline().strip() if server.stdout else ""
    program = str(Path(sys.executable).with_name("wavecrawl"))
    options = [
        "--allow-address",
        "127.0.0.0/8",
        "--no-adapt",
        "--interval",
        str(INTERVAL),
        "-q",
        "--max-pages",
        str(pages),
    ]
    crawl = subprocess.Popen([program, "crawl", url, "--data", str(folder), "--workers", "2", *options], cwd=ROOT)
    started = time.perf_counter()
    try:
        times, parts = _asked(folder, crawl)
        return times, parts, time.perf_counter() - started
    finally:
        crawl.kill()
        crawl.wait()
        server.kill()
        server.wait()


def _asked(folder: Path, crawl: "subprocess.Popen[bytes]") -> tuple[dict[str, Times], int]:
    while not (folder / "wavecrawl.sqlite").exists():
        time.sleep(EVERY)
    store = LocalStore(folder, LocalSettings(requests_a_minute=1_000_000))
    try:
        api = Api(store)
        key = create_key(LOCAL_TENANT, role=Role.READ, name="bench", keys=store.keys, now=store.clock.now()).secret
        times = {route: Times() for route in ROUTES}
        waves: dict[str, set[int]] = {route: set() for route in ROUTES}
        while crawl.poll() is None:
            time.sleep(EVERY)
            for row in store.crawls.newest_first():
                for route in ROUTES:
                    started = time.perf_counter()
                    answered = ask(api.resolve, "GET", f"/v1/crawls/{row.id.crawl}/{route}", key=key)
                    seconds = time.perf_counter() - started
                    wave = answered.body["as_of_wave"]
                    if wave:
                        times[route].add(seconds, is_first=wave not in waves[route])
                        waves[route].add(wave)
        return times, max(map(len, waves.values()))
    finally:
        store.close()


if __name__ == "__main__":
    main()
