"""A POST with an Idempotency-Key whose first attempt died after it had started its crawl."""

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.support.still_clock import StillClock

from wavecrawl.api.app import Api
from wavecrawl.bootstrap.serving import LocalServer
from wavecrawl.domain.crawl.states import CrawlStatus


class DiedError(BaseException):
    """The end of a process. The product never catches it."""


@pytest.fixture(name="server")
def a_server(tmp_path: Path, clock: StillClock) -> Iterator[LocalServer]:
    server = LocalServer(tmp_path)
    server.store.clock = clock  # type: ignore[assignment]  # a clock like any other
    yield server
    server.stop()


def post(server: LocalServer, key: str, path: str, body: dict[str, str]) -> tuple[int, dict[str, Any]]:
    event = {
        "version": "2.0",
        "rawPath": path,
        "rawQueryString": "",
        "headers": {"authorization": f"Bearer {key}", "content-type": "application/json", "idempotency-key": "k1"},
        "requestContext": {"http": {"method": "POST", "path": path}, "requestId": "r", "stage": "$default"},
        "isBase64Encoded": False,
        "body": json.dumps(body),
    }
    answer = Api(server.store).resolve(event, SimpleNamespace(aws_request_id="r", function_name="f"))
    return answer["statusCode"], json.loads(answer["body"])


def test_a_repeat_continues_the_crawl_that_was_started(
    server: LocalServer, clock: StillClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = server.first_key() or ""

    def die(*_: object, **__: object) -> None:
        raise DiedError

    with monkeypatch.context() as patched:
        patched.setattr(server.store.repeats, "keep", die)
        with pytest.raises(DiedError):
            post(server, key, "/v1/crawls", {"url": "https://example.com/"})
    (begun,) = server.store.crawls.under_way()
    server.store.crawls.finish(begun.id, status=CrawlStatus.COMPLETED, now=clock.time)
    clock.time += 31.0
    status, crawl = post(server, key, "/v1/crawls", {"url": "https://example.com/"})
    assert (status, crawl["crawl"], crawl["status"]) == (202, begun.id.crawl, "completed")
    clock.time += 31.0
    assert post(server, key, "/v1/crawls", {"url": "https://other.example/"})[0] == 422
    assert [row.id for row in server.store.crawls.newest_first()] == [begun.id]
