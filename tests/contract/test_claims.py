from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from msgspec.structs import replace

from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.claims import Claimant

FIRST = Claimant(wave=1, batch=2, attempt=1)


def test_a_free_url_is_ours_once(stores: Ports, crawl: CrawlId) -> None:
    assert stores.claims.claim(crawl, "k", FIRST)
    assert not stores.claims.claim(crawl, "k", FIRST)


def test_a_newer_attempt_at_the_same_batch_takes_over(stores: Ports, crawl: CrawlId) -> None:
    stores.claims.claim(crawl, "k", FIRST)
    assert stores.claims.claim(crawl, "k", replace(FIRST, attempt=2))


def test_an_older_attempt_gets_nothing_back(stores: Ports, crawl: CrawlId) -> None:
    stores.claims.claim(crawl, "k", replace(FIRST, attempt=2))
    assert not stores.claims.claim(crawl, "k", FIRST)


def test_a_later_try_takes_over_from_any_batch(stores: Ports, crawl: CrawlId) -> None:
    stores.claims.claim(crawl, "k", replace(FIRST, attempt=9))
    assert stores.claims.claim(crawl, "k", Claimant(wave=2, batch=0, attempt=1))


def test_an_earlier_try_gets_nothing(stores: Ports, crawl: CrawlId) -> None:
    stores.claims.claim(crawl, "k", Claimant(wave=2, batch=0, attempt=1))
    assert not stores.claims.claim(crawl, "k", replace(FIRST, attempt=99))


def test_another_batch_of_the_same_wave_gets_nothing(stores: Ports, crawl: CrawlId) -> None:
    stores.claims.claim(crawl, "k", FIRST)
    assert not stores.claims.claim(crawl, "k", Claimant(wave=1, batch=3, attempt=9))


def test_crawls_and_urls_are_apart(stores: Ports, crawl: CrawlId) -> None:
    assert stores.claims.claim(crawl, "k", FIRST)
    assert stores.claims.claim(crawl, "other", FIRST)
    assert stores.claims.claim(replace(crawl, crawl="c2"), "k", FIRST)


def test_one_of_many_concurrent_claims_succeeds(another: Callable[[], Ports], crawl: CrawlId) -> None:
    workers = [another() for _ in range(4)]
    with ThreadPoolExecutor(16) as pool:
        jobs = [
            (key, pool.submit(workers[n % 4].claims.claim, crawl, key, FIRST))
            for key in map(str, range(100))
            for n in range(8)
        ]
        wins = [key for key, job in jobs if job.result()]
    assert sorted(wins) == sorted(map(str, range(100)))


def test_a_claim_names_its_latest_claimant(stores: Ports, crawl: CrawlId) -> None:
    assert stores.claims.holder(crawl, "k") is None
    stores.claims.claim(crawl, "k", FIRST)
    stores.claims.claim(crawl, "k", Claimant(wave=3, batch=0, attempt=1))
    stores.claims.claim(crawl, "k", FIRST)
    assert stores.claims.holder(crawl, "k") == Claimant(wave=3, batch=0, attempt=1)
    assert stores.claims.holder(replace(crawl, crawl="c2"), "k") is None
