"""What a site's page memory takes by its size: `python -m bench.page_memory`.

A site of generated pages is crawled twice, each time with another ETag and the same text. A fresh process measures each
size.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from hashlib import md5
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import msgspec
from bench.report import RESULTS, setting, table, write_section
from msgspec.structs import asdict, replace

from wavecrawl.adapters.analytics.page_memories import ParquetPageMemories
from wavecrawl.adapters.embedded.memory_files import FolderMemoryFiles
from wavecrawl.adapters.memory_files import memory_prefix
from wavecrawl.domain.crawl.job import CrawlId

SIZES = (10_000, 100_000, 1_000_000)  # pages
WAVE = 5_000  # URLs, whose validators the planner reads

_FIRST = CrawlId(tenant="t", site="example.com", crawl="20261122-101500-a1b2c3")
_SECOND = replace(_FIRST, crawl="20261123-101500-a1b2c3")
_DAY = 86_400.0  # seconds
_PAGES = """
COPY (
    SELECT md5(i::VARCHAR) AS key, 'https://www.example.com/section/' || i || '/page.html' AS url, 'fetched' AS state,
           '"' || left(md5('{crawl}' || i), 18) || '"' AS etag, 'Wed, 21 Oct 2026 07:28:00 GMT' AS last_modified,
           md5('{crawl}' || i) AS body_hash, md5('text' || i) AS text_hash, left(md5('links' || i), 16) AS link_hash,
           5 AS depth, (hash(i) >> 1)::BIGINT AS simhash, 'Title of page number ' || i AS title,
           '000012-' || lpad((i // 100 % 50)::VARCHAR, 4, '0') || '-1' AS batch, {start} + i * 0.01 AS fetched_at
    FROM range({pages}) t(i)
) TO '{path}' (FORMAT parquet, COMPRESSION zstd)
"""


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """The memory of a site with this number of pages. Times are seconds."""

    pages: int
    first: float  # to add the pages of the first crawl
    opened: float  # to read the validators of a wave, if the planner has just started
    read: float  # to read those of another wave
    second: float  # to add the pages of the second crawl
    compared: float  # to compare the second crawl with the first
    stored: float  # bytes of the memory per page
    local: float  # bytes of the planner's local file per page
    rss: float  # peak in MB


def measure(pages: int) -> Sample:
    """Measure in this process."""
    with TemporaryDirectory() as name:
        root = Path(name)
        memories = ParquetPageMemories(FolderMemoryFiles(root), lambda: root)
        files = [_written(crawl, pages, root) for crawl in (_FIRST, _SECOND)]
        keys = [md5(str(number).encode(), usedforsecurity=False).hexdigest() for number in range(WAVE)]
        return Sample(
            pages=pages,
            first=_seconds(lambda: memories.remember(_FIRST, files[:1])),
            opened=_seconds(lambda: memories.validators(_SECOND, keys)),
            read=_seconds(lambda: memories.validators(_SECOND, keys)),
            second=_seconds(lambda: memories.remember(_SECOND, files[1:])),
            compared=_seconds(lambda: memories.changes(_SECOND, files[1:], since=_start(_SECOND))),
            stored=_bytes(root / memory_prefix(_FIRST), "*.parquet") / pages,
            local=_bytes(root, "memory-*/validators-*/*.parquet") / pages,
            rss=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        )


def _start(crawl: CrawlId) -> float:
    return _DAY * int(crawl.crawl[:8])


def _written(crawl: CrawlId, pages: int, root: Path) -> Path:
    path = root / f"{crawl.crawl}.parquet"
    with duckdb.connect(config={"memory_limit": "256MB", "threads": 1}) as db:
        db.execute(_PAGES.format(crawl=crawl.crawl, start=_start(crawl), pages=pages, path=path))
    return path


def _seconds(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def _bytes(folder: Path, pattern: str) -> int:
    return sum(path.stat().st_size for path in folder.glob(pattern))


def text_of(samples: list[Sample]) -> str:
    """Return the section of the results."""
    heads = ("pages", "first crawl added s", "validators of a first wave s", "of the next s", "second crawl added s",
             "compared s", "bytes a page", "in the planner", "peak RSS MB")  # fmt: skip
    rows = [
        (f"{one.pages:,}", f"{one.first:.1f}", f"{one.opened:.2f}", f"{one.read:.2f}", f"{one.second:.1f}",
         f"{one.compared:.1f}", f"{one.stored:.0f}", f"{one.local:.0f}", f"{one.rss:.0f}")
        for one in samples
    ]  # fmt: skip
    return f"""
## Page memory

{table(heads, rows)}

The pages of a crawl are added to the memory of its site, in files of up to 250,000 pages. The planner of the next crawl
makes a local file with the validators and reads those of {WAVE:,} URLs in each wave. In the second crawl each page has
another ETag, so every file is written again.

{setting(["wavecrawl", "duckdb"])}
"""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.page_memory", description="Measure the page memory")
    parser.add_argument("--pages", type=int, help="measure this number of pages in this process and print JSON")
    parser.add_argument("--results", type=Path, default=RESULTS, help="file to write (default: %(default)s)")
    options = parser.parse_args()
    if options.pages:
        print(json.dumps(asdict(measure(options.pages))))
        return 0
    samples = [_in_fresh_process(pages) for pages in SIZES]
    text = text_of(samples)
    print(text)
    write_section("page memory", text, file=options.results)
    return 0


def _in_fresh_process(pages: int) -> Sample:
    command = [sys.executable, "-m", "bench.page_memory", "--pages", str(pages)]
    done = subprocess.run(command, capture_output=True, check=True)
    return Sample(**json.loads(done.stdout))


if __name__ == "__main__":
    sys.exit(main())
