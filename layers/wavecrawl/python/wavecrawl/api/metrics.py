"""`GET /metrics` of `wavecrawl serve`: live metrics of its crawls, in the text format of Prometheus."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from http import HTTPStatus
from typing import Any, Final

from wavecrawl.adapters.embedded.live_measures import CrawlMeasures
from wavecrawl.adapters.prometheus_text import CONTENT_TYPE, Family, Labels, Sample, histogram, metrics_text
from wavecrawl.api.asgi import Answer, Respond
from wavecrawl.api.middleware.authentication import limited_caller
from wavecrawl.api.middleware.wrong_keys import WrongKeys
from wavecrawl.api.problems import Problem, problem_of
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl import metrics as names
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.measures import BOUNDS, Measures, RetryClass, Times
from wavecrawl.domain.crawl.metrics import Metric
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.domain.tenants.role import Role
from wavecrawl.errors import WavecrawlError
from wavecrawl.ports.event_log import first_of, planned

PATH: Final = "/metrics"

_NUMBERS: Final[tuple[tuple[Metric, Callable[[Measures], float]], ...]] = (
    (names.REQUESTED, lambda found: found.requested),
    (names.FETCHED, lambda found: found.fetched),
    (names.UNCHANGED, lambda found: found.unchanged),
    (names.FAILED, lambda found: found.failed),
    (names.MEDIA_FETCHED, lambda found: found.media),
    (names.MEDIA_FAILED, lambda found: found.media_failed),
    (names.CHECKED, lambda found: found.checked),
    (names.CHECKS_FAILED, lambda found: found.checks_failed),
    (names.BYTES, lambda found: found.bytes),
    (names.STALE_LEASES, lambda found: found.takeovers),
)
_TIMES: Final[tuple[tuple[Metric, Callable[[Measures], Times]], ...]] = (
    (names.FETCH_DURATION, lambda found: found.fetching),
    (names.PROCESSING_DURATION, lambda found: found.processing),
    (names.QUEUE_LATENCY, lambda found: found.waiting),
)


def live_metrics(store: LocalStore, wrong_keys: WrongKeys) -> Respond:
    """Return what responds to `GET /metrics`. It needs a key of role admin, as it shows the crawls of all tenants."""

    def respond(event: Mapping[str, Any]) -> Answer | None:
        if event["rawPath"] != PATH:
            return None
        try:
            _check(store, event, wrong_keys)
            text = metrics_text(_families(store))
        except (Problem, WavecrawlError) as error:
            return problem_of(error).answer()
        headers = {"content-type": CONTENT_TYPE, "cache-control": "no-store"}
        return {"statusCode": HTTPStatus.OK.value, "headers": headers, "body": text}

    return respond


def _check(store: LocalStore, event: Mapping[str, Any], wrong_keys: WrongKeys) -> None:
    if event["requestContext"]["http"]["method"] not in ("GET", "HEAD"):
        raise Problem(HTTPStatus.METHOD_NOT_ALLOWED, "send a GET", headers={"allow": "GET, HEAD"})
    if limited_caller(store, event, wrong_keys).role is not Role.ADMIN:
        raise Problem(HTTPStatus.FORBIDDEN, f"{PATH} needs an API key of role admin")


def _families(store: LocalStore) -> Iterator[Family]:
    """Yield every metric, also those without a value."""
    measured = store.measures.all()
    hosts = [
        (_labels(crawl) | {"host": host}, found) for crawl, one in measured.items() for host, found in one.hosts.items()
    ]
    for metric, times in _TIMES:
        yield _family(metric, [sample for labels, found in hosts for sample in _histogram(times(found), labels)])
    for metric, number in _NUMBERS:
        yield _family(metric, (Sample(value=number(found), labels=labels) for labels, found in hosts))
    rates = ((labels, found.success_rate) for labels, found in hosts)
    yield _family(names.SUCCESS_RATE, (Sample(value=rate, labels=labels) for labels, rate in rates if rate is not None))
    yield _family(
        names.RETRIES,
        (
            Sample(value=found.retries.get(one, 0), labels=labels | {"class": one.value})
            for labels, found in hosts
            for one in RetryClass
        ),
    )
    yield from _of_crawls(measured)
    yield _family(names.HOST_INTERVAL, _intervals(store, measured))
    yield _family(names.FRONTIER_DEPTH, _frontiers(store))
    yield _family(names.CRAWLS, _crawls(store))


def _of_crawls(measured: Mapping[CrawlId, CrawlMeasures]) -> Iterator[Family]:
    """Yield what belongs to a crawl and to no host."""
    yield _family(
        names.REDISPATCHES,
        (Sample(value=one.itself.redispatches, labels=_labels(crawl)) for crawl, one in measured.items()),
    )
    yield _family(
        names.ROBOTS_DENIALS, (Sample(value=one.denied, labels=_labels(crawl)) for crawl, one in measured.items())
    )
    yield _family(
        names.DUPLICATES,
        (
            Sample(value=number, labels=_labels(crawl) | {"kind": kind})
            for crawl, one in measured.items()
            for kind, number in one.duplicates.items()
        ),
    )
    yield _family(
        names.OBJECTIVE,
        (
            Sample(value=value, labels=_labels(crawl) | {"objective": name})
            for crawl, one in measured.items()
            for name, value in one.objectives.items()
        ),
    )


def _intervals(store: LocalStore, measured: Mapping[CrawlId, CrawlMeasures]) -> Iterator[Sample]:
    """Yield the interval of the last turns that each crawl has reserved at each of its hosts."""
    for crawl, one in measured.items():
        for host in one.hosts:
            held = [window for window in store.hosts.read(host).windows if window.holder == str(crawl)]
            if held:
                yield Sample(value=held[-1].spacing, labels=_labels(crawl) | {"host": host})


def _frontiers(store: LocalStore) -> Iterator[Sample]:
    """Yield the number of URLs that waited when the last wave was planned, from its event."""
    for row in store.crawls.under_way():
        wave = store.waves.last(row.id)
        at = first_of(row.resumes) + planned(wave)
        for entry in store.event_log.after(row.id, at - 1, limit=1):
            pending = entry.data.get("pending")
            if entry.sequence == at and isinstance(pending, int):
                yield Sample(value=pending, labels=_labels(row.id))


def _crawls(store: LocalStore) -> Iterator[Sample]:
    rows, paused = store.crawls.under_way(), store.launcher.paused()
    for status in (CrawlStatus.QUEUED, CrawlStatus.RUNNING):
        yield Sample(value=sum(row.status is status for row in rows), labels={"status": status.value})
    yield Sample(value=len(paused), labels={"status": "paused"})


def _histogram(times: Times, labels: Labels) -> list[Sample]:
    return histogram(BOUNDS, times.buckets, times.total, labels)


def _family(metric: Metric, samples: Iterable[Sample]) -> Family:
    return Family(name=metric.prometheus, kind=metric.kind.value, help=metric.help, samples=samples)


def _labels(crawl: CrawlId) -> dict[str, str]:
    return {"tenant": crawl.tenant, "site": crawl.site, "crawl": crawl.crawl}
