"""Which crawls a task finishes, and the program that it runs."""

import json
from types import SimpleNamespace
from typing import Any, cast

import pytest

from wavecrawl.adapters.aws.signals import step_output
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.cloud_settings import CloudSettings, environment
from wavecrawl.cloud import finish_large_crawl
from wavecrawl.cloud.large_crawls import finish_of
from wavecrawl.cloud.step_input import OpenTask
from wavecrawl.domain.crawl.gather import Counters
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.errors import InvalidInputError
from wavecrawl.ports.signals import Following, NextStep

FINISH = Following(next=NextStep.FINISH)
CRAWL = CrawlId(tenant="t", site="s", crawl="c")
NAMES = environment(table="table", bucket="bucket", state_machine_arn="arn")


def following(following_: Following, *, most: int, done: int) -> dict[str, object]:
    cloud = cast("Cloud", SimpleNamespace(settings=CloudSettings(finish_pages=most)))
    return step_output(finish_of(cloud, following_, Counters(done=done)))


def test_a_task_finishes_crawls_of_more_pages_than_the_function_can() -> None:
    assert following(FINISH, most=100, done=101) == {"next": "finish_large", "pages": 101}
    assert following(FINISH, most=100, done=100) == {"next": "finish"}
    assert following(Following(next=NextStep.WAVE), most=100, done=101) == {"next": "wave"}


def test_without_a_task_the_function_finishes_every_crawl() -> None:
    assert following(FINISH, most=0, done=10_000_000) == {"next": "finish"}


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
