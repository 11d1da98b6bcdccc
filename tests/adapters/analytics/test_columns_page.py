"""docs/columns.md has the columns of the real files, in their order."""

import csv
import re
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.adapters.analytics.conftest import Crawled
from tests.support.crawling import ALL_FILES, crawl_inline, with_changes
from tests.support.fake_media import MemoryAssets
from typer.testing import CliRunner

from wavecrawl.adapters.spreadsheets.inlinks import write_inlinks
from wavecrawl.cli.main import app
from wavecrawl.demo.model import Site
from wavecrawl.demo.patterns import page
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.media.settings import MediaGroup, MediaSettings

PAGE = Path(__file__).parents[3] / "docs" / "columns.md"


@pytest.fixture(name="others", scope="module")
def other_results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the results of a site's second crawl, with media and checks."""
    media = replace(ALL_FILES, media=MediaSettings(include=tuple(MediaGroup)))
    settings = with_changes(media, {"checks.resources": True})
    folder = tmp_path_factory.mktemp("columns")
    with SiteServer(Site(pages=(page("/", "/a"), page("/a")))) as server:
        for _ in range(2):
            done = crawl_inline(server.url, folder, settings, assets=MemoryAssets())
    write_inlinks(done.exports, done.exports)
    CliRunner().invoke(app, ["diff", "--data", str(folder), "--to", str(done.exports)])
    return done.exports


@pytest.mark.parametrize(
    "name", ["pages.csv", "ledger.csv", "issues.csv", "duplicates.csv", "orphans.csv", "blockers.csv", "suppressed.csv"]
)
def test_each_column_of_a_file_is_explained_in_its_order(crawled: Crawled, name: str) -> None:
    assert explained(name) == columns(crawled.done.exports / name)


@pytest.mark.parametrize("name", ["history.csv", "media.csv", "checks.csv", "diff.csv", "inlinks.csv"])
def test_files_of_some_crawls_are_explained_too(others: Path, name: str) -> None:
    assert explained(name) == columns(others / name)


def test_each_csv_file_of_the_results_is_explained(others: Path) -> None:
    written = {path.name for path in others.glob("*.csv")}
    assert len(written) == 12
    assert set(re.findall(r"^## (.+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)) == written


def explained(name: str) -> list[str]:
    section = PAGE.read_text(encoding="utf-8").partition(f"\n## {name}\n")[2].partition("\n## ")[0]
    return re.findall(r"^\| `(\w+)` \| \S", section, re.MULTILINE)


def columns(path: Path) -> list[str]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return next(csv.reader(file))
