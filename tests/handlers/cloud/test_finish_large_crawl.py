"""Which crawls a task finishes, and the program that it runs."""

import json
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.support.functions import Context, Deployment

from wavecrawl.adapters.aws.signals import step_output
from wavecrawl.application.crawl_state import CrawlStates, Snapshot
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.cloud_settings import CloudSettings, environment
from wavecrawl.cloud import finish_large_crawl
from wavecrawl.cloud.fail_crawl import failed_crawl
from wavecrawl.cloud.large_crawls import finish_of
from wavecrawl.cloud.step_input import OpenTask
from wavecrawl.domain.crawl.counters import Counters
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.errors import InvalidInputError
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.signals import Following, NextStep

FINISH = Following(next=NextStep.FINISH)
CRAWL = CrawlId(tenant="t", site="s", crawl="c")
NAMES = environment(table="table", bucket="bucket", state_machine_arn="arn")


def snapshot(wave: int, *, done: int) -> Snapshot:
    counters = Counters(done=done)
    last: dict[str, Any] = {"planned_at": 0.0, "clock": 0.0, "stopped": Reason.NONE, "batches": (), "rows": []}
    return Snapshot(wave=wave, phase=Phase.BFS, counters=counters, **last)


def following(following_: Following, *, most: int, done: int) -> dict[str, object]:
    cloud = cast("Cloud", SimpleNamespace(settings=CloudSettings(finish_pages=most)))
    return step_output(finish_of(cloud, following_, Counters(done=done)))


def test_a_task_finishes_crawls_of_more_pages_than_the_function_can() -> None:
    assert following(FINISH, most=100, done=101) == {"next": "finish_large", "pages": 101}
    assert following(FINISH, most=100, done=100) == {"next": "finish"}
    assert following(Following(next=NextStep.WAVE), most=100, done=101) == {"next": "wave"}


def test_without_a_task_the_function_finishes_every_crawl() -> None:
    assert following(FINISH, most=0, done=10_000_000) == {"next": "finish"}


@pytest.mark.parametrize(
    ("most", "expected"), [("100", {"next": "finish_large", "pages": 101}), ("101", {"next": "finish"})]
)
def test_who_made_the_results_of_a_crawl_makes_them_again(
    stack: Deployment, context: Context, most: str, expected: dict[str, object]
) -> None:
    function = stack.load("open_crawl", WAVECRAWL_FINISH_PAGES=most)
    row = CrawlRow(
        id=CRAWL, start_url="http://site.example/", root_url="http://site.example/", settings=CrawlSettings()
    )
    function.cloud.crawls.create(row)
    function.cloud.crawls.finish(CRAWL, status=CrawlStatus.FAILED, now=1.0, error="no room")
    states = CrawlStates(function.cloud.objects)
    for wave, done in ((1, 1), (2, 101)):
        states.store(CRAWL, snapshot(wave, done=done))
    given = {"crawl": {"tenant": "t", "site": "s", "crawl": "c"}, "continued": 1, "results": True}
    shown = {"root": row.root_url, "phase": "bfs", "wave": 1}
    assert function.handler(given, context) == {**expected, **shown}


@pytest.mark.parametrize(
    ("stopped", "containers", "message"),
    [
        ("Essential container in task exited", [{"ExitCode": 1}], "Essential container in task exited, exit code 1"),
        (
            "Essential container in task exited",
            [{"ExitCode": 137, "Reason": "OutOfMemoryError: Container killed due to memory usage"}],
            "Essential container in task exited, OutOfMemoryError: Container killed due to memory usage, exit code 137",
        ),
        ("Host EC2 terminated", None, "Host EC2 terminated"),
    ],
)
def test_a_crawl_says_why_its_task_stopped(
    stopped: str, containers: list[dict[str, object]] | None, message: str
) -> None:
    task = {"StopCode": "EssentialContainerExited", "StoppedReason": stopped, "Containers": containers, "Cpu": "4096"}
    caught = {"Error": "States.TaskFailed", "Cause": json.dumps(task)}
    failed = failed_crawl({"crawl": {"tenant": "t", "site": "s", "crawl": "c"}, "error": caught})
    assert failed.reason == f"States.TaskFailed: {message}"


def test_the_program_finishes_the_crawl_that_its_environment_names(monkeypatch: pytest.MonkeyPatch) -> None:
    finished: list[tuple[str, OpenTask]] = []

    def finish_task(cloud: Cloud, task: OpenTask) -> dict[str, object]:
        finished.append((cloud.settings.table, task))
        return {}

    monkeypatch.setattr(finish_large_crawl, "finish_task", finish_task)
    task = {"crawl": {"tenant": "t", "site": "s", "crawl": "c"}, "continued": 2}
    finish_large_crawl.main({**NAMES, "WAVECRAWL_TASK": json.dumps(task)})
    assert finished == [("table", OpenTask(crawl=CRAWL, continued=2))]


def test_an_error_ends_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> dict[str, object]:
        raise OSError("the disk is full")

    monkeypatch.setattr(finish_large_crawl, "finish_task", broken)
    task = json.dumps({"crawl": {"tenant": "t", "site": "s", "crawl": "c"}})
    with pytest.raises(OSError, match="the disk is full"):
        finish_large_crawl.main({**NAMES, "WAVECRAWL_TASK": task})
    with pytest.raises(InvalidInputError):
        finish_large_crawl.main({**NAMES, "WAVECRAWL_TASK": "{}"})
