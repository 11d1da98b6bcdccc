"""`wavecrawl crawl` with and without a browser."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.campaign import slow
from tests.support.faked_workers import build_faked_worker
from tests.support.shell_site import APP, ITEMS, shell_site
from typer.testing import CliRunner, Result

from wavecrawl.application.finding import Finding
from wavecrawl.bootstrap import browsers, local
from wavecrawl.cli.console import Exit
from wavecrawl.cli.main import app
from wavecrawl.demo.server import SiteServer
from wavecrawl.errors import BrowserMissingError

MISSING = "Chromium is not installed; install it (Debian, Ubuntu: apt-get install chromium)"


@pytest.fixture(name="site", scope="module")
def a_site() -> Iterator[SiteServer]:
    with SiteServer(shell_site()) as server:
        yield server


def crawled(site: SiteServer, data: Path, *options: str) -> Result:
    quick = ["--interval", "0", "--no-adapt", "--workers", "1", "--wacz-mb", "0"]
    return CliRunner().invoke(app, ["crawl", site.url, "--data", str(data), *quick, *options])


def summary_of(result: Result) -> dict[str, Any]:
    assert result.exit_code == Exit.OK, result.output
    found: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    return found


@pytest.fixture
def _no_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> str:
        raise BrowserMissingError(MISSING)

    monkeypatch.setattr("wavecrawl.adapters.browser.executable.find_chromium", missing)


@pytest.fixture
def _fake_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "build_worker", build_faked_worker)
    monkeypatch.setattr("wavecrawl.adapters.browser.executable.find_chromium", lambda: "/bin/true")
    monkeypatch.setattr("wavecrawl.bootstrap.machine_checks.browser_finding", lambda: Finding(check="browser"))


@pytest.mark.usefixtures("_no_browser")
def test_without_a_browser_the_crawl_goes_on_and_says_how_to_get_one(site: SiteServer, tmp_path: Path) -> None:
    result = crawled(site, tmp_path, "--json")
    summary = summary_of(result)
    assert (summary["rendered"], summary["unrendered"]) == (0, 2 + ITEMS)
    assert "note: 26 pages need a browser and could not be rendered" in " ".join(result.stderr.split())
    assert "apt-get install chromium" in " ".join(result.stderr.split())
    assert "apt-get" not in crawled(site, tmp_path, "--json", "--quiet").stderr
    assert "apt-get" not in crawled(site, tmp_path, "--json", "--render", "never").stderr


@pytest.mark.usefixtures("_no_browser")
@pytest.mark.parametrize("options", [("--render", "always"), ("--screenshots", "home"), ("--screenshots", "all")])
def test_a_crawl_that_needs_a_browser_does_not_start_without(
    site: SiteServer, tmp_path: Path, options: tuple[str, str]
) -> None:
    result = crawled(site, tmp_path / "data", *options)
    assert result.exit_code == Exit.FAILED
    assert "apt-get install chromium" in " ".join(result.stderr.split())
    assert not (tmp_path / "data").exists()


@pytest.fixture(name="broken")
def a_browser_that_does_not_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    made = tmp_path / "chromium"
    made.write_text("#!/bin/sh\necho . >> $0.starts\necho 'libnss3.so is broken' >&2\nexit 1\n", encoding="utf-8")
    made.chmod(0o755)
    monkeypatch.setenv("WAVECRAWL_CHROMIUM", str(made))
    return made


@slow
def test_with_a_browser_that_does_not_start_the_crawl_goes_on_and_says_so(
    site: SiteServer, tmp_path: Path, broken: Path
) -> None:
    result = crawled(site, tmp_path / "data", "--json")
    summary = summary_of(result)
    assert (summary["rendered"], summary["unrendered"]) == (0, 2 + ITEMS)
    (notice,) = summary["notices"]
    assert notice["message"] == (
        f"could not be rendered, and {1 + ITEMS} more pages: there is no browser: chromium ends when it is started "
        "(exit code 1): libnss3.so is broken; install it (Debian, Ubuntu: apt-get install chromium), or set "
        "WAVECRAWL_CHROMIUM to its path"
    )
    assert len(Path(f"{broken}.starts").read_text(encoding="utf-8").splitlines()) <= 2  # pages at the same time


@pytest.mark.usefixtures("broken")
def test_a_crawl_that_needs_a_browser_does_not_begin_with_one_that_does_not_start(
    site: SiteServer, tmp_path: Path
) -> None:
    result = crawled(site, tmp_path / "data", "--render", "always")
    assert result.exit_code == Exit.FAILED
    assert "libnss3.so is broken" in " ".join(result.stderr.split())
    assert not (tmp_path / "data").exists()


@pytest.mark.usefixtures("_fake_browser")
def test_with_a_browser_shells_are_rendered(site: SiteServer, tmp_path: Path) -> None:
    result = crawled(site, tmp_path, "--json", "--screenshots", "home")
    summary = summary_of(result)
    assert summary["rendered"] > len(APP)
    assert [path.suffix for path in tmp_path.rglob("screenshots/*")] == [".jpg"]
    assert "need a browser" not in result.stderr
    assert "rendered" in crawled(site, tmp_path).output


def test_playwright_is_needed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(browsers, "find_spec", lambda _: None)
    assert "pip install '.[browser]'" in browsers.missing_browser()
