"""The request rate and duration of a crawl at the default pace: `python -m bench.polite`.

wavecrawl crawls a generated site at its default pace (5 requests in flight, 40 ms between starts). The server, in this
process, takes 50 ms per response and records the start of each request.
"""

import argparse
import sys
import tempfile
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from bench.crawlers import page_count
from bench.measuring import measure
from bench.report import RESULTS, setting, table, write_section
from bench.sites import ROOT
from tests.support.plain_site import plain_site

from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.politeness.settings import PoliteSettings

LATENCY = 0.05  # seconds
BODY_BYTES = 2_048
TIMES_IDEAL = 1.15  # the promise
_PACE = PoliteSettings()


@dataclass(frozen=True, slots=True, kw_only=True)
class Politeness:
    """The requests of one crawl as seen by the server."""

    pages: int  # fetched pages, reported by the crawler
    seconds: float  # duration of the process
    requests: int  # including robots.txt and sitemaps
    served_for: float  # seconds between the starts of the first and the last request
    most_in_flight: int
    most_in_a_second: int
    shortest_gap: float  # seconds between two starts

    @property
    def ideal(self) -> float:
        """Minimum seconds for these pages at the pace."""
        return self.pages * _PACE.interval

    @property
    def allowed_in_a_second(self) -> int:
        """Maximum number of starts in any second at the pace."""
        return round(1 / _PACE.interval)

    def problems(self) -> list[str]:
        """Return the broken promises."""
        promises = (
            (self.seconds <= TIMES_IDEAL * self.ideal, f"took {self.seconds / self.ideal:.2f} times the ideal"),
            (self.most_in_flight <= _PACE.in_flight, f"{self.most_in_flight} requests in flight"),
            (self.most_in_a_second <= self.allowed_in_a_second, f"{self.most_in_a_second} starts in one second"),
        )
        return [what for kept, what in promises if not kept]


def densest(starts: Sequence[float], window: float) -> int:
    """Return the maximum number of starts in any half-open window of `window` seconds; `starts` is sorted."""
    return max((bisect_left(starts, start + window) - first for first, start in enumerate(starts)), default=0)


def crawl(pages: int) -> Politeness:
    """Crawl a site of `pages` pages at the default pace."""
    site = plain_site(pages=pages, body_bytes=BODY_BYTES)
    program = str(Path(sys.executable).with_name("wavecrawl"))
    with tempfile.TemporaryDirectory(prefix="bench-") as out, SiteServer(site, latency=LATENCY) as server:
        options = ["--data", out, "--json", "--quiet", "--no-index", "--max-pages", str(pages)]
        run = measure([program, "crawl", server.url, *options], folder=ROOT)
        starts = sorted(served.started for served in server.log)
        most_in_flight = server.max_in_flight
    return Politeness(
        pages=page_count(run.output),
        seconds=run.wall,
        requests=len(starts),
        served_for=starts[-1] - starts[0],
        most_in_flight=most_in_flight,
        most_in_a_second=densest(starts, 1.0),
        shortest_gap=min(later - earlier for earlier, later in pairwise(starts)),
    )


def text_of(seen: Politeness) -> str:
    """Return the section of the results."""
    rows = [
        ["fetched pages (all requests)", f"{seen.pages:,} ({seen.requests:,})", ""],
        ["duration of the crawl", f"{seen.seconds:.1f} s", f"at most {TIMES_IDEAL:g} x {seen.ideal:.1f} s"],
        ["ratio to the ideal", f"{seen.seconds / seen.ideal:.3f}", f"at most {TIMES_IDEAL:g}"],
        ["from the first to the last request", f"{seen.served_for:.1f} s", ""],
        ["maximum requests in flight", f"{seen.most_in_flight}", f"at most {_PACE.in_flight}"],
        ["maximum starts in any second", f"{seen.most_in_a_second}", f"at most {seen.allowed_in_a_second}"],
        ["minimum time between two starts", f"{seen.shortest_gap * 1000:.1f} ms", ""],
    ]
    return f"""## Politeness at the default pace

{table(["as seen by the server", "measured", "promised"], rows)}

{_PACE.in_flight} requests in flight, {_PACE.interval * 1000:g} ms between starts; the server takes {LATENCY * 1000:g}
ms per response. The ideal is the number of pages times the interval. The server counts the starts in every window of
one second, including robots.txt and sitemaps.

{setting(["wavecrawl"])}
"""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.polite", description="Measure a crawl at the default pace")
    parser.add_argument("--pages", type=int, default=1_000, help="pages of the site (default: %(default)s)")
    parser.add_argument("--results", type=Path, default=RESULTS, help="file to write (default: %(default)s)")
    options = parser.parse_args()
    seen = crawl(options.pages)
    text = text_of(seen)
    print(text)
    write_section("politeness", text, file=options.results)
    problems = seen.problems()
    print("\n".join(problems) if problems else "all promises kept", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
