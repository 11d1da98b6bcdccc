"""Where the CPU time of a page goes: `python -m bench.profile_hot_path`.

A crawl runs in one process with one worker and one request at a time. The functions in SPOTS are wrapped by a
stopwatch. The time of a step does not include the steps that it calls. A crawl of one page, with all its processes,
shows what each crawl costs before its first page.

`--before FOLDER` names a checkout of an earlier commit. Both are measured in turns, so that load from other processes
affects both, and the table has a column for each.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from math import inf
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from threading import get_ident
from typing import Any, cast
from unittest.mock import patch

import msgspec
from bench.measuring import measure
from bench.report import RESULTS, setting, table, write_section
from bench.run import LIBRARIES
from bench.sites import ROOT, SITES, BenchSite, served
from msgspec.structs import asdict, replace

from wavecrawl.adapters.embedded.worker import Reporter, Work
from wavecrawl.bootstrap import local
from wavecrawl.bootstrap.local import Watchers, run_local_crawl
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.job import BatchJob
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
    ("facts: title, headings, meta", "wavecrawl.domain.pages.extraction", "with_checks"),
    ("text: main content", "wavecrawl.domain.pages.extraction", "main_text"),
    ("text: hashes", "wavecrawl.domain.pages.extraction", "hashes_of_words"),
    ("text: hashes", "wavecrawl.domain.pages.extraction", "sketch_of_words"),
    ("text: hashes", "wavecrawl.domain.pages.extraction", "sha256"),
    ("extraction: the rest", "wavecrawl.domain.pages.extraction.reading", "extract"),
    ("WARC: digests", "wavecrawl.adapters.warc", "digest_of"),
    ("WARC: compress", "wavecrawl.adapters.warc", "compressed"),
    ("WARC: ids, dates, heads", "wavecrawl.adapters.embedded.folder", "page_records"),
    ("records: encode, compress", "wavecrawl.adapters.embedded.folder", "encoded"),
    ("records: write", "wavecrawl.adapters.embedded.folder:FolderBatchArchive", "add"),
    ("records: to disk (fsync), names", "wavecrawl.adapters.embedded.folder:FolderBatchArchive", "commit"),
    ("store: claims, batches", "wavecrawl.adapters.embedded.database:Database", "rows"),
    ("store: claims, batches", "wavecrawl.adapters.embedded.database:Database", "change"),
    ("store: claims, batches", "wavecrawl.adapters.embedded.batches:SqliteBatches", "lease"),
    ("store: claims, batches", "wavecrawl.adapters.embedded.batches:SqliteBatches", "complete"),
    ("pace: responses and pauses", "wavecrawl.application.run_batch:_BatchRun", "_update_pause"),
    ("measures and progress", "wavecrawl.bootstrap.worker:LocalWorker", "_measure"),
    ("measures and progress", "wavecrawl.adapters.embedded.worker:Reporter", "watch"),
    ("measures and progress", "wavecrawl.adapters.embedded.worker:Reporter", "measure"),
    ("planner: records read", "wavecrawl.adapters.batch_objects", "lines"),
    ("planner: gather", "wavecrawl.application.gather_wave:WaveGatherer", "settle"),
    ("planner: the rest", "wavecrawl.application.run_wave:Planner", "run_wave"),
    ("worker: the rest", "wavecrawl.bootstrap.worker", "fetch_batch"),
)
"""(step, module or module:class, name of the wrapped function)"""

WHOLE = "everything else"
PACKAGE = Path("layers", "wavecrawl", "python")


class Spent(msgspec.Struct):
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
        self._work = build(_Reporter(self), "profile", *arguments)
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


class _Reporter(Reporter):
    """The reporter of a worker in the process of its pool. Its messages are encoded, and sent nowhere."""

    def __init__(self, pool: ThisThreadPool) -> None:
        super().__init__(cast("Connection", _Nowhere()))
        self._pool = pool

    def succeed(self, token: str, following: Following = ANOTHER_WAVE) -> None:
        """Complete the wait for `token`."""
        self._pool.succeed(token, following)


class _Nowhere:
    """A pipe without another end."""

    def send_bytes(self, _data: bytes) -> None:
        """Do nothing."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One measurement of a version."""

    pages: int
    steps: dict[str, Spent]
    start: float  # seconds of CPU time of a crawl of one page, with all its processes


def run(package: Path, url: str, max_pages: int) -> Run:
    """Measure the version in `package`, the folder that contains the module wavecrawl."""
    python = ["env", f"PYTHONPATH={package}", sys.executable]
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        options = f"--data {folder} --max-pages 1 --interval 0 --render never --no-results --no-index --quiet --json"
        program = "import sys; from wavecrawl.cli.main import main; sys.exit(main())"
        one_page = measure([*python, "-c", program, "crawl", url, *options.split()], folder=ROOT)
    command = [*python, "-m", "bench.profile_hot_path", "--measure", url, str(max_pages)]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    found = json.loads(done.stdout.splitlines()[-1])
    steps = {step: Spent(**spent) for step, spent in found["steps"].items()}
    return Run(pages=found["pages"], steps=steps, start=one_page.cpu)


def print_measurement(url: str, max_pages: int) -> None:
    """Profile a crawl in this process; print the result as JSON."""
    pages, watch = profile(url, max_pages)
    print(json.dumps({"pages": pages, "steps": {step: asdict(spent) for step, spent in watch.spent.items()}}))


def text_of(site: BenchSite, now: Sequence[Run], before: Sequence[Run]) -> str:
    """Return the section of the results. `before`: runs of an earlier version, or none."""
    order = [*dict.fromkeys(step for step, _, _ in SPOTS), WHOLE]
    pages = now[0].pages

    def of(runs: Sequence[Run], read: Callable[[Spent], float], steps: Sequence[str]) -> float:
        """Return the median of the runs, in ms or calls per page."""
        return median(sum(read(one.steps.get(step, Spent())) for step in steps) / one.pages for one in runs)

    def row(name: str, steps: Sequence[str]) -> list[str]:
        cpu, all_cpu = of(now, _cpu_ms, steps), of(now, _cpu_ms, order)
        earlier = [f"{of(before, _cpu_ms, steps):.3f}"] if before else []
        calls = f"{of(now, _calls, steps):.2f}" if len(steps) == 1 else ""
        return [name, calls, f"{of(now, _wall_ms, steps):.3f}", *earlier, f"{cpu:.3f}", f"{100 * cpu / all_cpu:.0f} %"]

    heads = ["step", "calls/page", "wall ms/page", *(["CPU before"] if before else []), "CPU ms/page", "share of CPU"]
    rows = [*(row(step, [step]) for step in order), row("all", order)]
    start = f"{median(one.start for one in now) * 1000:.0f} ms"
    if before:
        start += f" (before: {median(one.start for one in before) * 1000:.0f} ms)"
    return f"""## The hot path: time of each step per page ({site.name}, {pages:,} pages)

{table(heads, rows)}

One process, one worker, one request at a time. The time of a step does not include the steps that it calls. The wall
time of fetch includes waiting for the server. Imports and the start of worker processes are not included: a crawl of
one page, with all its processes, takes {start} of CPU time. Medians of runs: {len(now)}.

{setting(LIBRARIES)}
"""


def _cpu_ms(spent: Spent) -> float:
    return spent.cpu * 1000


def _wall_ms(spent: Spent) -> float:
    return spent.wall * 1000


def _calls(spent: Spent) -> float:
    return spent.calls


def main() -> int:
    if sys.argv[1:2] == ["--measure"]:
        print_measurement(sys.argv[2], int(sys.argv[3]))
        return 0
    parser = argparse.ArgumentParser(
        prog="python -m bench.profile_hot_path", description="Measure the time of each step per page"
    )
    sites = [site.name for site in SITES]
    parser.add_argument("--site", action="append", choices=sites, help="site to crawl; repeatable")
    parser.add_argument("--before", type=Path, help="checkout of an earlier commit to compare with")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each version, in turns (default: %(default)s)")
    parser.add_argument("--results", type=Path, default=RESULTS, help="file to write (default: %(default)s)")
    options = parser.parse_args()
    names = options.site or [site.name for site in SITES[:2]]
    for site in (site for site in SITES if site.name in names):
        if site.missing:
            print(f"skipped: {site.missing}", file=sys.stderr)
            continue
        before: list[Run] = []
        now: list[Run] = []
        with served(site) as url:
            for _ in range(options.rounds):
                if options.before:
                    before.append(run(options.before / PACKAGE, url, site.max_pages))
                now.append(run(ROOT / PACKAGE, url, site.max_pages))
        text = text_of(site, now, before)
        print(text)
        write_section(f"hot path {site.name}", text, file=options.results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
