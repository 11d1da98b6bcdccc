"""The crawlers that are compared: how each is started, and how it says how many pages it fetched."""

import json
import subprocess
import sys
from collections.abc import Callable
from compileall import compile_dir
from dataclasses import dataclass
from pathlib import Path

from bench.sites import ROOT, BenchSite

IN_FLIGHT = 16  # bench/scrapy_crawl.py and bench/crawlee_crawl.py say the same


@dataclass(frozen=True, slots=True, kw_only=True)
class Crawler:
    """One crawler of the comparison."""

    name: str
    about: str  # name, version, how it was set up
    command: Callable[[BenchSite, str, Path], list[str]]  # for a site at a URL, with an empty folder for its output


def pages_told(output: str) -> int:
    """Return the number of pages that a crawler's last line of output, a JSON object, tells."""
    lines = output.strip().splitlines()
    return int(json.loads(lines[-1])["pages"])


def wavecrawl() -> Crawler:
    """Return wavecrawl itself, of the environment we run in.

    Its source is used where it stands. Compiled beforehand it starts as it does where it is installed: pip compiles
    what it installs, the other crawlers among it, and PYTHONDONTWRITEBYTECODE would have ours compiled at every start.
    """
    compile_dir(ROOT / "layers" / "wavecrawl" / "python" / "wavecrawl", quiet=1)

    def command(site: BenchSite, url: str, out: Path) -> list[str]:
        # --no-adapt: the others' throttling by latency is off or absent as well.
        options = f"--interval 0 --in-flight {IN_FLIGHT} --no-adapt --no-results --max-pages {site.max_pages}"
        program = str(Path(sys.executable).with_name("wavecrawl"))
        return [program, "crawl", url, "--data", str(out), "--json", "--quiet", *options.split()]

    about = "wavecrawl (also writes WARC and page records with all facts, links and the text)"
    return Crawler(name="wavecrawl", about=about, command=command)


def scrapy(python: Path) -> Crawler:
    """Return Scrapy, installed for `python`."""

    def command(_site: BenchSite, url: str, out: Path) -> list[str]:
        return [str(python), "-P", str(ROOT / "bench" / "scrapy_crawl.py"), url, str(out)]

    about = f"Scrapy {_version(python, 'scrapy')} (Spider, LinkExtractor, items to JSON Lines)"
    return Crawler(name="Scrapy", about=about, command=command)


def crawlee(python: Path) -> Crawler:
    """Return Crawlee, installed for `python`."""

    def command(_site: BenchSite, url: str, out: Path) -> list[str]:
        return [str(python), "-P", str(ROOT / "bench" / "crawlee_crawl.py"), url, str(out)]

    about = f"Crawlee {_version(python, 'crawlee')} (ParselCrawler, enqueue_links, storage in memory)"
    return Crawler(name="Crawlee", about=about, command=command)


def _version(python: Path, package: str) -> str:
    code = f"from importlib.metadata import version; print(version({package!r}))"
    return subprocess.run([str(python), "-c", code], check=True, capture_output=True, text=True).stdout.strip()
