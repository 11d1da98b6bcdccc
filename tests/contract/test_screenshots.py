from dataclasses import replace

from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.ports.all_ports import Ports

KEY = "0123456789abcdef0123456789abcdef"
JPEG = b"\xff\xd8\xff a picture \xff\xd9"


def test_a_screenshot_is_read_back_under_its_name(stores: Ports, crawl: CrawlId) -> None:
    name = stores.screenshots.put(crawl, KEY, JPEG)
    assert name == f"tenants/t/sites/example.com/crawls/c1/screenshots/{KEY}.jpg"
    assert stores.screenshots.get(name) == JPEG


def test_a_later_one_replaces_it(stores: Ports, crawl: CrawlId) -> None:
    """A batch that is delivered again makes its screenshots again."""
    name = stores.screenshots.put(crawl, KEY, JPEG)
    assert stores.screenshots.put(crawl, KEY, JPEG * 2) == name
    assert stores.screenshots.get(name) == JPEG * 2


def test_crawls_and_pages_have_their_own(stores: Ports, crawl: CrawlId) -> None:
    first = stores.screenshots.put(crawl, KEY, JPEG)
    second = stores.screenshots.put(replace(crawl, crawl="c2"), KEY, JPEG * 2)
    third = stores.screenshots.put(crawl, "f" * 32, JPEG * 3)
    assert [stores.screenshots.get(name) for name in (first, second, third)] == [JPEG, JPEG * 2, JPEG * 3]
    assert stores.screenshots.get(first.replace("c1", "c9")) is None


def test_a_deleted_crawl_has_none(stores: Ports, crawl: CrawlId) -> None:
    name = stores.screenshots.put(crawl, KEY, JPEG)
    stores.erasure.erase(crawl)
    assert stores.screenshots.get(name) is None
