"""The benchmark of folding and results: the generated crawl is one that the product could have made."""

import json
from pathlib import Path

from bench.finish import measure
from tests.support.campaign import slow

PAGES = 2_600  # more than a part has


@slow
def test_a_generated_crawl_is_folded_and_finished(tmp_path: Path) -> None:
    assert measure(tmp_path, PAGES, words=10).pages == PAGES
    summary = json.loads((tmp_path / "results" / "exports" / "summary.json").read_text(encoding="utf-8"))
    assert summary["states"] == {"fetched": PAGES}
    assert summary["depths"] == {"0": 1, "1": 10, "2": 100, "3": 1_000, "4": 1_489}
    assert summary["duplicate_records"] == 0
    assert 19.5 * PAGES < summary["edges"] <= 20 * PAGES  # a page has one link per target
    assert not list((tmp_path / "records").iterdir())
