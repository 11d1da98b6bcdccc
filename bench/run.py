"""The comparison of wavecrawl with Scrapy and Crawlee: `python -m bench.run`.

Each crawl runs in processes of its own against a loopback server in another process. The crawlers take turns
(A B C A B C ...), so that load from other processes affects all of them.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from bench.crawlers import IN_FLIGHT, Crawler, crawlee, page_count, scrapy, wavecrawl, wavecrawl_with_body_text
from bench.measuring import CommandFailedError, Measured, measure
from bench.report import RESULTS, setting, spread, table, write_section
from bench.sites import QUICK_SITE, ROOT, SITES, BenchSite, served

LIBRARIES = ("wavecrawl", "requests", "urllib3", "selectolax", "msgspec", "isal")
MEMORY_TARGET = 300.0  # MB of wavecrawl's process tree; shared memory counts once
_MB = 1_000_000
REST = 8.0
"""Idle seconds before each crawl, as shared machines may be throttled after a period of full load."""


@dataclass(slots=True, kw_only=True)
class Series:
    """The rounds of one crawler on one site."""

    crawler: Crawler
    pages: list[int] = field(default_factory=list)
    runs: list[Measured] = field(default_factory=list)

    def add(self, run: Measured) -> None:
        """Add one round."""
        self.pages.append(page_count(run.output))
        self.runs.append(run)

    @property
    def rates(self) -> list[float]:
        """Pages per second of wall time, including start and end of the process."""
        return [pages / run.wall for pages, run in zip(self.pages, self.runs, strict=True)]

    @property
    def cpu_per_page(self) -> list[float]:
        """Milliseconds of CPU time per page, user and system, of all processes."""
        return [run.cpu * 1000 / pages if pages else 0.0 for pages, run in zip(self.pages, self.runs, strict=True)]

    @property
    def peak_rss(self) -> list[float]:
        """MB; shared memory counts once per process."""
        return [run.peak_rss / _MB for run in self.runs]

    @property
    def peak_pss(self) -> list[float]:
        """MB; shared memory counts once."""
        return [run.peak_pss / _MB for run in self.runs]


def compare(site: BenchSite, crawlers: Sequence[Crawler], *, rounds: int) -> list[Series]:
    """Crawl the site with each crawler in turn, `rounds` times."""
    series = [Series(crawler=crawler) for crawler in crawlers]
    with served(site) as url:
        for number in range(1, rounds + 1):
            for one in series:
                time.sleep(REST)
                with tempfile.TemporaryDirectory(prefix="bench-") as out:
                    run = measure(one.crawler.command(site, url, Path(out)), folder=ROOT)
                one.add(run)
                print(
                    f"{site.name} {number}/{rounds} {one.crawler.name}: {one.pages[-1]} pages in {run.wall:.2f} s = "
                    f"{one.rates[-1]:.0f}/s, {one.cpu_per_page[-1]:.2f} ms CPU/page, {one.peak_rss[-1]:.0f} MB",
                    flush=True,
                )
    return series


def text_of(site: BenchSite, series: Sequence[Series]) -> str:
    """Return the site's section of the results."""
    ours = median(series[0].rates)
    heads = ["crawler", "pages", "pages/s", "CPU ms/page", "peak RSS MB", "peak PSS MB", "wavecrawl is", "target"]
    targets = dict(site.targets)
    rows = [
        [
            one.crawler.name,
            " / ".join(f"{pages:,}" for pages in sorted(set(one.pages))),
            spread(one.rates),
            spread(one.cpu_per_page, 2),
            spread(one.peak_rss),
            spread(one.peak_pss),
            "-" if one is series[0] else f"{ours / median(one.rates):.1f} times as fast",
            f"{targets[one.crawler.name]:g}" if one.crawler.name in targets else "-",
        ]
        for one in series
    ]
    rounds = len(series[0].runs)
    in_turns = f"Median of {rounds} rounds (minimum-maximum), in turns with {REST:g} idle seconds before each"
    how_often = "One round" if rounds == 1 else in_turns
    abouts = "\n".join(f"- {one.crawler.about}" for one in series)
    return f"""## Side by side: {site.name} ({site.about})

{table(heads, rows)}

{how_often}; no delay, {IN_FLIGHT} requests in flight, robots.txt obeyed. Pages are responses with a 2xx status. The
counts differ because each crawler has its own list of file types that are not pages. Wall and CPU time include the
whole process tree from start to end, with imports and with all files written during the crawl. The results that
wavecrawl derives afterwards (graph, reports, tables) are not included (`--no-results`), as the other crawlers have
none. The server is a separate process on the same machine and is not included. RSS counts shared memory once per
process, PSS counts it once.

{abouts}

{setting(LIBRARIES)}
"""


def missed(site: BenchSite, series: Sequence[Series]) -> list[str]:
    """Return the broken promises of this run."""
    ours = median(series[0].rates)
    targets = dict(site.targets)
    problems = [
        f"{site.name}: {ours / median(one.rates):.1f} times {one.crawler.name}, promised {targets[one.crawler.name]:g}"
        for one in series[1:]
        if ours < targets.get(one.crawler.name, 0.0) * median(one.rates)
    ]
    peak = max(series[0].peak_pss)
    if peak >= MEMORY_TARGET:
        problems.append(f"{site.name}: {peak:.0f} MB, promised less than {MEMORY_TARGET:g}")
    return problems


def main() -> int:
    options = _options()
    python = options.competitors
    crawlers = {
        "wavecrawl": wavecrawl(),
        "body-text": wavecrawl_with_body_text(),
        "scrapy": scrapy(python),
        "crawlee": crawlee(python),
    }
    chosen = [crawlers[name] for name in options.only or crawlers]
    sites = [QUICK_SITE] if options.quick else [s for s in SITES if not options.site or s.name in options.site]
    problems: list[str] = []
    for site in sites:
        if site.missing:
            print(f"skipped: {site.missing}", file=sys.stderr)
            continue
        try:
            series = compare(site, chosen, rounds=1 if options.quick else options.rounds)
        except CommandFailedError as error:
            print(f"{site.name}: {error}", file=sys.stderr)
            return 1
        problems += missed(site, series)
        text = text_of(site, series)
        print(f"\n{text}")
        if not options.quick and not options.only:
            write_section(f"side by side {site.name}", text, file=options.results)
    print("\n".join(problems) if problems else "all promises kept", file=sys.stderr)
    return 1 if problems and options.check else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.run", description="Compare wavecrawl with Scrapy and Crawlee"
    )
    parser.add_argument(
        "--competitors",
        type=Path,
        default=ROOT / ".venv-bench" / "bin" / "python",
        help="Python interpreter with Scrapy and Crawlee (default: %(default)s)",
    )
    sites = [site.name for site in SITES]
    parser.add_argument("--rounds", type=int, default=3, help="crawls per crawler and site")
    parser.add_argument("--site", action="append", choices=sites, help="site to crawl; repeatable")
    parser.add_argument(
        "--only",
        action="append",
        choices=["wavecrawl", "body-text", "scrapy", "crawlee"],
        help="crawler to run, compared with the first one; repeatable; write no results",
    )
    parser.add_argument("--quick", action="store_true", help="one round on 200 pages; write no results")
    parser.add_argument("--check", action="store_true", help="exit with code 1 if a promise is broken")
    parser.add_argument("--results", type=Path, default=RESULTS, help="file to write (default: %(default)s)")
    options = parser.parse_args()
    if not options.competitors.is_file():
        parser.error(f"{options.competitors} does not exist; `make bench` installs it")
    return options


if __name__ == "__main__":
    sys.exit(main())
