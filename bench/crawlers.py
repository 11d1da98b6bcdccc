"""The compared crawlers: their commands and their page counts."""

import json
import subprocess
import sys
from collections.abc import Callable
from compileall import compile_dir
from dataclasses import dataclass
from pathlib import Path

from bench.sites import ROOT, BenchSite

IN_FLIGHT = 16  # as in bench/scrapy_crawl.py and bench/crawlee_crawl.py


@dataclass(frozen=True, slots=True, kw_only=True)
class Crawler:
    """One crawler of the comparison."""

    name: str
    about: str  # name, version and configuration
    command: Callable[[BenchSite, str, Path], list[str]]  # for a site, its URL and an empty output folder


def page_count(output: str) -> int:
    """Return `pages` of the JSON object in a crawler's last line of output."""
    lines = output.strip().splitlines()
    return int(json.loads(lines[-1])["pages"])


def wavecrawl() -> Crawler:
    """Return wavecrawl, installed in the current environment.

    Its source is compiled first, as pip does for installed packages; with PYTHONDONTWRITEBYTECODE, it would otherwise
    be compiled at each start.
    """
    compile_dir(ROOT / "layers" / "wavecrawl" / "python" / "wavecrawl", quiet=1)
    about = "wavecrawl (also writes WARCs and page records with all facts, links and the main text)"
    return _wavecrawl("wavecrawl", about)


def wavecrawl_with_body_text() -> Crawler:
    """Return wavecrawl without the search for the main text."""
    about = "wavecrawl, body text: the same with the text of the whole body in place of the main text"
    return _wavecrawl("wavecrawl, body text", about, "--set", "text=body")


def _wavecrawl(name: str, about: str, *more: str) -> Crawler:
    program = str(Path(sys.executable).with_name("wavecrawl"))

    def command(site: BenchSite, url: str, out: Path) -> list[str]:
        # --no-adapt: the other crawlers do not adapt to latency either.
        options = f"--interval 0 --in-flight {IN_FLIGHT} --no-adapt --no-results --max-pages {site.max_pages}"
        return [program, "crawl", url, "--data", str(out), "--json", "--quiet", *options.split(), *more]

    return Crawler(name=name, about=about, command=command)


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
