"""docs/columns.md has the columns of the real files, in their order."""

import csv
import re
from pathlib import Path

import pytest
from tests.adapters.analytics.conftest import Crawled

PAGE = Path(__file__).parents[3] / "docs" / "columns.md"


@pytest.mark.parametrize(
    "name", ["pages.csv", "ledger.csv", "issues.csv", "duplicates.csv", "orphans.csv", "blockers.csv"]
)
def test_each_column_of_a_file_is_explained_in_its_order(crawled: Crawled, name: str) -> None:
    section = PAGE.read_text(encoding="utf-8").partition(f"\n## {name}\n")[2].partition("\n## ")[0]
    with (crawled.done.exports / name).open(encoding="utf-8-sig", newline="") as file:
        columns = next(csv.reader(file))
    assert re.findall(r"^\| `(\w+)` \| \S", section, re.MULTILINE) == columns
