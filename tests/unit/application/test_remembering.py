"""What a site remembers of its pages is read only if there can be something to find."""

from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
from tests.support.crawling import crawl_inline
from tests.support.random_site import random_site

from wavecrawl.adapters.embedded.page_memories import SqlitePageMemories
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.memory import PageMemory

read = SqlitePageMemories.read


@pytest.fixture(name="asked")
def keys_looked_up(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    asked: list[str] = []

    def reading(memories: SqlitePageMemories, crawl: CrawlId, keys: Sequence[str]) -> dict[str, PageMemory]:
        asked.extend(keys)
        return read(memories, crawl, keys)

    monkeypatch.setattr(SqlitePageMemories, "read", reading)
    return asked


def test_only_the_first_crawl_of_a_site_looks_nothing_up(tmp_path: Path, asked: list[str]) -> None:
    with SiteServer(random_site(Random(4), 30)) as server:
        first = crawl_inline(server.url, tmp_path)
        assert asked == []
        again = crawl_inline(server.url, tmp_path)
    assert again.summary.pages == first.summary.pages > 1
    store = LocalStore(tmp_path)
    assert set(asked) == {key for (key,) in store.database.rows("SELECT key FROM page")}
    store.close()
