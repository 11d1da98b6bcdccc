"""The table of metrics in docs/operations.md has each metric with the names that are reported."""

import re
from pathlib import Path

from wavecrawl.domain.crawl.measures import RetryClass
from wavecrawl.domain.crawl.metrics import METRICS, RETRIES

OPERATIONS = (Path(__file__).parents[2] / "docs" / "operations.md").read_text(encoding="utf-8")


def test_the_table_of_metrics_is_complete() -> None:
    rows = re.findall(r"^\| (?:`(\w+)`|-) \| `wavecrawl_(\w+)` \| (\w+) \| (.+) \|$", OPERATIONS, flags=re.MULTILINE)
    assert rows == [(one.emf, one.prometheus, one.kind.value, one.help) for one in METRICS]


def test_the_metrics_of_functions_name_each_class_of_retries() -> None:
    assert all(f"`{RETRIES.emf}{one.value.capitalize()}`" in OPERATIONS for one in RetryClass)
