"""Requests that a crawl wastes in traps, and pages that it loses on ordinary sites: `python -m bench.traps`.

A request is wasted if its response has nothing that an earlier response did not have. Content is lost if no response
had it. The crawler runs in this process, with its usual settings against traps, over sites on loopback.
"""

import argparse
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.ordinary_sites import ordinary_sites
from bench.report import RESULTS, setting, table, write_section
from bench.trap_model import MeasuredServer, MeasuredSite
from bench.trap_sites import trap_sites
from msgspec.structs import replace
from tests.support.crawling import QUICK, SILENT

from wavecrawl.bootstrap.local import run_local_crawl
from wavecrawl.bootstrap.store import LocalStore

SHARE = 0.05  # of the requests of a site with traps may be wasted
LEAST = 40  # or this many, if it is more
_DEPTH = 1_000  # some ordinary sites are one long chain


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What a crawl of a site cost and found."""

    site: MeasuredSite
    requests: int
    wasted: int
    lost: tuple[str, ...]  # contents

    @property
    def is_within(self) -> bool:
        """Whether the crawl found everything, and wasted no more than it may in traps."""
        return not self.lost and self.wasted <= max(LEAST, SHARE * self.requests)


def measure(site: MeasuredSite) -> Measured:
    """Crawl a site."""
    settings = replace(QUICK, max_pages=site.max_pages, max_depth=_DEPTH, files_at_once=())
    with MeasuredServer(site) as server, TemporaryDirectory() as folder:
        store = LocalStore(Path(folder))
        try:
            row = store.start(server.url, settings)
            run_local_crawl(store, row, workers=1, watchers=SILENT, results=False)
        finally:
            store.close()
        requests = len(server.requested)
        return Measured(site=site, requests=requests, wasted=requests - len(server.found), lost=tuple(server.lost))


def rows_of(measured: Iterable[Measured]) -> list[list[str]]:
    """Return a row per site."""
    return [
        [f"{one.site.kind}: {one.site.name}", *(f"{count:,}" for count in (one.requests, one.wasted, len(one.lost)))]
        for one in measured
    ]


def text_of(traps: list[Measured], ordinary: list[Measured]) -> str:
    """Return the section of the results."""
    heads = ["site", "requests", "wasted", "lost"]
    within = sum(one.is_within for one in traps)
    lossless = sum(not one.lost for one in ordinary)
    return f"""## Traps

Requested URLs of a crawl, those of them whose response had nothing new, and the pages that it did not find. Those of
robots.txt and sitemaps do not count. A site with traps is in order if at most {SHARE:.0%} of the requests, or {LEAST},
are wasted and nothing is lost: {within} of {len(traps)} are. Of the ordinary sites, {lossless} of {len(ordinary)} lose
no page.

{table(heads, rows_of(traps))}

Ordinary sites that look like traps. Some of their pages have the text of others.

{table(heads, rows_of(ordinary))}

{setting(["wavecrawl"])}
"""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.traps", description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="the first site of each kind, without writing results")
    parser.add_argument("--only", default="", metavar="TEXT", help="sites whose kind or name has this text")
    parser.add_argument("--results", type=Path, default=RESULTS, help="file to write (default: %(default)s)")
    options = parser.parse_args()
    traps, ordinary = (_chosen(sites, options) for sites in (trap_sites(), ordinary_sites()))
    text = text_of(list(map(measure, traps)), list(map(measure, ordinary)))
    print(text)
    if not (options.quick or options.only):
        write_section("traps", text, file=options.results)
    return 0


def _chosen(sites: list[MeasuredSite], options: argparse.Namespace) -> list[MeasuredSite]:
    if options.quick:
        return list({site.kind: site for site in reversed(sites)}.values())[::-1]
    return [site for site in sites if options.only in f"{site.kind}: {site.name}"]


if __name__ == "__main__":
    sys.exit(main())
