"""The simulation of many crawls: its queue, and that it notices when the product's rules are broken."""

from pathlib import Path

import pytest
from bench.load import Load, crawls, problems_of, simulate, text_of
from bench.report import write_section
from bench.virtual_time import Message, SimulatedQueue, VirtualTime
from infra.config import Config
from tests.support.campaign import slow

from bench import simulated_cloud
from infra import definition
from wavecrawl.adapters.aws.queue import SqsJobQueue
from wavecrawl.application.operator_settings import OperatorSettings

BUSY = Config(wave_timeout=30, max_resumes=2)
"""So short a time-out that the waves of forty crawls time out again and again."""


def load(*tenants: tuple[int, int], config: Config = BUSY, workers: int = 1, fair: bool = True) -> Load:
    return simulate(list(crawls(tenants, pages=200, spread=60.0)), config, workers=workers, fair=fair)


@pytest.mark.parametrize("fair", [True, False], ids=["fair queue", "oldest first"])
@slow
def test_crawls_complete_however_long_their_messages_wait(*, fair: bool) -> None:
    done = load((1, 20), (5, 4), fair=fair)
    assert sum(crawl.time_outs for crawl in done.crawls) > 100
    assert (len(done.crawls), done.failed, done.dead) == (40, [], 0)
    assert problems_of([done]) == []


def test_a_queue_that_is_ignored_fails_crawls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SqsJobQueue, "holds", lambda *_, **__: False)
    done = load((1, 20), (5, 4))
    assert len(done.failed) > 20
    assert {crawl.error for crawl in done.failed} == {"TooManyResumes"}
    assert len(problems_of([done])) == 2  # and messages multiply


def test_crawls_above_the_limit_of_their_tenant_wait() -> None:
    most = OperatorSettings().max_running_crawls
    done = load((1, most + 10), config=Config(), workers=10)
    in_order = sorted(done.crawls, key=lambda crawl: crawl.admitted_at)
    waited = [crawl for crawl in in_order if crawl.admitted_at > crawl.due_at]
    assert waited
    assert waited == in_order[-len(waited) :]
    times = [crawl.admitted_at for crawl in in_order]
    assert max(sum(c.admitted_at <= at < c.ended_at for c in done.crawls) for at in times) == most
    assert done.failed == []


def test_the_same_load_has_the_same_result() -> None:
    one, two = (
        [(crawl.id, crawl.admitted_at, crawl.fetched_at, crawl.ended_at) for crawl in load((3, 3)).crawls]
        for _ in range(2)
    )
    assert one == two


def test_other_rules_of_the_state_machine_are_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    simulated_cloud.check_rules()
    other = tmp_path / "crawl.asl.json"
    other.write_text(definition.SOURCE.read_text().replace("$resumes + 1", "$resumes + 2"))
    monkeypatch.setattr(simulated_cloud, "SOURCE", other)
    with pytest.raises(ValueError, match="rules have changed"):
        simulated_cloud.check_rules()


def test_the_results_have_a_section(tmp_path: Path) -> None:
    text = text_of([load((1, 2))])
    assert "| crawls | 2 |" in text
    write_section("load", text, file=tmp_path / "results.md")
    assert "Load: all schedules in one hour" in (tmp_path / "results.md").read_text()


class _Queue:
    """A queue, and what can be received of it."""

    def __init__(self, *, fair: bool = True) -> None:
        self.time = VirtualTime(1_000.0)
        self.sqs = SimulatedQueue(self.time, visibility=60.0, max_receives=2, fair=fair)

    def send(self, *bodies: str, delay: int = 0) -> None:
        entries = [
            {"Id": str(n), "MessageBody": body, "DelaySeconds": delay, "MessageGroupId": body[0]}
            for n, body in enumerate(bodies)
        ]
        self.sqs.send_message_batch(QueueUrl="q", Entries=entries)

    def receive_at(self, *seconds: float) -> list[Message | None]:
        received: list[Message | None] = []
        for at in seconds:
            self.time.call_at(1_000.0 + at, lambda: received.append(self.sqs.receive()))
        self.time.run()
        return received


def bodies(received: list[Message | None]) -> list[str]:
    return [message.body if message else "" for message in received]


def test_a_delayed_message_is_received_after_its_delay() -> None:
    queue = _Queue()
    queue.send("a1", delay=30)
    assert bodies(queue.receive_at(29, 31)) == ["", "a1"]


def test_a_message_returns_after_its_visibility_timeout_until_it_is_deleted() -> None:
    queue = _Queue()
    queue.send("a1")
    first, hidden = queue.receive_at(1, 60)
    assert (first is None, hidden) == (False, None)
    (again,) = queue.receive_at(62)
    assert again is first
    assert again is not None
    queue.sqs.delete(again)
    assert queue.receive_at(1_000) == [None]
    assert queue.sqs.dead == 0


def test_a_message_that_was_received_too_often_is_dead() -> None:
    queue = _Queue()
    queue.send("a1")
    assert bodies(queue.receive_at(1, 62, 123)) == ["a1", "a1", ""]
    assert queue.sqs.dead == 1


def test_the_visibility_of_a_message_can_be_changed() -> None:
    queue = _Queue()
    queue.send("a1")
    queue.time.call_at(1_001.0, queue.sqs.receive)
    queue.time.call_at(
        1_002.0,
        lambda: queue.sqs.change_message_visibility(QueueUrl="q", ReceiptHandle="m1", VisibilityTimeout=200),
    )
    assert bodies(queue.receive_at(100, 201, 203)) == ["", "", "a1"]


@pytest.mark.parametrize(("fair", "order"), [(True, ["a1", "b1", "a2", "a3"]), (False, ["a1", "a2", "a3", "b1"])])
def test_groups_with_fewer_messages_in_flight_come_first(*, fair: bool, order: list[str]) -> None:
    queue = _Queue(fair=fair)
    queue.send("a1", "a2", "a3", "b1")
    assert bodies(queue.receive_at(1, 2, 3, 4)) == order


def test_nothing_may_wait_in_virtual_time() -> None:
    with pytest.raises(RuntimeError, match="waited 2 s"):
        VirtualTime(0.0).sleep(2.0)
