from typing import Any

import pytest
from msgspec.structs import replace
from tests.support.still_clock import StillClock

from wavecrawl.adapters.aws.queue import RETENTION, SqsJobQueue, job_from, message_group
from wavecrawl.domain.crawl.job import BatchId, BatchJob, BatchKind, CrawlId, JobItem
from wavecrawl.domain.politeness.pace import Pace
from wavecrawl.errors import InvalidInputError, PermanentError, ThrottledError

NOW = 1_700_000_000.0


class Sqs:
    """An SQS client that refuses every other message of a request, a number of times."""

    def __init__(self, *, refusals: int = 0, our_fault: bool = False) -> None:
        self.refusals = refusals
        self.our_fault = our_fault
        self.requests: list[list[dict[str, Any]]] = []
        self.taken: list[dict[str, Any]] = []
        self.visible = 0

    def get_queue_attributes(self, **_: object) -> dict[str, Any]:
        return {"Attributes": {"ApproximateNumberOfMessages": str(self.visible)}}

    def send_message_batch(self, *, Entries: list[dict[str, Any]], **_: object) -> dict[str, Any]:  # noqa: N803 - SQS's
        self.requests.append(Entries)
        refused = Entries[::2] if self.refusals else []
        self.refusals -= bool(refused)
        self.taken += [entry for entry in Entries if entry not in refused]
        return {
            "Failed": [{"Id": entry["Id"], "SenderFault": self.our_fault, "Code": "InternalError"} for entry in refused]
        }


def job(batch: BatchId, number: int = 0, *, starts_at: float = NOW, length: int = 10) -> BatchJob:
    return BatchJob(
        id=replace(batch, batch=number),
        kind=BatchKind.FETCH,
        host="example.com",
        items=(JobItem(url="https://example.com/" + "x" * length, key="k", depth=1, tries=1),),
        starts_at=starts_at,
        pace=Pace(interval=0.04, in_flight=5),
    )


def queue(sqs: Sqs) -> SqsJobQueue:
    return SqsJobQueue(sqs, "https://sqs.example/q", StillClock(), sleep=lambda _: None)  # type: ignore[arg-type]  # the part that is used


def test_what_was_not_taken_is_sent_again_alone(batch: BatchId) -> None:
    sqs = Sqs(refusals=2)
    queue(sqs).send([job(batch, number) for number in range(10)])
    assert [len(entries) for entries in sqs.requests] == [10, 5, 3]
    assert sorted(job_from(entry["MessageBody"]).id.batch for entry in sqs.taken) == list(range(10))


def test_a_queue_that_never_takes_a_job_is_an_error(batch: BatchId) -> None:
    with pytest.raises(ThrottledError, match="rejected 1 of 1 jobs after several attempts"):
        queue(Sqs(refusals=1_000)).send([job(batch)])


def test_a_job_that_the_queue_refuses_is_not_sent_again(batch: BatchId) -> None:
    sqs = Sqs(refusals=1, our_fault=True)
    with pytest.raises(PermanentError, match="rejected a job"):
        queue(sqs).send([job(batch)])
    assert len(sqs.requests) == 1


def test_a_request_holds_ten_messages_and_256_kib_at_most(batch: BatchId) -> None:
    sqs = Sqs()
    queue(sqs).send([job(batch, number) for number in range(21)])
    assert [len(entries) for entries in sqs.requests] == [10, 10, 1]
    sqs = Sqs()
    queue(sqs).send([job(batch, number, length=100_000) for number in range(5)] + [job(batch, 5, length=300_000)])
    assert [len(entries) for entries in sqs.requests] == [2, 2, 1, 1]


@pytest.mark.parametrize(
    ("starts_in", "delay"), [(-5.0, 0), (0.0, 0), (0.99, 0), (1.0, 1), (61.7, 61), (900.0, 900), (5_000.0, 900)]
)
def test_a_job_waits_whole_seconds(batch: BatchId, starts_in: float, delay: int) -> None:
    sqs = Sqs()
    queue(sqs).send([job(batch, starts_at=NOW + starts_in)])
    assert [entry["DelaySeconds"] for entry in sqs.taken] == [delay]


def test_crawls_share_the_queue_fairly(batch: BatchId) -> None:
    sqs = Sqs()
    other = replace(batch, crawl=replace(batch.crawl, tenant="other"))
    another = replace(batch, crawl=replace(batch.crawl, crawl="20261121-101500-ffffff"))
    queue(sqs).send([job(batch), job(other), job(another)])
    groups = ["default/20261121-101500-a1b2c3", "other/20261121-101500-a1b2c3", "default/20261121-101500-ffffff"]
    assert [entry["MessageGroupId"] for entry in sqs.taken] == groups


def test_the_message_group_of_a_long_tenant_name_is_short_enough() -> None:
    crawl = CrawlId(tenant="t" * 200, site="site", crawl="20261121-101500-a1b2c3")
    assert len(message_group(crawl)) == 128
    assert message_group(crawl).endswith("t/20261121-101500-a1b2c3")


def test_messages_that_have_expired_are_not_held() -> None:
    sqs = Sqs()
    sqs.visible = 5
    assert queue(sqs).holds(sent_at=NOW - RETENTION + 1.0)
    assert not queue(sqs).holds(sent_at=NOW - RETENTION)
    sqs.visible = 0
    assert not queue(sqs).holds(sent_at=NOW)


def test_messages_whose_start_is_later_are_held() -> None:
    assert queue(Sqs()).holds(sent_at=NOW + 1.0)


@pytest.mark.parametrize("body", ["", "{}", "null", '{"id": 5}', "\ud800"])
def test_a_message_that_is_no_job_is_refused(body: str) -> None:
    with pytest.raises(InvalidInputError, match="not a batch job"):
        job_from(body)
