"""The planner's peak memory for crawls of millions of URLs: `python -m bench.large_frontier`.

The snapshots of a crawl are stored as the planner stores them, without fetching anything. Then a fresh process restores
the crawl, stores its whole state, gathers the records of the last wave and plans the next one.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from bench.planner import key_of, resident
from bench.planner_memory import NoNetwork, complete, planner_of
from bench.report import RESULTS, setting, table, write_section
from bench.sites import ROOT
from msgspec.structs import asdict

from wavecrawl.application.crawl_state import CrawlState, CrawlStates, Snapshot
from wavecrawl.application.sitemap_listing import ListedUrl, SitemapListing, store_listing
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.batching import Speed
from wavecrawl.domain.crawl.frontier_rows import NO_PARENT, FoundUrl
from wavecrawl.domain.crawl.ledger import FoundBy, Phase
from wavecrawl.domain.crawl.plan import Plan, plan_wave
from wavecrawl.domain.crawl.planner_memory import MEBIBYTE
from wavecrawl.domain.crawl.record import Link, PageRecord, Reason
from wavecrawl.domain.crawl.settings import CrawlSettings, WaveSettings
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.focus.lane import Lane
from wavecrawl.domain.focus.score import Parts, packed_score
from wavecrawl.domain.pages.page import LinkKind, PageFacts, Region
from wavecrawl.domain.politeness.pace import Pace
from wavecrawl.domain.politeness.settings import PoliteSettings
from wavecrawl.domain.traps.families import LIMIT, Family

SIZES = ((2_400_000, 1_769), (10_008_000, 16_384))
"""URLs of a crawl, and MB of the memory that its planner has: the function by default, and the task."""

PAGES_OF = 2.4  # URLs per page of a usual site
PAGES = 5_000  # in a wave
LINKS = 100  # per page of the last wave
MOST_LISTED = 1_000_000  # `sitemaps.max_listed`
NEW = 24_000  # URLs that a wave finds: twice as many pages as it fetches, so that half of all pages wait
_SPEED = Speed(pace=Pace(interval=0.0, in_flight=16))
_SCORE = packed_score(next(iter(Lane)), 500, Parts(path_weight=100))
_SKIPS = (
    *[Reason.OUT_OF_SCOPE] * 6,
    *[Reason.ASSET] * 2,
    Reason.NOFOLLOW,
    Reason.ROBOTS_RULE,
)
"""Why URLs that are no pages of the crawl are not requested, in tenths."""


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """The measurements of one wave."""

    urls: int
    listed: bool  # whether URLs of sitemaps join in the wave
    waiting: int  # URLs after it
    counted: int  # bytes that the URLs take, as the planner counts them
    restored: int  # resident bytes of the process after the crawl was restored
    rss: int  # peak resident bytes of the process
    seconds: float  # to restore the crawl, gather the wave and plan the next one


def url_of(number: int) -> FoundUrl:
    """Return the URL with this number: a page of the site, or one that the crawl skips."""
    pages = int(number / PAGES_OF)
    is_page = number == 0 or int((number - 1) / PAGES_OF) != pages
    skip = Reason.NONE if is_page else _SKIPS[number % len(_SKIPS)]
    host = f"partner-{number % 1_009}.example" if skip is Reason.OUT_OF_SCOPE else "www.site.example"
    return FoundUrl(
        url=f"https://{host}/section-{number % 97}/a-title-of-usual-length-{number}.html",
        key=key_of(number),
        depth=min(9, number.bit_length() // 2),
        parent=number // 48 if number else NO_PARENT,
        found_by=FoundBy.LINK if number else FoundBy.ROOT,
        phase=Phase.BFS,
        wave=1 + number // NEW,
        skip=skip,
        score=0 if skip else _SCORE,
    )


def store_crawl(folder: Path, urls: int) -> None:
    """Store a crawl that has found `urls` URLs, with the records of its last wave."""
    store = LocalStore(folder)
    settings = CrawlSettings(max_pages=urls, max_frontier=urls, polite=PoliteSettings(obey_robots=False))
    crawl = store.start(url_of(0).url, settings)
    states, state = CrawlStates(store.objects), CrawlState()
    planned: list[str] = []
    last = urls // NEW
    for wave in range(1, last + 1):
        states.store_whole(crawl.id, state)
        for index in filter(None, map(state.frontier.find, planned)):
            state.frontier.settle(index, UrlState.FETCHED, reason=Reason.NONE, detail="", tries=1)
        state.counters.fetched += len(planned)
        for number in range((wave - 1) * NEW, wave * NEW):
            state.frontier.add(url_of(number))
        if wave == last:
            state.families.apply(_families())
        plan = _plan(state, wave)
        planned = [item.key for batch in plan.batches for item in batch.items]
        network = NoNetwork()
        snapshot = Snapshot(
            wave=wave,
            phase=Phase.BFS,
            planned_at=time.time(),
            clock=plan.clock,
            counters=state.counters,
            stopped=Reason.NONE,
            batches=plan.batches if wave == last else (),
            rows=state.frontier.changes(),
            families=state.families.whole() if wave == last else [],
        )
        states.store(crawl.id, snapshot)
        state.apply_plan(snapshot)
        if wave == last:
            planner_of(store, crawl, network).run_wave(Phase.BFS, wave, "")
            for job in network.jobs:
                complete(store, job, lambda item: _record(item.url, item.key, urls))
    store.close()


def _plan(state: CrawlState, wave: int) -> Plan:
    return plan_wave(
        state.frontier,
        wave=wave,
        waves=WaveSettings(),
        room=PAGES,
        clock=state.clock,
        interval=0.0,
        speed_of=lambda _: _SPEED,
    )


def _families() -> Iterator[Family]:
    """Yield as many families of pages as the rules against traps keep."""
    for number in range(LIMIT):
        yield Family(
            key=f"template https://www.site.example/section-{number}/*",
            prints=tuple((number * 7919 + bit) << 32 for bit in range(4)),
            words=number.to_bytes(2, "little") * 256,
            targets=number.to_bytes(2, "little") * 256,
            siblings=tuple(f"https://www.site.example/section-{number}/a-title-{one}.html" for one in range(3)),
            last=bytes(128),
        )


def _record(url: str, key: str, urls: int) -> PageRecord:
    first = int(key, 16) % urls
    numbers = [(first + number * 7_919) % urls for number in range(LINKS - 5)]
    numbers += [urls + first * 5 + number for number in range(5)]
    found = [url_of(number) for number in numbers]
    return PageRecord(
        key=key,
        url=url,
        depth=3,
        state=UrlState.FETCHED,
        status=200,
        is_html=True,
        fetched_at=time.time(),
        facts=PageFacts(title="A page", text="word " * 300),
        links=tuple(
            Link(url=one.url, key=one.key, kind=LinkKind.ANCHOR, region=Region.MAIN, text="A title", skip=one.skip)
            for one in found
        ),
    )


def store_sitemaps(folder: Path, urls: int) -> None:
    """Store the listing of sitemaps with as many pages as a crawl reads. No link leads to half of them."""
    store = LocalStore(folder)
    first = urls - round(MOST_LISTED * PAGES_OF / 2)
    found = (url_of(number) for number in range(max(0, first), first + 2 * MOST_LISTED * 3))
    entries = (
        ListedUrl(url=one.url, key=one.key, sitemap="https://www.site.example/sitemap.xml", lastmod="2026-11-01")
        for one in found
        if not one.skip
    )
    store_listing(store.objects, store.find(None).id, SitemapListing(entries=tuple(islice(entries, MOST_LISTED))))
    store.close()


def measure(folder: Path, *, listed: bool) -> Sample:
    """Gather the stored wave and plan the next one in this process, which should be a fresh one."""
    store = LocalStore(folder)
    planner = planner_of(store, store.find(None), NoNetwork())
    started = time.perf_counter()
    urls, size = len(planner.state.frontier), planner.state.bytes
    restored = resident()
    planned = planner.run_wave(Phase.SITEMAP if listed else Phase.BFS, planner.state.wave + 1, "")
    seconds = time.perf_counter() - started
    if planned.urls != PAGES:
        raise RuntimeError(f"{planned.urls} URLs were planned")
    return Sample(
        urls=urls,
        listed=listed,
        waiting=planner.state.frontier.waiting,
        counted=size,
        restored=restored,
        rss=resident(peak=True),
        seconds=seconds,
    )


def samples_of(urls: int) -> Iterator[Sample]:
    """Yield the measurements of a crawl: of a wave that follows links, and of the one that reads the sitemaps."""
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "bench.large_frontier", "--folder", folder, "--urls", str(urls)]
        subprocess.run([*command, "--store"], cwd=ROOT, check=True)
        for more in ([], ["--listed"]):
            for plan in Path(folder).rglob(f"{urls // NEW + 1:06d}.msgpack"):
                plan.unlink()
            for whole in Path(folder).rglob(f"{urls // NEW:06d}-whole-*.msgpack"):
                whole.unlink()
            done = subprocess.run([*command, *more], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
            yield Sample(**json.loads(done.stdout))


def text_of(samples: Sequence[Sample], sizes: Sequence[tuple[int, int]]) -> str:
    """Return the section of the results."""
    memory = dict(sizes)
    heads = [
        "URLs",
        "of them waiting",
        "wave",
        "URLs as counted MB",
        "restored MB",
        "peak RSS MB",
        "bytes a URL",
        "memory MB",
        "seconds",
    ]
    rows = [
        [
            f"{one.urls:,}",
            f"{one.waiting:,}",
            "of sitemaps" if one.listed else "of links",
            f"{one.counted / 1e6:,.0f}",
            f"{one.restored / 1e6:,.0f}",
            f"{one.rss / 1e6:,.0f}",
            f"{one.rss / one.urls:,.0f}",
            f"{memory[one.urls] * MEBIBYTE / 1e6:,.0f}",
            f"{one.seconds:.0f}",
        ]
        for one in samples
    ]
    return f"""## Planner: memory for millions of URLs

{table(heads, rows)}

A usual site has {PAGES_OF} URLs per page: {_SKIPS.count(Reason.OUT_OF_SCOPE)} of 10 others are out of scope. A fresh
process restores the crawl, stores its whole state, gathers a wave of {PAGES:,} pages with {LINKS} links each, and plans
the next one; or it adds {MOST_LISTED:,} URLs of sitemaps first, half of them new. Half of the pages wait. The last
memory is that of the function by default, and of the task.

{setting(["wavecrawl"])}
"""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.large_frontier", description="Measure the planner's memory")
    parser.add_argument("--folder", type=Path, help="measure the crawl in this folder in this process and print JSON")
    parser.add_argument("--urls", type=int, help="with --folder: URLs of the crawl")
    parser.add_argument("--listed", action="store_true", help="with --folder: the wave adds the URLs of sitemaps")
    parser.add_argument("--store", action="store_true", help="with --folder: store the crawl instead")
    parser.add_argument("--quick", action="store_true", help="measure only the smallest crawl")
    parser.add_argument("--results", type=Path, default=RESULTS, help="file to write (default: %(default)s)")
    options = parser.parse_args()
    if options.folder and options.store:
        store_crawl(options.folder, options.urls)
        store_sitemaps(options.folder, options.urls)
        return 0
    if options.folder:
        print(json.dumps(asdict(measure(options.folder, listed=options.listed))))
        return 0
    sizes = SIZES[:1] if options.quick else SIZES
    samples = [one for urls, _ in sizes for one in samples_of(urls)]
    text = text_of(samples, sizes)
    print(text)
    write_section("large frontier", text, file=options.results)
    return 1 if any(one.rss > dict(sizes)[one.urls] * MEBIBYTE for one in samples) else 0


if __name__ == "__main__":
    sys.exit(main())
