"""Deliveries made from events, and their retries."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from threading import active_count

import pytest
from msgspec.structs import replace
from tests.support.patience import HANG
from tests.support.still_clock import StillClock

from wavecrawl.adapters.embedded.delivery_worker import DeliveryThread, DeliveryWorker
from wavecrawl.application.deliver import NOT_SENT, DeliveryResult, deliver
from wavecrawl.application.deliveries import (
    FIRST_ATTEMPT_WAIT,
    MOST_TESTS,
    DirectEvents,
    create_deliveries,
    send_again,
    send_test,
)
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.events import EventKind
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.webhooks.delivery import KEPT, Attempt, Delivery, DeliveryId, DeliveryState
from wavecrawl.errors import ConflictError, NotFoundError, StoreBusyError
from wavecrawl.ports.events import CrawlEvent
from wavecrawl.ports.webhooks import Webhook

EVENT = CrawlEvent(
    kind=EventKind.COMPLETED, crawl=CrawlId(tenant="t", site="s", crawl="c1"), sequence=2_000_000, status="completed",
    root_url="https://example.com/", pages=7, error="", at=1_795_255_200.5, data={"more": [1]},
)  # fmt: skip
HOOK = Webhook(tenant="t", webhook="w1", url="https://hooks.example/", secret="whsec_bmV3")


@dataclass(slots=True)
class Queue:
    """A queue that records its messages."""

    sent: list[DeliveryId] = field(default_factory=list)

    def send(self, id_: DeliveryId) -> None:
        self.sent.append(id_)


@dataclass(slots=True)
class Receiver:
    """A receiver with scripted responses, then 200. `meanwhile` runs while a message is being sent."""

    answers: list[int | None] = field(default_factory=list)
    received: list[tuple[str, Delivery]] = field(default_factory=list)
    meanwhile: Callable[[], object] = lambda: None

    def send(self, webhook: Webhook, delivery: Delivery, *, now: float) -> Attempt:
        self.received.append((webhook.webhook, delivery))
        self.meanwhile()
        status = self.answers.pop(0) if self.answers else 200
        return Attempt(at=now, status=status, error="" if status else "connect: refused")


@dataclass(slots=True, kw_only=True)
class Office:
    """The ports between an event and its receivers."""

    store: LocalStore
    clock: StillClock
    queue: Queue = field(default_factory=Queue)
    receiver: Receiver = field(default_factory=Receiver)

    def turn(self, id_: DeliveryId) -> DeliveryResult:
        return deliver(id_, self.store, self.receiver, chance=lambda: 0.0)

    def row(self, id_: DeliveryId) -> Delivery:
        found = self.store.deliveries.read(id_)
        assert found is not None
        return found


@pytest.fixture(name="office")
def an_office(store: LocalStore, clock: StillClock) -> Office:
    office = Office(store=store, clock=clock)
    store.clock = clock  # type: ignore[assignment]  # a clock like any other
    store.deliveries_queue = office.queue  # type: ignore[assignment]  # a queue like any other
    return office


@pytest.fixture(name="sent")
def one_sent(office: Office) -> DeliveryId:
    """A delivery that has not been tried yet."""
    office.store.webhooks.create(HOOK)
    create_deliveries(EVENT, office.store)
    return office.queue.sent[0]


def test_every_webhook_that_wants_an_event_gets_it(office: Office) -> None:
    wants = (replace(HOOK, webhook="w2", kinds=(EventKind.COMPLETED,)), HOOK)
    not_ = (
        replace(HOOK, webhook="w3", kinds=(EventKind.FAILED,)),
        replace(HOOK, webhook="w4", disabled=True),
        replace(HOOK, tenant="u"),
    )
    for webhook in (*wants, *not_):
        office.store.webhooks.create(webhook)
    assert create_deliveries(EVENT, office.store) == 2
    assert [(id_.tenant, id_.webhook) for id_ in office.queue.sent] == [("t", "w1"), ("t", "w2")]
    assert len({id_.delivery for id_ in office.queue.sent}) == 2
    assert json.loads(office.row(office.queue.sent[0]).body) == {
        "type": "crawl.completed",
        "timestamp": "2026-11-21T10:00:00.500Z",
        "data": {
            "crawl": "c1",
            "site": "s",
            "status": "completed",
            "root_url": "https://example.com/",
            "pages": 7,
            "more": [1],
        },
    }


def test_an_event_that_comes_twice_is_one_delivery(office: Office, sent: DeliveryId) -> None:
    create_deliveries(EVENT, office.store)
    assert office.queue.sent == [sent, sent]
    assert [delivery.id for delivery in office.store.deliveries.of_webhook("t", "w1", limit=9)] == [sent]
    create_deliveries(replace(EVENT, sequence=2), office.store)
    assert len(office.store.deliveries.of_webhook("t", "w1", limit=9)) == 2


def test_a_failure_says_why(office: Office) -> None:
    office.store.webhooks.create(HOOK)
    create_deliveries(replace(EVENT, kind=EventKind.FAILED, error="no answer"), office.store)
    assert json.loads(office.row(office.queue.sent[0]).body)["data"]["error"] == "no answer"


def test_a_message_that_is_taken_is_sent_once(office: Office, sent: DeliveryId) -> None:
    assert office.turn(sent) == DeliveryResult(attempt=Attempt(at=office.clock.time, status=200))
    assert office.turn(sent) == NOT_SENT
    assert len(office.receiver.received) == 1
    assert office.row(sent).state is DeliveryState.DELIVERED


def test_a_message_that_fails_waits_for_its_next_turn(office: Office, sent: DeliveryId) -> None:
    office.receiver.answers = [500, None]
    now = office.clock.time
    assert office.turn(sent).due_at == now + 5
    assert office.turn(sent) == DeliveryResult(due_at=now + 5)  # too early: nothing is sent
    office.clock.time = now + 5
    assert office.turn(sent).due_at == now + 305
    office.clock.time = now + 305
    assert office.turn(sent).due_at is None
    assert [attempt.status for attempt in office.row(sent).attempts] == [500, None, 200]
    assert {delivery.body for _, delivery in office.receiver.received} == {office.row(sent).body}


def test_a_receiver_that_is_down_for_a_day_is_given_up(office: Office, sent: DeliveryId) -> None:
    office.receiver.answers = [503] * 99
    due: float | None = office.clock.time
    while due is not None:
        office.clock.time = due
        due = office.turn(sent).due_at
    assert (office.row(sent).state, len(office.receiver.received)) == (DeliveryState.FAILED, 8)


def test_a_receiver_that_is_gone_gets_no_more_messages(office: Office, sent: DeliveryId) -> None:
    office.receiver.answers = [410]
    assert office.turn(sent).due_at is None
    webhook = office.store.webhooks.read("t", "w1")
    assert webhook is not None
    assert webhook.disabled
    assert create_deliveries(replace(EVENT, sequence=2), office.store) == 0


@pytest.mark.parametrize("how", ["disabled", "deleted"])
def test_without_its_webhook_a_delivery_is_dropped(office: Office, sent: DeliveryId, how: str) -> None:
    if how == "disabled":
        office.store.webhooks.update(replace(HOOK, disabled=True, version=2))
    else:
        office.store.webhooks.delete("t", "w1")
    assert office.turn(sent) == NOT_SENT
    assert office.receiver.received == []
    assert office.row(sent).state is DeliveryState.DROPPED


def test_of_two_turns_at_once_what_was_written_first_counts(office: Office, sent: DeliveryId) -> None:
    other = office.row(sent).attempted(Attempt(at=office.clock.time, status=500), chance=0.0)
    office.receiver.meanwhile = lambda: office.store.deliveries.save(other)
    turn = office.turn(sent)
    assert (turn.attempt, turn.due_at) == (Attempt(at=office.clock.time, status=200), other.due_at)
    assert office.row(sent) == other


def test_an_unknown_delivery_has_no_turn(office: Office) -> None:
    assert office.turn(DeliveryId(tenant="t", webhook="w", delivery="msg")) == NOT_SENT


def test_a_test_message_goes_to_its_webhook_alone(office: Office) -> None:
    hook = replace(HOOK, kinds=(EventKind.FAILED,), description="shop")
    office.store.webhooks.create(hook)
    sent = send_test(hook, nonce="n1", deliveries=office.store.deliveries, queue=office.queue, clock=office.clock)
    assert office.queue.sent == [sent.id]
    assert office.turn(sent.id).attempt is not None
    message = json.loads(office.row(sent.id).body)
    assert (message["type"], message["data"]) == ("webhook.test", {"webhook": "w1", "description": "shop"})
    other = send_test(hook, nonce="n2", deliveries=office.store.deliveries, queue=office.queue, clock=office.clock)
    assert other.id != sent.id


def test_a_disabled_webhook_is_not_tested(office: Office) -> None:
    with pytest.raises(ConflictError, match="enable it first"):
        send_test(
            replace(HOOK, disabled=True),
            nonce="n",
            deliveries=office.store.deliveries,
            queue=office.queue,
            clock=office.clock,
        )


def test_a_message_can_be_sent_once_more(office: Office, sent: DeliveryId) -> None:
    office.turn(sent)
    office.clock.time += 100
    again = send_again(sent, deliveries=office.store.deliveries, queue=office.queue, clock=office.clock)
    assert (again.state, again.due_at) == (DeliveryState.PENDING, office.clock.time)
    assert office.queue.sent == [sent, sent]
    assert office.turn(sent).attempt is not None
    assert [attempt.status for attempt in office.row(sent).attempts] == [200, 200]


def test_what_waits_for_its_first_try_is_sent_once_unless_it_is_overdue(office: Office, sent: DeliveryId) -> None:
    again = partial(send_again, sent, deliveries=office.store.deliveries, queue=office.queue, clock=office.clock)
    assert again() == office.row(sent)
    assert office.queue.sent == [sent]
    office.clock.time += FIRST_ATTEMPT_WAIT
    again()
    assert office.queue.sent == [sent, sent]


def test_tests_do_not_pile_up_before_a_receiver_that_is_slow(office: Office) -> None:
    office.store.webhooks.create(HOOK)
    test = partial(send_test, HOOK, deliveries=office.store.deliveries, queue=office.queue, clock=office.clock)
    sent = [test(nonce=str(number)).id for number in range(MOST_TESTS)]
    with pytest.raises(ConflictError, match="first attempt"):
        test(nonce="more")
    assert office.queue.sent == sent
    office.receiver.answers = [500]
    office.turn(sent[0])  # a failed attempt is a first attempt too
    assert test(nonce="after").id not in sent


def test_only_what_there_is_can_be_sent_once_more(office: Office) -> None:
    unknown = DeliveryId(tenant="t", webhook="w", delivery="msg")
    with pytest.raises(NotFoundError):
        send_again(unknown, deliveries=office.store.deliveries, queue=office.queue, clock=office.clock)


def test_what_is_being_tried_cannot_be_sent_once_more(
    office: Office, sent: DeliveryId, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.clock.time += FIRST_ATTEMPT_WAIT
    monkeypatch.setattr(office.store.deliveries, "save", lambda _: False)
    with pytest.raises(ConflictError):
        send_again(sent, deliveries=office.store.deliveries, queue=office.queue, clock=office.clock)


def worker(office: Office) -> DeliveryWorker:
    return DeliveryWorker(deliveries=office.store.deliveries, deliver=office.turn)


def test_on_one_machine_events_become_due_deliveries(office: Office) -> None:
    office.store.webhooks.create(HOOK)
    office.store.deliveries_queue = office.store.deliveries
    DirectEvents(office.store).publish(EVENT)
    office.receiver.answers = [500]
    at_work, now = worker(office), office.clock.time
    assert at_work.tick(now) == 1
    assert at_work.tick(now + 4) == 0
    office.clock.time = now + 5
    assert at_work.tick(now + 5) == 1
    assert at_work.tick(now + 500) == 0
    assert [delivery.state for delivery in office.store.deliveries.of_webhook("t", "w1", limit=9)] == [
        DeliveryState.DELIVERED
    ]


def test_on_one_machine_old_deliveries_are_deleted_now_and_then(office: Office, sent: DeliveryId) -> None:
    office.turn(sent)
    at_work = worker(office)
    at_work.tick(office.clock.time)
    assert office.store.deliveries.read(sent) is not None
    at_work.tick(office.clock.time + KEPT + 1)
    assert office.store.deliveries.read(sent) is None


def grouped(problem: Exception) -> tuple[Exception, ...]:
    assert isinstance(problem, ExceptionGroup)
    return problem.exceptions


def test_a_delivery_that_cannot_have_its_turn_does_not_cost_the_others_theirs(office: Office) -> None:
    for number in range(3):
        office.store.webhooks.create(replace(HOOK, webhook=f"w{number}"))
    create_deliveries(EVENT, office.store)

    def turn(id_: DeliveryId) -> DeliveryResult:
        if id_.webhook == "w0":
            raise ValueError("beyond repair")
        return office.turn(id_)

    at_work = DeliveryWorker(deliveries=office.store.deliveries, deliver=turn)
    with pytest.raises(ExceptionGroup) as failed:
        at_work.tick(office.clock.time)
    assert [str(problem) for problem in grouped(failed.value)] == ["beyond repair"]
    assert [name for name, _ in office.receiver.received] == ["w1", "w2"]


def test_the_thread_continues_after_a_failure(office: Office, sent: DeliveryId) -> None:
    problems: list[Exception] = []
    thread = DeliveryThread(worker(office), now=office.clock.now, on_error=problems.append, every=0.0)

    def fail_once() -> None:
        if not problems:
            raise StoreBusyError("not now")
        thread._stopped.set()

    office.receiver.meanwhile = fail_once
    thread.start()
    thread._thread.join(HANG)
    thread.stop()
    assert [str(one) for problem in problems for one in grouped(problem)] == ["not now"]
    assert office.row(sent).state is DeliveryState.DELIVERED


def test_a_thread_that_never_ran_can_be_stopped(office: Office) -> None:
    threads = active_count()
    DeliveryThread(worker(office), now=office.clock.now, on_error=lambda _: None).stop()
    assert active_count() == threads
