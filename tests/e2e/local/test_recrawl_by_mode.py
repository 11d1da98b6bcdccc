"""The second crawl of a new user: `wavecrawl crawl URL --mode ...` after a first crawl of the demo site."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.campaign import slow
from typer.testing import CliRunner, Result

from wavecrawl.cli.console import Exit
from wavecrawl.cli.main import app
from wavecrawl.demo.demo_site import demo_site
from wavecrawl.demo.model import Site
from wavecrawl.demo.patterns import page
from wavecrawl.demo.server import SiteServer

QUICK = ("--interval", "0", "--no-adapt", "--set", "retry_base=0", "--workers", "1")


def run(*arguments: str) -> Result:
    """Run a command that succeeds."""
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == Exit.OK, result.output
    return result


def crawl(url: str, data: Path, *options: str) -> dict[str, Any]:
    """Crawl a site; return its summary."""
    return summary_of(run("crawl", url, "--data", str(data), "--json", *QUICK, *options))


def summary_of(ran: Result) -> dict[str, Any]:
    """Return the summary that `--json` prints."""
    summary: dict[str, Any] = json.loads(ran.stdout.splitlines()[-1])
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


@pytest.fixture(name="recrawled", scope="module")
def a_site_crawled_whole_then_in_part_then_whole(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path, list[str], list[str]]:
    """Crawl a site of three pages without a sitemap; `/a` and `/b` change before the last crawl.

    Return the data folder, the IDs of the crawls, and what each crawl printed for people, in one line.
    """
    data = tmp_path_factory.mktemp("recrawled")
    old = Site(pages=(page("/", "/a", "/b", title="Home"), page("/a", title="A"), page("/b", title="B")))
    with SiteServer(old) as server:
        url, port = server.url, server.port
        start = ("crawl", url, "--data", str(data), "--json", *QUICK)
        ran = [run(*start), run(*start, "--mode", "changed_only")]
    new = Site(pages=(old.pages[0], page("/a", title="New A"), page("/b", title="New B")))
    with SiteServer(new, port=port):
        ran.append(run(*start))
    return data, [summary_of(one)["crawl"] for one in ran], [" ".join(one.stderr.split()) for one in ran]


@slow
def test_diff_says_which_pages_are_not_compared_and_which_crawl_has_all(
    recrawled: tuple[Path, list[str], list[str]], tmp_path: Path
) -> None:
    data, (first, part, last), _ = recrawled
    shown = run("diff", "--data", str(data)).stdout
    assert "1 page, then 3; 0 new links, 0 removed\nno other differences in what both" in shown
    noted = (
        f"note: not compared: 2 known URLs that crawl {part} skipped because of its mode (changed_only), and all "
        "depths, numbers of links, PageRank and orphans note: the crawls have different settings: discovery."
    )
    for more in ([], ["--text"], ["--to", str(tmp_path)]):
        printed = " ".join(run("diff", "--data", str(data), *more).stderr.split())
        assert noted in printed
        assert f"To compare all pages: `wavecrawl diff {first} {last} --data" in printed
    written = json.loads((tmp_path / "diff.json").read_text(encoding="utf-8"))
    assert (written["skipped_before"], written["skipped_now"]) == (2, 0)
    whole = run("diff", first, last, "--data", str(data))
    assert ("changed pages: 2" in whole.stdout, whole.stderr) == (True, "")
    back = " ".join(run("diff", first, part, "--data", str(data)).stderr.split())
    assert f"that crawl {part} skipped" in back
    assert "To compare all pages, run another crawl with `--mode full`." in back


@slow
def test_a_crawl_says_that_its_mode_skipped_known_pages(recrawled: tuple[Path, list[str], list[str]]) -> None:
    _, _, (first, part, last) = recrawled
    note = (
        "2 known URLs were not requested: no sitemap or feed has dates, so --mode changed_only requested only due pages"
    )
    assert note in part
    assert "not requested" not in first + last
