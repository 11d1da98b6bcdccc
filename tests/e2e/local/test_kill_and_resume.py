"""`kill -9` of the whole process tree, repeatedly, and `resume`: no page is lost, no work is repeated."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace
from tests.support.campaign import ALL, CAMPAIGN
from tests.support.comparing import fingerprint
from tests.support.hits import hits
from tests.support.killed_crawls import kill_at, run
from tests.support.paused_site import PausedSite

from wavecrawl.demo.demo_site import demo_site
from wavecrawl.demo.model import Site

KILLS = 20 if CAMPAIGN else 8 if ALL else 3
IN_FLIGHT = 4
MOST_REQUESTS = 7
"""The number of requests before each kill, at most. `KILLS` times as many are fewer than the whole crawl needs."""
OPTIONS = [
    "--interval",
    "0.06",
    "--in-flight",
    str(IN_FLIGHT),
    "--no-adapt",
    "--set",
    "retry_base=0.05",
    "--workers",
    "2",
]


def steady(site: Site) -> Site:
    """Return the site without what a kill can change: pages that count their failures, and long delays."""
    return replace(site, pages=tuple(replace(page, failure=None, delay=0.0) for page in site.pages))


@pytest.fixture(name="server")
def a_server() -> Iterator[PausedSite]:
    with PausedSite(steady(demo_site()), latency=0.02) as server:
        yield server


def test_repeated_kills_leave_no_trace(server: PausedSite, tmp_path: Path) -> None:
    undisturbed = run("crawl", server.url, "--data", str(tmp_path / "calm"), *OPTIONS)
    expected = fingerprint(Path(undisturbed["results"]), server.origin)
    calm = {page.path: hits(server, page.path) for page in server.site.pages}
    server.forget()

    random = Random(20)
    data = str(tmp_path / "killed")
    command = ["crawl", server.url, "--data", data, *OPTIONS]
    for _ in range(KILLS):
        kill_at(server, random.randint(1, MOST_REQUESTS), *command)
        if list((tmp_path / "killed").glob("tenants/*/sites/*/crawls/*/frontier")):
            command = ["resume", "--data", data, "--workers", "2"]
    exports = Path(run("resume", "--data", data)["results"])

    result = fingerprint(exports, server.origin)
    assert result.keys() == expected.keys()
    for name, content in expected.items():
        assert result[name] == content, name
    assert json.loads((exports / "summary.json").read_text(encoding="utf-8"))["duplicate_records"] == 0
    again = sum(max(0, hits(server, page.path) - calm[page.path]) for page in server.site.pages)
    assert again <= KILLS * IN_FLIGHT
