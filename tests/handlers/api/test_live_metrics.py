"""The series of `GET /metrics`: how many there are, and that they only grow where they must."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from prometheus_client.parser import text_string_to_metric_families
from tests.support.asking import request

from wavecrawl.adapters.embedded.live_measures import MOST_CRAWLS
from wavecrawl.adapters.embedded.measure_reports import MeasureReport
from wavecrawl.api.metrics import live_metrics
from wavecrawl.api.middleware.wrong_keys import WrongKeys
from wavecrawl.application.api_keys import create_key
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.measures import Measures, time_of
from wavecrawl.domain.tenants.role import Role

Samples = dict[str, list[tuple[dict[str, str], float]]]


@pytest.fixture(name="store")
def a_store(tmp_path: Path) -> Iterator[LocalStore]:
    store = LocalStore(tmp_path)
    yield store
    store.close()


def series(store: LocalStore, *, by_crawl: bool = False) -> Samples:
    """Return the samples of each metric with their labels, as Prometheus reads them."""
    tenant = store.settings.tenant
    key = create_key(tenant, role=Role.ADMIN, name="tests", keys=store.keys, now=store.clock.now()).secret
    answer = live_metrics(store, WrongKeys(), by_crawl=by_crawl)(request("GET", "/metrics", key=key))
    assert isinstance(answer, dict)
    found: Samples = {}
    for family in text_string_to_metric_families(str(answer["body"])):
        for sample in family.samples:
            found.setdefault(sample.name.removeprefix("wavecrawl_"), []).append((sample.labels, sample.value))
    return found


def crawled(store: LocalStore, number: int) -> None:
    """Report what a crawl measured: two pages at each of two hosts, and a URL that robots.txt denies."""
    id_ = CrawlId(tenant=f"t{number}", site=f"s{number}", crawl=f"c{number}")
    measured = Measures(records=2, requested=2, fetched=2, bytes=10)
    reports = [MeasureReport(host=f"{name}.example", measures=measured) for name in ("a", "b")]
    for report in (
        *reports,
        MeasureReport(host="", measures=Measures(redispatches=1, planning=time_of(0.5)), denied=1),
    ):
        store.measures.add(id_, msgspec.json.encode(report))


def test_the_number_of_series_does_not_grow_with_crawls_tenants_or_hosts(store: LocalStore) -> None:
    crawled(store, 0)
    before = series(store)
    for number in range(1, 8):
        crawled(store, number)
    after = series(store)
    assert sum(map(len, before.values())) > 40
    assert {name: [labels for labels, _ in found] for name, found in after.items()} == {
        name: [labels for labels, _ in found] for name, found in before.items()
    }
    named = {label for found in after.values() for labels, _ in found for label in labels}
    assert named == {"le", "class", "status"}, "labels with few values"


def test_counters_are_sums_over_all_crawls_also_of_those_that_are_no_longer_kept(store: LocalStore) -> None:
    crawls = MOST_CRAWLS + 3
    for number in range(crawls):
        crawled(store, number)
    found = series(store)
    assert found["pages_fetched_total"] == [({}, 4.0 * crawls)]
    assert found["bytes_fetched_total"] == [({}, 20.0 * crawls)]
    assert found["robots_denials_total"] == [({}, 1.0 * crawls)]
    assert found["redispatches_total"] == [({}, 1.0 * crawls)]
    assert found["planning_duration_seconds_sum"] == [({}, 0.5 * crawls)]
    assert found["success_ratio"] == [({}, 1.0)]
    assert found["frontier_depth"] == [({}, 0.0)]


def test_each_crawl_and_host_has_its_series_on_request(store: LocalStore) -> None:
    for number in range(2):
        crawled(store, number)
    fetched = series(store, by_crawl=True)["pages_fetched_total"]
    assert len(fetched) == 4
    assert fetched[0] == ({"tenant": "t0", "site": "s0", "crawl": "c0", "host": "a.example"}, 2.0)
