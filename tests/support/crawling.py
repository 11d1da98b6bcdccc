"""Whole crawls inside the test's process: real server, real client, real store, workers controlled by the test."""

import csv
import gzip
import json
from collections.abc import Callable, Mapping, Sequence
from math import inf
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import msgspec
from msgspec.structs import replace
from tests.support.fake_media import PlainProcessor

from wavecrawl.adapters.embedded.worker import Work
from wavecrawl.application.check_batch import check_batch
from wavecrawl.application.crawl_settings import crawl_settings
from wavecrawl.application.fetch_batch import fetch_batch
from wavecrawl.application.process_media import MediaFetcher, media_fetcher, process_media
from wavecrawl.application.render_batch import render_batch
from wavecrawl.application.resource_batch import resource_batch
from wavecrawl.application.worker_ports import WorkerPorts
from wavecrawl.bootstrap.http_clients import page_client
from wavecrawl.bootstrap.local import Watchers, crawl_with, finish_local_crawl
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.bootstrap.worker import local_renderer, local_worker_ports
from wavecrawl.domain.crawl.job import BatchJob, BatchKind
from wavecrawl.domain.crawl.result_files import ResultFile
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.settings_bounds import OPERATOR_BOUNDS
from wavecrawl.domain.politeness.settings import PoliteSettings
from wavecrawl.ports.analytics import CrawlSummary
from wavecrawl.ports.browser import Browser
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.media_assets import MediaAssets
from wavecrawl.ports.parts import Folds
from wavecrawl.ports.signals import ANOTHER_WAVE, Following

QUICK = CrawlSettings(
    allowed_addresses=("127.0.0.0/8",),
    retry_base=0.0,
    polite=PoliteSettings(interval=0.0, adapt=False, cooldown=1.0, in_flight=4),
)
"""Settings of crawls in tests: loopback, without waiting. Files that are made on request are left out."""

ALL_FILES = replace(QUICK, files_at_once=tuple(ResultFile))
"""The same, with all files when the crawl ends, which takes a tenth of the time of a small crawl."""

SILENT = Watchers(on_progress=lambda _: None, on_tally=lambda _: None, poll=lambda: None)


class InlinePool:
    """A pool that runs its jobs in this thread, in an order shuffled by `rng`; some of them twice."""

    def __init__(self, work: Work, rng: Random, *, duplicates: float = 0.0) -> None:
        self._work = work
        self._rng = rng
        self._duplicates = duplicates
        self._waiting: list[BatchJob] = []
        self._late: list[BatchJob] = []
        self._outputs: dict[str, Following] = {}
        self.deliveries = 0
        self.longest_delay = inf

    def holds(self, *, sent_at: float) -> bool:  # noqa: ARG002 - jobs wait in this object
        """Return whether any job waits."""
        return bool(self._waiting)

    def send(self, jobs: Sequence[BatchJob]) -> None:
        """Queue jobs."""
        self._waiting.extend(jobs)
        self._waiting.extend(job for job in jobs if self._rng.random() < self._duplicates)

    def succeed(self, token: str, following: Following = ANOTHER_WAVE) -> None:
        """Complete the task of `token`."""
        self._outputs.setdefault(token, following)

    def wait_for(self, token: str, *, poll: Callable[[], None], stop: Callable[[], bool] = bool) -> Following:  # noqa: ARG002
        """Run jobs until `token` is completed. Return its output. Remaining duplicates run in later waves."""
        self._rng.shuffle(self._waiting)
        while token not in self._outputs:
            job = self._waiting.pop()
            self.deliveries += 1
            self._work(job)
            poll()
        self._late.extend(self._waiting)
        self._waiting.clear()
        if self._late and self._rng.random() < self._duplicates:
            self._waiting.append(self._late.pop())
        return self._outputs[token]

    def is_paused(self) -> bool:
        """Return False: jobs run without waiting."""
        return False

    def close(self) -> None:
        """Do nothing; there is nothing to close."""


class Done(msgspec.Struct, frozen=True, kw_only=True):
    """A finished crawl."""

    row: CrawlRow
    summary: CrawlSummary
    exports: Path
    folder: Path

    def pages(self) -> list[dict[str, Any]]:
        """Return the lines of pages.jsonl.gz."""
        data = gzip.decompress((self.exports / "pages.jsonl.gz").read_bytes())
        return [json.loads(line) for line in data.splitlines()]

    def ledger(self) -> list[dict[str, str]]:
        """Return the rows of ledger.csv."""
        return table(self.exports / "ledger.csv")

    def edges(self) -> list[tuple[str, str, str, str]]:
        """Return (source, target, kind, reason why the target is not crawled) of every link and redirect."""
        query = "SELECT source, target, kind, reason FROM read_parquet(?)"
        return duckdb.connect().execute(query, [str(self.exports / "edges.parquet")]).fetchall()


def table(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def crawl_inline(
    url: str,
    folder: Path,
    settings: CrawlSettings = QUICK,
    *,
    rng: Random | None = None,
    duplicates: float = 0.0,
    replace_ports: Callable[[WorkerPorts], WorkerPorts] = lambda ports: ports,
    folds: Folds | None = None,
    browser: Browser | None = None,
    assets: MediaAssets | None = None,
    watchers: Watchers = SILENT,
) -> Done:
    """Crawl a site with workers inside this process; `replace_ports` may replace their ports.

    `browser` renders. Media are stored in `assets`, as `PlainProcessor` reads them.
    """
    store = LocalStore(folder)
    try:
        row = store.start(url, settings.validated())
        ports: list[WorkerPorts] = []

        def work(job: BatchJob) -> bool:
            if not ports:
                ports.append(
                    replace_ports(local_worker_ports(store, row.id, signals=pool, owner="inline", watch=lambda _: None))
                )
            if job.kind is BatchKind.RENDER and browser is not None:
                return render_batch(job, ports[0], local_renderer(store, row.id, browser))
            if job.kind is BatchKind.MEDIA and assets is not None:
                return process_media(job, ports[0], _fetcher(store, row, assets))
            runs = {BatchKind.CHECK: check_batch, BatchKind.RESOURCE: resource_batch}
            return runs.get(job.kind, fetch_batch)(job, ports[0])

        pool = InlinePool(work, rng or Random(0), duplicates=duplicates)
        row = crawl_with(pool, store, row, watchers, folds, renders=browser is not None)
        return build_results(store, row)
    finally:
        store.close()


def _fetcher(store: LocalStore, row: CrawlRow, assets: MediaAssets) -> MediaFetcher:
    crawl = store.crawls.read(row.id) or row
    return media_fetcher(crawl, store, page_client(crawl.settings), assets=assets, processor=PlainProcessor())


def build_results(store: LocalStore, row: CrawlRow, *, rebuild: bool = False) -> Done:
    """Build the results of a crawl; `rebuild`: from its records."""
    summary = finish_local_crawl(store, row, rebuild=rebuild)
    if summary is None:
        raise AssertionError("unexpected request to build results")
    return Done(row=row, summary=summary, exports=store.results_folder(row.id), folder=store.folder(row.id))


def on_loopback(settings: Mapping[str, Any], *, contact: str = "") -> CrawlSettings:
    """Return the settings of a request's body, with those that a deployment for tests adds."""
    asked = crawl_settings(settings, bounds=OPERATOR_BOUNDS)
    return replace(asked, allowed_addresses=QUICK.allowed_addresses, contact=contact)


def with_changes(settings: CrawlSettings, changes: Mapping[str, Any]) -> CrawlSettings:
    """Return the settings with other values. `polite.interval` names a nested field."""
    for name, value in changes.items():
        outer, _, inner = name.partition(".")
        settings = replace(settings, **{outer: replace(getattr(settings, outer), **{inner: value}) if inner else value})
    return settings
