"""The sites of the comparison, each served on loopback by a separate process."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchSite:
    """One site of the comparison."""

    name: str
    about: str
    serve: tuple[str, ...]  # arguments of bench.serve
    max_pages: int  # more than the site has
    targets: tuple[tuple[str, float], ...] = ()  # (crawler, promised ratio of wavecrawl's pages/s to the crawler's)

    @property
    def missing(self) -> str:
        """Why the site cannot be served here; "" if it can."""
        kind, *places = self.serve
        if kind == "folder" and not Path(places[0]).is_dir():
            return f"{places[0]} does not exist: install the Debian package {self.name}"
        return ""


SITES = (
    BenchSite(
        name="python3.11-doc",
        about="the Python manual: large pages with many links",
        serve=("folder", "/usr/share/doc/python3.11/html"),
        max_pages=5_000,
        targets=(("Scrapy", 12.0), ("Crawlee", 5.0)),
    ),
    BenchSite(
        name="plain-2000",
        about="2,000 generated pages of 8 KB",
        serve=("plain", "2000", "8192"),
        max_pages=5_000,
        targets=(("Scrapy", 5.0), ("Crawlee", 2.5)),
    ),
    BenchSite(
        name="python-django-doc",
        about="the Django manual",
        serve=("folder", "/usr/share/doc/python-django-doc/html"),
        max_pages=5_000,
    ),
)
QUICK_SITE = BenchSite(
    name="plain-200", about="200 generated pages of 8 KB", serve=("plain", "200", "8192"), max_pages=1_000
)
FOCUS_SITE = BenchSite(
    name="focus-5000",
    about="5,000 generated pages with traps and duplicates, of which 600 are worth having",
    serve=("focus",),
    max_pages=10_000,
)


@contextmanager
def served(site: BenchSite) -> Iterator[str]:
    """Serve the site within the context; yield its root URL."""
    command = [sys.executable, "-m", "bench.serve", *site.serve]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the process has no pipes")
        try:
            url = process.stdout.readline().strip()
            if not url:
                raise RuntimeError(f"the server of {site.name} did not start; see its message above")
            yield url
        finally:
            process.stdin.close()  # the server ends with its standard input
            process.wait(30)
