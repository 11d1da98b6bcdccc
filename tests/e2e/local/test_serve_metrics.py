"""`GET /metrics` of `wavecrawl serve`, read by the parser of Prometheus' own client library."""

from collections.abc import Iterator
from math import inf
from urllib.parse import urlsplit

import pytest
import requests
from msgspec.structs import replace
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families
from tests.support.patience import HANG, eventually
from tests.support.paused_site import PausedSite
from tests.support.serving import Served, served

from wavecrawl.demo.model import Failure, Robots, Site
from wavecrawl.demo.patterns import page

PAGES = (
    page("/", "/a", "/b", "/private", "/flaky"),
    page("/a"),
    page("/b"),
    page("/private"),
    replace(page("/flaky"), failure=Failure(times=1)),
)
SITE = Site(pages=PAGES, robots=Robots(disallow=("/private",)))
SETTINGS = {"max_retries": 2, "retry_base": 0.0, "polite": {"interval": 0.0}}
NAMES = {
    "wavecrawl_fetch_duration_seconds": "histogram",
    "wavecrawl_processing_duration_seconds": "histogram",
    "wavecrawl_queue_latency_seconds": "histogram",
    "wavecrawl_planning_duration_seconds": "histogram",
    "wavecrawl_urls_requested": "counter",
    "wavecrawl_pages_fetched": "counter",
    "wavecrawl_pages_unchanged": "counter",
    "wavecrawl_pages_failed": "counter",
    "wavecrawl_media_fetched": "counter",
    "wavecrawl_media_failed": "counter",
    "wavecrawl_urls_checked": "counter",
    "wavecrawl_checks_failed": "counter",
    "wavecrawl_success_ratio": "gauge",
    "wavecrawl_bytes_fetched": "counter",
    "wavecrawl_robots_denials": "counter",
    "wavecrawl_retries": "counter",
    "wavecrawl_stale_leases": "counter",
    "wavecrawl_redispatches": "counter",
    "wavecrawl_frontier_depth": "gauge",
    "wavecrawl_duplicates": "gauge",
    "wavecrawl_objective_value": "gauge",
    "wavecrawl_host_interval_seconds": "gauge",
    "wavecrawl_crawls": "gauge",
}


@pytest.fixture(name="service", scope="module")
def a_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("metrics"), "--metrics-by-crawl") as service:
        yield service


def families(service: Served) -> dict[str, Metric]:
    """Return the metrics by name, as Prometheus reads them."""
    response = service.ask("GET", "/metrics")
    assert response.status_code == 200
    assert response.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    return {family.name: family for family in text_string_to_metric_families(response.text)}


def values(service: Served, name: str, crawl: str, **labels: str) -> list[float]:
    """Return the values of the samples of a crawl that have these labels."""
    wanted = {"crawl": crawl, **labels}.items()
    samples = [sample for family in families(service).values() for sample in family.samples]
    return [sample.value for sample in samples if sample.name == name and wanted <= sample.labels.items()]


def test_a_crawl_is_measured_by_host(service: Served) -> None:
    with PausedSite(SITE) as site:
        started = service.ask("POST", "/v1/crawls", {"url": site.url, "settings": SETTINGS}).json()
        crawl, host = started["crawl"], urlsplit(site.url).netloc
        ended = service.wait_for(crawl)
        assert (ended["status"], ended["counters"]["fetched"]) == ("completed", 4)
    assert eventually(lambda: values(service, "wavecrawl_objective_value", crawl))

    def value(name: str, **labels: str) -> float:
        (found,) = values(service, f"wavecrawl_{name}", crawl, **labels)
        return found

    assert value("pages_fetched_total", host=host) == 4
    assert value("urls_requested_total", host=host) == 5
    assert value("success_ratio", host=host) == 0.8
    assert value("retries_total", host=host, **{"class": "5xx"}) == 1
    for other in ("network", "timeout", "4xx", "parse"):
        assert value("retries_total", host=host, **{"class": other}) == 0
    assert value("fetch_duration_seconds_count", host=host) == 5
    assert value("fetch_duration_seconds_bucket", host=host, le="+Inf") == 5
    assert 0 < value("fetch_duration_seconds_sum", host=host) < HANG
    assert value("processing_duration_seconds_count", host=host) == 5
    assert value("processing_duration_seconds_sum", host=host) > 0
    assert value("queue_latency_seconds_count", host=host) >= 2
    assert value("bytes_fetched_total", host=host) > 0
    assert value("pages_failed_total", host=host) == 0
    assert value("redispatches_total") == 0
    assert value("planning_duration_seconds_count") >= 3  # the root, the other pages, and a wave without batches
    assert 0 < value("planning_duration_seconds_sum") < HANG
    assert 0 <= value("objective_value", objective="density") <= 1


def test_a_running_crawl_is_measured_while_it_runs(service: Served) -> None:
    with PausedSite(SITE) as site:
        site.pause_at(4)  # robots.txt, the root twice (opening, first wave), and one page
        crawl = service.ask("POST", "/v1/crawls", {"url": site.url, "settings": SETTINGS}).json()["crawl"]
        assert eventually(lambda: values(service, "wavecrawl_pages_fetched_total", crawl))
        assert values(service, "wavecrawl_frontier_depth", crawl) != []
        running = families(service)["wavecrawl_crawls"].samples
        assert {sample.labels["status"]: sample.value for sample in running}["running"] >= 1
        site.go_on()
        service.wait_for(crawl)
    assert eventually(lambda: not values(service, "wavecrawl_frontier_depth", crawl))


def test_every_metric_has_a_type_and_consistent_buckets(service: Served) -> None:
    found = families(service)
    assert {name: family.type for name, family in found.items()} == NAMES
    assert all(family.documentation for family in found.values())
    buckets: dict[str, list[tuple[float, float]]] = {}
    for sample in found["wavecrawl_fetch_duration_seconds"].samples:
        if sample.name.endswith("_bucket"):
            bound = inf if sample.labels["le"] == "+Inf" else float(sample.labels["le"])
            buckets.setdefault(sample.labels["crawl"], []).append((bound, sample.value))
    for values_of_crawl in buckets.values():
        assert values_of_crawl == sorted(values_of_crawl)  # cumulative


def test_only_a_key_of_role_admin_reads_metrics(service: Served) -> None:
    assert requests.get(f"{service.url}/metrics", timeout=HANG).status_code == 401
    reader = service.ask("POST", "/v1/keys", {"name": "reader", "role": "tenant"}).json()["secret"]
    refused = service.ask("GET", "/metrics", headers={"authorization": f"Bearer {reader}"})
    assert (refused.status_code, refused.headers["content-type"]) == (403, "application/problem+json")
    assert service.ask("POST", "/metrics").status_code == 405
