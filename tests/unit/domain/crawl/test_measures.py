"""Measures of page records."""

import pytest

from wavecrawl.domain.crawl.job import BatchKind
from wavecrawl.domain.crawl.measures import (
    BOUNDS,
    Measures,
    RetryClass,
    Times,
    measures_of,
    retry_class,
    sum_of,
    time_of,
)
from wavecrawl.domain.crawl.record import PageRecord, Reason
from wavecrawl.domain.crawl.states import UrlState


def record(state: UrlState, reason: Reason = Reason.NONE, **more: object) -> PageRecord:
    return PageRecord(key="k", url="https://example.com/", depth=0, state=state, reason=reason, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("reason", "status", "expected"),
    [
        (Reason.DNS, None, RetryClass.NETWORK),
        (Reason.CONNECT, None, RetryClass.NETWORK),
        (Reason.TLS, None, RetryClass.NETWORK),
        (Reason.RESET, None, RetryClass.NETWORK),
        (Reason.PROTOCOL, None, RetryClass.NETWORK),
        (Reason.TIMEOUT, None, RetryClass.TIMEOUT),
        (Reason.STATUS, 429, RetryClass.CLIENT_ERROR),
        (Reason.STATUS, 408, RetryClass.CLIENT_ERROR),
        (Reason.STATUS, 500, RetryClass.SERVER_ERROR),
        (Reason.STATUS, 503, RetryClass.SERVER_ERROR),
        (Reason.DECODING, 200, RetryClass.PARSE),
        (Reason.HOST_PAUSED, None, None),  # not requested
        (Reason.RENDER, 200, None),  # no error
    ],
)
def test_a_retry_has_the_class_of_its_error(reason: Reason, status: int | None, expected: RetryClass | None) -> None:
    assert retry_class(record(UrlState.DEFERRED, reason, status=status)) is expected


def test_a_final_error_is_no_retry() -> None:
    assert retry_class(record(UrlState.FAILED, Reason.TIMEOUT)) is None
    assert retry_class(record(UrlState.HTTP_ERROR, Reason.STATUS, status=500)) is None


def test_each_time_is_in_the_first_bucket_whose_bound_it_does_not_exceed() -> None:
    times = sum_of([Measures(waiting=time_of(one)) for one in (0.0, BOUNDS[0], 0.3, 99.0)]).waiting
    assert times == Times(buckets=(2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1), total=99.305)
    assert times.count == 4


def test_records_are_counted_by_what_became_of_them() -> None:
    records = [
        record(UrlState.FETCHED, status=200, elapsed=0.2, bytes=10),
        record(UrlState.UNCHANGED, status=304, elapsed=0.01),
        record(UrlState.FAILED, Reason.TIMEOUT, elapsed=30.0),
        record(UrlState.HTTP_ERROR, Reason.STATUS, status=500, elapsed=0.5, bytes=3),
        record(UrlState.DEFERRED, Reason.STATUS, status=503, elapsed=0.5),
        record(UrlState.DEFERRED, Reason.HOST_PAUSED),
        record(UrlState.ROBOTS_DENIED, Reason.ROBOTS_RULE),
        record(UrlState.NOT_FOUND, Reason.STATUS, status=404, elapsed=0.5, bytes=2),
        record(UrlState.FORBIDDEN, Reason.STATUS, status=403, elapsed=0.5, bytes=2),
    ]
    found = sum((measures_of(one, BatchKind.FETCH, processing=0.001) for one in records), Measures())
    assert (found.records, found.requested, found.fetched, found.unchanged) == (9, 7, 2, 1)
    assert (found.failed, found.bytes) == (4, 17)
    assert (found.fetching.count, found.processing.count) == (6, 7)
    assert found.fetching.total == pytest.approx(2.21)
    assert found.retries == {RetryClass.SERVER_ERROR: 1}
    assert found.success_rate == pytest.approx(2 / 7)


def test_a_response_that_the_server_only_confirmed_is_not_transferred_again() -> None:
    confirmed = record(UrlState.UNCHANGED, status=200, elapsed=0.1, bytes=500, revalidated=True)
    assert measures_of(confirmed, BatchKind.FETCH).bytes == 0


def test_a_rendered_page_was_requested_before() -> None:
    page = record(UrlState.FETCHED, status=200, elapsed=0.2, bytes=10)
    found = measures_of(page, BatchKind.RENDER, processing=0.5)
    assert (found.requested, found.fetched, found.bytes, found.fetching.count) == (0, 1, 0, 0)
    assert found.processing.total == 0.5


def test_an_asset_is_no_page() -> None:
    found = measures_of(record(UrlState.UNCHANGED, status=304, elapsed=0.2, bytes=10), BatchKind.MEDIA)
    assert (found.requested, found.fetched, found.unchanged) == (0, 0, 0)
    assert (found.records, found.bytes, found.fetching.count) == (1, 10, 1)
    assert (found.media, found.media_failed, found.checked) == (1, 0, 0)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (BatchKind.FETCH, (1, 0, 0, 0, 0)),
        (BatchKind.MEDIA, (0, 1, 2, 0, 0)),
        (BatchKind.CHECK, (0, 0, 0, 4, 2)),
    ],
)
def test_pages_media_and_checks_have_counters_of_their_own(kind: BatchKind, expected: tuple[int, ...]) -> None:
    records = [
        record(UrlState.FETCHED, status=200),
        record(UrlState.FAILED, Reason.TIMEOUT),
        record(UrlState.NOT_FOUND, Reason.STATUS, status=404),
        record(UrlState.DEFERRED, Reason.STATUS, status=503),
        record(UrlState.ROBOTS_DENIED, Reason.ROBOTS_RULE),
    ]
    found = sum((measures_of(one, kind) for one in records), Measures())
    counters = (found.fetched, found.media, found.media_failed, found.checked, found.checks_failed)
    assert counters == expected
    assert found.failed == (2 if kind is BatchKind.FETCH else 0)


def test_without_requests_there_is_no_success_rate() -> None:
    assert Measures().success_rate is None


def test_measures_are_added_up_at_once_or_one_by_one() -> None:
    parts = [
        measures_of(record(UrlState.FETCHED, status=200, elapsed=0.2, bytes=10), BatchKind.FETCH, processing=0.25),
        measures_of(record(UrlState.DEFERRED, Reason.TIMEOUT), BatchKind.FETCH),
        measures_of(record(UrlState.DEFERRED, Reason.STATUS, status=503, elapsed=0.5), BatchKind.FETCH),
        Measures(waiting=time_of(0.5), takeovers=1, redispatches=2),
        measures_of(record(UrlState.DEFERRED, Reason.TIMEOUT), BatchKind.FETCH),
    ]
    found = sum_of(parts)
    assert found == sum(parts, Measures())
    assert (found.records, found.requested, found.takeovers, found.redispatches) == (4, 4, 1, 2)
    assert found.retries == {RetryClass.TIMEOUT: 2, RetryClass.SERVER_ERROR: 1}
    assert sum_of([]) == Measures()
