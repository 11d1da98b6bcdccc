"""The examples, run with the demo site."""

import csv
import gzip
import json
import os
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from xml.etree import ElementTree as ET

import pytest
import yaml
from tests.support.campaign import slow
from tests.support.media_site import MediaSite, html, png
from tests.support.patience import HANG

from wavecrawl.demo.demo_site import demo_site
from wavecrawl.demo.server import SiteServer

EXAMPLES = Path(__file__).parents[3] / "examples"

pytestmark = slow  # a crawl for each example


@pytest.fixture(name="url", scope="module")
def a_site() -> Iterator[str]:
    with SiteServer(demo_site()) as server:
        yield server.url


@pytest.fixture(name="hook")
def a_webhook() -> Iterator[tuple[str, list[bytes]]]:
    received: list[bytes] = []

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Hook) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/", received
        server.shutdown()
        thread.join(timeout=HANG)


def run(folder: Path, *command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "WAVECRAWL_CONTACT": "https://crawler.example/", **variables}
    return subprocess.run(
        command, cwd=folder, env=environment, check=False, capture_output=True, text=True, timeout=HANG
    )


def test_each_example_is_in_the_list() -> None:
    text = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    files = [path for path in EXAMPLES.rglob("*") if path.is_file() and path.name != "README.md"]
    assert len(files) > 6
    assert [path for path in files if f"({path.relative_to(EXAMPLES)})" not in text] == []


def test_the_link_check_fails_for_broken_links(url: str, tmp_path: Path) -> None:
    workflow = yaml.safe_load((EXAMPLES / "link-check" / "github-actions.yml").read_text(encoding="utf-8"))
    steps = {step["name"]: step for step in workflow["jobs"]["links"]["steps"] if "name" in step}
    command = f"{steps['Crawl']['run']} --exclude 'https://example.*'"  # no test requests other sites
    ran = run(tmp_path, "sh", "-euc", command, SITE=url)
    assert (ran.returncode, "too many issues: 4 broken_link, 0 allowed" in ran.stderr) == (1, True)
    kept = steps["Keep the report"]["with"]["path"].split()
    assert [path for path in kept if not (tmp_path / path).is_file()] == []


def test_the_corpus_has_each_text_once(url: str, tmp_path: Path) -> None:
    ran = run(tmp_path, sys.executable, str(EXAMPLES / "rag-corpus" / "corpus.py"), url, "corpus.jsonl")
    assert ran.returncode == 0, ran.stderr
    lines = [json.loads(line) for line in (tmp_path / "corpus.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(lines) > 80
    assert len({line["markdown"] for line in lines}) == len(lines)
    assert f"corpus.jsonl: {len(lines):,} texts; left out: " in ran.stderr
    home = next(line for line in lines if line["url"] == url)
    assert home["title"] == "Instruments that read the tide | Tideline Instruments"
    assert home["headings"][0] == "Instruments that read the tide"


def test_the_sitemap_has_the_pages(url: str, tmp_path: Path) -> None:
    ran = run(tmp_path, "sh", str(EXAMPLES / "sitemap" / "sitemap.sh"), url, "public")
    assert ran.returncode == 0, ran.stderr
    locations = [one.text for one in ET.parse(tmp_path / "public" / "sitemap.xml").getroot().iter() if one.text]  # noqa: S314 - our own
    assert f"{url}products/" in locations


def test_changes_are_posted_from_the_second_crawl_on(url: str, hook: tuple[str, list[bytes]], tmp_path: Path) -> None:
    address, received = hook
    for expected in (0, 1):
        ran = run(tmp_path, "sh", str(EXAMPLES / "change-watch" / "watch.sh"), url, address)
        assert ran.returncode == 0, ran.stderr
        assert len(received) == expected
    changes = json.loads(received[0])
    assert (changes["kinds"]["new"], changes["pages_now"]) == (0, changes["pages_before"])


def test_the_archive_has_the_pages(url: str, tmp_path: Path) -> None:
    ran = run(tmp_path, "sh", str(EXAMPLES / "archive" / "archive.sh"), url, "archive")
    assert ran.returncode == 0, ran.stderr
    with zipfile.ZipFile(tmp_path / "archive" / "crawl.wacz") as archive:
        assert f'"url":"{url}"' in archive.read("pages/pages.jsonl").decode().replace('": "', '":"')


def test_the_archive_has_what_a_browser_needs(tmp_path: Path) -> None:
    style = ("text/css", b"p { background: url(b.png) }")
    page = html("<link rel=stylesheet href=/a.css><img src=/a.png>")
    with MediaSite({"/": page, "/a.css": style, "/a.png": png(1), "/b.png": png(2)}) as site:
        ran = run(tmp_path, "sh", str(EXAMPLES / "archive" / "archive.sh"), site.url, "archive")
    assert ran.returncode == 0, ran.stderr
    with zipfile.ZipFile(tmp_path / "archive" / "crawl.wacz") as archive:
        index = gzip.decompress(archive.read("indexes/index.cdx.gz")).decode()
    for path in ("", "a.css", "a.png", "b.png"):
        assert f'"{site.url}{path}"' in index


def test_values_are_columns(url: str, tmp_path: Path) -> None:
    settings = EXAMPLES / "extraction" / "settings.toml"
    rules = tomllib.loads(settings.read_text(encoding="utf-8"))["extract"]["rules"]
    ran = run(tmp_path, "wavecrawl", "crawl", url, "--quiet", "--settings", str(settings))
    assert ran.returncode == 0, ran.stderr
    with (tmp_path / "wavecrawl-data" / "latest" / "pages.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = {row["url"]: row for row in csv.DictReader(file)}
    assert rows[f"{url}products/"]["extracted_heading"] == "Products"
    assert rows[url]["extracted_heading"] == ""
    assert {f"extracted_{rule.split()[0]}" for rule in rules} < rows[url].keys()
