"""`wavecrawl settings`: what it lists, and the file that it makes."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from wavecrawl.cli.console import Exit
from wavecrawl.cli.main import app
from wavecrawl.cli.options import settings_from
from wavecrawl.domain.crawl.settings import CrawlSettings

URL = "https://site.example/"


def printed(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["settings", *arguments])
    assert result.exit_code == Exit.OK, result.output
    return result.stdout


def test_a_setting_is_shown_with_default_range_and_meaning() -> None:
    assert printed("max_depth").splitlines() == [
        "max_depth = 25",
        "    Maximum depth: number of links to follow from the root URL. From 0 to 10,000.",
    ]
    assert "limits.timeout = 10.0\n" in printed("limits")
    assert 'discovery = "links_first"\n' in printed()


def test_a_group_is_shown_alone() -> None:
    names = [line.partition(" ")[0] for line in printed("polite").splitlines() if not line.startswith(" ")]
    assert "polite.in_flight" in names
    assert {name.partition(".")[0] for name in names} == {"polite"}


def test_an_unknown_setting_is_named() -> None:
    result = CliRunner().invoke(app, ["settings", "pace"])
    assert (result.exit_code, "pace is not a setting" in result.output) == (Exit.NOT_FOUND, True)


@pytest.mark.parametrize("pattern", ["never", r"^#(?=\w+ = )"], ids=["as it is", "with all settings"])
def test_the_file_of_settings_is_read_back_as_the_defaults(pattern: str, tmp_path: Path) -> None:
    text, changes = re.subn(pattern, "", printed("--toml"), flags=re.MULTILINE)
    assert (changes > 100) is (pattern != "never")
    file = tmp_path / "wavecrawl.toml"
    file.write_text(text)
    assert settings_from(URL, {}, file=file) == CrawlSettings()


def test_a_setting_of_the_file_is_changed_where_it_stands(tmp_path: Path) -> None:
    file = tmp_path / "wavecrawl.toml"
    file.write_text(printed("--toml").replace("#in_flight = 5", "in_flight = 2"))
    assert settings_from(URL, {}, file=file).polite.in_flight == 2


def test_the_help_has_panels_and_examples() -> None:
    whole, crawl = (CliRunner().invoke(app, [*command, "--help"]).output for command in ([], ["crawl"]))
    titles = re.findall(r"─ ([A-Z][a-z]+[a-z ]*) ─", whole)
    assert titles == ["Options", "Crawl", "Results", "Settings and data", "For operators"]
    assert "wavecrawl crawl example.com" in whole
    assert "─ Politeness ─" in crawl
    assert "wavecrawl crawl --urls urls.txt" in crawl
