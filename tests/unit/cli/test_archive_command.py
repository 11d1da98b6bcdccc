"""`wavecrawl archive verify`: table, JSON, report file and exit code."""

import json
import os
from pathlib import Path

import pytest
from tests.support.small_wacz import Archived, write_wacz
from typer.testing import CliRunner, Result

from wavecrawl.adapters.replay import engine as engine_module
from wavecrawl.bootstrap import replay
from wavecrawl.bootstrap.replay import Verification, verify_archive
from wavecrawl.cli import archive
from wavecrawl.cli.main import program
from wavecrawl.domain.replay.page_match import PageMatch
from wavecrawl.errors import BrowserMissingError, InvalidInputError, ReplayMissingError

URL = "http://site.example/"
TIME = "20251129000000"
GOOD = PageMatch(url=URL, time=TIME, pixels=0.99999, text=1.0)
PALE = PageMatch(url=f"{URL}pale", time=TIME, pixels=0.5, text=1.0, missing=(f"{URL}style.css",))
TEXT = PageMatch(url=f"{URL}text", time=TIME, text=1.0)
LOST = PageMatch(url=f"{URL}lost", time=TIME, problem="the archive has no response of it")


def _run(monkeypatch: pytest.MonkeyPatch, pages: tuple[PageMatch, ...], *arguments: str) -> Result:
    def verified(path: Path, *, goal: float, **_: object) -> Verification:
        return Verification(archive=path, goal=goal, browser="1.2", archived=9, pages=pages)

    monkeypatch.setattr(archive, "verify_archive", verified)
    return CliRunner().invoke(program("archive"), ["archive", "verify", "a.wacz", *arguments])


def test_the_table_has_a_line_for_each_page(monkeypatch: pytest.MonkeyPatch) -> None:
    result = _run(monkeypatch, (GOOD, PALE, TEXT, LOST))
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert lines == [
        "pixels text missing page",
        f"0.9999 1.0000 0 {URL}",
        f"0.5000 1.0000 1 {URL}pale",
        f"- 1.0000 0 {URL}text",
        f"- - 0 {URL}lost: the archive has no response of it",
        "mean: 0.7499 of pixels, 1.0000 of text",
        "pages without pixels have no screenshot: crawl with --screenshots all",
        "2 pages below 0.99",
    ]
    assert result.exit_code == 1


def test_the_exit_code_is_0_if_all_pages_reach_the_goal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _run(monkeypatch, (GOOD, TEXT)).exit_code == 0
    assert _run(monkeypatch, (PALE,), "--goal", "0.5").exit_code == 0
    assert _run(monkeypatch, (PALE,), "--goal", "0.51").exit_code == 1


def test_json_and_the_report_have_all_figures(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    result = _run(monkeypatch, (GOOD, PALE), "--json", "--report", str(tmp_path / "report.json"))
    printed = json.loads(result.stdout)
    assert printed == json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    pages = printed.pop("pages")
    assert printed == {
        "archive": "a.wacz",
        "goal": 0.99,
        "browser": "1.2",
        "archived_pages": 9,
        "compared_pages": 2,
        "bad_pages": 1,
        "pixels": pytest.approx(0.749995),
        "text": 1.0,
    }
    assert pages[1] == {
        "url": f"{URL}pale",
        "time": TIME,
        "pixels": 0.5,
        "text": 1.0,
        "missing": [f"{URL}style.css"],
        "problem": "",
        "good": False,
    }
    assert [page["good"] for page in pages] == [True, False]


def test_the_command_says_how_to_get_the_engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(engine_module, "BUILT", tmp_path)
    monkeypatch.delenv("WAVECRAWL_REPLAY", raising=False)
    result = CliRunner().invoke(program("archive"), ["archive", "verify", "a.wacz"])
    assert result.exit_code == 6
    assert "ReplayWeb.page, which replays archives, is not installed: run `make replay`" in result.stderr


@pytest.fixture(name="engine")
def an_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("sw.js", "ui.js"):
        (tmp_path / name).touch()
    monkeypatch.setitem(os.environ, "WAVECRAWL_REPLAY", str(tmp_path))
    monkeypatch.setattr(replay, "missing_browser", lambda: "")


@pytest.mark.usefixtures("engine")
def test_a_missing_browser_and_a_missing_library_are_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "missing_browser", lambda: "Chromium is not installed; install it")
    with pytest.raises(BrowserMissingError, match="replayed in a browser: Chromium is not installed; install it"):
        verify_archive(Path("a.wacz"), goal=1.0, most=0)
    monkeypatch.setattr(replay, "missing_browser", lambda: "")
    monkeypatch.setattr(replay, "find_spec", lambda _: None)
    with pytest.raises(ReplayMissingError, match=r"Pillow, .*: pip install '.\[media\]'"):
        verify_archive(Path("a.wacz"), goal=1.0, most=0)


@pytest.mark.usefixtures("engine")
def test_a_package_without_pages_has_nothing_to_compare(tmp_path: Path) -> None:
    path = write_wacz(tmp_path / "a.wacz", [Archived(url=URL, body=b"")])
    with pytest.raises(InvalidInputError, match="has no pages"):
        verify_archive(path, goal=1.0, most=0)
