from dataclasses import replace

from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.memory import PageMemory
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.ports.all_ports import Ports


def memory(key: str) -> PageMemory:
    return PageMemory(
        key=key, url=f"https://example.com/{key}", state=UrlState.FETCHED, etag='"1"', simhash=2**64 - 1,
        title="\u00e4",        first_seen=1.5, record="place",
    )  # fmt: skip


def test_memories_come_back_by_key(stores: Ports, crawl: CrawlId) -> None:
    stores.memories.write(crawl, [memory(str(n)) for n in range(1_200)])
    keys = [str(n) for n in range(1_100, 1_300)]
    assert stores.memories.read(crawl, keys) == {str(n): memory(str(n)) for n in range(1_100, 1_200)}
    assert len(stores.memories.read(crawl, [str(n) for n in range(1_200)])) == 1_200
    assert stores.memories.read(crawl, []) == {}


def test_the_newer_memory_replaces_the_older(stores: Ports, crawl: CrawlId) -> None:
    stores.memories.write(crawl, [memory("a")])
    stores.memories.write(crawl, [replace(memory("a"), title="new")])
    assert stores.memories.read(crawl, ["a"])["a"].title == "new"


def test_memory_belongs_to_the_site_and_outlives_the_crawl(stores: Ports, crawl: CrawlId) -> None:
    stores.memories.write(crawl, [memory("a")])
    assert "a" in stores.memories.read(replace(crawl, crawl="c2"), ["a"])
    assert stores.memories.read(replace(crawl, site="other.example"), ["a"]) == {}
    assert stores.memories.read(replace(crawl, tenant="u"), ["a"]) == {}


def test_a_site_reports_whether_it_remembers_pages(stores: Ports, crawl: CrawlId) -> None:
    assert not stores.memories.any(crawl)
    stores.memories.write(crawl, [memory("f" * 32)])
    assert stores.memories.any(replace(crawl, crawl="c2"))
    assert not stores.memories.any(replace(crawl, site="other.example"))
    assert not stores.memories.any(replace(crawl, tenant="u"))
    stores.memories.forget(crawl, "f" * 32)
    assert not stores.memories.any(crawl)


def test_a_page_can_be_forgotten(stores: Ports, crawl: CrawlId) -> None:
    stores.memories.write(crawl, [memory("a"), memory("b")])
    stores.memories.forget(crawl, "a")
    stores.memories.forget(crawl, "never known")
    assert stores.memories.read(crawl, ["a", "b"]).keys() == {"b"}
