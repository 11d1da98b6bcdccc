"""Two crawls of a site where one value of a page or a redirect changed: what the results and `wavecrawl diff` say."""

import csv
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.support.crawling import Done, crawl_inline
from typer.testing import CliRunner

from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.cli.console import Exit
from wavecrawl.cli.main import app
from wavecrawl.demo.model import Link, Page, Site
from wavecrawl.demo.patterns import page, redirect
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.graph.diff_kind import DiffKind
from wavecrawl.domain.pages.page import LinkKind

_PATHS = "/same /described /followed /indexed /canonical /file /turns /becomes /a /b".split()
_BEFORE: dict[str, Page] = {
    one.path: one
    for one in (
        page("/", *_PATHS, "/dropped", title="Home"),
        page("/dropped", title="Dropped"),
        page("/same", title="Same"),
        replace(page("/described", title="Described"), description="An old description."),
        page("/followed", title="Followed"),
        replace(page("/indexed", title="Indexed"), robots_meta="noindex"),
        page("/canonical", title="Canonical"),
        Page(path="/file", content_type="application/json", body=b'{"size": 1}'),
        redirect("/turns", "/a"),
        redirect("/becomes", "/a", status=302),
        page("/a", title="A"),
        page("/b", title="B"),
    )
}
_NOW = _BEFORE | {
    "/": page("/", *_PATHS, title="Home"),
    "/described": replace(_BEFORE["/described"], description="A new description that is much longer. " * 5),
    "/followed": replace(_BEFORE["/followed"], robots_meta="nofollow"),
    "/indexed": replace(_BEFORE["/indexed"], robots_meta=""),
    "/canonical": replace(_BEFORE["/canonical"], links=(Link(to="/a", kind=LinkKind.CANONICAL),)),
    "/file": replace(_BEFORE["/file"], body=b'{"size": 1000}'),
    "/turns": redirect("/turns", "/b"),
    "/becomes": redirect("/becomes", "/a", status=301),
}


@pytest.fixture(scope="module", name="crawls")
def two_crawls(tmp_path_factory: pytest.TempPathFactory) -> tuple[Done, Done, str, Path]:
    folder = tmp_path_factory.mktemp("values")
    with SiteServer(Site(pages=tuple(_BEFORE.values()))) as server:
        first, port, origin = crawl_inline(server.url, folder), server.port, server.origin
    with SiteServer(Site(pages=tuple(_NOW.values())), port=port) as server:
        second = crawl_inline(server.url, folder)
    return first, second, origin, folder


def test_each_value_alone_makes_a_changed_page(crawls: tuple[Done, Done, str, Path]) -> None:
    first, second, origin, folder = crawls
    store = LocalStore(folder)
    try:
        rows = store.results.differences(first.row.id, second.row.id, DiffKind.CHANGED, limit=100).rows
        redirects = store.results.differences(first.row.id, second.row.id, DiffKind.REDIRECT_CHANGED, limit=100).rows
    finally:
        store.close()
    values = {
        row.url.removeprefix(origin): [
            (one.name, one.before.replace(origin, ""), one.now.replace(origin, "")) for one in row.values
        ]
        for row in rows
    }
    assert [name for name, *_ in values.pop("/")] == ["Main text"]  # its links are a part of it
    assert values.pop("/described")[0][:2] == ("Description", "An old description.")
    assert values == {
        "/followed": [("Robots directives", "", "nofollow")],
        "/indexed": [("Robots directives", "noindex", ""), ("Indexable", "no: noindex", "yes")],
        "/canonical": [("Canonical URL", "", "/a"), ("Indexable", "yes", "no: canonical elsewhere")],
        "/file": [("Size", "11 bytes", "14 bytes")],
    }
    assert [
        (row.url.removeprefix(origin), row.before.replace(origin, ""), row.now.replace(origin, "")) for row in redirects
    ] == [
        ("/becomes", "302 /a", "301 /a"),
        ("/turns", "301 /a", "301 /b"),
    ]


def test_diff_prints_and_writes_old_and_new_values(crawls: tuple[Done, Done, str, Path], tmp_path: Path) -> None:
    *_, origin, folder = crawls
    printed = CliRunner().invoke(app, ["diff", "--data", str(folder)]).stdout.splitlines()
    start = printed.index(f"  {origin}/described")
    assert printed[start + 1].startswith(
        "      Description: An old description. -> A new description that is much longer."
    )
    assert printed[start + 1].endswith("...")
    assert printed[start + 2 : start + 4] == [f"  {origin}/file", "      Size: 11 bytes -> 14 bytes"]
    assert "      Robots directives: noindex -> (none)" in printed
    assert f"  {origin}/turns  (301 {origin}/a / 301 {origin}/b)" in printed
    CliRunner().invoke(app, ["diff", "--data", str(folder), "--to", str(tmp_path)])
    with (tmp_path / "diff.csv").open(encoding="utf-8-sig", newline="") as file:
        table = [row for row in csv.DictReader(file) if row["url"] == f"{origin}/indexed"]
    assert [(row["kind"], row["value"], row["before"], row["now"]) for row in table] == [
        ("changed", "Robots directives", "noindex", ""),
        ("changed", "Indexable", "no: noindex", "yes"),
    ]


def test_show_names_the_directives_and_a_newer_crawl_without_the_url(crawls: tuple[Done, Done, str, Path]) -> None:
    first, second, origin, folder = crawls

    def shown(*words: str) -> dict[str, str]:
        printed = CliRunner().invoke(app, ["show", *words, "--data", str(folder)], env={"COLUMNS": "300"})
        assert printed.exit_code == Exit.OK
        return {
            name.strip(): value.strip() for name, value in (line.split("  ", 1) for line in printed.stdout.splitlines())
        }

    before = shown(f"{origin}/indexed", "--crawl", first.row.id.crawl)
    assert (before["robots"], before["indexable"]) == ("noindex", "no: noindex")
    now = shown(f"{origin}/indexed")
    assert ("robots" in now, now["indexable"], "not in" in now) == (False, "yes", False)
    dropped = shown(f"{origin}/dropped")
    assert dropped["crawl"].startswith(first.row.id.crawl)
    assert dropped["not in"].startswith(second.row.id.crawl)
    because = "deleted, because this crawl read all that could lead to it, and did not find it"
    assert dropped["not in"].endswith(because)
