"""The time, memory and disk of folding and finishing crawls of different sizes: `python -m bench.finish`.

Nothing is fetched: the page records of a crawl are generated, part by part. A fresh process for each crawl folds them
and builds all results. The last crawl has twice as many pages as the function finish_crawl may finish, with texts as
long as those of real sites, and its process has one core. The exit status is 1 if a promise is broken.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread

import msgspec
from bench.generated_crawl import LINKS, PART_PAGES, ROOT_URL, generated_parts, key_of
from bench.planner import resident
from bench.report import RESULTS, setting, table, write_section
from bench.sites import ROOT
from infra.config import LONGEST_FUNCTION, Config
from msgspec.structs import asdict

from wavecrawl.adapters.analytics.build import DuckDbAnalytics
from wavecrawl.adapters.analytics.part_writer import DuckDbPartWriter
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.ports.analytics import AnalyticsInputs, CrawlFacts
from wavecrawl.ports.parts import Table, file_of

SIZES = (10_000, 100_000, 1_000_000)
WORDS = 220  # per page
USUAL_WORDS = 1_900  # per page; the mean of the pages of three documentation sites (tests/support/docs_sites.py)
MOST_RSS = 2_000_000_000  # bytes, for the largest size
MOST_GROWTH = 1.5  # time per page of the largest size, compared with a tenth of it
RESERVE = 2  # times `finish_pages` must fit into the function, as other sites have longer texts
_DEPLOYED = Config()
_SAMPLE_EVERY = 0.5  # seconds


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """The measurements of one process."""

    pages: int
    fold_seconds: float
    fold_cpu: float  # seconds, of all threads
    fold_rss: int  # peak resident bytes until all parts are folded
    seconds: float  # of the results
    cpu: float
    rss: int  # peak resident bytes of the process
    parts: int  # bytes of the parts
    exports: int  # bytes of the exports
    disk: int  # peak bytes of scratch files and exports

    @property
    def total_cpu(self) -> float:
        """CPU seconds of folding and of the results."""
        return self.fold_cpu + self.cpu


@dataclass(slots=True)
class Stopwatch:
    """The time spent in its blocks."""

    seconds: float = 0.0
    cpu: float = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Add the time of the block."""
        started, cpu = time.perf_counter(), time.process_time()
        yield
        self.seconds += time.perf_counter() - started
        self.cpu += time.process_time() - cpu


def measure(folder: Path, pages: int, *, words: int) -> Sample:
    """Fold and finish a generated crawl in this process, which should be a fresh one."""
    folding, finishing = Stopwatch(), Stopwatch()
    parts = fold(folder, pages, words, folding)
    fold_rss = resident(peak=True)
    scratch = folder / "results"
    scratch.mkdir()
    inputs = AnalyticsInputs(parts=parts, sitemap=(), notices=(), crawl=_facts(), folder=scratch / "exports")
    with finishing.running(), _largest(scratch) as sizes:
        summary = DuckDbAnalytics().build(inputs)
    if summary.pages != pages or summary.notices:
        raise RuntimeError(f"the results of {pages:,} pages have {summary.pages:,} and notices {summary.notices}")
    exports = _size(scratch)
    return Sample(
        pages=pages,
        fold_seconds=folding.seconds,
        fold_cpu=folding.cpu,
        fold_rss=fold_rss,
        seconds=finishing.seconds,
        cpu=finishing.cpu,
        rss=resident(peak=True),
        parts=_size(folder / "parts"),
        exports=exports,
        disk=max(*sizes, exports),
    )


def fold(folder: Path, pages: int, words: int, watch: Stopwatch) -> dict[Table, list[Path]]:
    """Write the parts of a generated crawl; return the files of each table. Its generation is not measured."""
    files: dict[Table, list[Path]] = {table: [] for table in Table}
    for part in generated_parts(pages, folder / "records", words=words):
        into = folder / "parts" / f"{part.number:06d}"
        into.mkdir(parents=True)
        with watch.running():
            DuckDbPartWriter().write(part.number, part.records, part.changes, into)
        for name in Table:
            files[name] += [path for path in [into / file_of(name)] if path.is_file()]
    return files


def _facts() -> CrawlFacts:
    return CrawlFacts(
        crawl="bench",
        site="bench",
        root_url=ROOT_URL,
        root_key=key_of(ROOT_URL),
        status="completed",
        stopped="",
        started_at=1.7e9,
        finished_at=1.7e9 + 1_000,
        settings=msgspec.to_builtins(CrawlSettings()),
        version="bench",
        follow_nofollow=False,
    )


@contextmanager
def _largest(folder: Path) -> Iterator[list[int]]:
    """Collect sizes of a folder until the end of the block."""
    sizes, over = [0], Event()

    def sample() -> None:
        while not over.wait(_SAMPLE_EVERY):
            sizes.append(_size(folder))

    thread = Thread(target=sample)
    thread.start()
    try:
        yield sizes
    finally:
        over.set()
        thread.join()


def _size(folder: Path) -> int:
    """Return the bytes of the files below a folder; hard links count once."""
    found = {}
    for path in folder.rglob("*"):
        try:
            status = path.stat()
        except FileNotFoundError:  # removed in the meantime
            continue
        if path.is_file():
            found[status.st_ino] = status.st_blocks * 512
    return sum(found.values())


def _in_fresh_process(pages: int, scratch: Path | None, *, words: int, cores: int) -> Sample:
    with TemporaryDirectory(dir=scratch) as name:
        command = [sys.executable, "-m", "bench.finish", "--folder", name, "--pages", f"{pages}", "--words", f"{words}"]
        command += ["--cores", f"{cores}"]
        done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return Sample(**json.loads(done.stdout))


def text_of(samples: Sequence[Sample], function: Sample) -> str:
    """Return the section of the results."""
    heads = [
        *("pages", "fold s", "results s", "CPU us/page: fold", "results", "both"),
        *("peak RSS MB: fold", "both", "bytes/page: parts", "exports", "peak disk"),
    ]
    return f"""## Finish: the results of crawls of different sizes

{table(heads, map(_row, samples))}

The records of pages with {LINKS} links and {WORDS} words each are generated, {PART_PAGES:,} at a time. A fresh process
folds them into parts, then builds all results; the time for generating is not included. Peak disk includes the
parts, not the records. The promise is {MOST_RSS / 1e6:,.0f} MB for {SIZES[-1]:,} pages, and at most {MOST_GROWTH} times
the CPU time per page of {SIZES[-2]:,} pages.

The function `finish_crawl` finishes crawls of up to {_DEPLOYED.finish_pages:,} pages (`finish_pages`). It has one core,
{_DEPLOYED.finish_memory:,} MiB of memory, {_DEPLOYED.finish_storage_mb:,} MiB of `/tmp` and {LONGEST_FUNCTION} s. The
promise is that {RESERVE} times as many pages fit, in case they are larger than usual. This is a process with one core,
and {USUAL_WORDS:,} words per page, the mean of the Python, Git and Django manuals:

{table(heads, [_row(function)])}

Its peak disk is {(function.parts + function.disk) / 1024**2:,.0f} MiB.

{setting(["wavecrawl", "duckdb"])}
"""


def _row(one: Sample) -> list[str]:
    return [
        f"{one.pages:,}",
        f"{one.fold_seconds:,.1f}",
        f"{one.seconds:,.1f}",
        *(f"{cpu / one.pages * 1e6:,.0f}" for cpu in (one.fold_cpu, one.cpu, one.total_cpu)),
        *(f"{rss / 1e6:,.0f}" for rss in (one.fold_rss, one.rss)),
        *(f"{size / one.pages:,.0f}" for size in (one.parts, one.exports, one.parts + one.disk)),
    ]


def _problems(samples: Sequence[Sample], function: Sample) -> list[str]:
    """Return the broken promises."""
    *_, smaller, largest = samples
    problems = []
    if largest.rss > MOST_RSS:
        problems.append("memory of the largest crawl")
    if largest.total_cpu / largest.pages > MOST_GROWTH * smaller.total_cpu / smaller.pages:
        problems.append("time per page of the largest crawl")
    if function.rss > _DEPLOYED.finish_memory * 1024**2:
        problems.append("memory of the function")
    if function.seconds > LONGEST_FUNCTION:
        problems.append("time of the function")
    if function.parts + function.disk > _DEPLOYED.finish_storage_mb * 1024**2:
        problems.append("disk of the function")
    return problems


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.finish", description=__doc__)
    parser.add_argument("--folder", type=Path, help="measure one crawl in this empty folder and print JSON")
    parser.add_argument("--pages", type=int, help="with --folder: number of pages")
    parser.add_argument("--words", type=int, default=WORDS, help="with --folder: words per page (default: %(default)s)")
    parser.add_argument("--cores", type=int, default=0, help="with --folder: number of cores; 0 = all")
    parser.add_argument("--scratch", type=Path, help="folder for generated files (default: the temporary folder)")
    parser.add_argument("--results", type=Path, default=RESULTS, help="file to write (default: %(default)s)")
    options = parser.parse_args()
    if options.folder:
        if options.cores:
            os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-options.cores :])
        print(json.dumps(asdict(measure(options.folder, options.pages, words=options.words))))
        return
    samples = [_in_fresh_process(pages, options.scratch, words=WORDS, cores=0) for pages in SIZES]
    function = _in_fresh_process(RESERVE * _DEPLOYED.finish_pages, options.scratch, words=USUAL_WORDS, cores=1)
    text = text_of(samples, function)
    print(text)
    write_section("finish", text, file=options.results)
    if problems := _problems(samples, function):
        sys.exit(f"broken promises: {', '.join(problems)}")


if __name__ == "__main__":
    main()
