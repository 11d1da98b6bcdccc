"""A POST with an Idempotency-Key whose first attempt died when its crawl had been started."""

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.still_clock import StillClock

from wavecrawl.api.app import Api
from wavecrawl.bootstrap.serving import LocalService, ServeSettings
from wavecrawl.domain.crawl.states import CrawlStatus


class DiedError(BaseException):
    """The end of a process: nothing in it catches that."""


@pytest.fixture(name="service")
def a_service(tmp_path: Path, clock: StillClock) -> Iterator[LocalService]:
    service = LocalService(tmp_path, ServeSettings())
    service.clock = clock  # type: ignore[assignment]  # a clock like any other
    yield service
    service.stop()


def post(service: LocalService, key: str, path: str, body: dict[str, str]) -> tuple[int, dict[str, Any]]:
    event = {
        "version": "2.0",
        "rawPath": path,
        "rawQueryString": "",
        "headers": {"authorization": f"Bearer {key}", "content-type": "application/json", "idempotency-key": "k1"},
        "requestContext": {"http": {"method": "POST", "path": path}, "requestId": "r", "stage": "$default"},
        "isBase64Encoded": False,
        "body": json.dumps(body),
    }
    answer = Api(service).resolve(event, SimpleNamespace(aws_request_id="r", function_name="f"))
    return answer["statusCode"], json.loads(answer["body"])


def test_a_repeat_goes_on_with_the_crawl_that_was_begun(
    service: LocalService, clock: StillClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = service.first_key() or ""

    def die(*_: object, **__: object) -> None:
        raise DiedError

    with monkeypatch.context() as patched:
        patched.setattr(service.repeats, "keep", die)
        with pytest.raises(DiedError):
            post(service, key, "/v1/crawls", {"url": "https://example.com/"})
    (begun,) = service.crawls.under_way()
    service.crawls.finish(begun.id, status=CrawlStatus.COMPLETED, now=clock.time)
    clock.time += 31.0
    status, crawl = post(service, key, "/v1/crawls", {"url": "https://example.com/"})
    assert (status, crawl["crawl"], crawl["status"]) == (202, begun.id.crawl, "completed")
    clock.time += 31.0
    assert post(service, key, "/v1/crawls", {"url": "https://other.example/"})[0] == 422
    assert [row.id for row in service.store.crawls.newest_first()] == [begun.id]
