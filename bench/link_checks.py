"""Checks of external links beside lychee: `python -m bench.link_checks`.

Both check the same links of the same pages, with the same delay and number of open requests for each host. wavecrawl
finds the pages itself, and lychee gets their URLs. `--quick` checks few links once, and writes no results.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.measuring import Measured, measure
from bench.report import setting, spread, table, write_section
from bench.sites import ROOT
from tests.support.linking_site import BROKEN, LinkingSite, OtherHosts

LATENCY = 0.2  # seconds of each response of the other hosts
HOSTS = 100
IN_FLIGHT = 5  # requests to one host
LOAD = f"Load of the machine before the first run: {os.getloadavg()[0]:.0f}. "


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Links to check, and the politeness."""

    pages: int
    links: int  # of each page
    interval: float  # seconds between two requests to one host

    @property
    def urls(self) -> int:
        """The number of URLs of other hosts."""
        return self.pages * self.links


CASES = (Case(pages=50, links=40, interval=0.04), Case(pages=50, links=40, interval=0.0))
QUICK = (Case(pages=10, links=20, interval=0.0),)


def wavecrawl(case: Case, site: LinkingSite) -> tuple[Measured, int]:
    """Crawl the site and check its links; return also how many of them are broken."""
    program = str(Path(sys.executable).with_name("wavecrawl"))
    pace = ["--interval", f"{case.interval:g}", "--in-flight", str(IN_FLIGHT), "--no-adapt"]
    with tempfile.TemporaryDirectory(prefix="bench-") as out:
        options = ["--data", out, "--json", "--quiet", "--check-external", "--allow-address", "127.0.0.0/8", *pace]
        measured = measure([program, "crawl", site.url, *options], folder=ROOT)
    return measured, int(json.loads(measured.output.strip().splitlines()[-1])["checks"]["link"]["broken"])


def lychee(case: Case, site: LinkingSite, program: Path) -> tuple[Measured, int]:
    """Check the links of the site's pages; return also how many of them are broken."""
    interval = f"{case.interval * 1000:.0f}ms"
    pace = ["--host-concurrency", str(IN_FLIGHT), "--host-request-interval", interval, "--max-concurrency", "500"]
    options = [*pace, "--no-progress", "--format", "json", "--max-retries", "0", "--exclude", site.origin]
    with tempfile.TemporaryDirectory(prefix="bench-") as out:
        report = Path(out, "report.json")
        command = [str(program), *options, "--output", str(report), *(site.origin + path for path in site.paths)]
        measured = measure(["sh", "-c", '"$@"; [ $? -eq 2 ]', "sh", *command], folder=ROOT)  # 2: broken links
        found = json.loads(report.read_text(encoding="utf-8"))
    if (checked := found["total"] - found["excludes"]) != case.urls:
        raise SystemExit(f"lychee checked {checked} links, expected {case.urls}")
    return measured, int(found["errors"])


def rows(case: Case, program: Path, *, rounds: int) -> list[Sequence[str]]:
    """Check the links of a case with both in turn, and return their rows."""
    runs: dict[str, list[Measured]] = {"wavecrawl": [], "lychee": []}
    with (
        OtherHosts(latency=LATENCY) as others,
        LinkingSite(pages=case.pages, links=case.links, hosts=HOSTS, port=others.port) as site,
    ):
        for _ in range(rounds):
            for who, (measured, broken) in (
                ("wavecrawl", wavecrawl(case, site)),
                ("lychee", lychee(case, site, program)),
            ):
                if broken != case.urls / BROKEN:
                    raise SystemExit(f"{who} found {broken} broken links, expected {case.urls / BROKEN:g}")
                runs[who].append(measured)
                print(f"{who}: {case}: {measured.wall:.2f} s, CPU {measured.cpu:.2f} s", flush=True)
    return [
        (
            f"{who}, {case.interval * 1000:g} ms between requests",
            f"{case.urls:,}",
            spread([one.wall for one in found], 2),
            f"{case.urls / median([one.wall for one in found]):,.0f}",
            spread([one.cpu * 1000 / case.urls for one in found], 2),
            f"{median([one.peak_pss for one in found]) / 1e6:,.0f}",
        )
        for who, found in runs.items()
    ]


def main() -> None:
    """Run the comparison."""
    parser = argparse.ArgumentParser(prog="python -m bench.link_checks", description=__doc__)
    parser.add_argument("--lychee", type=Path, default=ROOT / ".venv-bench" / "bin" / "lychee")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each")
    parser.add_argument("--quick", action="store_true", help="one round with few links; write no results")
    options = parser.parse_args()
    rounds = 1 if options.quick else options.rounds
    lines = [row for case in (QUICK if options.quick else CASES) for row in rows(case, options.lychee, rounds=rounds)]
    heads = ("program and delay", "links", "seconds", "links/s", "CPU ms/link", "peak PSS MB")
    version = subprocess.run([str(options.lychee), "--version"], check=True, capture_output=True, text=True).stdout
    how_often = "One run" if rounds == 1 else f"Medians of {rounds} runs (minimum-maximum), in turns"
    text = f"""## Checks of external links

{table(heads, lines)}

{how_often}. Links to {HOSTS} hosts, which respond after {LATENCY * 1000:g} ms; one
link in {BROKEN} is broken. Both have {IN_FLIGHT} requests open to a host at most. wavecrawl also finds and stores the
pages, requests the robots.txt of each host, and writes its results; lychee gets the URLs of the pages, and reads no
robots.txt. The server is in the measuring process and is not included.

{LOAD}{setting(("wavecrawl",))} {version.strip()}.
"""
    print(f"\n{text}")
    if not options.quick:
        write_section("link checks", text)


if __name__ == "__main__":
    main()
