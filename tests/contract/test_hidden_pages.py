from msgspec.structs import replace

from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.ports.all_ports import Ports


def test_a_page_is_hidden_once(stores: Ports, crawl: CrawlId) -> None:
    assert stores.hidden.of(crawl) == frozenset()
    assert stores.hidden.hide(crawl, "a", now=1.0)
    assert not stores.hidden.hide(crawl, "a", now=2.0)
    assert stores.hidden.hide(crawl, "b", now=2.0)
    assert stores.hidden.of(crawl) == {"a", "b"}


def test_a_page_is_hidden_in_its_own_crawl_alone(stores: Ports, crawl: CrawlId) -> None:
    stores.hidden.hide(crawl, "a", now=1.0)
    for other in (replace(crawl, crawl="c2"), replace(crawl, site="other.example"), replace(crawl, tenant="u")):
        assert stores.hidden.of(other) == frozenset()
