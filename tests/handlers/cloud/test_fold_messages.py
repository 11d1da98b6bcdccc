"""The function fold_wave: parts of running crawls, over moto."""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import msgspec
import pytest
from tests.support.functions import API_KEY, Context, Deployment, event
from tests.support.plain_site import plain_site
from tests.support.serverless import Serverless
from tests.support.still_clock import StillClock

from wavecrawl.adapters.aws.folds import FoldRequest, fold_request_from
from wavecrawl.adapters.aws.parts import S3Parts
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.settings import WaveSettings
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.errors import StoreBusyError

DONE: dict[str, list[dict[str, str]]] = {"batchItemFailures": []}
SETTINGS = {"discovery": "links_only", "polite": {"interval": 0.0, "adapt": False}}


@dataclass(frozen=True)
class Started:
    """A running crawl whose first part has ended, and the message that requests it."""

    crawl: CrawlId
    function: ModuleType
    message: dict[str, Any]

    def deliver(self, **changes: Any) -> Any:
        return self.function.handler({"Records": [self.message | changes]}, Context())

    @property
    def parts(self) -> list[int]:
        numbers: list[int] = self.function.cloud.parts.numbers(self.crawl)
        return numbers


@pytest.fixture(name="started")
def a_started_crawl(stack: Deployment) -> Iterator[Started]:
    service = Serverless(stack)
    clock = StillClock(time=time.time())
    service.functions["api"] = stack.load("api")
    for module in service.functions.values():
        module.cloud.clock = clock
    asked = event("api")
    with SiteServer(plain_site(pages=40, body_bytes=200)) as server:
        asked["body"] = json.dumps({"url": server.url, "settings": SETTINGS})
        asked["headers"]["authorization"] = f"Bearer {API_KEY}"
        body = json.loads(service.call("api", asked)["body"])
        crawl = {"tenant": "default", "site": body["site"], "crawl": body["crawl"]}
        service.call("open_crawl", {"crawl": crawl})
        for wave in (1, 2):
            service.wave(crawl, "bfs", wave)
        clock.time += WaveSettings().part_seconds
        service.call("run_wave", {"crawl": crawl, "phase": "bfs", "wave": 3, "token": "t"})
        (message,) = stack.messages(stack.folds)
        yield Started(CrawlId(**crawl), service.functions["fold_wave"], message)


def test_a_part_is_folded_while_the_crawl_runs_and_charged_to_it(started: Started) -> None:
    cloud = started.function.cloud
    assert fold_request_from(started.message["body"]) == FoldRequest(crawl=started.crawl, part=2)
    before = cloud.waves.usage(started.crawl)
    assert started.deliver() == DONE
    assert started.parts == [2]
    used = cloud.waves.usage(started.crawl)
    assert used.puts > before.puts
    assert used.lambda_requests == before.lambda_requests + 1
    assert started.deliver() == DONE  # a repeat
    assert started.parts == [2]


def test_a_part_of_a_crawl_that_has_ended_is_left_to_its_end(started: Started) -> None:
    cloud = started.function.cloud
    assert cloud.crawls.finish(started.crawl, status=CrawlStatus.FAILED, now=1.0)
    assert started.deliver() == DONE
    assert started.parts == []


def test_no_part_of_a_deleted_crawl_is_stored(started: Started, monkeypatch: pytest.MonkeyPatch) -> None:
    """The crawl ends and is deleted while the part is made."""
    crawls = started.function.cloud.crawls
    rows = [crawls.read(started.crawl)]
    monkeypatch.setattr(crawls, "read", lambda _: rows.pop() if rows else None)
    assert started.deliver() == DONE
    assert started.parts == []


def test_a_fold_that_fails_is_repeated(started: Started, monkeypatch: pytest.MonkeyPatch) -> None:
    failed = {"batchItemFailures": [{"itemIdentifier": started.message["messageId"]}]}
    wrong = msgspec.json.encode(FoldRequest(crawl=started.crawl, part=1)).decode()
    assert started.deliver(body=wrong) == failed  # the planner has not ended this part
    assert started.deliver(body="no part") == failed
    with monkeypatch.context() as broken:

        def refuse(*_: object) -> None:
            raise StoreBusyError("S3 is busy")

        broken.setattr(S3Parts, "store", refuse)
        assert started.deliver() == failed
    assert started.parts == []
    assert started.deliver() == DONE
    assert started.parts == [2]


def test_the_sample_event_names_a_part(stack: Deployment) -> None:
    """There is no such crawl, so nothing is left to do."""
    assert stack.load("fold_wave").handler(event("fold_wave"), Context()) == DONE
