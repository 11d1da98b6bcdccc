"""The AWS cost of a million pages: `python -m bench.bill`.

The deployed template crawls the Python manual, and a site with six copies of it, on the local emulator with the default
settings. Each site is crawled twice: in the second crawl, the server responds to each page with 304 (Not Modified). The
server takes 300 ms per page. The bill comes from the crawls' own meter. It is written to bench/results.md and
docs/costs.md. The exit status is 1 if a promise is broken.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from bench.report import RESULTS, setting, table, write_section
from tests.support.cloud import API_KEY, SECRET, Service
from tests.support.deploy import Deployment, deploy_to_emulator
from tests.support.docs_sites import SITES
from tests.support.emulator import CREDENTIALS, running_emulator
from tests.support.folder_server import FolderServer
from tests.support.synthesis import synthesized

from wavecrawl.adapters.aws.table import Table
from wavecrawl.adapters.aws.waves import DynamoWaves
from wavecrawl.domain.crawl.bill import DATA_OUT, PRICES, PRICES_OF, Usage, priced
from wavecrawl.domain.crawl.job import CrawlId

LATENCY = 0.3  # seconds
MILLION = 1_000_000
COPIES = 6
PATIENCE = 1_200.0  # seconds
COSTS = Path(__file__).parents[1] / "docs" / "costs.md"
TARGETS = {"write_units": 1.15, "puts": 0.2, "queue_requests": 0.2}  # per page of the large crawls
MOST_DOLLARS = 1.6  # per million further pages of the large crawl
MOST_ONCE = 0.0007  # dollars per crawl, whatever its size
MOSTLY = 0.95  # share of unchanged pages in a second crawl; a few responses are redirects


@dataclass(frozen=True, slots=True, kw_only=True)
class Crawled:
    """A finished crawl with its usage."""

    name: str
    pages: int  # fetched and unchanged
    unchanged: int
    seconds: float
    usage: Usage

    @property
    def dollars(self) -> float:
        """The cost of the crawl."""
        return priced(self.usage).total

    @property
    def promised(self) -> float:
        """The part of the cost that is promised: without bytes out, which depend on the site."""
        return self.dollars - priced(self.usage).services.get(DATA_OUT, 0.0)

    def a_million(self, dollars: float) -> str:
        """Return the cost of a million pages if the pages of this crawl cost `dollars`."""
        return f"{dollars / self.pages * MILLION:,.3f}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bills:
    """The crawls of one site."""

    first: Crawled
    again: Crawled


def crawled(name: str, folder: Path, latency: float) -> Bills:
    """Crawl a folder twice in the emulated cloud."""
    endpoint = running_emulator().url
    assembly = synthesized(allowed_addresses="127.0.0.0/8", stack_name=f"bill-{uuid4().hex[:8]}").folder
    stack = next(assembly.glob("*.template.json")).name.split(".")[0]
    deployment = deploy_to_emulator(endpoint, assembly, stack=stack)
    deployment.set_keys(api_keys=[API_KEY], webhook_secrets=[SECRET])
    service = Service(deployment=deployment, patience=PATIENCE)
    with FolderServer(folder, latency=latency, record=False) as server:
        first = _crawled(name, service, server.url)
        again = _crawled(f"{name} again", service, server.url)
    if first.unchanged or again.unchanged < MOSTLY * again.pages:
        raise RuntimeError(f"{again.unchanged} of {again.pages} pages of the second crawl are unchanged")
    return Bills(first=first, again=again)


def _crawled(name: str, service: Service, url: str) -> Crawled:
    started = time.monotonic()
    crawl = service.start(url, {"max_pages": 5_000})
    shown = service.wait_for(crawl)
    seconds = time.monotonic() - started
    deployment = service.deployment
    _wait_for_the_last_charge(deployment, crawl)
    rows = Table(deployment.client("dynamodb"), deployment.named("AWS::DynamoDB::Table")[0])
    usage = DynamoWaves(rows).usage(CrawlId(tenant="default", site=shown["site"], crawl=crawl))
    results = service.api("GET", f"/v1/crawls/{crawl}/statistics")
    unchanged = results["states"].get("unchanged", 0)
    return Crawled(name=name, pages=results["pages"], unchanged=unchanged, seconds=seconds, usage=usage)


def _wait_for_the_last_charge(deployment: Deployment, crawl: str) -> None:
    """Wait until the execution has ended: finish_crawl adds its own usage after the end of the crawl."""
    execution = deployment.executions()[crawl]
    while deployment.client("stepfunctions").describe_execution(executionArn=execution)["status"] == "RUNNING":
        time.sleep(0.5)


def copies(original: Path, into: Path) -> Path:
    """Create a folder with copies of a site and a page that links to them; return it."""
    links = "".join(f'<li><a href="{number}/">Copy {number}</a></li>' for number in range(1, COPIES + 1))
    page = f"<!doctype html><html lang=en><title>Copies</title><h1>Copies</h1><ul>{links}</ul></html>"
    (into / "index.html").write_text(page, encoding="utf-8")
    for number in range(1, COPIES + 1):
        (into / str(number)).symlink_to(original)
    return into


def report(small: Bills, large: Bills, latency: float) -> str:
    """Return all bills as text."""
    all_four = (small.first, large.first, small.again, large.again)
    pairs = ((small.first, large.first), (small.again, large.again))
    once, once_again = (_once(*pair) for pair in pairs)
    services = [
        (service, *(crawl.a_million(priced(crawl.usage).services.get(service, 0.0)) for crawl in all_four))
        for service in priced(large.first.usage).services
    ]
    sums = [
        ("**all**", *(crawl.a_million(crawl.dollars) for crawl in all_four)),
        ("of which fixed per crawl", *(crawl.a_million(_once(*pair)) for pair in pairs for crawl in pair)),
        (
            f"**each further page** (promise: {MOST_DOLLARS:.2f})",
            *(cell for pair in pairs for cell in ("", f"{_further(*pair) * MILLION:,.3f}")),
        ),
    ]
    units = [(unit, _target(unit), *(_amounts(unit, crawl) for crawl in all_four)) for unit in PRICES]
    heads = [f"{crawl.name}, {crawl.pages:,} pages" for crawl in all_four]
    return f"""## Cost of a million pages at {latency * 1000:.0f} ms per page

{table(("dollars per million pages", *heads), [*services, *sums])}

{table(("unit: per page, dollars per million pages", "promise for the large site", *heads), units)}

Crawls of {", ".join(f"{crawl.seconds:,.0f}" for crawl in all_four)} s with the default settings of a deployment,
measured by the crawls' own meter and priced as of {PRICES_OF}. The large site has {COPIES} copies of the small one.
"Again" is a second crawl of the same site. {_unchanged(small.again)} and {_unchanged(large.again)} of its pages are
unchanged: the server responds with 304. The promises are the same: an unchanged page costs the write units of its claim
and of its share of the batch.

The fixed cost of a crawl (state machine, start, sitemaps, results) is **${once:.5f}**, again ${once_again:.5f}
(promise: {MOST_ONCE:.4f}): the bill of the small crawl minus its pages at the cost of the additional pages of the large
one. The functions ran on the emulator with whole cores. Lambda gives a function of 512 MB 0.29 of a core, so
computations take longer there.

{setting(("aws-lambda-powertools", "botocore"))}"""


def _unchanged(crawl: Crawled) -> str:
    return f"{crawl.unchanged / crawl.pages:.1%}"


def _once(small: Crawled, large: Crawled) -> float:
    """Return the fixed cost of a crawl in dollars."""
    return small.promised - small.pages * _further(small, large)


def _further(small: Crawled, large: Crawled) -> float:
    """Return the cost of each page that only the large crawl has, in dollars."""
    return (large.promised - small.promised) / (large.pages - small.pages)


def _target(unit: str) -> str:
    return f"{TARGETS[unit]:,}" if unit in TARGETS else "-"


def _amounts(unit: str, crawl: Crawled) -> str:
    price, used = PRICES[unit], getattr(crawl.usage, unit)
    return f"{used / crawl.pages:,.4f}: {crawl.a_million(used * price.dollars / price.per)}"


def _broken(small: Bills, large: Bills) -> Sequence[str]:
    """Return the broken promises."""
    broken = []
    for few, many in ((small.first, large.first), (small.again, large.again)):
        broken += [
            f"{unit} of {many.name}" for unit, most in TARGETS.items() if getattr(many.usage, unit) / many.pages > most
        ]
        if _further(few, many) * MILLION > MOST_DOLLARS:
            broken.append(f"dollars per million further pages of {many.name}")
        if _once(few, many) > MOST_ONCE:
            broken.append(f"dollars once per crawl of {many.name}")
    return broken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, default=LATENCY, help="response time of the server in seconds")
    parser.add_argument("--dry", action="store_true", help="print the report without writing it")
    arguments = parser.parse_args()
    os.environ.update(CREDENTIALS)
    manual = next(site for site in SITES if site.package == "python3.11-doc")
    if not manual.there:
        sys.exit(f"{manual.folder} does not exist: install the Debian package {manual.package}")
    latency = arguments.latency
    small = crawled(manual.package, manual.folder, latency)
    with tempfile.TemporaryDirectory() as folder:
        large = crawled(f"{manual.package} x {COPIES}", copies(manual.folder, Path(folder)), latency)
    text = report(small, large, latency)
    print(text)
    if not arguments.dry:
        for file in (RESULTS, COSTS):
            write_section("bill", text, file=file)
    if latency == LATENCY and (broken := _broken(small, large)):
        sys.exit(f"broken promises: {', '.join(broken)}")


if __name__ == "__main__":
    main()
