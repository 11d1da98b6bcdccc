"""10,000 crawls due in one hour, in virtual time: `python -m bench.load`.

See bench/simulated_cloud.py for what is real and what is simulated.
"""

import argparse
import gc
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory

from bench.planner import Planned, page_of, record_of
from bench.report import RESULTS, setting, table, write_section
from bench.simulated_cloud import Crawl, SimulatedCloud, SiteProfile
from infra.config import Config
from msgspec.structs import replace

from wavecrawl.domain.crawl.batching import PlannedBatch, Speed
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.politeness.pace import Pace
from wavecrawl.domain.politeness.settings import PoliteSettings
from wavecrawl.domain.sites.frequency import Frequency
from wavecrawl.domain.sites.schedule import Schedule
from wavecrawl.telemetry import logger

PAGES = 500  # per crawl
WORKERS = (10, 200)
TENANTS = ((20, 250), (100, 25), (500, 5))
"""How many tenants have how many sites: 10,000 sites."""

LATENCIES = ((0.1, 40), (0.3, 40), (1.0, 19))
"""Response times in seconds, and how many of 100 sites have each. The rest has a `Crawl-delay` of 5 s."""

WINDOW = Schedule(frequency=Frequency.WEEKLY).window * 60.0
"""Seconds over which EventBridge Scheduler spreads the weekly schedules, which are all due at the same minute."""

MOST_MESSAGES = 1.3  # per batch; the promise
_POLITE = PoliteSettings()
_START = 1_800_000_000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What became of the crawls."""

    workers: int
    crawls: Sequence[Crawl]
    messages: int
    dead: int  # messages in the dead-letter queue
    most_visible: int  # messages that waited for a worker at the same time
    most_in_flight: int
    busy: float  # share of the workers' time until the last crawl ended

    @property
    def batches(self) -> int:
        """Batches of all crawls."""
        return sum(len(wave) for crawl in self.crawls for wave in crawl.profile.waves)

    @property
    def failed(self) -> list[Crawl]:
        """Crawls that failed or have not ended."""
        return [crawl for crawl in self.crawls if crawl.error or not crawl.ended_at]


def profile(pace: Pace, latency: float, pages: int = PAGES) -> SiteProfile:
    """Return the profile of sites with `pages` pages; the real planner makes the waves."""
    apart = max(pace.interval, latency / pace.in_flight)
    pace = replace(pace, interval=apart)
    planned = Planned(pages, Speed(pace=pace, seconds_a_page=apart))
    planned.start()
    waves: list[tuple[PlannedBatch, ...]] = []
    while not waves or waves[-1]:
        urls = [item.url for batch in (waves[-1] if waves else ()) for item in batch.items]
        planned.gather([record_of(page_of(url), pages) for url in urls])
        waves.append(planned.plan().batches)
    return SiteProfile(pace=pace, latency=latency, waves=tuple(waves[:-1]))


def profiles(pages: int = PAGES) -> list[SiteProfile]:
    """Return a hundred profiles in the shares of LATENCIES."""
    usual = Pace(interval=_POLITE.interval, in_flight=_POLITE.in_flight)
    made = [one for latency, share in LATENCIES for one in [profile(usual, latency, pages)] * share]
    slow = profile(Pace(interval=5.0, in_flight=1), 0.3, pages)
    return made + [slow] * (100 - len(made))


def crawls(tenants: Sequence[tuple[int, int]], *, pages: int = PAGES, spread: float = WINDOW) -> Iterator[Crawl]:
    """Yield a crawl of every site. Each is due at a random time within `spread` seconds; the seed is constant."""
    random, kinds = Random(1), profiles(pages)
    number = 0
    for group, (count, sites) in enumerate(tenants):
        for tenant in range(count):
            for _ in range(sites):
                number += 1
                id_ = CrawlId(tenant=f"t{group}-{tenant}", site=f"site-{number}.example", crawl=f"c{number:06d}")
                yield Crawl(id=id_, profile=random.choice(kinds), due_at=_START + random.uniform(0.0, spread))


def simulate(requested: Sequence[Crawl], config: Config, *, workers: int, fair: bool = True) -> Load:
    """Run the crawls to their end with a number of fetch workers."""
    with TemporaryDirectory(prefix="bench-", dir=_memory_folder()) as folder:
        cloud = SimulatedCloud(Path(folder), config, workers=workers, fair=fair, start=_START)
        try:
            for crawl in requested:
                cloud.add(crawl)
            cloud.run()
        finally:
            cloud.close()
    span = max(crawl.ended_at for crawl in requested) - _START
    return Load(
        workers=workers,
        crawls=requested,
        messages=cloud.sqs.sent,
        dead=cloud.sqs.dead,
        most_visible=cloud.sqs.most_visible,
        most_in_flight=cloud.sqs.most_in_flight,
        busy=cloud.worked / (span * workers),
    )


def _memory_folder() -> Path | None:
    """Return a folder in memory, if there is one: the database needs no disk."""
    memory = Path("/dev/shm")  # noqa: S108 - TemporaryDirectory makes a folder of its own in it
    return memory if memory.is_dir() else None


def _minutes(seconds: Sequence[float]) -> str:
    """Return median, 95th percentile and maximum in minutes."""
    ordered = sorted(seconds)
    picked = (median(ordered), ordered[int(0.95 * (len(ordered) - 1))], ordered[-1])
    return " / ".join(f"{one / 60:,.1f}" for one in picked)


def text_of(loads: Sequence[Load]) -> str:
    """Return the section of the results."""
    heads = ["", *(f"{load.workers} workers" for load in loads)]
    ended = [[crawl for crawl in load.crawls if crawl.ended_at] for load in loads]
    rows = [
        ["crawls", *(f"{len(load.crawls):,}" for load in loads)],
        ["failed", *(f"{len(load.failed):,}" for load in loads)],
        ["due to started, min", *(_minutes([c.admitted_at - c.due_at for c in some]) for some in ended)],
        ["started to first page, min", *(_minutes([c.fetched_at - c.admitted_at for c in some]) for some in ended)],
        ["started to finished, min", *(_minutes([c.ended_at - c.admitted_at for c in some]) for some in ended)],
        [
            "last crawl finished after, h",
            *(f"{max(c.ended_at for c in some) / 3600 - _START / 3600:.1f}" for some in ended),
        ],
        ["workers busy until then", *(f"{load.busy:.0%}" for load in loads)],
        ["batches", *(f"{load.batches:,}" for load in loads)],
        ["messages per batch", *(f"{load.messages / load.batches:.2f}" for load in loads)],
        ["time-outs of waves", *(f"{sum(c.time_outs for c in load.crawls):,}" for load in loads)],
        ["most messages waiting", *(f"{load.most_visible:,}" for load in loads)],
        ["most messages in flight", *(f"{load.most_in_flight:,}" for load in loads)],
    ]
    some = loads[0].crawls
    pages = sum(len(batch.items) for wave in some[0].profile.waves for batch in wave)
    tenants = len({crawl.id.tenant for crawl in some})
    speeds = ", ".join(f"{share} respond in {latency:g} s" for latency, share in LATENCIES)
    return f"""## Load: all schedules in one hour

{table(heads, rows)}

{len(some):,} crawls of {pages:,} pages each, of {tenants:,} tenants, become due within one hour. Durations are
median / 95th percentile / maximum. The crawls run in virtual time: dispatch, the handling of messages, time-outs and
the queue of crawls are the product's own; SQS, the state machine, pages and response times are simulated
(bench/simulated_cloud.py). Of 100 sites, {speeds}, and the last has a
Crawl-delay of 5 s; all others have the default pace. The promise is that no crawl fails, and that at most
{MOST_MESSAGES} messages are sent per batch.

{setting(["wavecrawl"])}
"""


def problems_of(loads: Sequence[Load]) -> list[str]:
    """Return the broken promises."""
    problems = []
    for load in loads:
        if load.failed:
            problems.append(f"{load.workers} workers: {len(load.failed)} crawls failed: {load.failed[0].error}")
        if load.messages > MOST_MESSAGES * load.batches:
            problems.append(f"{load.workers} workers: {load.messages} messages for {load.batches} batches")
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.load", description="Simulate many crawls at once")
    parser.add_argument("--quick", action="store_true", help="a fiftieth of the crawls and of the workers")
    parser.add_argument("--results", type=Path, default=RESULTS, help="file to write (default: %(default)s)")
    options = parser.parse_args()
    gc.freeze()
    logger.setLevel("CRITICAL")  # the simulated functions would log each batch
    tenants = ((1, 100), (4, 15), (8, 5)) if options.quick else TENANTS
    workers = (2, 4) if options.quick else WORKERS
    loads = [simulate(list(crawls(tenants)), Config(), workers=count) for count in workers]
    text = text_of(loads)
    print(text)
    if not options.quick:
        write_section("load", text, file=options.results)
    problems = problems_of(loads)
    print("\n".join(problems), file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
