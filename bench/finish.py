"""The time, memory and disk of folding and finishing crawls of different sizes: `python -m bench.finish`.

Nothing is fetched: the parts of crawls are generated, and the records of a few parts for the measurement of folding.
Each measurement is made in a fresh process.
"""

import argparse
import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread

import msgspec
from bench.generated_parts import LINKS, PART_PAGES, ROOT_URL, changes, write_parts, write_records
from bench.planner import resident
from bench.report import RESULTS, setting, table, write_section
from bench.sites import ROOT

from wavecrawl.adapters.analytics.build import DuckDbAnalytics
from wavecrawl.adapters.analytics.part_writer import DuckDbPartWriter
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.ports.analytics import AnalyticsInputs, CrawlFacts
from wavecrawl.ports.parts import Table

SIZES = (10_000, 100_000, 1_000_000)
MOST_RSS = 2_000_000_000  # bytes, for the largest size
MOST_GROWTH = 1.5  # time per page of the largest size, compared with a tenth of it
FOLD = 0  # in place of a size: folding is measured
_SAMPLE_EVERY = 0.5  # seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """The measurements of one process."""

    pages: int
    seconds: float
    cpu: float  # seconds, of all threads
    rss: int  # peak resident bytes
    parts: int  # bytes of the parts
    exports: int  # bytes of the exports
    disk: int  # peak bytes of scratch files and exports


def fold(folder: Path) -> Sample:
    """Fold one part in this process, which should be a fresh one."""
    records = write_records(PART_PAGES, folder / "records")
    part = folder / "part"
    part.mkdir()
    started, cpu = time.perf_counter(), time.process_time()
    DuckDbPartWriter().write(1, records, changes(PART_PAGES), part)
    return Sample(
        pages=PART_PAGES,
        seconds=time.perf_counter() - started,
        cpu=time.process_time() - cpu,
        rss=resident(peak=True),
        parts=_size(part),
        exports=0,
        disk=_size(part),
    )


def finish(folder: Path, pages: int) -> Sample:
    """Build the results of generated parts in this process, which should be a fresh one."""
    parts = {table: sorted((folder / "parts" / table).glob("*.parquet")) for table in Table}
    scratch = folder / "results"
    scratch.mkdir()
    inputs = AnalyticsInputs(
        parts=parts, sitemap=(), changed={}, notices=(), crawl=_facts(), folder=scratch / "exports"
    )
    started, cpu = time.perf_counter(), time.process_time()
    with _largest(scratch) as sizes:
        summary = DuckDbAnalytics().build(inputs)
    if summary.pages != pages or summary.notices:
        raise RuntimeError(f"the results of {pages:,} pages have {summary.pages:,} and notices {summary.notices}")
    return Sample(
        pages=pages,
        seconds=time.perf_counter() - started,
        cpu=time.process_time() - cpu,
        rss=resident(peak=True),
        parts=_size(folder / "parts"),
        exports=_size(scratch),
        disk=max(sizes),
    )


def _facts() -> CrawlFacts:
    return CrawlFacts(
        crawl="bench",
        site="bench",
        root_url=ROOT_URL,
        root_key=hashlib.md5(ROOT_URL.encode(), usedforsecurity=False).hexdigest(),
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


def _in_fresh_process(pages: int, folder: Path | None) -> Sample:
    with TemporaryDirectory(dir=folder) as name:
        if pages:
            write_parts(pages, Path(name) / "parts")
        command = [sys.executable, "-m", "bench.finish", "--folder", name, "--pages", str(pages)]
        done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return Sample(**json.loads(done.stdout))


def text_of(folded: Sample, samples: Sequence[Sample]) -> str:
    """Return the section of the results."""
    heads = ["pages", "seconds", "CPU us/page", "peak RSS MB", "bytes/page: parts", "exports", "peak disk"]
    rows = [
        [
            f"{one.pages:,}",
            f"{one.seconds:.1f}",
            f"{one.cpu / one.pages * 1e6:,.0f}",
            f"{one.rss / 1e6:,.0f}",
            f"{one.parts / one.pages:,.0f}",
            f"{one.exports / one.pages:,.0f}",
            f"{(one.parts + one.disk) / one.pages:,.0f}",
        ]
        for one in samples
    ]
    return f"""## Finish: the results of crawls of different sizes

{table(heads, rows)}

Parts of {PART_PAGES:,} pages are generated, with {LINKS} links and 220 words per page. A fresh process builds all
results from them. Peak disk includes the parts. Folding the records of one part takes
{folded.cpu / folded.pages * 1e6:,.0f} us of CPU time per page and {folded.rss / 1e6:,.0f} MB of memory; both do not
depend on the size of the crawl. The promise is {MOST_RSS / 1e6:,.0f} MB for {SIZES[-1]:,} pages, and at most
{MOST_GROWTH} times the CPU time per page of {SIZES[-2]:,} pages.

{setting(["wavecrawl", "duckdb"])}
"""


def _problems(folded: Sample, samples: Sequence[Sample]) -> bool:
    *_, smaller, largest = samples
    growth = largest.cpu / largest.pages / (smaller.cpu / smaller.pages)
    return max(folded.rss, largest.rss) > MOST_RSS or growth > MOST_GROWTH


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.finish", description="Measure folding and finishing")
    parser.add_argument("--folder", type=Path, help="measure the parts in this folder in this process and print JSON")
    parser.add_argument("--pages", type=int, help="with --folder: number of pages; 0 = measure folding")
    parser.add_argument("--scratch", type=Path, help="folder for generated files (default: the temporary folder)")
    parser.add_argument("--results", type=Path, default=RESULTS, help="file to write (default: %(default)s)")
    options = parser.parse_args()
    if options.folder:
        sample = finish(options.folder, options.pages) if options.pages else fold(options.folder)
        print(json.dumps(asdict(sample)))
        return 0
    folded, *samples = [_in_fresh_process(pages, options.scratch) for pages in (FOLD, *SIZES)]
    text = text_of(folded, samples)
    print(text)
    write_section("finish", text, file=options.results)
    return 1 if _problems(folded, samples) else 0


if __name__ == "__main__":
    sys.exit(main())
