from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from msgspec.structs import replace

from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.ports.all_ports import Ports


def test_an_object_comes_back(stores: Ports, crawl: CrawlId) -> None:
    stores.objects.put(crawl, "frontier/1", b"data" * 1000)
    assert stores.objects.get(crawl, "frontier/1") == b"data" * 1000
    assert stores.objects.get(crawl, "frontier/2") is None
    assert stores.objects.get(replace(crawl, crawl="c2"), "frontier/1") is None


def test_an_empty_object_is_an_object(stores: Ports, crawl: CrawlId) -> None:
    stores.objects.put(crawl, "empty", b"")
    assert stores.objects.get(crawl, "empty") == b""


def test_many_objects_come_in_the_order_they_are_asked_for(stores: Ports, crawl: CrawlId) -> None:
    for number in range(40):
        stores.objects.put(crawl, f"frontier/{number}", f"{number}".encode())
    names = [f"frontier/{number}" for number in (*range(39, 9, -1), 99, 0)]
    expected = [*(f"{number}".encode() for number in range(39, 9, -1)), None, b"0"]
    assert list(stores.objects.get_many(crawl, names)) == expected
    assert list(stores.objects.get_many(crawl, [])) == []


def test_put_replaces_and_put_new_does_not(stores: Ports, crawl: CrawlId) -> None:
    assert stores.objects.put_new(crawl, "a", b"1")
    assert not stores.objects.put_new(crawl, "a", b"2")
    assert stores.objects.get(crawl, "a") == b"1"
    stores.objects.put(crawl, "a", b"3")
    assert stores.objects.get(crawl, "a") == b"3"


def test_one_of_many_concurrent_writes_of_a_new_object_succeeds(another: Callable[[], Ports], crawl: CrawlId) -> None:
    workers = [another() for _ in range(4)]
    with ThreadPoolExecutor(16) as pool:
        jobs = [
            pool.submit(workers[n % 4].objects.put_new, crawl, f"o{name}", f"{n}".encode())
            for name in range(20)
            for n in range(8)
        ]
        assert sum(job.result() for job in jobs) == 20
    stored = [workers[0].objects.get(crawl, f"o{name}") for name in range(20)]
    assert all(data is not None and 0 <= int(data) < 8 for data in stored)
