from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from msgspec.structs import replace

from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.outcome import CrawlOutcome, CrawlStatistics
from wavecrawl.domain.crawl.settings import CrawlSettings, ScopeMode, ScopeSettings
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.crawls import CrawlRow


def row(crawl: CrawlId) -> CrawlRow:
    settings = CrawlSettings(max_pages=7, scope=ScopeSettings(mode=ScopeMode.SUBDOMAINS, exclude=("/a*",)))
    return CrawlRow(id=crawl, start_url="https://example.com", root_url="", settings=settings, started_at=5.0)


def test_a_crawl_comes_back_with_its_settings(stores: Ports, crawl: CrawlId) -> None:
    assert stores.crawls.create(row(crawl)) is None
    assert stores.crawls.read(crawl) == row(crawl)
    assert stores.crawls.read(replace(crawl, crawl="c2")) is None


def test_a_site_is_crawled_once_at_a_time(stores: Ports, crawl: CrawlId) -> None:
    stores.crawls.create(row(crawl))
    second = replace(crawl, crawl="c2")
    assert stores.crawls.create(row(second)) == "c1"
    assert stores.crawls.read(second) is None
    assert stores.crawls.create(row(replace(second, site="other.example"))) is None
    assert stores.crawls.create(row(replace(second, tenant="u"))) is None


def test_a_crawl_that_exists_is_not_created_again(stores: Ports, crawl: CrawlId) -> None:
    stores.crawls.create(row(crawl))
    assert stores.crawls.create(replace(row(crawl), start_url="https://example.com/other")) == "c1"
    assert stores.crawls.read(crawl) == row(crawl)
    stores.crawls.finish(crawl, status=CrawlStatus.COMPLETED, now=9.0)
    assert stores.crawls.create(row(crawl)) == "c1"
    finished = stores.crawls.read(crawl)
    assert finished is not None
    assert finished.status is CrawlStatus.COMPLETED
    assert stores.crawls.create(row(replace(crawl, crawl="c2"))) is None


def test_a_tenants_crawls_are_listed_from_the_newest_down(stores: Ports, crawl: CrawlId) -> None:
    for number in (2, 1, 3):
        stores.crawls.create(row(replace(crawl, crawl=f"c{number}", site=f"{number}.example")))
    stores.crawls.create(row(replace(crawl, tenant="u", crawl="c9")))
    assert [one.id.crawl for one in stores.crawls.of_tenant("t", limit=9)] == ["c3", "c2", "c1"]
    assert [one.id.crawl for one in stores.crawls.of_tenant("t", limit=2)] == ["c3", "c2"]
    older = stores.crawls.of_tenant("t", limit=9, before="c2")
    assert older == [row(replace(crawl, crawl="c1", site="1.example"))]


def test_a_sites_crawls_are_listed_from_the_newest_down(stores: Ports, crawl: CrawlId) -> None:
    for number in (2, 1, 3):
        of_site = replace(crawl, crawl=f"c{number}")
        stores.crawls.create(row(of_site))
        stores.crawls.finish(of_site, status=CrawlStatus.COMPLETED, now=9.0)
    stores.crawls.create(row(replace(crawl, crawl="c4", site="example.com-2")))
    stores.crawls.create(row(replace(crawl, crawl="c5", tenant="u")))
    listed = stores.crawls.of_site("t", crawl.site, limit=9)
    assert [one.id.crawl for one in listed] == ["c3", "c2", "c1"]
    assert listed[0] == stores.crawls.read(replace(crawl, crawl="c3"))
    assert [one.id.crawl for one in stores.crawls.of_site("t", crawl.site, limit=1, before="c3")] == ["c2"]
    assert stores.crawls.of_site("t", crawl.site, limit=9, before="c1") == []


def test_the_newest_crawls_of_some_sites_are_listed_site_by_site(stores: Ports, crawl: CrawlId) -> None:
    for site, number in (("a.example", 1), ("b.example", 2), ("a.example", 3), ("a.example", 4), ("c.example", 5)):
        of_site = replace(crawl, site=site, crawl=f"c{number}")
        stores.crawls.create(row(of_site))
        stores.crawls.finish(of_site, status=CrawlStatus.COMPLETED, now=9.0)
    found = stores.crawls.of_sites("t", ["b.example", "none.example", "a.example"], limit=2)
    assert [[one.id.crawl for one in of_site] for of_site in found] == [["c2"], [], ["c4", "c3"]]
    assert stores.crawls.of_sites("u", ["a.example"], limit=2) == [[]]
    assert stores.crawls.of_sites("t", [], limit=2) == []


def test_the_outcome_of_a_crawl_stays_with_it(stores: Ports, crawl: CrawlId) -> None:
    counted = CrawlStatistics(
        urls=9,
        edges=20,
        bytes=4_096,
        max_depth=3,
        pages_per_second=2.0,
        median_page_seconds=0.25,
        p95_page_seconds=1.5,
        states={"fetched": 8, "http_error": 1},
        statuses={"404": 1},
    )
    first, second = (
        CrawlOutcome(pages=9, errors=0, statistics=counted),
        CrawlOutcome(pages=8, errors=2, new=1, changed=0, gone=3, limits=frozenset({"budget", "max_pages"})),
    )
    stores.crawls.note_outcome(crawl, first)
    assert stores.crawls.read(crawl) is None
    stores.crawls.create(row(crawl))
    stores.crawls.note_outcome(crawl, first)
    assert stores.crawls.read(crawl) == replace(row(crawl), outcome=first)
    stores.crawls.finish(crawl, status=CrawlStatus.COMPLETED, now=9.0)
    stores.crawls.note_outcome(crawl, second)
    ended = replace(row(crawl), status=CrawlStatus.COMPLETED, finished_at=9.0, outcome=second)
    assert stores.crawls.of_site("t", crawl.site, limit=9) == [ended]


def test_a_tenant_finds_its_own_crawls_only(stores: Ports, crawl: CrawlId) -> None:
    stores.crawls.create(row(crawl))
    assert stores.crawls.find("t", "c1") == row(crawl)
    assert stores.crawls.find("u", "c1") is None
    assert stores.crawls.find("t", "c2") is None


def test_a_finished_crawl_frees_its_site(stores: Ports, crawl: CrawlId) -> None:
    stores.crawls.create(row(crawl))
    stores.crawls.finish(crawl, status=CrawlStatus.COMPLETED, now=9.0)
    finished = stores.crawls.read(crawl)
    assert finished == replace(row(crawl), status=CrawlStatus.COMPLETED, finished_at=9.0)
    assert stores.crawls.create(row(replace(crawl, crawl="c2"))) is None


def test_finishing_again_changes_nothing(stores: Ports, crawl: CrawlId) -> None:
    stores.crawls.create(row(crawl))
    assert stores.crawls.finish(crawl, status=CrawlStatus.FAILED, now=9.0, error="why")
    second = replace(crawl, crawl="c2")
    stores.crawls.create(row(second))
    assert not stores.crawls.finish(crawl, status=CrawlStatus.COMPLETED, now=10.0)
    finished = stores.crawls.read(crawl)
    assert finished is not None
    assert (finished.status, finished.finished_at, finished.error) == (CrawlStatus.FAILED, 9.0, "why")
    assert stores.crawls.create(row(replace(crawl, crawl="c3"))) == "c2"


def test_the_root_is_settled(stores: Ports, crawl: CrawlId) -> None:
    stores.crawls.create(row(crawl))
    stores.crawls.settle_root(crawl, "https://www.example.com/")
    settled = stores.crawls.read(crawl)
    assert settled is not None
    assert settled.root_url == "https://www.example.com/"


def test_only_a_running_crawl_can_be_asked_to_stop(stores: Ports, crawl: CrawlId) -> None:
    assert not stores.crawls.ask_to_cancel(crawl)
    stores.crawls.create(row(crawl))
    assert stores.crawls.ask_to_cancel(crawl)
    asked = stores.crawls.read(crawl)
    assert asked is not None
    assert asked.cancel_asked
    stores.crawls.finish(crawl, status=CrawlStatus.CANCELLED, now=9.0)
    assert not stores.crawls.ask_to_cancel(crawl)


def test_of_many_starts_at_once_one_wins(another: Callable[[], Ports], crawl: CrawlId) -> None:
    workers = [another() for _ in range(4)]
    with ThreadPoolExecutor(16) as pool:
        jobs = [pool.submit(workers[n % 4].crawls.create, row(replace(crawl, crawl=f"c{n}"))) for n in range(32)]
        held = [job.result() for job in jobs]
    assert held.count(None) == 1
    assert {holder for holder in held if holder} == {f"c{held.index(None)}"}


def test_pauses_are_noted_for_the_other_workers(stores: Ports, crawl: CrawlId) -> None:
    stores.crawls.create(row(crawl))
    stores.crawls.note_pauses(crawl, {"a.example": 160.5, "b.example": 170.0})
    found = stores.crawls.read(crawl)
    assert found is not None
    assert found.pauses == {"a.example": 160.5, "b.example": 170.0}
    stores.crawls.note_pauses(replace(crawl, crawl="unknown"), {"a.example": 1.0})
    assert stores.crawls.read(replace(crawl, crawl="unknown")) is None
