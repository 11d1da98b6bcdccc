"""WSGI requests are converted to events of an HTTP API."""

import json
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any
from wsgiref.util import setup_testing_defaults

import pytest

from wavecrawl.api import wsgi
from wavecrawl.api.wsgi import event_of, wsgi_app
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.telemetry import about, logger


def event(path: str = "/", query: str = "", body: bytes | None = None, **more: str) -> dict[str, Any]:
    environ: dict[str, Any] = {"PATH_INFO": path, "QUERY_STRING": query, **more}
    if body is not None:
        environ |= {"CONTENT_LENGTH": str(len(body)), "wsgi.input": BytesIO(body), "REQUEST_METHOD": "POST"}
    setup_testing_defaults(environ)
    return event_of(environ, request_id="r1", max_body=100)


def test_method_path_and_id_stand_where_an_http_api_has_them() -> None:
    made = event("/v1/crawls", body=b"{}")
    http = made["requestContext"]["http"]
    assert (http["method"], http["path"], made["rawPath"]) == ("POST", "/v1/crawls", "/v1/crawls")
    assert (made["version"], made["requestContext"]["requestId"]) == ("2.0", "r1")


def test_a_path_is_text_also_where_it_is_no_utf_8() -> None:
    assert event("/caf\u00c3\u00a9")["rawPath"] == "/caf\u00e9"
    assert event("/\u00ff")["rawPath"] == "/\ufffd"


def test_a_parameter_that_comes_twice_is_joined() -> None:
    made = event(query="a=1&a=2&b=&c=%C3%A9")
    assert made["queryStringParameters"] == {"a": "1,2", "b": "", "c": "\u00e9"}
    assert made["rawQueryString"] == "a=1&a=2&b=&c=%C3%A9"


def test_headers_are_lower_case_with_their_own_names() -> None:
    made = event(body=b"{}", HTTP_IF_NONE_MATCH='"x"', CONTENT_TYPE="application/json")
    assert made["headers"]["if-none-match"] == '"x"'
    assert (made["headers"]["content-type"], made["headers"]["content-length"]) == ("application/json", "2")


def test_a_body_is_read_no_further_than_it_may_be_long() -> None:
    assert (event(body=b"\xff\x00")["body"], event(body=b"\xff\x00")["isBase64Encoded"]) == ("/wA=", True)
    assert len(event(body=b"x" * 1000)["body"]) == 136  # 101 bytes in base64
    assert event()["body"] == ""


class Telling:
    """An API that logs each request, with the crawl id if there is one."""

    def __init__(self, _: object) -> None:
        pass

    def resolve(self, event: dict[str, Any], _: object) -> dict[str, Any]:
        if event["rawPath"] == "/crawl":
            about(CrawlId(tenant="t", site="s", crawl="c1"))
        logger.info(event["rawPath"])
        return {"statusCode": 204}


def test_what_is_logged_of_a_request_says_nothing_of_the_one_before(
    tmp_path: Path, logged: StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wsgi, "Api", Telling)
    store = LocalStore(tmp_path)
    application = wsgi_app(store)
    for path in ("/crawl", "/other"):
        environ: dict[str, Any] = {"PATH_INFO": path}
        setup_testing_defaults(environ)
        application(environ, lambda *_: lambda _: None)
    first, second = map(json.loads, logged.getvalue().splitlines())
    assert (first["crawl"], "crawl" in second) == ("t/s/c1", False)
    store.close()
