"""The time and memory of gather and plan for sites of different sizes: `python -m bench.planner`.

A crawl of a generated site is run through gather and plan only; nothing is fetched. Each page has ten links, half of
them to new pages, so that nearly the whole site is soon in the frontier.
"""

import argparse
import gc
import json
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from struct import pack

import msgspec
from bench.report import RESULTS, setting, table, write_section
from bench.sites import ROOT
from msgspec.structs import asdict

from wavecrawl.domain.crawl.batching import Speed
from wavecrawl.domain.crawl.frontier import Frontier
from wavecrawl.domain.crawl.frontier_rows import NO_PARENT, FoundUrl
from wavecrawl.domain.crawl.gather import Gatherer
from wavecrawl.domain.crawl.ledger import FoundBy, Phase
from wavecrawl.domain.crawl.plan import Plan, plan_wave
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.record_view import FactsView, LinkView, RecordView
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.crawl.useful_links import UsefulLinks
from wavecrawl.domain.focus.scorer import Scorer
from wavecrawl.domain.focus.vocabulary import Vocabulary
from wavecrawl.domain.pages.word_sketch import POSITIONS, SIZE
from wavecrawl.domain.politeness.pace import Pace
from wavecrawl.domain.traps.families import Families
from wavecrawl.domain.traps.rules import TrapRules, risks_of

SIZES = (10_000, 100_000, 1_000_000)
TRACED_UP_TO = 100_000  # URLs: tracemalloc makes a run several times slower
BYTES_TARGET = 300  # memory per URL
LINKS = 10  # per page
_NEW = 5  # links to new pages
_NO_PAUSE = Speed(pace=Pace(interval=0.0, in_flight=16))
_SCRAMBLE = 0x9E3779B97F4A7C15F39CC0605CEDC835  # odd, so multiplication permutes the 128-bit numbers
_STEP = 7_919  # prime
_TODAY = 740_000  # the day of the crawl, as a proleptic Gregorian ordinal


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """The measurements of a crawl of `urls` pages."""

    urls: int
    waves: int
    gather: float  # seconds of CPU time
    plan: float  # seconds of CPU time
    rss: float  # bytes per URL; growth of the resident set to its maximum
    traced: float  # bytes per URL; maximum of the allocations traced by tracemalloc; 0 = not traced

    @property
    def microseconds(self) -> float:
        """CPU time of gather and plan per URL."""
        return (self.gather + self.plan) * 1e6 / self.urls


def url_of(page: int) -> str:
    """Return the fetch URL of a page."""
    return f"https://site.example/section-{page % 97}/article-{page}.html"


def key_of(page: int) -> str:
    """Return a unique url key that looks like a hash."""
    return f"{(page + 1) * _SCRAMBLE & (1 << 128) - 1:032x}"


def page_of(url: str) -> int:
    """Return the page of a fetch URL."""
    return int(url[url.rindex("-") + 1 : -5])


def record_of(page: int, pages: int) -> RecordView:
    """Return the record of a fetched page with its links."""
    new = [page * _NEW + number for number in range(1, _NEW + 1)]
    anywhere = [(page * _STEP + number * 104_729) % pages for number in range(LINKS - _NEW)]
    links = tuple(LinkView(url=url_of(target), key=key_of(target)) for target in new + anywhere if target < pages)
    return RecordView(
        key=key_of(page),
        url=url_of(page),
        state=UrlState.FETCHED,
        reason=Reason.NONE,
        status=200,
        links=links,
        facts=FactsView(simhash=page * _SCRAMBLE & (1 << 64) - 1, word_sketch=_sketch_of(page)),
    )


def _sketch_of(page: int) -> bytes:
    """Return a sketch of words that differs from that of other pages."""
    return pack(f"<{SIZE}H", *((page * _STEP + number * 61) % POSITIONS for number in range(SIZE)))


class Planned:
    """The measured planner; it makes all calls of the measured code."""

    def __init__(self, pages: int, speed: Speed = _NO_PAUSE) -> None:
        self._speed = speed
        self._settings = CrawlSettings(max_pages=pages, max_frontier=pages)
        self._frontier = Frontier()
        self._families = Families()
        self._vocabulary = Vocabulary()
        self._gatherer = Gatherer(
            scorer=Scorer(
                self._settings.focus,
                self._vocabulary,
                today=_TODAY,
                risks_of=partial(risks_of, families=self._families),
            ),
            traps=TrapRules(self._settings.traps, self._families),
            frontier=self._frontier,
            settings=self._settings,
            allowed=lambda _url: Reason.NONE,
            robots_problem=lambda _url: "",
        )
        self._clock = 1.0
        self.wave = 0

    def start(self) -> None:
        """Add the root to the frontier."""
        root = FoundUrl(
            url=url_of(0), key=key_of(0), depth=0, parent=NO_PARENT, found_by=FoundBy.ROOT, phase=Phase.BFS, wave=1
        )
        self._gatherer.add(root)

    def gather(self, records: Sequence[RecordView]) -> None:
        """Gather the records of the previous wave."""
        self._gatherer.settle(records, tried_in=Phase.BFS, clock=self._clock)
        useful = UsefulLinks(self._gatherer)
        self._gatherer.follow_all([useful.of(one) for one in records], phase=Phase.BFS, wave=self.wave + 1)

    def plan(self) -> Plan:
        """Plan the next wave, and read the changes as for a snapshot."""
        self.wave += 1
        plan = plan_wave(
            self._frontier,
            wave=self.wave,
            waves=self._settings.waves,
            room=self._settings.max_pages - self._gatherer.counters.fetched,
            clock=self._clock,
            interval=0.0,
            speed_of=lambda _url: self._speed,
        )
        self._clock = plan.clock
        list(self._frontier.changes())
        self._families.delta()
        self._vocabulary.delta()
        return plan

    @property
    def done(self) -> int:
        """The number of fetched URLs."""
        return self._gatherer.counters.fetched


def crawl(pages: int, *, traced: bool) -> Sample:
    """Crawl a generated site of `pages` pages in this process, which should be a fresh one."""
    gc.collect()
    before = resident()
    if traced:
        tracemalloc.start()
    planner = Planned(pages)
    planner.start()
    gather = plan = 0.0
    batches: tuple[str, ...] | None = None
    while batches != ():
        records = [record_of(page_of(url), pages) for url in batches or ()]
        started = time.process_time()
        planner.gather(records)
        gathered = time.process_time()
        planned = planner.plan()
        plan += time.process_time() - gathered
        gather += gathered - started
        batches = tuple(item.url for batch in planned.batches for item in batch.items)
    if planner.done != pages:
        raise RuntimeError(f"{planner.done} of {pages} pages were planned")
    return Sample(
        urls=pages,
        waves=planner.wave - 1,
        gather=gather,
        plan=plan,
        rss=(resident(peak=True) - before) / pages,
        traced=tracemalloc.get_traced_memory()[1] / pages if traced else 0.0,
    )


def resident(*, peak: bool = False) -> int:
    """Return the resident bytes of this process: now, or their maximum."""
    name = "VmHWM:" if peak else "VmRSS:"
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))


def _in_fresh_process(pages: int, *, traced: bool) -> Sample:
    command = [sys.executable, "-m", "bench.planner", "--one", str(pages), *(["--traced"] if traced else [])]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return Sample(**json.loads(done.stdout))


def text_of(samples: Sequence[Sample], traced: Sequence[Sample]) -> str:
    """Return the section of the results."""
    heads = [
        "URLs",
        "waves",
        "gather CPU s",
        "plan CPU s",
        "CPU us/URL",
        "peak RSS bytes/URL",
        "peak tracemalloc bytes/URL",
    ]
    bytes_traced = {sample.urls: f"{sample.traced:,.0f}" for sample in traced}
    rows = [
        [
            f"{one.urls:,}",
            f"{one.waves:,}",
            f"{one.gather:.2f}",
            f"{one.plan:.2f}",
            f"{one.microseconds:.1f}",
            f"{one.rss:,.0f}",
            bytes_traced.get(one.urls, "-"),
        ]
        for one in samples
    ]
    growth = samples[-1].microseconds / samples[0].microseconds
    return f"""## Planner: gather and plan

{table(heads, rows)}

A crawl of a generated site with {LINKS} links per page through gather and plan only, in a fresh process for each size,
with scores and the rules against traps. With linear growth, the CPU time per URL would not change; from
{samples[0].urls:,} to {samples[-1].urls:,} URLs it changed by a factor of {growth:.2f}. Memory is the maximum,
including the records and the plan of the current wave (at most 5,000 URLs, which matter most for small sites). The
promise is {BYTES_TARGET} bytes per URL for the largest site.

{setting(["wavecrawl"])}
"""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.planner", description="Measure gather and plan")
    parser.add_argument("--size", type=int, action="append", help=f"URLs; repeatable (default: {SIZES})")
    parser.add_argument("--one", type=int, help="measure one size in this process and print JSON")
    parser.add_argument("--traced", action="store_true", help="with --one: trace memory")
    parser.add_argument("--results", type=Path, default=RESULTS, help="file to write (default: %(default)s)")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(asdict(crawl(options.one, traced=options.traced))))
        return 0
    sizes = options.size or SIZES
    samples = [_in_fresh_process(size, traced=False) for size in sizes]
    traced = [_in_fresh_process(size, traced=True) for size in sizes if size <= TRACED_UP_TO]
    text = text_of(samples, traced)
    print(text)
    write_section("planner", text, file=options.results)
    return 1 if samples[-1].rss > BYTES_TARGET else 0


if __name__ == "__main__":
    sys.exit(main())
