"""bench/results.md: one section per benchmark, each replaced separately."""

import os
import platform
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from statistics import median

RESULTS = Path(__file__).with_name("results.md")
_TITLE = "# Benchmarks\n\nWritten by `make bench`. Each section names the date and the machine of its measurement.\n"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table with text in the first column and numbers in the others."""
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def spread(values: Sequence[float], digits: int = 0) -> str:
    """Return the median, with minimum and maximum if there are several values."""
    middle = f"{median(values):,.{digits}f}"
    if len(values) == 1:
        return middle
    return f"{middle} ({min(values):,.{digits}f}-{max(values):,.{digits}f})"


def setting(libraries: Sequence[str]) -> str:
    """Return one line with date, machine and versions of a benchmark."""
    versions = ", ".join(f"{name} {version(name)}" for name in libraries)
    return (
        f"Measured {datetime.now(UTC):%Y-%m-%d} on {_cpu()}, {os.cpu_count()} cores, {_memory()} GB, "
        f"Linux {platform.release()}; Python {platform.python_version()}, {versions}."
    )


def write_section(name: str, text: str, *, file: Path = RESULTS) -> None:
    """Replace a section of the results, or append it. `name` identifies the section and is not shown."""
    opening, closing = f"<!-- {name} -->", f"<!-- end of {name} -->"
    section = f"{opening}\n{text.strip()}\n{closing}\n"
    old = file.read_text(encoding="utf-8") if file.exists() else _TITLE
    pattern = re.compile(f"{re.escape(opening)}.*?{re.escape(closing)}\n", re.DOTALL)
    new, found = pattern.subn(lambda _match: section, old, count=1)
    file.write_text(new if found else f"{old.rstrip()}\n\n{section}", encoding="utf-8")


def _cpu() -> str:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def _memory() -> int:
    return round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1024**3)
