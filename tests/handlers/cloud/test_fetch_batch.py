"""The function fetch_batch, on messages as SQS sends them, over moto."""

import json
from io import StringIO
from random import Random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from tests.support.functions import Context, Deployment, event
from tests.support.hits import hits
from tests.support.random_site import random_site
from tests.support.serverless import RecordedSignals
from tests.support.still_clock import StillClock

from wavecrawl.adapters.aws.erasure import AwsErasure
from wavecrawl.adapters.aws.queue import job_from
from wavecrawl.cloud.fetch_batch import MOST_DELIVERIES
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.job import BatchId, BatchJob, CrawlId, HostPart
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.domain.politeness.host_state import Feedback
from wavecrawl.domain.politeness.pace import Pace
from wavecrawl.domain.politeness.windows import Turns
from wavecrawl.errors import StoreBusyError
from wavecrawl.ports.batches import BatchSums
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.signals import ANOTHER_WAVE

SAMPLE = event("fetch_batch")
ID = CrawlId(**json.loads(SAMPLE["Records"][0]["body"])["id"]["crawl"])


def event_of(job: BatchJob, **attributes: str) -> dict[str, Any]:
    record = json.loads(json.dumps(SAMPLE["Records"][0]))
    record["body"] = msgspec.json.encode(job).decode()
    record["attributes"] |= attributes
    return {"Records": [record]}


@pytest.fixture
def job() -> BatchJob:
    return job_from(SAMPLE["Records"][0]["body"])


DELIVERED_AGAIN = {"batchItemFailures": [{"itemIdentifier": SAMPLE["Records"][0]["messageId"]}]}
LEASE = CrawlSettings().waves.lease


class KilledError(BaseException):
    """The worker is killed."""


class Worker:
    """The function and a site to fetch."""

    def __init__(self, stack: Deployment, server: SiteServer) -> None:
        self.function = stack.load("fetch_batch")
        self.cloud = self.function.cloud
        self.signals = self.cloud.signals = RecordedSignals()
        self.hidden: list[float] = []  # seconds for which each message was hidden
        self.sent: list[BatchJob] = []
        self.cloud.queue.deliver_again = lambda _receipt, seconds: self.hidden.append(seconds)
        self.cloud.queue.send = self.sent.extend
        self.server = server
        settings = CrawlSettings(allowed_addresses=("127.0.0.0/8",), log_urls=1.0)
        self.cloud.crawls.create(
            CrawlRow(id=ID, start_url=server.url, root_url=server.url, settings=settings, started_at=1795255200.0)
        )
        self.cloud.waves.create(ID, 1, planned=1)
        self.cloud.waves.store_token(ID, 1, "token")

    def job(self, sample: BatchJob) -> BatchJob:
        item = replace(sample.items[0], url=self.server.url)
        return replace(sample, host=self.server.origin.removeprefix("http://"), items=(item,), starts_at=0.0)


@pytest.fixture
def worker(stack: Deployment) -> Any:
    with SiteServer(random_site(Random(1), 3)) as server:
        yield Worker(stack, server)


def test_a_batch_is_fetched_and_its_wave_completed(worker: Worker, context: Context, job: BatchJob) -> None:
    assert worker.function.handler(event_of(worker.job(job)), context) == {"batchItemFailures": []}
    assert hits(worker.server, "/") == 1
    wave = worker.cloud.waves.read(ID, 1)
    assert (wave.done, wave.sums.records, wave.sums.fetched) == (1, 1, 1)
    assert worker.signals.outputs == {"token": ANOTHER_WAVE}


def test_the_lease_belongs_to_the_invocation(worker: Worker, context: Context, job: BatchJob) -> None:
    worker.function.handler(event_of(worker.job(job)), context)
    (batch,) = worker.cloud.batches.of_wave(ID, 1)
    assert (batch.done, batch.attempts, batch.owner) == (True, 1, context.aws_request_id)


def test_what_an_invocation_used_is_charged_to_its_wave(worker: Worker, context: Context, job: BatchJob) -> None:
    worker.function.handler(event_of(worker.job(job)), context)
    usage = worker.cloud.waves.read(ID, 1).sums.usage
    assert (usage.lambda_requests, usage.queue_requests) == (1, 2)
    assert usage.write_units > 0
    assert usage.lambda_gb_seconds > 0


def test_a_duplicate_fetches_nothing(worker: Worker, context: Context, job: BatchJob) -> None:
    for _ in range(2):
        assert worker.function.handler(event_of(worker.job(job)), context) == {"batchItemFailures": []}
    assert hits(worker.server, "/") == 1


def test_a_job_that_comes_too_early_waits_in_the_queue(worker: Worker, context: Context, job: BatchJob) -> None:
    early = replace(worker.job(job), starts_at=worker.cloud.clock.now() + 600.0)
    assert worker.function.handler(event_of(early), context) == DELIVERED_AGAIN
    assert (worker.sent, len(worker.hidden)) == ([], 1)
    assert 300.0 < worker.hidden[0] <= 600.0
    assert worker.cloud.batches.of_wave(ID, 1) == []
    assert hits(worker.server, "/") == 0


def test_a_message_that_waited_often_is_sent_again_as_a_new_one(
    worker: Worker, context: Context, job: BatchJob
) -> None:
    early = replace(worker.job(job), starts_at=worker.cloud.clock.now() + 600.0)
    received = event_of(early, ApproximateReceiveCount=str(MOST_DELIVERIES))
    assert worker.function.handler(received, context) == {"batchItemFailures": []}
    assert (worker.sent, worker.hidden) == ([early], [])


def test_a_message_returns_when_the_lease_of_a_killed_worker_ends(
    worker: Worker, context: Context, job: BatchJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker.cloud.claims, "claim", _fail(KilledError()))
    with pytest.raises(KilledError):
        worker.function.handler(event_of(worker.job(job)), context)
    (row,) = worker.cloud.batches.of_wave(ID, 1)
    assert worker.hidden == [LEASE + 1.0]
    assert row.leased_until < worker.cloud.clock.now() + worker.hidden[0]


def test_a_message_of_a_leased_batch_returns_when_the_lease_ends(
    worker: Worker, context: Context, job: BatchJob
) -> None:
    now = worker.cloud.clock.now()
    worker.cloud.batches.lease(job.id, owner="another", now=now, seconds=2_000.0)
    assert worker.function.handler(event_of(worker.job(job)), context) == DELIVERED_AGAIN
    assert hits(worker.server, "/") == 0
    assert 1_500.0 < worker.hidden[-1] <= 2_001.0


def test_late_copies_of_finished_batches_reserve_no_turns(worker: Worker, context: Context, job: BatchJob) -> None:
    late = paced(worker, job, late_by=600.0)
    for number in range(3):
        lease = worker.cloud.batches.lease(BatchId(crawl=ID, wave=1, batch=number), owner="w", now=1.0, seconds=1.0)
        assert worker.cloud.batches.complete(lease, BatchSums())
    for copy in range(8):
        one = replace(late, id=replace(job.id, batch=copy % 3))
        assert worker.function.handler(event_of(one), context) == {"batchItemFailures": []}
    assert worker.cloud.hosts.read(late.host).windows == ()
    assert hits(worker.server, "/") == 0


def test_messages_of_an_ended_crawl_reserve_no_turns(worker: Worker, context: Context, job: BatchJob) -> None:
    late = paced(worker, job, late_by=600.0)
    worker.cloud.crawls.finish(ID, status=CrawlStatus.FAILED, now=1795255300.0)
    for number in range(10):
        one = replace(late, id=replace(job.id, batch=number))
        assert worker.function.handler(event_of(one), context) == {"batchItemFailures": []}
    assert worker.cloud.hosts.read(late.host).windows == ()


def test_messages_of_a_deleted_crawl_leave_nothing_behind(
    worker: Worker, context: Context, job: BatchJob, logged: StringIO
) -> None:
    late = paced(worker, job, late_by=600.0)
    worker.cloud.crawls.finish(ID, status=CrawlStatus.CANCELLED, now=1795255300.0)
    worker.cloud.erasure.erase(ID)
    worker.cloud.crawls.delete(ID)
    assert worker.function.handler(event_of(late), context) == {"batchItemFailures": []}
    assert worker.cloud.hosts.read(late.host).windows == ()
    assert worker.cloud.batches.of_wave(ID, 1) == []
    assert worker.cloud.waves.read(ID, 1) is None
    assert {json.loads(line)["level"] for line in logged.getvalue().splitlines()} == {"INFO"}


def test_a_worker_whose_crawl_is_deleted_meanwhile_leaves_no_rows(
    worker: Worker, context: Context, job: BatchJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim = worker.cloud.claims.claim
    later = StillClock(time=worker.cloud.clock.now() + 3_600.0)  # the lease has ended, and the worker hangs

    def delete_first(*arguments: Any) -> bool:
        AwsErasure(worker.cloud.table, worker.cloud.bucket, worker.cloud.catalog, later).erase(ID)
        worker.cloud.crawls.delete(ID)
        return bool(claim(*arguments))

    monkeypatch.setattr(worker.cloud.claims, "claim", delete_first)
    assert worker.function.handler(event_of(worker.job(job)), context) == {"batchItemFailures": []}
    assert worker.cloud.batches.of_wave(ID, 1) == []
    assert worker.cloud.waves.read(ID, 1) is None


def test_a_late_message_waits_for_a_pause_that_began_since_its_plan(
    worker: Worker, context: Context, job: BatchJob
) -> None:
    late, now = paced(worker, job, late_by=600.0), worker.cloud.clock.now()
    asked = Feedback(outcomes="r", retry_after=300.0, retry_from=now, ended_at=now, of="another/1")
    worker.cloud.hosts.report(late.host, asked, holder="another", now=now)
    assert worker.function.handler(event_of(late), context) == DELIVERED_AGAIN
    assert 250.0 < worker.hidden[-1] <= 300.0
    assert hits(worker.server, "/") == 0


def test_late_messages_of_a_crawl_that_stops_reserve_no_turns(worker: Worker, context: Context, job: BatchJob) -> None:
    late = paced(worker, job, late_by=600.0)
    worker.cloud.crawls.ask_to_cancel(ID)
    assert worker.function.handler(event_of(late), context) == {"batchItemFailures": []}
    assert worker.cloud.hosts.read(late.host).windows == ()
    assert hits(worker.server, "/") == 0


def test_a_late_message_reserves_one_turn_and_keeps_it(worker: Worker, context: Context, job: BatchJob) -> None:
    late = paced(worker, job, late_by=600.0)
    now = worker.cloud.clock.now()
    worker.cloud.hosts.reserve(late.host, Turns(holder="another", count=1_000, interval=4.0), now=now)
    for _ in range(3):
        assert worker.function.handler(event_of(late), context) == DELIVERED_AGAIN
        assert 3_000.0 < worker.hidden[-1] <= 4_000.0
    assert worker.sent == []
    others, own = worker.cloud.hosts.read(late.host).windows
    assert (own.opens_at, own.closes_at) == (others.closes_at, pytest.approx(others.closes_at + 0.04))
    worker.cloud.batches.postpone(job.id, starts_at=now)  # its turn has come
    assert worker.function.handler(event_of(late), context) == {"batchItemFailures": []}
    assert hits(worker.server, "/") == 1


def test_a_job_that_comes_a_little_early_waits(worker: Worker, context: Context, job: BatchJob) -> None:
    starts_at = worker.cloud.clock.now() + 0.3
    worker.function.handler(event_of(replace(worker.job(job), starts_at=starts_at)), context)
    assert worker.cloud.clock.now() >= starts_at
    assert hits(worker.server, "/") == 1


def test_what_an_invocation_has_no_time_for_is_postponed(worker: Worker, job: BatchJob) -> None:
    answer = worker.function.handler(event_of(worker.job(job)), Context(remaining=15_000))
    assert answer == {"batchItemFailures": []}
    assert hits(worker.server, "/") == 0
    wave = worker.cloud.waves.read(ID, 1)
    assert (wave.done, wave.sums.records, wave.sums.fetched) == (1, 1, 0)


def test_a_message_of_no_batch_is_delivered_again(worker: Worker, context: Context) -> None:
    broken = json.loads(json.dumps(SAMPLE))
    broken["Records"][0]["body"] = "{}"
    answer = worker.function.handler(broken, context)
    assert answer == {"batchItemFailures": [{"itemIdentifier": SAMPLE["Records"][0]["messageId"]}]}


def test_one_message_of_several_that_fails_is_delivered_again_alone(
    worker: Worker, context: Context, job: BatchJob
) -> None:
    good, bad = event_of(worker.job(job))["Records"][0], json.loads(json.dumps(SAMPLE))["Records"][0]
    bad |= {"messageId": "the-bad-one", "body": "no json"}
    answer = worker.function.handler({"Records": [bad, good]}, context)
    assert answer == {"batchItemFailures": [{"itemIdentifier": "the-bad-one"}]}
    assert hits(worker.server, "/") == 1


@pytest.mark.parametrize(("received", "seconds"), [(1, 15), (2, 60), (3, 240), (4, 900), (5, 900)])
def test_a_batch_that_failed_is_delivered_again_soon_and_then_ever_later(
    worker: Worker, job: BatchJob, monkeypatch: pytest.MonkeyPatch, received: int, seconds: int
) -> None:
    monkeypatch.setattr(worker.cloud.batches, "complete", _fail(StoreBusyError("no answer")))
    failing = event_of(worker.job(job), ApproximateReceiveCount=str(received))
    answer = worker.function.handler(failing, Context())
    assert answer == {"batchItemFailures": [{"itemIdentifier": SAMPLE["Records"][0]["messageId"]}]}
    assert worker.hidden == [LEASE + 1.0, seconds]
    monkeypatch.undo()
    assert worker.cloud.batches.lease(job.id, owner="next", now=worker.cloud.clock.now(), seconds=60.0) is not None


def test_a_batch_that_may_be_leased_still_comes_when_its_lease_is_over(
    worker: Worker, context: Context, job: BatchJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker.cloud.batches, "lease", _fail(StoreBusyError("no answer")))
    answer = worker.function.handler(event_of(worker.job(job)), context)
    assert len(answer["batchItemFailures"]) == 1
    assert worker.hidden == [LEASE + 1.0]


def test_a_failed_batch_is_charged_to_its_own_wave(
    worker: Worker, context: Context, job: BatchJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(worker.cloud.batches, "complete", _fail(StoreBusyError("no answer")))
        worker.function.handler(event_of(worker.job(job)), context)
    failed = worker.cloud.waves.read(ID, 1).sums.usage
    assert (failed.lambda_requests, failed.puts) == (1, 2)  # records and WARC were written, but not used


def test_what_a_dropped_batch_used_is_charged_to_no_other_crawl(
    worker: Worker, context: Context, job: BatchJob
) -> None:
    other = replace(ID, site="another", crawl="c-another")
    ended = CrawlRow(id=other, start_url="http://127.0.0.1/", root_url="", settings=CrawlSettings(), started_at=1.0)
    worker.cloud.crawls.create(ended)
    worker.cloud.crawls.finish(other, status=CrawlStatus.FAILED, now=2.0)
    worker.function.handler(event_of(replace(job, id=replace(job.id, crawl=other))), context)
    worker.function.handler(event_of(worker.job(job)), context)
    assert worker.cloud.waves.read(ID, 1).sums.usage.lambda_requests == 1


def test_a_batch_is_measured(
    worker: Worker, context: Context, job: BatchJob, capsys: pytest.CaptureFixture[str], logged: StringIO
) -> None:
    began = worker.cloud.clock.now()
    sent = str(int(began * 1000) - 3_000)
    worker.function.handler(event_of(worker.job(job), SentTimestamp=sent), context)
    took = worker.cloud.clock.now() - began
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    metrics = next(line for line in lines if "PagesFetched" in line)
    assert (metrics["PagesFetched"], metrics["Retries"]) == ([1.0], [0.0])
    assert metrics["SuccessRate"] == [1.0]
    assert 0 < metrics["ProcessingDuration"][0] < metrics["BatchDuration"][0]
    assert 3.0 <= metrics["QueueLatency"][0] <= 3.001 + took  # the time of the message is in whole milliseconds
    assert 0 < metrics["FetchDuration"][0] < metrics["BatchDuration"][0] <= took
    done = next(line for line in map(json.loads, logged.getvalue().splitlines()) if line["message"] == "batch done")
    assert (done["crawl"], done["wave"], done["batch"], done["pages"]) == (str(ID), 1, 0, 1)


def test_a_logged_url_has_a_line(worker: Worker, context: Context, job: BatchJob, logged: StringIO) -> None:
    worker.function.handler(event_of(worker.job(job)), context)
    (line,) = [line for line in map(json.loads, logged.getvalue().splitlines()) if line["message"] == "url"]
    assert (line["crawl"], line["wave"], line["batch"], line["status"]) == (str(ID), 1, 0, 200)
    assert (line["state"], line["url"]) == ("fetched", worker.server.url)


def test_every_page_of_a_full_batch_is_measured(
    worker: Worker, context: Context, job: BatchJob, capsys: pytest.CaptureFixture[str]
) -> None:
    one = worker.job(job)
    items = tuple(replace(one.items[0], url=f"{worker.server.url}?{n}", key=f"{n:032x}") for n in range(101))
    worker.function.handler(event_of(replace(one, items=items, pace=Pace(interval=0.0, in_flight=5))), context)
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    fetches = [line for line in lines if "FetchDuration" in line]
    assert [len(line["FetchDuration"]) for line in fetches] == [
        100,
        1,
    ]  # at most 100 values per log line
    assert [line["BatchDuration"] for line in lines if "BatchDuration" in line] == [fetches[0]["BatchDuration"]]
    assert worker.cloud.waves.read(ID, 1).sums.records == 101


def test_a_batch_of_a_crawl_that_has_ended_is_dropped(worker: Worker, context: Context, job: BatchJob) -> None:
    worker.cloud.crawls.finish(ID, status=CrawlStatus.FAILED, now=1795255300.0)
    assert worker.function.handler(event_of(worker.job(job)), context) == {"batchItemFailures": []}
    assert hits(worker.server, "/") == 0
    assert worker.cloud.batches.of_wave(ID, 1) == []


def test_jobs_that_come_late_together_do_not_start_together(worker: Worker, context: Context, job: BatchJob) -> None:
    late = replace(paced(worker, job, late_by=6_000.0), pace=Pace(interval=400.0, in_flight=1))
    worker.function.handler(event_of(late), context)
    assert hits(worker.server, "/") == 1  # the first of them is due now
    second = replace(late, id=replace(late.id, batch=1))
    assert worker.function.handler(event_of(second), context) == DELIVERED_AGAIN
    assert hits(worker.server, "/") == 1
    assert 300.0 < worker.hidden[-1] <= 420.0


def test_a_long_queue_of_one_host_is_fetched_in_turn_without_a_further_message(
    worker: Worker, context: Context, job: BatchJob
) -> None:
    """Ten batches are late together. At any moment up to four workers take messages."""
    clock = worker.cloud.clock = StillClock(time=worker.cloud.clock.now())
    began, late = clock.time, paced(worker, job, late_by=600.0)
    queue = [(began, number) for number in range(10)]  # when each message is visible
    deliveries = 0
    while queue:
        clock.time = max(clock.time, min(queue)[0])
        visible = sorted(entry for entry in queue if entry[0] <= clock.time)[:4]
        for entry in visible:
            queue.remove(entry)
            deliveries += 1
            item = replace(late.items[0], url=f"{worker.server.url}?{entry[1]}", key=f"{entry[1]:032x}")
            one = replace(late, id=replace(late.id, batch=entry[1]), items=(item,))
            if worker.function.handler(event_of(one), context) == DELIVERED_AGAIN:
                queue.append((clock.time + worker.hidden[-1], entry[1]))
    assert worker.cloud.waves.read(ID, 1).done == 10
    assert worker.sent == []
    assert deliveries <= 20
    assert clock.time - began < 10 * late.pace.interval + 5.0, "the host was idle"


def paced(worker: Worker, job: BatchJob, *, late_by: float) -> BatchJob:
    """Return a job of a slow host whose turn was so many seconds ago."""
    starts_at = worker.cloud.clock.now() - late_by
    return replace(worker.job(job), starts_at=starts_at, pace=Pace(interval=4.0, in_flight=1))


def _fail(error: BaseException) -> Any:
    def fail(*_: object, **__: object) -> None:
        raise error

    return fail


def test_each_late_host_of_a_shared_batch_gets_a_new_turn_and_holds_up_no_other(
    worker: Worker, context: Context, job: BatchJob
) -> None:
    """The turns of its hosts are over. One host is free now, and another crawl has the next minute at the other."""
    late = paced(worker, job, late_by=600.0)
    now = worker.cloud.clock.now()
    busy = Turns(holder="another", count=60, interval=1.0, not_before=0.0)
    worker.cloud.hosts.reserve("busy.example", busy, now=now)
    there = replace(late.items[0], url="http://busy.example/", key="f" * 32)
    parts = tuple(
        HostPart(host=host, count=1, starts_at=now - 600.0, pace=late.pace) for host in (late.host, "busy.example")
    )
    shared = replace(late, items=(late.items[0], there), parts=parts)
    assert worker.function.handler(event_of(shared), context) == {"batchItemFailures": []}
    assert hits(worker.server, "/") == 1
    (row,) = worker.cloud.batches.of_wave(ID, 1)
    assert row.done
    holders = [[held.holder for held in worker.cloud.hosts.read(host).windows] for host in (late.host, "busy.example")]
    assert holders == [[str(ID)], ["another", str(ID)]]
