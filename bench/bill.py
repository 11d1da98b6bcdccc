"""What does a page cost in AWS? `python -m bench.bill`.

The Python manual and a larger site are crawled by the deployed template on the local emulator, with the settings that a
deployment has by default, from a server that takes 300 ms for every page. The crawl meters itself, as every crawl does;
this shows the bill it writes, for a million pages, by service. Written into bench/results.md and docs/costs.md.
"""

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any
from uuid import uuid4

from bench.report import RESULTS, setting, table, write_section
from tests.support.cloud import API_KEY, SECRET, Service
from tests.support.deploy import deploy_to_emulator
from tests.support.docs_sites import SITES
from tests.support.emulator import CREDENTIALS, running_emulator
from tests.support.synthesis import synthesized

from wavecrawl.demo.loopback import LoopbackServer
from wavecrawl.demo.plain import plain_site
from wavecrawl.demo.server import FolderServer, SiteServer
from wavecrawl.domain.bill import PRICES, PRICES_OF

LATENCY = 0.3  # seconds
MILLION = 1_000_000
PAGES = 3_000  # of the larger site, 8 KB each
PATIENCE = 1_200.0  # seconds
COSTS = Path(__file__).parents[1] / "docs" / "costs.md"
TARGETS = {"write_units": 2.5, "puts": 0.2, "queue_requests": 0.2}  # of a page
MOST_DOLLARS = 3.0  # for a million pages


def crawled(server: LoopbackServer) -> dict[str, Any]:
    """Crawl a site in the emulated cloud; return the crawl's summary."""
    endpoint = running_emulator().url
    folder = synthesized(allowed_addresses="127.0.0.0/8", stack_name=f"bill-{uuid4().hex[:8]}").folder
    deployment = deploy_to_emulator(endpoint, folder, stack=next(folder.glob("*.template.json")).name.split(".")[0])
    deployment.set_keys(api_keys=[API_KEY], webhook_secrets=[SECRET])
    service = Service(deployment=deployment, patience=PATIENCE)
    with server, tempfile.TemporaryDirectory() as downloads:
        crawl = service.start(server.url, {"max_pages": 5_000})
        service.ended(crawl)
        results = service.download(crawl, Path(downloads))
        summary: dict[str, Any] = json.loads((results / "summary.json").read_text(encoding="utf-8"))
    return summary


def report(name: str, summary: dict[str, Any], latency: float) -> str:
    """Return the bill as text."""
    pages, bill = summary["pages"], summary["bill"]
    usage = bill["usage"]
    units = [
        (unit, f"{usage.get(unit, 0.0) / pages:,.4f}", _target(unit), _dollars(usage.get(unit, 0.0), unit, pages))
        for unit in PRICES
    ]
    services = [(service, f"{dollars / pages * MILLION:,.3f}") for service, dollars in bill["services_usd"].items()]
    total = bill["per_million_pages_usd"]
    promise = f"{total:,.2f} (promise {MOST_DOLLARS:,.2f})"
    return f"""## The bill of a million pages: {name}, {latency * 1000:.0f} ms a page

{table(("service", "dollars for a million pages"), [*services, ("all", promise)])}

{table(("unit", "of a page", "promise", "dollars for a million pages"), units)}

One crawl of {pages:,} pages ({summary["urls"]:,} URLs seen) in {summary["timing"]["seconds"]:,.0f} s, with the settings
that a deployment has by default, counted by the crawl's own meter and priced as of {PRICES_OF}. What every crawl takes
once (starting, sitemaps, results, the last transitions) is in it, and weighs less in larger crawls. The functions ran
on the emulator with whole cores. Lambda gives 512 MB a share of 0.29 of one, so what is computed takes longer there.

{setting(("aws-lambda-powertools", "botocore"))}"""


def _target(unit: str) -> str:
    return f"{TARGETS[unit]:,.1f}" if unit in TARGETS else "-"


def _dollars(used: float, unit: str, pages: int) -> str:
    price = PRICES[unit]
    return f"{used / pages * MILLION * price.dollars / price.per:,.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, default=LATENCY, help="seconds the server takes for a page")
    parser.add_argument("--dry", action="store_true", help="print only, write nothing")
    arguments = parser.parse_args()
    os.environ.update(CREDENTIALS)
    manual = next(site for site in SITES if site.package == "python3.11-doc")
    if not manual.there:
        sys.exit(f"{manual.folder} is not there: install the Debian package {manual.package}")
    latency = arguments.latency
    sites = {
        manual.package: FolderServer(manual.folder, latency=latency, record=False),
        f"plain-{PAGES}": SiteServer(plain_site(pages=PAGES), latency=latency, record=False),
    }
    for name, server in sites.items():
        text = report(name, crawled(server), latency)
        print(text)
        if not arguments.dry:
            for file in (RESULTS, COSTS):
                write_section(f"bill {name}", text, file=file)


if __name__ == "__main__":
    main()
