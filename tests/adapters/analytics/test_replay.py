"""Crawls replayed with pywb, their records verified with FastWARC and warcio: none of them is part of wavecrawl."""

import gzip
import hashlib
import io
import json
import subprocess
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any, cast
from urllib.request import urlopen

import pytest
from msgspec.structs import replace
from tests.support import replay_wacz
from tests.support.crawling import ALL_FILES, Done, crawl_inline
from warcio.archiveiterator import ArchiveIterator

from wavecrawl.demo.demo_site import demo_site
from wavecrawl.demo.model import Page, Site
from wavecrawl.demo.server import SiteServer

PYTHON = Path(__file__).parents[3] / ".venv-wacz" / "bin" / "python"
needs_tools = pytest.mark.skipif(not PYTHON.is_file(), reason="`make .venv-wacz/.done` installs them")


@dataclass(frozen=True, slots=True, kw_only=True)
class Crawled:
    """A crawl of the demo site, a recrawl, and what its server sends."""

    first: Done
    second: Done
    complete: Done  # a recrawl whose package contains unchanged pages
    sent: dict[str, str]  # SHA-256 of the body by URL, of pages with status 200


@pytest.fixture(scope="module", name="demo")
def crawls_of_the_demo_site(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    folder = tmp_path_factory.mktemp("replay")
    site = demo_site()
    some = tuple(  # so that responses are 304 in the recrawl
        replace(page, etag='"1"') if number % 2 and page.is_html and page.status == HTTPStatus.OK else page
        for number, page in enumerate(site.pages)
    )
    with SiteServer(replace(site, pages=some)) as server:
        first, second = crawl_inline(server.url, folder, ALL_FILES), crawl_inline(server.url, folder, ALL_FILES)
        complete = crawl_inline(server.url, folder, replace(ALL_FILES, complete_wacz=True))
        sent = {}
        for page in first.pages():
            url = page["final_url"] or page["url"]
            if page["state"] == "fetched" and not page["truncated"] and "/trouble/" not in url:
                with urlopen(url, timeout=10) as response:
                    sent[url] = hashlib.sha256(response.read()).hexdigest()
    return Crawled(first=first, second=second, complete=complete, sent=sent)


def read_pages(crawl: Done) -> list[tuple[str, str]]:
    """Return URL and time of the pages that a crawl read."""
    return [
        (page["final_url"] or page["url"], f"{datetime.fromisoformat(page['fetched_at']):%Y%m%d%H%M%S}")
        for page in crawl.pages()
        if page["state"] in ("fetched", "unchanged")
    ]


def replay(*crawls: Done, pages: Sequence[tuple[str, str]]) -> dict[str, Any]:
    packages = [str(crawl.exports / "crawl.wacz") for crawl in crawls]
    done = subprocess.run(
        [PYTHON, replay_wacz.__file__, *packages], input=json.dumps(pages), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    return cast("dict[str, Any]", json.loads(done.stdout))


def records(crawl: Done) -> Iterator[Any]:
    with zipfile.ZipFile(crawl.exports / "crawl.wacz") as opened:
        for name in opened.namelist():
            if name.startswith("archive/"):
                yield from ArchiveIterator(io.BytesIO(opened.read(name)), check_digests=True)


def by_id(crawl: Done) -> dict[str, Any]:
    return {record.rec_headers.get_header("WARC-Record-ID"): record.rec_headers for record in records(crawl)}


@needs_tools
def test_every_page_of_a_crawl_and_its_recrawl_replays_as_it_was_sent(demo: Crawled) -> None:
    pages = [*read_pages(demo.first), *read_pages(demo.second)]
    found = replay(demo.first, demo.second, pages=pages)
    assert len(found["replayed"]) == len(pages) > 200
    for url, _, status, digest in found["replayed"]:
        assert (url, status) == (url, 200)
        assert (url, digest) == (url, demo.sent.get(url, digest))
    assert len(demo.sent) > 100


@needs_tools
def test_a_complete_package_of_a_recrawl_replays_every_page_alone(demo: Crawled) -> None:
    pages = read_pages(demo.complete)
    found = replay(demo.complete, pages=pages)
    assert len(found["replayed"]) == len(pages) > 100
    for url, _, status, digest in found["replayed"]:
        assert (url, status, digest) == (url, 200, demo.sent.get(url, digest))
    assert found["broken"] == []


def test_a_complete_package_lists_each_page_as_of_its_response(demo: Crawled) -> None:
    def listed(crawl: Done) -> dict[str, str]:
        with zipfile.ZipFile(crawl.exports / "crawl.wacz") as opened:
            lines = map(json.loads, opened.read("pages/pages.jsonl").splitlines()[1:])
            return {line["url"]: line["ts"] for line in lines}

    first = listed(demo.first)
    assert len(first) > 50
    assert listed(demo.complete).items() >= {url: time for url, time in first.items() if "/trouble/" not in url}.items()


@needs_tools
def test_the_digests_of_all_records_are_right(demo: Crawled) -> None:
    found = replay(demo.first, demo.second, pages=())
    assert found["broken"] == []
    assert found["verified"]["response"] > 100
    assert found["verified"]["revisit"] > 100


def test_every_revisit_record_refers_to_the_response_with_its_payload(demo: Crawled) -> None:
    """ISO 28500:2017, 6.7.2 and 6.7.3."""
    responses = {
        id_: fields for id_, fields in by_id(demo.first).items() if fields.get_header("WARC-Type") == "response"
    }
    revisits = [fields for fields in by_id(demo.second).values() if fields.get_header("WARC-Type") == "revisit"]
    profiles = {
        "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
        "http://netpreserve.org/warc/1.1/revisit/server-not-modified",
    }
    assert {fields.get_header("WARC-Profile") for fields in revisits} == profiles
    for fields in revisits:
        original = responses[fields.get_header("WARC-Refers-To")]
        assert fields.get_header("WARC-Refers-To-Date") == original.get_header("WARC-Date")
        assert fields.get_header("WARC-Refers-To-Target-URI") == original.get_header("WARC-Target-URI")
        assert fields.get_header("WARC-Payload-Digest") == original.get_header("WARC-Payload-Digest")


def test_every_record_has_a_block_digest(demo: Crawled) -> None:
    for crawl in (demo.first, demo.second):
        headers = by_id(crawl)
        assert headers
        assert all(fields.get_header("WARC-Block-Digest", "").startswith("sha1:") for fields in headers.values())


def test_a_body_that_the_server_did_not_send_whole_is_marked(demo: Crawled) -> None:
    """ISO 28500:2017, 6.3.2. The demo server closes the connection before the end of this page."""
    cut = {
        record.rec_headers.get_header("WARC-Target-URI").rpartition("/")[2]
        for record in records(demo.first)
        if record.rec_headers.get_header("WARC-Truncated") == "disconnect"
    }
    assert cut == {"short"}


def test_a_body_with_another_content_coding_is_stored_again(tmp_path: Path) -> None:
    """ISO 28500:2017, 6.7.2: a revisit record is for an identical payload, and the coding is part of the payload."""
    html = b"<title>Packed</title><p>" + b"Some words. " * 200
    crawls: list[Done] = []
    port = 0
    for level in (1, 9):
        page = Page(path="/", body=gzip.compress(html, level, mtime=0), headers=(("Content-Encoding", "gzip"),))
        with SiteServer(Site(pages=(page,)), port=port) as server:
            crawls.append(crawl_inline(server.url, tmp_path, ALL_FILES))
            port = server.port
    assert [page["state"] for page in crawls[1].pages()] == ["unchanged"]
    bodies = [record.content_stream().read() for record in records(crawls[1]) if record.rec_type == "response"]
    assert bodies == [html]
