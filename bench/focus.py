"""How well strategy `best_first` chooses pages: `python -m bench.focus`.

Two measurements beside breadth first: a generated site of 5,000 pages of which 600 are worth having, crawled with a
budget of 1,000 pages; and the manual of Python with focus terms, where the first 100 pages are judged by an
independent rule. Only the order counts, so one worker crawls without delay.
"""

import argparse
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from bench.report import RESULTS, setting, table, write_section
from msgspec.structs import replace
from tests.support.crawling import ALL_FILES, SILENT
from tests.support.focus_site import FocusSite, focus_site
from tests.support.folder_server import FolderServer

from wavecrawl.application.crawl_state import CrawlStates
from wavecrawl.bootstrap.local import run_local_crawl
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.record import TRAPS
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.focus.settings import FocusSettings, Strategy

BUDGET = 1_000  # pages
WHOLE = 10_000  # pages: more than the site has
SEEDS = range(6)  # of the generated sites; the first one's figures are shown
FIRST = 100  # pages of a topic
MANUAL = Path("/usr/share/doc/python3.11/html")
TOPICS: Mapping[str, tuple[str, ...]] = {
    "asyncio": ("asyncio", "coroutine", "event loop"),
    "email": ("email", "mime", "message header"),
    "xml": ("xml", "dom", "sax", "element tree"),
}
"""Focus terms by the word that the path or title of a relevant page contains."""
_READ = (UrlState.FETCHED, UrlState.UNCHANGED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Crawled:
    """The paths of the pages that a crawl fetched, and of those that it suppressed."""

    paths: tuple[str, ...]
    suppressed: tuple[str, ...]
    waves: int


def crawl(server: SiteServer | FolderServer, settings: CrawlSettings) -> Crawled:
    """Crawl a site; return its fetched pages."""
    with server as running, TemporaryDirectory() as folder:
        store = LocalStore(Path(folder))
        try:
            row = store.start(running.url, settings)
            row, _ = run_local_crawl(store, row, workers=1, watchers=SILENT, results=False)
            state = CrawlStates(store.objects).load(row.id)
            ledger = list(state.frontier.ledger({}))
            return Crawled(
                paths=tuple(_path(one.url) for one in ledger if one.state in _READ),
                suppressed=tuple(_path(one.url) for one in ledger if one.reason in TRAPS),
                waves=state.wave,
            )
        finally:
            store.close()


def _path(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


def generated_sites() -> list[list[str]]:
    """Return a row per budget and strategy: what the pages were spent on; the share in traps also of other sites."""
    sites = [focus_site(seed) for seed in SEEDS]
    rows: list[list[str]] = []
    for budget, strategy in product((BUDGET, WHOLE), Strategy):
        settings = replace(ALL_FILES, strategy=strategy, max_pages=budget)
        crawls = [crawl(SiteServer(known.site, record=False), settings) for known in sites]
        shares = sorted(_in_traps(done, known) / len(done.paths) for done, known in zip(crawls, sites, strict=True))
        done, known = crawls[0], sites[0]
        worth = sum(path in known.worth for path in done.paths)
        trapped = _in_traps(done, known)
        copies = sum(path in known.duplicates for path in done.paths)
        rest = len(done.paths) - worth - trapped - copies
        name = f"`{strategy}`" + ("" if budget == BUDGET else ", all pages")
        in_traps = f"{trapped} ({trapped / len(done.paths):.1%})"
        others = f"{shares[0]:.1%} to {shares[-1]:.1%}"
        share = f"{worth / len(known.worth):.1%}"
        wrong = sum(
            path not in known.traps for done, known in zip(crawls, sites, strict=True) for path in done.suppressed
        )
        rows.append([name, str(worth), share, in_traps, others, *map(str, (copies, rest, done.waves, wrong))])
    return rows


def _in_traps(done: Crawled, known: FocusSite) -> int:
    return sum(path in known.traps for path in done.paths)


def manual() -> list[list[str]]:
    """Return a row per topic: how many of the first pages were relevant, by strategy."""
    rows: list[list[str]] = []
    for word, terms in TOPICS.items():
        relevant = _relevant(word)
        found: list[int] = []
        for strategy in Strategy:
            settings = replace(ALL_FILES, strategy=strategy, focus=FocusSettings(terms=terms), max_pages=FIRST)
            done = crawl(FolderServer(MANUAL, record=False), settings)
            found.append(sum(path in relevant for path in done.paths))
        best = min(len(relevant), FIRST)
        rows.append([", ".join(terms), str(len(relevant)), *(f"{one} ({one / best:.0%})" for one in found)])
    return rows


def _relevant(word: str) -> set[str]:
    """Return the pages whose path or title contains the word."""
    pages = (file for file in MANUAL.rglob("*.html") if not file.relative_to(MANUAL).parts[0].startswith("_"))
    return {f"/{file.relative_to(MANUAL)}" for file in pages if word in f"{file.name} {_title(file)}".lower()}


def _title(file: Path) -> str:
    found = re.search("<title>(.*?)</title>", file.read_text(encoding="utf-8", errors="replace"), re.DOTALL)
    return found[1] if found else ""


def text_of(site: list[list[str]], topics: list[list[str]]) -> str:
    """Return the section of the results."""
    kinds = [
        "strategy", "worth having", "of 600", "in traps", "6 sites", "duplicates", "other pages", "waves",
        "suppressed wrongly",
    ]  # fmt: skip
    return f"""## Crawl order: breadth first and best first

What a budget of {BUDGET:,} pages, and a crawl of all pages, was spent on. The generated site has 5,000 pages. 600 of
them are worth having: the main pages, the shop, the documentation and the blog posts. The others are traps (calendar,
facets, session tokens, endless lists, repeating paths, JSON), copies, profiles, forum threads and lists. "6 sites" is
the share of pages in traps for six such sites. The last column has the pages outside of traps that a rule suppressed,
of all six.

{table(kinds, site)}

Pages of a topic among the first {FIRST} pages of the manual of Python 3.11, crawled with focus terms. A page is
relevant if its path or title contains the first term. In brackets: the share of the relevant pages.

{table(["focus terms", "relevant pages", "`bfs`", "`best_first`"], topics)}

{setting(["wavecrawl"])}
"""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.focus", description="Measure the crawl order")
    parser.add_argument("--results", type=Path, default=RESULTS, help="file to write (default: %(default)s)")
    options = parser.parse_args()
    text = text_of(generated_sites(), manual())
    print(text)
    write_section("focus", text, file=options.results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
