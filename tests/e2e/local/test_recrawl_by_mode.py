"""The second crawl of a new user: `wavecrawl crawl URL --mode ...` after a first crawl of the demo site."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from wavecrawl.cli.console import Exit
from wavecrawl.cli.main import app
from wavecrawl.demo.demo_site import demo_site
from wavecrawl.demo.server import SiteServer

QUICK = ("--interval", "0", "--no-adapt", "--set", "retry_base=0", "--workers", "1")


def crawl(url: str, data: Path, *options: str) -> dict[str, Any]:
    """Crawl a site; return its summary."""
    result = CliRunner().invoke(app, ["crawl", url, "--data", str(data), "--json", *QUICK, *options])
    assert result.exit_code == Exit.OK, result.output
    summary: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    return summary


@pytest.fixture(name="crawled", scope="module")
def a_crawled_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[SiteServer, Path]]:
    data = tmp_path_factory.mktemp("recrawl")
    with SiteServer(demo_site()) as server:
        assert crawl(server.url, data)["states"]["fetched"] > 100
        yield server, data


@pytest.mark.parametrize("mode", ["due_only", "changed_only"])
def test_a_second_crawl_right_after_the_first_requests_nothing_that_is_not_due(
    crawled: tuple[SiteServer, Path], mode: str
) -> None:
    server, data = crawled
    again = crawl(server.url, data, "--mode", mode)
    assert (again["states"]["unchanged"], again["states"].get("fetched", 0)) == (1, 0)  # the root
    assert again["reasons"]["not_due"] > 100
    shown = CliRunner().invoke(app, ["show", f"{server.origin}/about", "--data", str(data)])
    assert "known from an earlier crawl" in " ".join(shown.stdout.split())
