"""The time of each step per page: `python -m bench.profile_hot_path`.

The crawl runs in this process with one worker and one request at a time. The functions in SPOTS are wrapped by a
stopwatch. The time of a step does not include the steps that it calls.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from math import inf
from pathlib import Path
from threading import get_ident
from typing import Any
from unittest.mock import patch

from bench.report import RESULTS, setting, table, write_section
from bench.run import LIBRARIES
from bench.sites import SITES, BenchSite, served

from wavecrawl.adapters.embedded.worker import Work
from wavecrawl.bootstrap import local
from wavecrawl.bootstrap.local import Watchers, run_local_crawl
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.job import BatchJob
from wavecrawl.domain.crawl.measures import Measures
from wavecrawl.domain.crawl.record import PageRecord
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.politeness.pace import Pace
from wavecrawl.domain.politeness.settings import PoliteSettings
from wavecrawl.ports.signals import ANOTHER_WAVE, Following

SPOTS = (
    ("fetch: request, response, body", "wavecrawl.adapters.http.client:RequestsPageClient", "fetch"),
    ("decode: bytes to text", "wavecrawl.application.read_page", "decode_html"),
    ("parse: HTML to tree", "wavecrawl.domain.pages.extraction", "limit_growth"),
    ("parse: HTML to tree", "wavecrawl.domain.pages.extraction", "LexborHTMLParser"),
    ("survey: elements by use", "wavecrawl.domain.pages.extraction", "survey"),
    ("links: read from the tree", "wavecrawl.domain.pages.extraction", "landmarks"),
    ("links: read from the tree", "wavecrawl.domain.pages.extraction", "regions"),
    ("links: read from the tree", "wavecrawl.domain.pages.extraction", "links"),
    ("links: resolve, filter, key", "wavecrawl.domain.urls.link_filter:LinkFilter", "links"),
    ("facts: title, headings, meta", "wavecrawl.domain.pages.extraction", "head_facts"),
    ("text: main content", "wavecrawl.domain.pages.extraction", "main_text"),
    ("text: hashes", "wavecrawl.domain.pages.extraction", "simhash_of_words"),
    ("text: hashes", "wavecrawl.domain.pages.extraction", "sketch_of_words"),
    ("text: hashes", "wavecrawl.domain.pages.extraction", "sha256"),
    ("extraction: the rest", "wavecrawl.domain.pages.extraction.reading", "extract"),
    ("WARC: build and compress", "wavecrawl.adapters.embedded.folder", "page_records"),
    ("records: encode, compress, write", "wavecrawl.adapters.embedded.folder:FolderBatchArchive", "add"),
    ("store: claims, batches", "wavecrawl.adapters.embedded.database:Database", "rows"),
    ("store: claims, batches", "wavecrawl.adapters.embedded.database:Database", "change"),
    ("store: claims, batches", "wavecrawl.adapters.embedded.batches:SqliteBatches", "lease"),
    ("store: claims, batches", "wavecrawl.adapters.embedded.batches:SqliteBatches", "complete"),
    ("planner: gather", "wavecrawl.application.gather_wave:WaveGatherer", "settle"),
    ("planner: the rest", "wavecrawl.application.run_wave:Planner", "run_wave"),
    ("worker: the rest", "wavecrawl.bootstrap.worker", "fetch_batch"),
)
"""(step, module or module:class, name of the wrapped function)"""

WHOLE = "everything else"


@dataclass(slots=True)
class Spent:
    """The total time of one step, without the steps that it calls."""

    calls: int = 0
    wall: float = 0.0  # seconds
    cpu: float = 0.0  # seconds of this thread


class Stopwatch:
    """A stopwatch for nested steps of one thread; time counts for the innermost step."""

    def __init__(self) -> None:
        self.spent = {WHOLE: Spent()}
        self._steps = [WHOLE]
        self._wall = time.perf_counter()
        self._cpu = time.thread_time()

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Time the block."""
        self._turn()
        self.spent.setdefault(name, Spent()).calls += self._steps[-1] != name
        self._steps.append(name)
        try:
            yield
        finally:
            self._turn()
            self._steps.pop()

    def stop(self) -> None:
        """Count the time since the last step."""
        self._turn()

    def _turn(self) -> None:
        wall, cpu = time.perf_counter(), time.thread_time()
        spent = self.spent[self._steps[-1]]
        spent.wall += wall - self._wall
        spent.cpu += cpu - self._cpu
        self._wall, self._cpu = wall, cpu

    def wrap(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return `function`, timed as a step if this thread calls it."""
        thread = get_ident()

        def timed(*args: Any, **kwargs: Any) -> Any:
            if get_ident() != thread:
                return function(*args, **kwargs)
            with self.step(name):
                return function(*args, **kwargs)

        return timed


class ThisThreadPool:
    """A replacement of the process pool that runs jobs in this thread, one request at a time."""

    longest_delay = inf

    def __init__(
        self, _count: int, build: Callable[..., Work], arguments: tuple[object, ...], **_others: object
    ) -> None:
        self._work = build(_Silent(self), "profile", *arguments)
        self._jobs: list[BatchJob] = []
        self._outputs: dict[str, Following] = {}

    def holds(self, *, sent_at: float) -> bool:  # noqa: ARG002 - jobs wait in this object
        """Return whether any job waits."""
        return bool(self._jobs)

    def send(self, jobs: Sequence[BatchJob]) -> None:
        """Queue jobs."""
        self._jobs += jobs

    def succeed(self, token: str, following: Following = ANOTHER_WAVE) -> None:
        """Complete the wait for `token`."""
        self._outputs.setdefault(token, following)

    def wait_for(self, token: str, *, poll: Callable[[], None], stop: Callable[[], bool]) -> Following:  # noqa: ARG002
        """Work until `token` is completed; return its output."""
        while token not in self._outputs:
            self._work(replace(self._jobs.pop(0), pace=Pace(interval=0.0, in_flight=1)))
        poll()
        return self._outputs[token]

    def is_paused(self) -> bool:
        """Return False: jobs run without waiting."""
        return False

    def close(self) -> None:
        """Do nothing."""


@dataclass(frozen=True, slots=True)
class _Silent:
    """The reporter of a worker without a pipe."""

    pool: ThisThreadPool

    def succeed(self, token: str, following: Following = ANOTHER_WAVE) -> None:
        self.pool.succeed(token, following)

    def watch(self, _record: PageRecord) -> None:
        """Do nothing."""

    def measure(self, _host: str, _measures: Measures) -> None:
        """Do nothing."""

    def watch_check(self, _record: PageRecord) -> None:
        """Do nothing."""

    def watch_rendered(self, _record: PageRecord) -> None:
        """Do nothing."""

    def watch_media(self, _record: PageRecord) -> None:
        """Do nothing."""

    def at_end(self, _close: Callable[[], None]) -> None:
        """Do nothing: the sites need no browser."""


def profile(url: str, max_pages: int) -> tuple[int, Stopwatch]:
    """Crawl the site at `url`; return the number of pages and the times."""
    polite = PoliteSettings(interval=0.0, adapt=False)
    settings = CrawlSettings(max_pages=max_pages, polite=polite, allowed_addresses=("127.0.0.0/8",)).validated()
    watchers = Watchers(on_progress=lambda _: None, on_tally=lambda _: None, poll=lambda: None)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder, patch.object(local, "WorkerPool", ThisThreadPool):
        store = LocalStore(Path(folder))
        watch = Stopwatch()
        with _wrapped(watch):
            crawl = store.start(url, settings)
            row, _ = run_local_crawl(store, crawl, workers=1, watchers=watchers, results=False)
        watch.stop()
        pages = store.pages_so_far(row)
        store.close()
    return pages, watch


@contextmanager
def _wrapped(watch: Stopwatch) -> Iterator[None]:
    """Wrap all functions in SPOTS; raise AttributeError if one does not exist."""
    patches = []
    for step, where, name in SPOTS:
        module, _, class_name = where.partition(":")
        owner = import_module(module)
        if class_name:
            owner = getattr(owner, class_name)
        patches.append(patch.object(owner, name, watch.wrap(step, getattr(owner, name))))
    for one in patches:
        one.start()
    try:
        yield
    finally:
        for one in reversed(patches):
            one.stop()


def text_of(site: BenchSite, pages: int, watch: Stopwatch) -> str:
    """Return the section of the results."""
    order = [*dict.fromkeys(step for step, _, _ in SPOTS), WHOLE]
    spent = [(step, watch.spent.get(step, Spent())) for step in order]
    cpu, wall = sum(one.cpu for _, one in spent), sum(one.wall for _, one in spent)
    rows = [
        [
            step,
            f"{one.calls / pages:.2f}",
            f"{one.wall * 1000 / pages:.3f}",
            f"{one.cpu * 1000 / pages:.3f}",
            f"{100 * one.cpu / cpu:.0f} %",
        ]
        for step, one in spent
    ]
    rows.append(["all", "", f"{wall * 1000 / pages:.3f}", f"{cpu * 1000 / pages:.3f}", "100 %"])
    return f"""## The hot path: time of each step per page ({site.name}, {pages:,} pages)

{table(["step", "calls/page", "wall ms/page", "CPU ms/page", "share of CPU"], rows)}

One process, one worker, one request at a time. The time of a step does not include the steps that it calls. The wall
time of fetch includes waiting for the server. Imports and the start of worker processes are not included.

{setting(LIBRARIES)}
"""


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.profile_hot_path", description="Measure the time of each step per page"
    )
    sites = [site.name for site in SITES]
    parser.add_argument("--site", action="append", choices=sites, help="site to crawl; repeatable")
    parser.add_argument("--results", type=Path, default=RESULTS, help="file to write (default: %(default)s)")
    options = parser.parse_args()
    names = options.site or [site.name for site in SITES[:2]]
    for site in (site for site in SITES if site.name in names):
        if site.missing:
            print(f"skipped: {site.missing}", file=sys.stderr)
            continue
        with served(site) as url:
            text = text_of(site, *profile(url, site.max_pages))
        print(text)
        write_section(f"hot path {site.name}", text, file=options.results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
