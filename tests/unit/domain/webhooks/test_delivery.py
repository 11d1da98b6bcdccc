"""The state of a delivery after each try (Standard Webhooks)."""

from itertools import accumulate

import pytest
from msgspec.structs import replace

from wavecrawl.domain.webhooks.delivery import (
    DELAYS,
    MOST_ATTEMPTS,
    Attempt,
    Delivery,
    DeliveryId,
    DeliveryState,
    delivery_name,
)

ID = DeliveryId(tenant="t", webhook="w", delivery="msg_1")
NEW = Delivery(id=ID, kind="crawl.completed", body="{}", created_at=100.0, due_at=100.0)


def test_retries_last_a_day() -> None:
    assert list(accumulate(DELAYS)) == [5, 305, 2_105, 9_305, 27_305, 63_305, 86_400]


@pytest.mark.parametrize("status", [200, 202, 204, 299])
def test_a_message_that_is_taken_is_delivered(status: int) -> None:
    after = NEW.attempted(Attempt(at=101.0, status=status), chance=0.5)
    assert (after.state, after.tries, after.version) == (DeliveryState.DELIVERED, 1, 2)
    assert after.attempts == (Attempt(at=101.0, status=status),)


@pytest.mark.parametrize("status", [None, 100, 301, 307, 400, 404, 429, 500, 503])
def test_anything_else_is_tried_again(status: int | None) -> None:
    after = NEW.attempted(Attempt(at=101.0, status=status), chance=0.0)
    assert (after.state, after.due_at) == (DeliveryState.PENDING, 106.0)


def test_each_failure_is_followed_by_a_longer_wait_until_the_day_is_over() -> None:
    delivery, now, waits = NEW, 100.0, []
    while delivery.state is DeliveryState.PENDING:
        now = delivery.due_at
        delivery = delivery.attempted(Attempt(at=now, error="timeout"), chance=0.0)
        waits.append(delivery.due_at - now)
    assert waits == [5, 300, 1_800, 7_200, 18_000, 36_000, 23_095, 0]
    assert (delivery.state, delivery.tries, now) == (DeliveryState.FAILED, 8, 100.0 + 86_400)


def test_chance_makes_waits_longer_by_a_tenth_at_most() -> None:
    third = replace(NEW, tries=2)
    assert third.attempted(Attempt(at=0.0), chance=1.0).due_at == pytest.approx(1_980.0)
    assert third.attempted(Attempt(at=0.0), chance=0.5).due_at == pytest.approx(1_890.0)


def test_a_receiver_may_ask_for_more_time_within_reason() -> None:
    assert NEW.attempted(Attempt(at=0.0, status=429, retry_after=60.0), chance=0.0).due_at == 60.0
    assert NEW.attempted(Attempt(at=0.0, status=429, retry_after=1e9), chance=0.0).due_at == 36_000.0


def test_a_receiver_that_is_gone_gets_no_more_retries() -> None:
    after = NEW.attempted(Attempt(at=101.0, status=410), chance=0.0)
    assert after.state is DeliveryState.FAILED


def test_a_delivery_that_was_given_up_can_start_again() -> None:
    given_up = replace(NEW, state=DeliveryState.FAILED, tries=8, attempts=(Attempt(at=1.0),), version=9)
    again = given_up.again(500.0)
    assert (again.state, again.due_at, again.tries, again.version) == (DeliveryState.PENDING, 500.0, 0, 10)
    assert again.attempts == given_up.attempts


def test_a_delivery_without_its_webhook_is_dropped() -> None:
    assert (NEW.dropped().state, NEW.dropped().version) == (DeliveryState.DROPPED, 2)


def test_the_number_of_kept_attempts_is_limited() -> None:
    many = replace(NEW, attempts=tuple(Attempt(at=float(at)) for at in range(MOST_ATTEMPTS)))
    after = many.attempted(Attempt(at=1_000.0), chance=0.0)
    assert len(after.attempts) == MOST_ATTEMPTS
    assert (after.attempts[0].at, after.attempts[-1].at) == (1.0, 1_000.0)


def test_names_follow_time_and_parts() -> None:
    first = delivery_name(1_795_255_200.0, "t/s/c", "w", sequence=3)
    assert first == delivery_name(1_795_255_200.0, "t/s/c", "w", sequence=3)
    assert first.startswith("msg_20261121T100000000_000000000003_")
    assert "." not in first
    assert first != delivery_name(1_795_255_200.0, "t/s/c", "v", sequence=3)
    names = [
        delivery_name(at, other, "w", sequence=sequence)
        for other, (at, sequence) in zip("edcba", ((0.0, 9), (0.25, 1), (0.5, 2), (0.5, 3), (1.0, 0)), strict=True)
    ]
    assert names == sorted(names)
