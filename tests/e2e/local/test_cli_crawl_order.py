"""The command line: strategy, focus terms, lanes, weights, and what `show` says of them."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from wavecrawl.cli.console import Exit
from wavecrawl.cli.main import app
from wavecrawl.demo.model import Link, Page, Site
from wavecrawl.demo.server import SiteServer

QUICK = ["--interval", "0", "--no-adapt", "--set", "retry_base=0", "--workers", "1"]
FORUM = tuple(f"/forum/thread/reply/{number}" for number in range(6))
DOCS = ("/docs/install", "/docs/event-loop", "/docs/sockets")
TEXTS = {"/docs/event-loop": "The event loop", "/docs/sockets": "Sockets", "/docs/install": "Installation"}


@pytest.fixture(name="server")
def a_site_with_the_forum_first() -> Iterator[SiteServer]:
    paths = (*FORUM, *DOCS, "/hilfe/anfang", "/pricing")
    home = Page(path="/", title="Home", links=tuple(Link(to=path, text=TEXTS.get(path, "More")) for path in paths))
    with SiteServer(Site(pages=(home, *(Page(path=path, title=path) for path in paths)))) as server:
        yield server


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == Exit.OK, result.output
    return " ".join(result.stdout.split())


def crawled(server: SiteServer, data: Path, *options: str) -> dict[str, dict[str, str]]:
    """Return the rows of the fetched URLs by path."""
    run("crawl", server.url, "--data", str(data), *options, *QUICK)
    (ledger,) = data.glob("tenants/*/sites/*/crawls/*/exports/ledger.csv")
    with ledger.open(encoding="utf-8-sig", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["state"] == "fetched"]
    return {row["url"].removeprefix(server.origin): row for row in rows}


def test_the_strategy_decides_what_a_page_limit_is_spent_on(server: SiteServer, tmp_path: Path) -> None:
    broad = crawled(server, tmp_path / "bfs", "--max-pages", "5")
    best = crawled(server, tmp_path / "best", "--max-pages", "5", "--strategy", "best_first")
    assert set(broad) == {"/", *FORUM[:4]}
    assert set(best) == {"/", "/pricing", *DOCS}
    lanes = {path: row["lane"] for path, row in best.items()}
    assert lanes == {"/": "p0", "/pricing": "p0", **dict.fromkeys(DOCS, "p1")}


@pytest.mark.parametrize(("terms", "first"), [(["sockets"], "/docs/sockets"), (["x, event loop"], "/docs/event-loop")])
def test_focus_terms_decide_which_page_is_first(
    server: SiteServer, tmp_path: Path, terms: list[str], first: str
) -> None:
    focus = [option for term in terms for option in ("--focus", term)]
    fetched = crawled(server, tmp_path, "--strategy", "best_first", "--max-pages", "2", *focus)
    assert set(fetched) == {"/", first}  # before /pricing in lane p0
    shown = run("show", f"{server.origin}{first}", "--data", str(tmp_path))
    assert "p1 (documentation)" in shown
    assert "focus link text and path match the focus terms: it comes before all lanes" in shown
    other = run("show", server.url, "--data", str(tmp_path), "--json")
    assert json.loads(other)["matches_focus"] is False
    assert "how similar the link text, the path and the title of the linking page are to the focus terms" in shown
    assert shown.index(" title ") < shown.index(" linked from ") < shown.index(" tries ") < shown.index(" lane p1 ")


def test_focus_can_be_repeated(server: SiteServer, tmp_path: Path) -> None:
    focus = "--focus", "sockets", "--focus", "event loop"
    fetched = crawled(server, tmp_path, "--strategy", "best_first", "--max-pages", "3", *focus)
    assert set(fetched) == {"/", "/docs/sockets", "/docs/event-loop"}


@pytest.mark.parametrize("form", ["toml", "set"])
def test_lanes_and_weights_are_settings(server: SiteServer, tmp_path: Path, form: str) -> None:
    if form == "toml":
        file = tmp_path / "settings.toml"
        file.write_text('[focus.lanes]\ndocs = ["/hilfe/*"]\n[focus.weights]\nanchor = 0.1\n', encoding="utf-8")
        options: tuple[str, ...] = ("--settings", str(file))
    else:
        options = ("--set", 'focus.lanes.docs=["/hilfe/*"]', "--set", "focus.weights.anchor=0.1")
    fetched = crawled(server, tmp_path, *options)
    assert {path for path, row in fetched.items() if row["lane"] == "p1"} == {"/hilfe/anfang"}
    explained: dict[str, Any] = json.loads(
        run("show", f"{server.origin}/hilfe/anfang", "--data", str(tmp_path), "--json")
    )
    weights = {part["name"]: part["weight"] for part in explained["score"]}
    assert weights == {
        "path_weight": 0.4, "anchor_signal": 0.1, "freshness": 0.2, "duplication_risk": -0.25, "trap_risk": -0.25,
    }  # fmt: skip


def test_show_says_why_a_full_frontier_left_a_url_out(server: SiteServer, tmp_path: Path) -> None:
    fetched = crawled(server, tmp_path, "--max-frontier", "5", "--max-pages", "6")
    assert set(fetched) == {"/", "/pricing", *DOCS, "/hilfe/anfang"}
    shown = run("show", f"{server.origin}{FORUM[-1]}", "--data", str(tmp_path))
    assert "because more URLs were waiting than --max-frontier allows, those with the lowest scores were left" in shown
    assert "detail lane p3, score 0." in shown
    assert "lane p3 (everything else, data and likely traps)" in shown
    assert ", the weighted sum of these parts, at least 0 and at most 1:" in shown
