"""Seconds, CPU and memory of a render: `python -m bench.render`.

Each case is rendered in a process of its own, once and several times. The first render starts Chromium. A server in
this process sends what the pages request.
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter
from urllib.parse import urlsplit
from urllib.request import urlopen

from bench.measuring import Measured, measure
from bench.report import setting, table, write_section
from infra.config import Config
from tests.support.browser_apps import APPS
from tests.support.plain_site import plain_site

from wavecrawl.adapters.browser.chromium import ChromiumBrowser
from wavecrawl.demo.loopback import LoopbackServer
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.bill import PRICES
from wavecrawl.domain.rendering.settings import RenderSettings
from wavecrawl.ports.browser import RenderRequest

ROOT = Path(__file__).parents[1]
REPEATS = 20
MB_OF_A_PROCESSOR = 1_769  # https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html
CONTROL = (
    b"""<button aria-expanded=false onclick="this.insertAdjacentHTML('afterend', '<a href=/x>x</a>')">x</button>"""
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A page that is rendered. URLs are paths on its server."""

    title: str
    site: str  # the folder of an application, or "plain site"
    path: str
    screenshot: bool = False
    controls: int = 0  # that are added to the page


CASES = (
    Case(title="plain page of 8 KB, no scripts", site="plain site", path="/"),
    Case(title="the same, with a screenshot", site="plain site", path="/", screenshot=True),
    Case(title="the plain page with 10 menus to open", site="plain site", path="/", controls=10),
    Case(title="React application", site="react", path="/products"),
    Case(title="Vue application", site="vue", path="/books"),
    Case(title="Lit application (shadow roots)", site="lit", path="/galleries"),
    Case(title="SvelteKit, static export", site="svelte", path="/guide"),
)


@contextmanager
def served(site: str) -> Iterator[LoopbackServer]:
    """Serve a site or an application."""
    apps = {app.name: app for app in APPS}
    with apps[site].serve() if site in apps else SiteServer(plain_site(pages=10, body_bytes=8_000)) as server:
        yield server


def render(url: str, times: int, *, screenshot: bool, controls: int) -> None:
    """Render a page several times in one browser, and print the seconds of each, requests and bytes as JSON."""
    with urlopen(url) as response:
        sent = RenderRequest(
            url=url,
            status=response.status,
            headers=tuple(response.headers.items()),
            body=response.read() + CONTROL * controls,
            screenshot=screenshot,
        )
    allowed = (urlsplit(url).netloc,)
    browser = ChromiumBrowser(settings=RenderSettings(), user_agent="wavecrawl/bench", allowed=allowed)
    seconds = []
    for _ in range(times):
        start = perf_counter()
        page = browser.render(sent)
        seconds.append(perf_counter() - start)
        if page.problem:
            raise SystemExit(f"{url}: {page.problem}")
    browser.close()
    print(json.dumps({"seconds": seconds, "requests": page.requests, "bytes": page.bytes}))


def row(case: Case) -> Sequence[str]:
    """Measure a case and return its row."""
    with served(case.site) as server:
        command = [sys.executable, "-m", "bench.render", "--url", f"{server.origin}{case.path}"]
        command += ["--controls", str(case.controls), *(["--screenshot"] if case.screenshot else [])]
        cold, warm = (measure([*command, "--times", str(times)], folder=ROOT) for times in (1, 1 + REPEATS))
    first, later = json.loads(cold.output), json.loads(warm.output)
    seconds, cpu = median(later["seconds"][1:]), _warm_cpu(cold, warm)
    return (
        case.title,
        f"{first['seconds'][0]:.2f}",
        f"{seconds:.2f}",
        f"{cold.cpu:.2f}",
        f"{cpu:.2f}",
        f"{cold.peak_pss / 1e6:,.0f}",
        f"{warm.peak_pss / 1e6:,.0f}",
        f"{later['requests']}",
        f"{later['bytes'] / 1e3:,.0f}",
        f"{_dollars(seconds, cpu):.1f}",
    )


def _warm_cpu(cold: Measured, warm: Measured) -> float:
    return (warm.cpu - cold.cpu) / REPEATS


def _dollars(seconds: float, cpu: float) -> float:
    """Return what the time of a million further renders costs in the function that renders, several at a time."""
    memory = Config().render_memory
    price = PRICES["lambda_x86_gb_seconds"]
    each = max(seconds / RenderSettings().in_flight, cpu * MB_OF_A_PROCESSOR / memory)
    return each * memory / 1_024 * price.dollars / price.per * 1e6


HEADS = (
    *("page", "cold s", "warm s", "CPU s of a process with 1 render", "CPU s of a further render"),
    *("peak MB, 1 render", f"peak MB, {1 + REPEATS} renders", "requests", "KB received"),
    "dollars a million",
)


def main() -> None:
    """Run the benchmark, or one process of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url", default="")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--screenshot", action="store_true")
    parser.add_argument("--controls", type=int, default=0)
    arguments = parser.parse_args()
    if arguments.url:
        render(arguments.url, arguments.times, screenshot=arguments.screenshot, controls=arguments.controls)
        return
    rows = [row(case) for case in CASES]
    text = f"""## Rendering

Pages rendered one after the other in one Chromium, from their stored response, with the default settings. Memory is
the sum of the proportional set sizes of all processes: Python, Playwright's driver (Node.js) and Chromium. The CPU
time of a process with one render includes the start of all of them. The dollars are those of the time of a million
further renders in `render_batch` with its default memory, two at a time, as far as its share of a processor allows it
([costs](../docs/costs.md#rendering)).

{table(HEADS, rows)}

{setting(("wavecrawl", "playwright"))} Chromium {_version()}.
"""
    write_section("render", text)
    print(text)


def _version() -> str:
    browser = ChromiumBrowser(settings=RenderSettings(settle=0.0), user_agent="wavecrawl/bench")
    browser.render(RenderRequest(url="http://site.example/", status=200, headers=(), body=b"<p>x"))
    browser.close()
    return browser.version


if __name__ == "__main__":
    main()
