"""Crawls with a browser find what a user finds who walks through the applications."""

import gzip
import json
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pytest
from tests.browser.oracle import Way
from tests.browser.walks import CRAWLED, walked
from tests.support.browser_apps import APPS, App
from tests.support.campaign import slow
from tests.support.chromium import executable
from tests.support.session import session_folder
from typer.testing import CliRunner

from wavecrawl.cli.main import app as command_line

QUICK = ("--interval", "0", "--no-adapt", "--set", "retry_base=0", "--set", "render.learn_after=1", "--workers", "1")
PATIENT = ("--set", "render.timeout=200", "--set", "render.settle=100")  # no page waits so long, also on a slow machine
PLAIN, HYDRATED = (next(app for app in APPS if app.name == name) for name in ("plain", "hydrated"))
EMPTY = tuple(app for app in CRAWLED if app.empty)
MARKS = {
    "lit": {("/", "/galleries"): "dom", ("/about", "/about/prints"): "dom"},
    "react": {("/", "/catalogue"): "dom", ("/about", "/about/team"): "dom"},
    "hydrated": {("/", "/issues/2023"): "html", ("/issues/2023", "/issues/2023/bridges"): "html"},
    "svelte": {
        ("/events", "/events/spring"): "dom",
        ("/", "/changes"): "dom",
        ("/guide", "/guide/install"): "html",
    },
}
"""Links, and where they are found."""

of_each_app = pytest.mark.parametrize("app", CRAWLED, ids=lambda app: app.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Crawled:
    """The results of a crawl. URLs are relative to the root."""

    pages: dict[str, dict[str, Any]]
    links: dict[tuple[str, str], str]  # source and target; value: whether the HTML or only the DOM has the link
    screenshots: list[Path]

    @property
    def rendered(self) -> set[str]:
        return {url for url, page in self.pages.items() if page["rendered"]}


@cache
def crawled(app: App, *, screenshots: str = "home") -> Crawled:
    """Crawl an application with `--render auto`."""
    executable()
    folder = session_folder() / f"crawl-{app.name}-{screenshots}"
    with app.serve() as server:
        arguments = ["crawl", server.url, "--data", str(folder), "--render", "auto", "--screenshots", screenshots]
        printed = CliRunner().invoke(command_line, [*arguments, *QUICK, *PATIENT])
        assert printed.exit_code == 0, printed.output
        return _results(folder, server.origin)


def _results(folder: Path, origin: str) -> Crawled:
    exports = next(folder.glob("tenants/*/sites/*/crawls/*/exports"))
    lines = gzip.decompress((exports / "pages.jsonl.gz").read_bytes()).splitlines()
    pages = [page for line in lines if (page := json.loads(line))["state"] == "fetched"]
    query = "SELECT source, target, found_in FROM read_parquet(?) WHERE kind = 'a' AND starts_with(target, ?)"
    edges = duckdb.connect().execute(query, [str(exports / "edges.parquet"), f"{origin}/"]).fetchall()
    return Crawled(
        pages={page["url"].removeprefix(origin): page for page in pages},
        links={(source.removeprefix(origin), target.removeprefix(origin)): found for source, target, found in edges},
        screenshots=sorted(folder.glob("tenants/*/sites/*/crawls/*/screenshots/*.jpg")),
    )


@of_each_app
def test_a_crawl_finds_every_page_that_a_user_finds(app: App) -> None:
    found = set(crawled(app).pages)
    expected = walked(app).reached(Way.LINK, Way.OPENED)
    assert found >= expected > walked(app).reached(Way.LINK)
    assert found - expected <= set(app.landed.values())


@of_each_app
@slow
def test_a_crawl_finds_every_link_that_a_user_can_click(app: App) -> None:
    found = crawled(app)
    clickable = {
        (step.source, step.target)
        for step in walked(app).steps
        if step.way is Way.LINK and step.source in found.pages and step.source != step.target
    }
    assert clickable
    assert clickable - set(found.links) == set()


@of_each_app
@slow
def test_a_rendered_page_has_the_links_of_its_menus(app: App) -> None:
    found = crawled(app)
    in_menus = {
        (step.source, step.target)
        for step in walked(app).steps
        if step.way is Way.OPENED and step.source in found.rendered and step.source != step.target
    }
    assert in_menus
    assert in_menus - set(found.links) == set()


@of_each_app
def test_a_page_has_the_title_that_a_user_sees(app: App) -> None:
    titles = walked(app).titles
    pages = {url: page["title"] for url, page in crawled(app).pages.items() if url in titles}
    assert len(pages) > 5
    assert pages == {url: titles[url] for url in pages}


@pytest.mark.parametrize("app", EMPTY, ids=lambda app: app.name)
def test_all_pages_of_an_application_without_html_are_rendered(app: App) -> None:
    found = crawled(app)
    assert found.rendered == set(found.pages)
    assert set(found.links.values()) == {"dom"}


@pytest.mark.parametrize("app", [app for app in CRAWLED if app.name in MARKS], ids=lambda app: app.name)
@slow
def test_links_that_only_the_scripts_add_are_marked(app: App) -> None:
    links, marks = crawled(app).links, MARKS[app.name]
    assert {link: links[link] for link in marks} == marks


@slow
def test_a_page_without_scripts_is_not_rendered() -> None:
    found = crawled(PLAIN, screenshots="none")
    assert found.rendered == set()
    assert not any(page["shell"] for page in found.pages.values())


@pytest.mark.parametrize("app", [app for app in CRAWLED if app not in EMPTY], ids=lambda app: app.name)
def test_a_page_with_content_is_rendered_for_its_screenshot(app: App) -> None:
    assert "/" in crawled(app).rendered


def test_pages_are_no_longer_rendered_if_that_adds_nothing() -> None:
    found = crawled(HYDRATED)
    articles = {url for url in found.pages if url.count("/") == 3}
    assert len(articles) == 5
    assert len(found.rendered & articles) == 2  # `render.learn_after` counts twice for pages with different names
    assert "dom" not in found.links.values()


@of_each_app
@slow
def test_a_screenshot_of_the_home_page_is_made(app: App) -> None:
    found = crawled(app)
    assert [url for url, page in found.pages.items() if page["screenshot"]] == ["/"]
    (screenshot,) = found.screenshots
    assert _size(screenshot.read_bytes()) == (1280, 800)


def _size(jpeg: bytes) -> tuple[int, int]:
    """Return the width and height of a JPEG image."""
    for kind, content in _segments(jpeg):
        if kind in (0xC0, 0xC1, 0xC2):  # start of frame
            height, width = struct.unpack_from(">HH", content, 1)
            return width, height
    raise AssertionError("no JPEG image")


def _segments(jpeg: bytes) -> Iterator[tuple[int, bytes]]:
    assert jpeg.startswith(b"\xff\xd8")
    position = 2
    while position + 4 <= len(jpeg) and jpeg[position] == 0xFF:
        kind, size = struct.unpack_from(">xBH", jpeg, position)
        yield kind, jpeg[position + 4 : position + 2 + size]
        position += 2 + size
