"""What a site remembers of its pages is read only if there can be something to find."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace
from tests.support.crawling import QUICK, crawl_inline
from tests.support.page_memories import memory_rows
from tests.support.random_site import random_site

from wavecrawl.adapters.analytics.page_memories import ParquetPageMemories
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.job import CrawlId, Validators
from wavecrawl.domain.urls.spellings import other_spelling

read = ParquetPageMemories.validators


@pytest.fixture(name="asked")
def keys_looked_up(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    asked: list[str] = []

    def reading(memories: ParquetPageMemories, crawl: CrawlId, keys: Sequence[str]) -> Mapping[str, Validators]:
        asked.extend(keys)
        return read(memories, crawl, keys)

    monkeypatch.setattr(ParquetPageMemories, "validators", reading)
    return asked


def test_only_the_first_crawl_of_a_site_looks_nothing_up(tmp_path: Path, asked: list[str]) -> None:
    with SiteServer(random_site(Random(4), 30)) as server:
        first = crawl_inline(server.url, tmp_path)
        assert asked == []
        again = crawl_inline(server.url, tmp_path)
    assert again.summary.pages == first.summary.pages > 1
    remembered = {row["key"] for row in memory_rows(tmp_path, first.row.id)}
    assert len(remembered) > 1
    assert set(asked) <= remembered
    assert remembered <= {*asked, *map(other_spelling, asked)}  # those of a redirect serve its end


def test_nothing_is_looked_up_if_the_settings_say_so(tmp_path: Path, asked: list[str]) -> None:
    with SiteServer(random_site(Random(4), 5)) as server:
        for _ in range(2):
            crawl_inline(server.url, tmp_path, replace(QUICK, revalidate=False))
    assert asked == []
