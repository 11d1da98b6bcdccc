from collections.abc import Callable
from typing import Any

from msgspec import structs
from msgspec.structs import replace

from wavecrawl.domain.crawl.events import EventKind
from wavecrawl.domain.crawl.job import BatchId, CrawlId
from wavecrawl.domain.crawl.record import PageRecord
from wavecrawl.domain.crawl.references import References
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import CrawlStatus, UrlState
from wavecrawl.domain.fetching.exchange import Exchange
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


PAGES = ("a", "b", "c")


def page(key: str, **more: Any) -> PageRecord:
    return PageRecord(key=key * 32, url=f"https://example.com/{key}", depth=0, state=UrlState.FETCHED, **more)


def archived(stores: Ports, batch: BatchId, *records: PageRecord) -> None:
    archive = stores.archive.open(batch, attempt=1)
    for one in records:
        body = one.url.encode()
        response = Exchange(url=one.url, status=200, raw_body=body, body=body, started_at=1_700_000_000.5)
        archive.add(one, [response])
    archive.commit()


def content(stores: Ports, place: str) -> tuple[bool, bytes | None]:
    """Return whether there is a record at a place, and the body of its response."""
    response = stores.archive.response_at(place, limit=1_000)
    return stores.archive.record_at(place) is not None, response.body if response else None


def test_what_other_crawls_refer_to_stays_until_nothing_does(another: Callable[[], Ports], crawl: CrawlId) -> None:
    stores = another()
    fill(stores, crawl)
    batch = BatchId(crawl=crawl, wave=1, batch=0)
    archived(stores, batch, *map(page, PAGES))
    archived(stores, replace(batch, batch=1), *map(page, PAGES))
    a, b, c = (stores.archive.place(batch, attempt=1, key=key * 32) for key in PAGES)
    shown, other = (stores.screenshots.put(crawl, key * 32, b"jpeg") for key in "ab")
    keep = References(places=frozenset((a, c)), screenshots=frozenset((shown,)))
    for _ in range(2):
        stores.erasure.erase(crawl, keep=keep)
        fresh = another()  # it has read no records before
        assert [content(fresh, place) for place in (a, b, c)] == [
            (True, b"https://example.com/a"), (False, None), (True, b"https://example.com/c"),
        ]  # fmt: skip
        assert content(fresh, stores.archive.place(replace(batch, batch=1), attempt=1, key="a" * 32)) == (False, None)
        assert (fresh.screenshots.get(shown), fresh.screenshots.get(other)) == (b"jpeg", None)
        assert stores.objects.get(crawl, "exports/summary.json") is None
        assert stores.batches.of_wave(crawl, 1) == []
        assert stores.hidden.of(crawl) == {"0" * 32}
        assert stores.erasure.remains(crawl.tenant, crawl.site) == [crawl]
    stores.erasure.erase(crawl, keep=References(places=frozenset((c,))))
    assert [content(another(), place) for place in (a, c)] == [(False, None), (True, b"https://example.com/c")]
    stores.erasure.erase(crawl)
    assert is_empty(stores, crawl)
    assert content(another(), c) == (False, None)
    assert stores.erasure.remains(crawl.tenant, crawl.site) == []


def test_of_a_page_that_was_deleted_no_response_stays(another: Callable[[], Ports], crawl: CrawlId) -> None:
    stores = another()
    fill(stores, crawl)
    batch = BatchId(crawl=crawl, wave=1, batch=0)
    archived(stores, batch, *map(page, PAGES))
    a, b = (stores.archive.place(batch, attempt=1, key=key * 32) for key in "ab")
    stores.hidden.hide(crawl, "a" * 32, now=1.0)
    stores.erasure.erase(crawl, keep=References(places=frozenset((a, b))))
    assert content(another(), b) == (True, b"https://example.com/b")
    record = another().archive.record_at(a)
    assert record is not None
    (exchanges,) = [one.data for one in another().archive.copies([a])]
    assert not any(exchanges)


def test_crawls_of_other_sites_are_no_remains(stores: Ports, crawl: CrawlId) -> None:
    for one in (
        replace(crawl, site="other.example"),
        replace(crawl, tenant="u"),
        replace(crawl, site="example.com.au"),
    ):
        fill(stores, one)
    assert stores.erasure.remains(crawl.tenant, crawl.site) == []


def test_references_are_those_to_other_crawls(stores: Ports, crawl: CrawlId) -> None:
    earlier = BatchId(crawl=replace(crawl, crawl="c0"), wave=1, batch=0)
    own = BatchId(crawl=crawl, wave=1, batch=0)
    before, raw = (stores.archive.place(one, attempt=1, key="a" * 32) for one in (earlier, replace(earlier, batch=3)))
    screenshot = stores.screenshots.put(earlier.crawl, "a" * 32, b"jpeg")
    archived(stores, earlier, page("a", exchange_at=raw, screenshot=screenshot))
    unchanged = structs.replace(page("a"), state=UrlState.UNCHANGED, body_at=before)
    rendered = page("b", exchange_at=stores.archive.place(own, attempt=1, key="b" * 32), screenshot="")
    archived(stores, own, unchanged, rendered, page("c"))
    assert stores.archive.references(own, attempt=1) == References(
        places=frozenset((before, raw)), screenshots=frozenset((screenshot,))
    )
    assert stores.archive.references(earlier, attempt=1) == References()  # the response is in the same crawl
