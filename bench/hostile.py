"""Time and memory of each hostile behaviour of the tests: `python -m bench.hostile`.

Writes figures to docs/security.md.

A server on loopback runs in this process. Each behaviour is read in a process of its own, as a worker reads it. Its
times are those of the second reading, without imports; its memory is the largest resident set of the process.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.measuring import peak_of_this_process
from bench.report import setting, table, write_section
from bench.sites import ROOT
from infra.config import Config
from tests.support.hostile.reading import BRIEF, serving_hostile
from tests.support.hostile.suite import BY_NAME, PROBES, Probe

SECURITY = ROOT / "docs" / "security.md"
FUNCTION_MB = Config().fetch_memory
SHOWN = 3  # behaviours of most time and most memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The measurements of a behaviour."""

    probe: Probe
    seconds: float
    cpu: float  # seconds of the processor
    megabytes: float  # peak resident set


def measure(probe: Probe) -> Measured:
    """Read a behaviour in another process."""
    with serving_hostile(probe.talks) as server:
        command = [sys.executable, "-m", "bench.hostile", "--read", probe.name, server.url]
        output = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    seconds, cpu, megabytes = map(float, output.split())
    return Measured(probe=probe, seconds=seconds, cpu=cpu, megabytes=megabytes)


def read(name: str, site: str) -> None:
    """Read a behaviour twice in this process, and print seconds, CPU seconds and MB."""
    seconds = cpu = 0.0
    for _ in range(2):
        with tempfile.TemporaryDirectory() as folder:
            start, start_cpu = time.monotonic(), time.process_time()
            BY_NAME[name].observe(site, Path(folder), BRIEF)
            seconds, cpu = time.monotonic() - start, time.process_time() - start_cpu
    sys.stdout.write(f"{seconds} {cpu} {peak_of_this_process()}")


def report(measured: Sequence[Measured]) -> str:
    """Return the section of the documentation."""
    slowest = sorted(measured, key=lambda one: -one.seconds)[:SHOWN]
    largest = sorted(measured, key=lambda one: -one.megabytes)[:SHOWN]
    groups = Counter(one.probe.group for one in measured)
    counts = ", ".join(f"{count} {group}" for group, count in groups.items())
    busiest = sorted(measured, key=lambda one: -one.cpu)[:SHOWN]
    rows = [
        [f"a site that {one.probe.name}", f"{one.seconds:.2f}", f"{one.cpu:.2f}", f"{one.megabytes:.0f}"]
        for one in (*slowest, *busiest, *largest)
    ]
    heads = ("behaviours of most time, CPU time or memory", "seconds", "CPU seconds", "peak MB")
    least = min(one.megabytes for one in measured)
    return f"""{len(measured)} behaviours: {counts}.

{table(heads, dict.fromkeys(map(tuple, rows)))}

The process takes {least:.0f} MB with the smallest one, and a worker function has {FUNCTION_MB} MB. The time limit of
requests that must reach it is {BRIEF} s here; robots.txt is requested three times. The load average of the machine was
{os.getloadavg()[0]:.0f} at the end of the measurement: beyond the number of cores, the times contain waits for a core.

{setting(("wavecrawl", "selectolax", "lxml"))}"""


def main() -> int:
    """Run the benchmark. Return 1 if a behaviour takes more memory than a function has."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--read", nargs=2, metavar=("NAME", "URL"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.read:
        read(*arguments.read)
        return 0
    measured = [measure(probe) for probe in PROBES]
    text = report(measured)
    sys.stdout.write(f"{text}\n")
    write_section("hostile", text, file=SECURITY)
    return max(one.megabytes for one in measured) > FUNCTION_MB


if __name__ == "__main__":
    sys.exit(main())
