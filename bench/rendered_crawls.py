"""Crawls with a browser beside Playwright's own loop and Crawlee: `python -m bench.rendered_crawls`.

Every page is rendered by the same Chromium, by each of them in turn. `--quick` crawls few pages once, and writes no
results.
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.measuring import Measured, measure
from bench.report import setting, spread, table, write_section
from bench.sites import ROOT, BenchSite, served

from wavecrawl.adapters.browser.executable import find_chromium

PAGES = 134
QUICK_PAGES = 8
LOAD = f"Load of the machine before the first run: {os.getloadavg()[0]:.0f}. "
SITES = (
    BenchSite(
        name=f"leaves-{PAGES}",
        about="small static pages, most of them without links",
        serve=("leaves", str(PAGES)),
        max_pages=PAGES,
    ),
    BenchSite(
        name="python3.11-doc",
        about="pages of the Python manual",
        serve=("folder", "/usr/share/doc/python3.11/html"),
        max_pages=60,
    ),
    *(
        BenchSite(name=name, about=about, serve=("app", name), max_pages=100)
        for name, about in (
            ("react", "an application made with React"),
            ("vue", "an application made with Vue"),
            ("lit", "an application made with Lit (shadow roots)"),
            ("svelte", "a static export of SvelteKit"),
            ("hydrated", "pages that scripts hydrate"),
        )
    ),
)
QUICK_SITE = BenchSite(
    name=f"leaves-{QUICK_PAGES}", about="the same, in short", serve=("leaves", str(QUICK_PAGES)), max_pages=QUICK_PAGES
)
WHO = ("wavecrawl", "Playwright's loop", "Crawlee")
Command = Callable[[BenchSite, str, str], list[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One crawl."""

    pages: int
    measured: Measured


def commands(python: Path) -> dict[str, Command]:
    """Return the command of each crawler, for a site, its URL and an empty folder. `python`: has Crawlee."""
    chromium, script = find_chromium(), str(ROOT / "bench" / "crawlee_rendered_crawl.py")
    ours = str(Path(sys.executable).with_name("wavecrawl"))
    options = "--json --quiet --interval 0 --no-adapt --no-results --render always"

    def wavecrawl(site: BenchSite, url: str, out: str) -> list[str]:
        return [ours, "crawl", url, "--data", out, "--max-pages", str(site.max_pages), *options.split()]

    def loop(site: BenchSite, url: str, out: str) -> list[str]:
        return [sys.executable, "-m", "bench.playwright_crawl", url, out, str(site.max_pages), chromium]

    def crawlee(site: BenchSite, url: str, out: str) -> list[str]:
        return [str(python), "-P", script, url, out, str(site.max_pages), chromium]

    return dict(zip(WHO, (wavecrawl, loop, crawlee), strict=True))


def compare(site: BenchSite, crawlers: dict[str, Command], *, rounds: int) -> dict[str, list[Run]]:
    """Crawl a site with each crawler in turn, `rounds` times."""
    runs: dict[str, list[Run]] = {who: [] for who in crawlers}
    with served(site) as url:
        for _ in range(rounds):
            for who, command in crawlers.items():
                with tempfile.TemporaryDirectory(prefix="bench-") as out:
                    measured = measure(command(site, url, out), folder=ROOT)
                pages = int(json.loads(measured.output.strip().splitlines()[-1])["pages"])
                runs[who].append(Run(pages=pages, measured=measured))
                print(f"{site.name} {who}: {pages} pages, {measured.wall:.1f} s, CPU {measured.cpu:.1f} s", flush=True)
    return runs


def rows(site: BenchSite, runs: dict[str, list[Run]]) -> list[Sequence[str]]:
    """Return the rows of a site."""
    first = next(iter(runs.values()))
    return [
        (
            f"{site.name}: {who}",
            f"{one[-1].pages}",
            spread([run.measured.wall for run in one], 1),
            spread([run.measured.cpu / max(1, run.pages) for run in one], 2),
            f"{median([run.measured.peak_pss for run in one]) / 1e6:,.0f}",
            "-" if one is first else f"{_ratio(one, first):.2f} times as fast",
        )
        for who, one in runs.items()
    ]


def _ratio(theirs: list[Run], ours: list[Run]) -> float:
    """Return how many times our pages a second are theirs."""
    rates = [median([run.pages / run.measured.wall for run in runs]) for runs in (ours, theirs)]
    return rates[0] / rates[1]


def text_of(sites: Sequence[BenchSite], lines: Sequence[Sequence[str]], *, rounds: int) -> str:
    """Return the section of the results."""
    heads = ("site and crawler", "pages", "seconds", "CPU s/page", "peak PSS MB", "wavecrawl is")
    how_often = "One round" if rounds == 1 else f"Medians of {rounds} rounds (minimum-maximum), in turns"
    abouts = "\n".join(f"- {site.name}: {site.about}" for site in sites)
    return f"""## Crawls with a browser, side by side

{table(heads, lines)}

{how_often}. Every page is rendered by the same Chromium. Playwright's loop and
Crawlee load two pages at a time, each in a context of its own, wait until the network is idle (`networkidle`), and
follow the links of the DOM. wavecrawl runs with `--render always`: it requests each page, renders it from the stored
response, opens menus, and writes WARCs and records. Seconds and CPU time include the start and the end of all
processes. The counts differ because an application can lead a page to the URL of another one, and because pages that
only menus link to are found by wavecrawl alone. The loop reads no links in shadow roots.

{abouts}

{LOAD}{setting(("wavecrawl", "playwright"))}
"""


def main() -> None:
    """Run the comparison."""
    parser = argparse.ArgumentParser(prog="python -m bench.rendered_crawls", description=__doc__)
    parser.add_argument("--competitors", type=Path, default=ROOT / ".venv-bench" / "bin" / "python")
    parser.add_argument("--rounds", type=int, default=3, help="crawls per crawler and site")
    parser.add_argument("--site", action="append", choices=[site.name for site in SITES], help="repeatable")
    parser.add_argument("--only", action="append", choices=WHO, help="crawler to run; repeatable; write no results")
    parser.add_argument("--quick", action="store_true", help="one round on few pages; write no results")
    options = parser.parse_args()
    found = commands(options.competitors)
    crawlers = {who: found[who] for who in options.only or WHO}
    sites = [QUICK_SITE] if options.quick else [one for one in SITES if not options.site or one.name in options.site]
    rounds = 1 if options.quick else options.rounds
    lines = [row for site in sites for row in rows(site, compare(site, crawlers, rounds=rounds))]
    text = text_of(sites, lines, rounds=rounds)
    print(f"\n{text}")
    if not (options.quick or options.only or options.site):
        write_section("rendered crawls", text)


if __name__ == "__main__":
    main()
