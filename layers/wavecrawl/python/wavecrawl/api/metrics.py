"""`GET /metrics` of `wavecrawl serve`: live metrics of its crawls, in the text format of Prometheus."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from wavecrawl.ports.crawls import CrawlRow
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


def live_metrics(store: LocalStore, wrong_keys: WrongKeys, *, by_crawl: bool = False) -> Respond:
    """Return what responds to `GET /metrics`. It needs a key of role admin, as it shows the crawls of all tenants.

    The metrics are sums over all crawls. With `by_crawl`, each crawl and each of its hosts has series of its own, which
    a Prometheus server keeps for as long as it keeps anything.
    """

    def respond(event: Mapping[str, Any]) -> Answer | None:
        if event["rawPath"] != PATH:
            return None
        try:
            _check(store, event, wrong_keys)
            text = metrics_text(_families(store, by_crawl=by_crawl))
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


def _families(store: LocalStore, *, by_crawl: bool) -> Iterator[Family]:
    """Yield every metric, also those without a value."""
    measured = store.measures.all() if by_crawl else {}
    total = store.measures.total()
    pages: list[tuple[Labels, Measures]] = [({}, total.itself)]
    crawls: list[tuple[Labels, CrawlMeasures]] = [({}, total)]
    if by_crawl:
        crawls = [(_labels(crawl), one) for crawl, one in measured.items()]
        pages = [({**labels, "host": host}, found) for labels, one in crawls for host, found in one.hosts.items()]
    yield from _of_pages(pages)
    yield from _of_crawls(crawls)
    yield _family(names.HOST_INTERVAL, _intervals(store, measured))
    yield _family(names.FRONTIER_DEPTH, _frontiers(store, by_crawl=by_crawl))
    yield _family(names.CRAWLS, _crawls(store))


def _of_pages(pages: Sequence[tuple[Labels, Measures]]) -> Iterator[Family]:
    """Yield the metrics of pages and batches."""
    for metric, times in _TIMES:
        yield _family(metric, [sample for labels, found in pages for sample in _histogram(times(found), labels)])
    for metric, number in _NUMBERS:
        yield _family(metric, (Sample(value=number(found), labels=labels) for labels, found in pages))
    rates = ((labels, found.success_rate) for labels, found in pages)
    yield _family(names.SUCCESS_RATE, (Sample(value=rate, labels=labels) for labels, rate in rates if rate is not None))
    yield _family(
        names.RETRIES,
        (
            Sample(value=found.retries.get(one, 0), labels={**labels, "class": one.value})
            for labels, found in pages
            for one in RetryClass
        ),
    )


def _of_crawls(crawls: Sequence[tuple[Labels, CrawlMeasures]]) -> Iterator[Family]:
    """Yield what belongs to a crawl and to no host. Only a crawl of its own has duplicates and objectives."""
    plans = [sample for labels, one in crawls for sample in _histogram(one.itself.planning, labels)]
    yield _family(names.PLANNING_DURATION, plans)
    yield _family(names.REDISPATCHES, (Sample(value=one.itself.redispatches, labels=labels) for labels, one in crawls))
    yield _family(names.ROBOTS_DENIALS, (Sample(value=one.denied, labels=labels) for labels, one in crawls))
    yield _family(
        names.DUPLICATES,
        (
            Sample(value=number, labels={**labels, "kind": kind})
            for labels, one in crawls
            for kind, number in one.duplicates.items()
        ),
    )
    yield _family(
        names.OBJECTIVE,
        (
            Sample(value=value, labels={**labels, "objective": name})
            for labels, one in crawls
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


def _frontiers(store: LocalStore, *, by_crawl: bool) -> Iterator[Sample]:
    """Yield the number of URLs that waited when the last wave was planned, from its event: of each crawl, or in all."""
    found = {row.id: pending for row in store.crawls.under_way() if (pending := _pending(store, row)) is not None}
    if by_crawl:
        yield from (Sample(value=pending, labels=_labels(crawl)) for crawl, pending in found.items())
    else:
        yield Sample(value=sum(found.values()), labels={})


def _pending(store: LocalStore, row: CrawlRow) -> int | None:
    """Return the number of URLs that waited when a crawl's last wave was planned; None before the first."""
    at = first_of(row.resumes) + planned(store.waves.last(row.id))
    for entry in store.event_log.after(row.id, at - 1, limit=1):
        pending = entry.data.get("pending")
        if entry.sequence == at and isinstance(pending, int):
            return pending
    return None


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
