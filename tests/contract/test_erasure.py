from dataclasses import replace

from wavecrawl.domain.crawl.events import EventKind
from wavecrawl.domain.crawl.job import BatchId, CrawlId
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.batches import BatchSums, Progress
from wavecrawl.ports.claims import Claimant
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.event_log import LoggedEvent


def fill(stores: Ports, crawl: CrawlId) -> None:
    stores.crawls.create(CrawlRow(id=crawl, start_url="http://e.example/", root_url="", settings=CrawlSettings()))
    stores.objects.put(crawl, "frontier/1", b"frontier")
    stores.objects.put(crawl, "exports/summary.json", b"{}")
    stores.waves.create(crawl, 1, planned=30)
    for number in range(30):  # more rows than one request deletes
        lease = stores.batches.lease(BatchId(crawl=crawl, wave=1, batch=number), owner="w", now=1.0, seconds=9.0)
        assert lease is not None
        stores.batches.complete(lease, BatchSums(records=1))
    stores.claims.claim(crawl, "0" * 32, Claimant(wave=1, batch=0, attempt=1))
    stores.event_log.append(crawl, LoggedEvent(sequence=0, kind=EventKind.STARTED, at=1.0))
    stores.hidden.hide(crawl, "0" * 32, now=1.0)


def is_empty(stores: Ports, crawl: CrawlId) -> bool:
    return (
        stores.objects.get(crawl, "frontier/1") is None
        and stores.objects.get(crawl, "exports/summary.json") is None
        and stores.waves.progress(crawl) == Progress()
        and stores.batches.of_wave(crawl, 1) == []
        and stores.event_log.after(crawl, -1, limit=9) == []
        and not stores.hidden.of(crawl)
    )


def test_of_an_erased_crawl_nothing_is_left(stores: Ports, crawl: CrawlId) -> None:
    fill(stores, crawl)
    assert not is_empty(stores, crawl)
    stores.erasure.erase(crawl)
    assert is_empty(stores, crawl)
    stores.erasure.erase(crawl)


def test_other_crawls_stay_as_they_are(stores: Ports, crawl: CrawlId) -> None:
    others = [replace(crawl, crawl="c11"), replace(crawl, tenant="u"), replace(crawl, site="other.example")]
    for one in (crawl, *others):
        fill(stores, one)
    stores.erasure.erase(crawl)
    for one in others:
        assert stores.objects.get(one, "frontier/1") == b"frontier"
        assert stores.waves.progress(one).batches_done == 30
        assert len(stores.event_log.after(one, -1, limit=9)) == 1


def test_a_deleted_crawl_is_found_nowhere(stores: Ports, crawl: CrawlId) -> None:
    other = replace(crawl, crawl="c2")
    for one in (crawl, other):
        row = CrawlRow(id=one, start_url="http://e.example/", root_url="", settings=CrawlSettings(), started_at=1.0)
        assert stores.crawls.create(row) is None
        stores.crawls.finish(one, status=CrawlStatus.COMPLETED, now=2.0)
    stores.crawls.delete(crawl)
    stores.crawls.delete(crawl)
    assert stores.crawls.read(crawl) is None
    assert stores.crawls.find("t", "c1") is None
    assert [row.id for row in stores.crawls.of_tenant("t", limit=9)] == [other]
    assert [row.id for row in stores.crawls.of_site("t", "example.com", limit=9)] == [other]
