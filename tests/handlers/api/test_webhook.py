"""POST /webhooks/crawl: the function over moto. test_webhook_in_parallel covers parallel requests."""

import base64
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from io import StringIO
from types import ModuleType
from typing import Any

import pytest
from tests.support.functions import OLD_SECRET, ROOT, Context, Deployment
from tests.support.signing import signature, webhook
from tests.support.still_clock import StillClock

from wavecrawl.application.start_crawl import site_of
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.settings import CrawlSettings, WaveSettings
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.errors import StoreBusyError
from wavecrawl.ports.sites import SiteRow

ASKED = {"url": "http://site.example/", "settings": {"max_pages": 50}}
EITHER = "the body must have either url, the URL to start from, or site, the ID of a saved site"
TOO_FEW_PAGES = "max_pages must be between 1 and 100,000,000: 0"
NO_LIST = "urls requires discovery 'list'; discovery is 'links_first'"


@pytest.fixture
def function(stack: Deployment) -> ModuleType:
    return stack.load("webhook")


def call(function: ModuleType, event: dict[str, Any], context: Context) -> tuple[int, dict[str, Any]]:
    answer = function.handler(event, context)
    return answer["statusCode"], json.loads(answer["body"])


def finish(function: ModuleType, crawl: str) -> None:
    row = function.cloud.crawls.find("default", crawl)
    function.cloud.crawls.finish(row.id, status=CrawlStatus.COMPLETED, now=1.0)


def test_a_signed_message_starts_a_crawl(stack: Deployment, function: ModuleType, context: Context) -> None:
    status, body = call(function, webhook(ASKED), context)
    assert status == 202
    assert body["status"] == "running"
    assert body["site"].startswith("site.example-")
    assert stack.executions() == [body["crawl"]]
    row = function.cloud.crawls.find("default", body["crawl"])
    assert (row.start_url, row.settings.max_pages) == ("http://site.example/", 50)
    assert row.triggered_by == "webhook"
    assert row.settings.contact == "https://crawler.example/about"
    assert row.settings.allowed_addresses == ("127.0.0.0/8",)


@pytest.mark.parametrize("missing", ["webhook-id", "webhook-timestamp", "webhook-signature"])
def test_an_unsigned_message_starts_nothing(
    stack: Deployment, function: ModuleType, context: Context, missing: str
) -> None:
    event = webhook(ASKED)
    del event["headers"][missing]
    status, body = call(function, event, context)
    assert status == 401
    assert body["detail"] == f"signature refused: the request is not signed: no {missing}"
    assert stack.executions() == []
    assert "clients" not in vars(function.cloud)  # not even the secret was read


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (lambda: webhook(ASKED, secret="whsec_b3RoZXI="), "No matching signature found"),
        (lambda: webhook(ASKED) | {"body": '{"url": "http://other.example/"}'}, "No matching signature found"),
        (lambda: webhook(ASKED, age=301), "Message timestamp too old"),
        (lambda: webhook(ASKED, age=-600), "Message timestamp too new"),
    ],
    ids=["another secret", "another body", "stale", "from the future"],
)
def test_a_wrong_signature_starts_nothing(
    stack: Deployment, function: ModuleType, context: Context, made: Callable[[], dict[str, Any]], why: str
) -> None:
    status, body = call(function, made(), context)  # signed now, not at collection
    assert (status, body["detail"]) == (401, f"signature refused: {why}")
    assert stack.executions() == []


@pytest.mark.parametrize(
    ("header", "value"),
    [
        ("webhook-signature", "v1"),
        ("webhook-signature", "v1,not base64 at all"),
        ("webhook-signature", "v2,AAAA"),
        ("webhook-signature", "v1,é"),
        ("webhook-timestamp", "soon"),
        ("webhook-timestamp", "1e400"),
        ("webhook-timestamp", "9" * 400),
        ("webhook-id", "m" * 257),
    ],
)
def test_malformed_headers_are_refused(function: ModuleType, context: Context, header: str, value: str) -> None:
    event = webhook(ASKED)
    event["headers"][header] = value
    assert call(function, event, context)[0] == 401


def test_a_body_that_is_no_text_is_refused(function: ModuleType, context: Context) -> None:
    event = webhook(ASKED) | {"body": base64.b64encode(b"\xff\xfe").decode(), "isBase64Encoded": True}
    assert call(function, event, context)[0] == 401


def test_one_good_signature_of_several_is_enough(function: ModuleType, context: Context) -> None:
    event = webhook(ASKED)
    good = event["headers"]["webhook-signature"]
    event["headers"]["webhook-signature"] = f"v1a,AAAA v1,AAAA garbage {good} v2,BBBB"
    assert call(function, event, context)[0] == 202


def test_the_old_secret_counts_while_keys_are_rotated(function: ModuleType, context: Context) -> None:
    assert call(function, webhook(ASKED, secret=OLD_SECRET), context)[0] == 202


def test_a_base64_body_is_the_same_body(function: ModuleType, context: Context) -> None:
    event = webhook(ASKED)
    event |= {"body": base64.b64encode(event["body"].encode()).decode(), "isBase64Encoded": True}
    assert call(function, event, context)[0] == 202


def test_a_body_that_is_not_the_base64_it_claims_to_be(function: ModuleType, context: Context) -> None:
    status, body = call(function, webhook(ASKED) | {"isBase64Encoded": True}, context)
    assert (status, body["detail"]) == (400, "the body is not the base64 it is said to be")


@pytest.mark.parametrize("encoded", [False, True])
def test_an_oversized_body_is_refused_unread(
    stack: Deployment, function: ModuleType, context: Context, *, encoded: bool
) -> None:
    text = "x" * 65_537
    event = webhook(ASKED) | {"body": base64.b64encode(text.encode()).decode() if encoded else text}
    status, body = call(function, event | {"isBase64Encoded": encoded}, context)
    assert (status, body["detail"]) == (413, "the body may have at most 65536 bytes")
    assert stack.executions() == []


def test_a_replay_names_the_crawl_that_it_started(stack: Deployment, function: ModuleType, context: Context) -> None:
    _, first = call(function, webhook(ASKED), context)
    finish(function, first["crawl"])
    status, again = call(function, webhook(ASKED), context)
    assert (status, again) == (200, first | {"status": "completed"})
    assert stack.executions() == [first["crawl"]]
    function.cloud.crawls.delete(CrawlId(tenant="default", site=first["site"], crawl=first["crawl"]))
    status, again = call(function, webhook(ASKED), context)
    assert (status, again) == (200, first | {"status": "deleted"})


def test_a_message_id_cannot_be_used_for_another_site(
    stack: Deployment, function: ModuleType, context: Context
) -> None:
    _, first = call(function, webhook(ASKED), context)
    status, again = call(function, webhook({"url": "http://other.example/"}), context)
    assert (status, again["crawl"]) == (409, first["crawl"])
    assert len(stack.executions()) == 1


def test_a_site_that_is_being_crawled_answers_with_that_crawl(
    stack: Deployment, function: ModuleType, context: Context
) -> None:
    _, first = call(function, webhook(ASKED, id_="msg_1"), context)
    status, second = call(function, webhook(ASKED, id_="msg_2"), context)
    assert (status, second["crawl"]) == (409, first["crawl"])
    assert f"/ is being crawled already, by crawl {first['crawl']}" in second["detail"]
    assert stack.executions() == [first["crawl"]]


def test_a_message_that_came_too_soon_can_be_sent_again(function: ModuleType, context: Context) -> None:
    _, first = call(function, webhook(ASKED, id_="msg_1"), context)
    assert call(function, webhook(ASKED, id_="msg_2"), context)[0] == 409
    finish(function, first["crawl"])
    assert call(function, webhook(ASKED, id_="msg_2"), context)[0] == 202


def test_a_repeat_completes_an_interrupted_start(
    stack: Deployment, function: ModuleType, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(function.cloud.launcher, "launch", _fail(StoreBusyError("no answer")))
        status, body = call(function, webhook(ASKED, age=20), context)
    assert (status, body["detail"]) == (503, "temporarily unavailable; retry in a few seconds")
    half = function.cloud.crawls.of_tenant("default", limit=10)
    status, body = call(function, webhook(ASKED), context)
    assert (status, body["crawl"]) == (202, half[0].id.crawl)
    assert stack.executions() == [body["crawl"]]


def test_a_message_under_way_answers_with_its_crawl_until_the_attempt_must_have_ended(
    stack: Deployment, function: ModuleType, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as killed:
        killed.setattr(function.cloud.launcher, "launch", _fail(SystemExit()))
        with pytest.raises(SystemExit):
            function.respond(webhook(ASKED))
    status, body = call(function, webhook(ASKED), context)
    half = function.cloud.crawls.of_tenant("default", limit=10)[0].id.crawl
    assert (status, body["crawl"]) == (409, half)
    monkeypatch.setattr(function.cloud, "clock", StillClock(time.time() + 31.0), raising=False)
    status, body = call(function, webhook(ASKED), context)
    assert (status, body["crawl"]) == (202, half)
    assert stack.executions() == [half]


@pytest.mark.parametrize(
    ("asked", "errors"),
    [
        ({}, [EITHER]),
        ({"url": "http://s.example/", "site": "s.example-00000000"}, [EITHER]),
        ({"url": 7}, ["url must be the URL to start from, not 7"]),
        ({"site": " "}, ["site must be the ID of a saved site, not ' '"]),
        ({"url": "http://s.example/", "depth": 3}, ["depth is not a field; the fields are url or site, and settings"]),
        ({"url": "http://s.example/", "settings": []}, ["settings must be an object of settings, not []"]),
        ({"url": "", "settings": {"max_pages": 0}}, ["url must be the URL to start from, not ''", TOO_FEW_PAGES]),
        ({"url": "http://s.example/", "settings": {"urls": ["http://s.example/a"]}}, [NO_LIST]),
    ],
)
def test_what_is_wrong_with_a_body_is_named(
    stack: Deployment, function: ModuleType, context: Context, asked: dict[str, Any], errors: list[str]
) -> None:
    status, body = call(function, webhook(asked), context)
    assert (status, body["errors"]) == (400, errors)
    assert stack.executions() == []


@pytest.mark.parametrize("asked", [{"site": "site.example-1"}, {"url": "http://site.example/docs"}])
def test_a_saved_site_is_crawled_with_its_settings_and_those_of_the_message(
    function: ModuleType, context: Context, asked: dict[str, str]
) -> None:
    settings = CrawlSettings(max_pages=7, max_depth=3)
    site = site_of("http://site.example/docs", settings)
    row = SiteRow(
        tenant="default", site=site, url="http://site.example/docs", name="Docs", settings=settings,
        named=frozenset({"max_pages", "max_depth"}),
    )  # fmt: skip
    function.cloud.sites.create(row)
    named = asked | {"site": site} if "site" in asked else asked
    status, body = call(function, webhook(named | {"settings": {"max_depth": 5}}), context)
    assert (status, body["site"]) == (202, site)
    crawl = function.cloud.crawls.find("default", body["crawl"])
    assert (crawl.start_url, crawl.settings.max_pages, crawl.settings.max_depth) == ("http://site.example/docs", 7, 5)


def test_a_site_that_is_not_saved_is_not_found(stack: Deployment, function: ModuleType, context: Context) -> None:
    status, body = call(function, webhook({"site": "site.example-00000000"}), context)
    assert (status, "there is no site site.example-00000000" in body["detail"]) == (404, True)
    assert stack.executions() == []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "the body is not JSON: Expecting value: line 1 column 1 (char 0)"),
        ("[1]", 'the body must be an object such as {"url": "https://example.com/"}'),
        ('{"url": "mailto:someone@example.com"}', "mailto:"),
    ],
)
def test_a_body_that_asks_for_nothing_sensible(function: ModuleType, context: Context, text: str, why: str) -> None:
    status, body = call(function, webhook(text), context)
    assert status == 400
    assert why in body["detail"]


def test_a_request_may_ask_for_as_much_as_a_function_can_do(function: ModuleType, context: Context) -> None:
    most: dict[str, Any] = {
        "limits": {"timeout": 30, "max_bytes": 52_428_800, "max_decoded_bytes": 52_428_800},
        "sitemaps": {"timeout": 60, "max_bytes": 52_428_800},
    }
    assert call(function, webhook(ASKED | {"settings": most}), context)[0] == 202


def test_batches_are_leased_for_as_long_as_the_deployment_says(stack: Deployment, context: Context) -> None:
    function = stack.load("webhook", WAVECRAWL_LEASE="90")
    _, body = call(function, webhook(ASKED), context)
    assert function.cloud.crawls.find("default", body["crawl"]).settings.waves == WaveSettings(lease=90)


def test_other_paths_and_methods_are_refused(function: ModuleType, context: Context) -> None:
    event = webhook(ASKED)
    assert call(function, event | {"rawPath": "/webhooks/other"}, context)[0] == 404
    event["requestContext"]["http"]["method"] = "GET"
    answer = function.handler(event, context)
    assert (answer["statusCode"], answer["headers"]["allow"]) == (405, "POST")


def test_a_server_error_reveals_no_details(
    function: ModuleType, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(function.cloud.secrets, "current", _fail(ZeroDivisionError("secret detail")))
    answer = function.handler(webhook(ASKED), context)
    assert answer["statusCode"] == 500
    assert answer["headers"]["content-type"] == "application/problem+json"
    assert json.loads(answer["body"]) == {
        "type": "about:blank",
        "title": "Internal Server Error",
        "status": 500,
        "detail": "internal error; see the service's logs for x-request-id",
    }


def test_neither_secrets_nor_bodies_are_logged(
    function: ModuleType, context: Context, capsys: pytest.CaptureFixture[str], logged: StringIO
) -> None:
    event = webhook({"url": "http://site.example/?token=private"})
    function.handler(event, context)
    function.handler(webhook({"url": "http://site.example/?token=private"}, id_="msg_2"), context)
    output = "".join(capsys.readouterr()) + logged.getvalue()
    assert '"CrawlsStarted":[1.0]' in output
    assert '"message":"message refused"' in output
    for private in ("private", "whsec_", event["headers"]["webhook-signature"]):
        assert private not in output


def test_nothing_heavy_is_loaded_for_a_message_that_is_not_signed(stack: Deployment) -> None:
    code = """
import json, sys, handler
from types import SimpleNamespace
names = "aws_request_id function_name memory_limit_in_mb invoked_function_arn".split()
event = json.loads(sys.stdin.read())
answer = handler.handler(event, SimpleNamespace(**dict.fromkeys(names, 1)))
heavy = {"boto3", "botocore.session", "jwt", "ada_url", "lxml", "requests", "aws_xray_sdk", "asyncio"}
sys.stderr.write(json.dumps([answer["statusCode"], sorted(heavy & set(sys.modules))]))
"""
    event = webhook(ASKED)
    del event["headers"]["webhook-signature"]
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(event),
        text=True,
        capture_output=True,
        check=True,
        cwd=ROOT / "functions" / "webhook",
        env=os.environ | stack.environment,
    )
    assert json.loads(done.stderr) == [401, []]


def test_the_vector_of_the_specification() -> None:
    """From the test suites of the Standard Webhooks project's own libraries."""
    signed = signature(
        '{"test": 2432232314}',
        id_="msg_p5jXN8AQM9LWM0D4loKWxJek",
        timestamp="1614265330",
        secret="whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    )
    assert signed == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def _fail(error: BaseException) -> Any:
    def fail(*_: object) -> None:
        raise error

    return fail
