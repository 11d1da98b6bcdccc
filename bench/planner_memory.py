"""The planner's peak memory for pages with many links: `python -m bench.planner_memory`.

A wave of pages is stored as workers store it. Then a fresh process gathers it and plans the next wave.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from bench.planner import key_of, resident, url_of
from bench.report import RESULTS, setting, table, write_section
from bench.sites import ROOT
from msgspec.structs import asdict

from wavecrawl.adapters.embedded.folder import FolderArchive
from wavecrawl.application.planner_ports import planner_ports
from wavecrawl.application.run_wave import Planner
from wavecrawl.application.site_rules import site_rules
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.job import BatchJob, JobItem
from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.domain.crawl.record import Link, PageRecord
from wavecrawl.domain.crawl.settings import CrawlSettings, Discovery
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.fetching.exchange import Exchange, FetchRequest
from wavecrawl.domain.pages.page import LinkKind, PageFacts, Region
from wavecrawl.domain.politeness.settings import PoliteSettings
from wavecrawl.ports.batches import BatchSums
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.parts import NoFolds
from wavecrawl.ports.signals import ANOTHER_WAVE, Following

LINKS = (100, 1_000, 2_000)  # per page
PAGES = 5_000  # in the wave
TARGETS = 20_000  # pages of the site that the links lead to
MOST = 600 * 1024 * 1024  # bytes: the promise for 2,000 links per page
_STEP = 7_919  # prime


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """The measurements of one wave."""

    links: int  # per page
    records: int  # bytes of the stored records, compressed
    seconds: float  # to gather the wave and to plan the next one
    rss: int  # peak resident bytes of the process


class NoNetwork:
    """A page client, a queue and signals that do nothing: nothing is fetched."""

    longest_delay = inf

    def __init__(self) -> None:
        self.jobs: list[BatchJob] = []

    def fetch(self, request: FetchRequest) -> Exchange:
        """Return a 404 response."""
        return Exchange(url=request.url, method=request.method, status=404, headers=(), body=b"", raw_body=b"")

    def download(self, request: FetchRequest, path: Path) -> Exchange:  # noqa: ARG002 - part of the port
        """Return a 404 response."""
        return self.fetch(request)

    def close(self) -> None:
        """Do nothing."""

    def holds(self, *, sent_at: float) -> bool:  # noqa: ARG002 - part of the port
        """Return that no job waits."""
        return False

    def send(self, jobs: Sequence[BatchJob]) -> None:
        """Keep the jobs."""
        self.jobs.extend(jobs)

    def succeed(self, token: str, following: Following = ANOTHER_WAVE) -> None:
        """Do nothing."""


def store_wave(folder: Path, links: int) -> None:
    """Store a crawl whose second wave has `PAGES` pages with `links` links each."""
    store = LocalStore(folder)
    settings = CrawlSettings(
        discovery=Discovery.LINKS_ONLY, max_pages=1_000_000, polite=PoliteSettings(obey_robots=False)
    )
    crawl = store.start(url_of(0), settings)
    for wave in (1, 2):
        network = NoNetwork()
        planner_of(store, crawl, network).run_wave(Phase.BFS, wave, str(wave))
        for job in network.jobs:
            complete(store, job, partial(_record, links=PAGES if wave == 1 else links))
    store.close()


def complete(store: LocalStore, job: BatchJob, record_of: Callable[[JobItem], PageRecord]) -> None:
    """Complete a batch with generated records."""
    lease = store.batches.lease(job.id, owner="bench", now=time.time(), seconds=600.0)
    if lease is None:
        raise RuntimeError(f"batch {job.id.batch} is leased")
    archive = store.archive.open(job.id, attempt=lease.attempt)
    for item in job.items:
        archive.add(record_of(item), [])
    archive.commit()
    store.batches.complete(lease, BatchSums(records=len(job.items)))


def _record(item: JobItem, *, links: int) -> PageRecord:
    first = int(item.key, 16) % TARGETS if item.depth else 0
    targets = ((first + number * (_STEP if item.depth else 1)) % TARGETS for number in range(1, links + 1))
    return PageRecord(
        key=item.key,
        url=item.url,
        depth=item.depth,
        state=UrlState.FETCHED,
        status=200,
        is_html=True,
        fetched_at=time.time(),
        facts=PageFacts(title="A page", text="word " * 300),
        links=tuple(
            Link(url=url_of(page), key=key_of(page), kind=LinkKind.ANCHOR, region=Region.MAIN, text=f"Article {page}")
            for page in targets
        ),
    )


def planner_of(store: LocalStore, crawl: CrawlRow, network: NoNetwork) -> Planner:
    """Return the planner of a stored crawl."""
    rules = site_rules(crawl, client=network, cache=store.robots, clock=store.clock)
    ports = planner_ports(store, queue=network, signals=network, folds=NoFolds(), archive=FolderArchive(store.root))
    return Planner(crawl, rules, ports)


def measure(folder: Path, links: int) -> Sample:
    """Gather the stored wave and plan the next one in this process, which should be a fresh one."""
    store = LocalStore(folder)
    planner = planner_of(store, store.find(None), NoNetwork())
    started = time.perf_counter()
    planned = planner.run_wave(Phase.BFS, 3, "3")
    seconds = time.perf_counter() - started
    if planner.state.counters.fetched != PAGES + 1 or not planned.urls:
        raise RuntimeError(f"{planner.state.counters.fetched} pages were gathered, {planned.urls} planned")
    stored = sum(path.stat().st_size for path in folder.rglob("*.jsonl.gz"))
    return Sample(links=links, records=stored, seconds=seconds, rss=resident(peak=True))


def _in_fresh_processes(links: int) -> Sample:
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "bench.planner_memory", "--folder", folder, "--links", str(links)]
        subprocess.run([*command, "--store"], cwd=ROOT, check=True)
        done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return Sample(**json.loads(done.stdout))


def text_of(samples: Sequence[Sample]) -> str:
    """Return the section of the results."""
    heads = ["links per page", "links in the wave", "records MB", "seconds", "peak RSS MB"]
    rows = [
        [
            f"{one.links:,}",
            f"{one.links * PAGES:,}",
            f"{one.records / 1e6:,.0f}",
            f"{one.seconds:.1f}",
            f"{one.rss / 1e6:,.0f}",
        ]
        for one in samples
    ]
    return f"""## Planner: memory for pages with many links

{table(heads, rows)}

A fresh process restores the crawl, gathers a stored wave of {PAGES:,} pages and plans the next one. The links lead to
{TARGETS:,} pages of the site. Each batch is read once. Only the links that change the frontier are kept until the wave
is settled. The promise is {MOST / 1024**2:,.0f} MiB for the largest number of links.

{setting(["wavecrawl"])}
"""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.planner_memory", description="Measure the planner's memory")
    parser.add_argument("--folder", type=Path, help="measure the crawl in this folder in this process and print JSON")
    parser.add_argument("--links", type=int, help="with --folder: links per page")
    parser.add_argument("--store", action="store_true", help="with --folder: store the crawl instead")
    parser.add_argument("--results", type=Path, default=RESULTS, help="file to write (default: %(default)s)")
    options = parser.parse_args()
    if options.folder and options.store:
        store_wave(options.folder, options.links)
        return 0
    if options.folder:
        print(json.dumps(asdict(measure(options.folder, options.links))))
        return 0
    samples = [_in_fresh_processes(links) for links in LINKS]
    text = text_of(samples)
    print(text)
    write_section("planner memory", text, file=options.results)
    return 1 if samples[-1].rss > MOST else 0


if __name__ == "__main__":
    sys.exit(main())
