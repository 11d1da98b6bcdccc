"""ASGI requests are converted to events of an HTTP API."""

import asyncio
import json
from base64 import b64decode
from collections.abc import Iterable
from io import StringIO
from pathlib import Path
from threading import Barrier, Event
from typing import Any

import pytest
from tests.support.patience import HANG

from wavecrawl.api import asgi
from wavecrawl.api.asgi import AsgiApi
from wavecrawl.api.asgi_event import event_of
from wavecrawl.api.server_limits import ServerLimits
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.errors import StoreBusyError
from wavecrawl.telemetry import about, logger


def scope(path: str = "/", query: bytes = b"", method: str = "GET", headers: Iterable[tuple[str, str]] = ()) -> Any:
    sent = [(name.encode(), value.encode("latin-1")) for name, value in headers]
    return {"type": "http", "method": method, "path": path, "query_string": query, "headers": sent}


def event(path: str = "/", query: bytes = b"", **more: Any) -> dict[str, Any]:
    return event_of(scope(path, query, **more), request_id="r1")


def test_method_path_and_id_stand_where_an_http_api_has_them() -> None:
    made = event("/v1/crawls", method="POST")
    http = made["requestContext"]["http"]
    assert (http["method"], http["path"], made["rawPath"]) == ("POST", "/v1/crawls", "/v1/crawls")
    assert (made["version"], made["requestContext"]["requestId"]) == ("2.0", "r1")


def test_a_parameter_that_comes_twice_is_joined() -> None:
    made = event(query=b"a=1&a=2&b=&c=%C3%A9")
    assert made["queryStringParameters"] == {"a": "1,2", "b": "", "c": "\u00e9"}
    assert made["rawQueryString"] == "a=1&a=2&b=&c=%C3%A9"


def test_headers_are_lower_case_and_joined() -> None:
    made = event(headers=[("If-None-Match", '"x"'), ("If-None-Match", '"y"'), ("Content-Type", "application/json")])
    assert made["headers"] == {"if-none-match": '"x","y"', "content-type": "application/json"}


class Telling:
    """An API that logs each request, with the crawl id if there is one.

    It returns the size of the body, or an empty event stream.
    """

    def __init__(self, *_: object) -> None:
        pass

    def resolve(self, event: dict[str, Any], _: object) -> dict[str, Any]:
        if event["rawPath"] == "/crawl":
            about(CrawlId(tenant="t", site="s", crawl="c1"))
        logger.info(event["rawPath"])
        if event["rawPath"].endswith("/events"):
            return {"statusCode": 200, "headers": {"Content-Type": "text/event-stream"}, "body": ""}
        return {"statusCode": 200, "body": str(len(b64decode(event["body"])))}


def responses(
    store: LocalStore, *requests: tuple[Any, Iterable[bytes]], logs: bool = False, threads: int = 1, together: int = 0
) -> list[list[Any]]:
    """Send requests with the parts of their bodies, `together` at once, by default `threads`. Return their messages."""
    application = AsgiApi(store, limits=ServerLimits(threads=threads), logs_requests=logs)

    async def one(scope: Any, parts: Iterable[bytes]) -> list[Any]:
        sent: list[Any] = []
        coming = iter(parts)

        async def receive() -> Any:
            part = next(coming, None)
            return {"type": "http.request", "body": part or b"", "more_body": part is not None}

        async def send(message: Any) -> None:
            sent.append(message)

        await application(scope, receive, send)
        return sent

    async def all_of_them() -> list[list[Any]]:
        at_once = asyncio.Semaphore(together or threads)

        async def in_turn(scope: Any, parts: Iterable[bytes]) -> list[Any]:
            async with at_once:
                return await one(scope, parts)

        return await asyncio.gather(*(in_turn(scope, parts) for scope, parts in requests))

    try:
        return asyncio.run(all_of_them())
    finally:
        application.close()
        store.close()


@pytest.fixture(name="store")
def a_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LocalStore:
    monkeypatch.setattr(asgi, "Api", Telling)
    return LocalStore(tmp_path)


def test_what_is_logged_of_a_request_says_nothing_of_the_one_before(store: LocalStore, logged: StringIO) -> None:
    responses(store, (scope("/crawl"), ()), (scope("/other"), ()))
    first, second = map(json.loads, logged.getvalue().splitlines())
    assert (first["crawl"], "crawl" in second) == ("t/s/c1", False)


def test_all_threads_count_wrong_keys_together(store: LocalStore, monkeypatch: pytest.MonkeyPatch) -> None:
    both = Barrier(2, timeout=HANG)
    counts: list[object] = []

    class Waiting:
        """An API that responds when two threads have a request."""

        def __init__(self, _: object, wrong_keys: object) -> None:
            counts.append(wrong_keys)

        def resolve(self, *_: object) -> dict[str, Any]:
            both.wait()
            return {"statusCode": 200}

    monkeypatch.setattr(asgi, "Api", Waiting)
    responses(store, (scope(), ()), (scope(), ()), threads=2)
    first, second = counts
    assert first is second


SIGNED = [("webhook-id", "a"), ("webhook-timestamp", "1"), ("webhook-signature", "v1,A")]


def test_slow_requests_of_one_key_leave_threads_to_other_keys(
    store: LocalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A request of another key is answered while four of the first are not: they wait for it."""
    other_is_done, order = Event(), list[str]()

    class Slow:
        """An API whose requests with the first key take longer than those with another one."""

        def __init__(self, *_: object) -> None:
            pass

        def resolve(self, event: dict[str, Any], _: object) -> dict[str, Any]:
            key = event["headers"]["authorization"]
            if key == "Bearer first":
                assert other_is_done.wait(HANG / 10), "no thread is left for the other key"
            order.append(key)
            other_is_done.set()
            return {"statusCode": 200}

    def request(key: str) -> tuple[Any, Iterable[bytes]]:
        return scope(headers=(("Authorization", f"Bearer {key}"),)), ()

    monkeypatch.setattr(asgi, "Api", Slow)
    found = responses(store, *(request("first") for _ in range(4)), request("other"), threads=4, together=5)
    assert [messages[0]["status"] for messages in found] == [200] * 5
    assert order == ["Bearer other"] + ["Bearer first"] * 4


def signed(*headers: tuple[str, str]) -> Any:
    return scope("/webhooks/crawl", method="POST", headers=[*SIGNED, *headers])


@pytest.mark.parametrize("path", ["/webhooks/other", "/webhooks/crawl/", "/webhooks/crawl/../qstash", "/v1/crawls"])
def test_only_the_paths_of_messages_take_a_body_without_an_api_key(store: LocalStore, path: str) -> None:
    parts = iter([b"x"])
    forged = [*SIGNED, ("upstash-signature", "a"), ("-", "a"), ("content-length", "1")]
    ((_, body),) = responses(store, (scope(path, method="POST", headers=forged), parts))
    assert (body["body"], list(parts)) == (b"0", [b"x"])


def test_a_key_that_becomes_valid_starts_no_operation_without_the_body_of_the_request(store: LocalStore) -> None:
    seen: list[dict[str, Any]] = []

    def accepts(_: AsgiApi, event: dict[str, Any]) -> bool:
        seen.append(event)
        return False

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(AsgiApi, "_accepts_body", accepts)
        headers = [("authorization", "Bearer wc_key"), ("content-length", "1")]
        responses(store, (scope("/v1/crawls/c/cancel", method="POST", headers=headers), (b"x",)))
    assert [sorted(event["headers"]) for event in seen] == [["content-length"]]


def test_a_busy_store_is_reported_before_the_body_is_read(
    store: LocalStore, monkeypatch: pytest.MonkeyPatch, logged: StringIO
) -> None:
    def busy(*_: object) -> bool:
        raise StoreBusyError("/data/wavecrawl.sqlite is locked")

    monkeypatch.setattr(asgi, "has_valid_key", busy)
    ((start, body),) = responses(store, (scope(method="POST", headers=[("content-length", "1")]), (b"x",)))
    assert (start["status"], b"/data" in body["body"]) == (503, False)
    assert "/data/wavecrawl.sqlite is locked" in logged.getvalue()


@pytest.mark.parametrize("header", [("content-length", "4"), ("transfer-encoding", "chunked")])
def test_a_body_is_base64(store: LocalStore, header: tuple[str, str]) -> None:
    ((_, body),) = responses(store, (signed(header), (b"\xff\x00", b"\xff\x00")))
    assert body["body"] == b"4"


def test_a_body_is_read_no_further_than_the_api_needs(store: LocalStore) -> None:
    parts = iter([b"x" * 40_000] * 1_000)
    ((start, body),) = responses(store, (signed(("transfer-encoding", "chunked")), parts))
    assert (start["status"], b"at most 65536 bytes" in body["body"]) == (413, True)
    assert (b"connection", b"close") in start["headers"]
    assert sum(1 for _ in parts) == 998


def test_a_body_whose_length_is_too_large_is_not_read(store: LocalStore) -> None:
    parts = iter([b"x"])
    ((start, _),) = responses(store, (signed(("content-length", "65537")), parts))
    assert start["status"] == 413
    assert list(parts) == [b"x"]


def test_the_access_log_has_a_line_per_request_without_query_and_signature(store: LocalStore, logged: StringIO) -> None:
    signed_paths = ("/v1/downloads/signature/pages.csv", "/v1/uploads/secret")
    requests = [scope("/v1/crawls", b"cursor=secret"), *map(scope, signed_paths)]
    responses(store, *((one, ()) for one in requests), logs=True)
    lines = [json.loads(line) for line in logged.getvalue().splitlines()]
    own = [line for line in lines if line["message"] == "request"]
    assert [(line["method"], line["path"], line["status"], line["bytes"]) for line in own] == [
        ("GET", "/v1/crawls", 200, 1),
        ("GET", "/v1/downloads/", 200, 1),
        ("GET", "/v1/uploads/", 200, 1),
    ]
    assert all(line["seconds"] >= 0 and line["request_id"] for line in own)
    assert "secret" not in "".join(map(json.dumps, own))


class Silent:
    """A stream with some events, after a number of looks without one."""

    has_more = False

    def __init__(self, _: object, __: object) -> None:
        self._texts: list[str | None] = ["event: a\n\n", "", "", "event: b\n\n", None]

    def following(self) -> str | None:
        return self._texts.pop(0)


def test_a_silent_stream_sends_comments(store: LocalStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asgi, "CrawlStream", Silent)
    limits = ServerLimits(threads=1, event_seconds=0.001, heartbeat_seconds=0.0)
    application = AsgiApi(store, limits=limits)
    sent: list[Any] = []

    async def follow() -> None:
        received = iter([{"type": "http.request", "body": b"", "more_body": False}])
        connected = asyncio.Event()

        async def receive() -> Any:
            message = next(received, None)
            if message is None:
                await connected.wait()  # the client stays
            return message

        async def send(message: Any) -> None:
            sent.append(message)

        await application(scope("/v1/crawls/c/events"), receive, send)

    asyncio.run(follow())
    application.close()
    store.close()
    assert [message["body"] for message in sent[1:]] == [b"event: a\n\n", b":\n\n", b":\n\n", b"event: b\n\n", b""]
    assert [message["more_body"] for message in sent[1:]] == [True] * 4 + [False]
