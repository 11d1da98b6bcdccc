"""Facts that the documentation repeats match the code, and its links lead to existing pages."""

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import astuple, fields

from wavecrawl.adapters.sql_views import VIEWS
from wavecrawl.adapters.table_columns import COLUMNS
from wavecrawl.cli.export import Format
from wavecrawl.cli.main import program
from wavecrawl.domain.crawl.bill import PRICES, PRICES_OF
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.graph.issue import IssueName
from wavecrawl.domain.tenants.plans import CEILINGS

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "events" / "README.md", ROOT / "bench" / "results.md"]
)


def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub generates for a page's headings."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    headings = re.findall(r"^#+ +(.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_of_a_page_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    links = re.findall(r"\]\(([^)\s]+)\)", text)
    assert [link for link in links if not link.startswith(("https://", "http://")) and not leads(page, link)] == []


def leads(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    return target.exists() and (not anchor or anchor in anchors(target))


def test_every_command_and_every_export_format_is_documented() -> None:
    text = (ROOT / "docs" / "usage.md").read_text(encoding="utf-8")
    table = text.partition("| command | description |")[2].partition("\n\n")[0]
    known = {one.name for one in program().registered_commands} | {one.name for one in program().registered_groups}
    assert set(re.findall(r"^\| `wavecrawl (\w+)", table, re.MULTILINE)) == known
    formats = re.search(r"Formats: `([a-z ]+)`", table)
    assert formats is not None
    assert set(formats[1].split()) == {one.value for one in Format}


def test_the_prices_of_the_documentation_are_those_that_are_reckoned_with() -> None:
    text = (ROOT / "docs" / "costs.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in row.split("|")] for row in text.splitlines() if row.count("|") == 7]
    written = {row[2].strip("`"): (row[1], row[4], row[5]) for row in rows if row[2].startswith("`")}
    assert written == {
        unit: (price.service, f"${Decimal(str(price.dollars)):f}", f"{price.per:,.0f}")
        for unit, price in PRICES.items()
    }
    assert PRICES_OF in text


def test_the_plans_of_the_documentation_are_those_that_hold() -> None:
    text = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    table = text.partition("| plan | pages a crawl |")[2].partition("\n\n")[0]
    rows = [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]
    assert {plan: limits for plan, *limits in rows} == {
        plan.value: ["no limit" if most is None else f"{most:,}" for most in astuple(ceilings)]
        for plan, ceilings in CEILINGS.items()
    }


def test_every_setting_of_a_deployment_is_documented_with_its_default() -> None:
    text = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    table = text.partition("## Settings of a deployment")[2].partition("\n## ")[0]
    documented: dict[str, str] = {}
    for names, default in re.findall(r"^\| (`[^|]*`) \| ([^|]*) \|", table, re.MULTILINE):
        settings = re.findall(r"`(\w+)`", names)
        defaults = re.split(r", (?=\d+$)", default) if len(settings) > 1 else [default]
        documented |= dict(zip(settings, (one.strip("` ") for one in defaults), strict=True))
    cdk = json.loads((ROOT / "infra" / "cdk.json").read_text(encoding="utf-8"))
    assert documented == {name: _written(cdk["context"][name]) for name in cdk["//"] if name != "how"}


def test_the_defaults_of_crawl_settings_in_the_documentation_are_those_that_apply() -> None:
    defaults = dict(_defaults(CrawlSettings()))
    named = [
        (page.name, name, number, defaults[name])
        for page in PAGES
        for name, number in re.findall(r"`([a-z_.]+)` \(([0-9][0-9,.]*)\)", page.read_text(encoding="utf-8"))
        if name in defaults
    ]
    assert len(named) >= 10
    assert [one for one in named if float(one[2].replace(",", "")) != one[3]] == []


def _defaults(settings: Any, prefix: str = "") -> Iterator[tuple[str, object]]:
    for field in fields(settings):
        value = getattr(settings, field.name)
        if isinstance(value, Struct):
            yield from _defaults(value, f"{prefix}{field.name}.")
        else:
            yield f"{prefix}{field.name}", value


def _written(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:,}" if isinstance(value, int) else str(value or "none")


def test_the_tables_and_views_of_the_sql_page_are_those_that_exist() -> None:
    text = (ROOT / "docs" / "sql.md").read_text(encoding="utf-8")
    for table, columns in COLUMNS.items():
        section = text.partition(f"### {table}\n")[2].partition("\n#")[0]
        documented: dict[str, str] = {}
        for names, types in re.findall(r"^\| (`[^|]*`) \| ([^|]*) \|", section, re.MULTILINE):
            found, kinds = re.findall(r"`(\w+)`", names), re.split(r", (?![^(]*\))", types)
            documented |= dict(zip(found, kinds if len(kinds) > 1 else kinds * len(found), strict=True))
        assert documented == columns
    views = text.partition("## Views")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `(\w+)` \|", views, re.MULTILINE) == list(VIEWS)


def test_modules_and_tests_of_the_feature_list_exist() -> None:
    text = (ROOT / "docs" / "features.md").read_text(encoding="utf-8")
    rows = [[cell.strip(" `") for cell in line.strip("|").split(" | ")] for line in text.splitlines() if "|" in line]
    features = [row for row in rows if len(row) == 4 and row[0] != "feature" and not row[0].startswith("---")]
    assert len(features) > 50
    package = ROOT / "layers" / "wavecrawl" / "python" / "wavecrawl"
    modules = {(ROOT if row[2].startswith("infra/") else package) / row[2] for row in features}
    missing = modules | {(ROOT / "tests" / row[3]) for row in features}
    assert sorted(str(path) for path in missing if not path.exists()) == []


def test_tests_and_modules_of_the_reliability_page_exist() -> None:
    text = (ROOT / "docs" / "reliability.md").read_text(encoding="utf-8")
    named = re.findall(r"`([\w/]+\.py)(?:::(\w+)[^`]*)?`", text)
    assert len(named) > 100
    package = ROOT / "layers" / "wavecrawl" / "python" / "wavecrawl"
    found = {
        name: path
        for name, _ in named
        for path in (ROOT / "tests" / name, package / name, ROOT / name)
        if path.exists()
    }
    assert sorted(name for name, _ in named if name not in found) == []
    assert sorted(test for name, test in named if test and f"def {test}(" not in found[name].read_text("utf-8")) == []


def test_each_kind_of_issue_is_documented() -> None:
    text = (ROOT / "docs" / "checks.md").read_text(encoding="utf-8")
    kinds = text.partition("## Kinds")[2].partition("## Screaming Frog")[0]
    assert [kind.value for kind in IssueName if f"`{kind}`" not in kinds] == []
