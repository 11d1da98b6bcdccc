"""The API describes each file that the documentation lists."""

import re
from pathlib import Path

from wavecrawl.ports.exports import description_of

USAGE = Path(__file__).parents[2] / "docs" / "usage.md"


def test_each_documented_file_has_a_description() -> None:
    table = USAGE.read_text(encoding="utf-8").partition("\n## Results\n")[2].partition("\nDepths and parents")[0]
    cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    names = [name for cell in cells for name in re.findall(r"`([a-z_]+\.[a-z.]+)`", cell)]
    assert {"report.html", "pages.jsonl.gz", "media_uses.parquet", "crawl.wacz"} <= set(names)
    assert [name for name in names if not description_of(name)] == []


def test_each_part_of_a_long_sitemap_is_described_as_one() -> None:
    assert description_of("sitemap-2.xml.gz") == description_of("sitemap.xml") != ""


def test_an_unknown_file_has_no_description() -> None:
    assert description_of("notes.doc") == ""
