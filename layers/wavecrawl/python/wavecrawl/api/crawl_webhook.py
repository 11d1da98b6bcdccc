"""The webhook function: a signed message in, a crawl started, once."""
# ruff: noqa: PLC0415 - a message that is not genuine must cost as little as possible: what is heavy waits

from collections.abc import Callable, Mapping
from http import HTTPStatus

from wavecrawl.api.http_request import Event, HttpRequest, http_request
from wavecrawl.api.problems import Answer, Problem, json_answer
from wavecrawl.api.signatures.message import Message
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.telemetry import Context, count

Verify = Callable[[HttpRequest, Cloud], Message]


def receive(event: Event, context: Context, cloud: Cloud) -> Answer:
    """Answer a request to a webhook; raise Problem, or what the use case raises, where nothing was started."""
    request = http_request(event, max_body=cloud.settings.max_body_bytes)
    verify = _VERIFIERS.get(request.path)
    if verify is None:
        raise Problem(HTTPStatus.NOT_FOUND, f"there is no {request.path}")
    if request.method != "POST":
        raise Problem(HTTPStatus.METHOD_NOT_ALLOWED, "send a POST", headers={"allow": "POST"})
    try:
        message = verify(request, cloud)
    except Problem:
        count("SignaturesRefused")
        raise
    return _start(message, request, cloud, context)


def _start(message: Message, request: HttpRequest, cloud: Cloud, context: Context) -> Answer:
    from wavecrawl.api.crawl_request import crawl_request
    from wavecrawl.cloud.webhook import start_once

    answer = start_once(message, crawl_request(request.body), cloud, context)
    count("CrawlsStarted")
    return json_answer(HTTPStatus.ACCEPTED, answer)


def _standard(request: HttpRequest, cloud: Cloud) -> Message:
    from wavecrawl.api.signatures.standard_webhook import signed_webhook

    return signed_webhook(request, lambda: cloud.secrets.current().webhook_secrets)


def _qstash(request: HttpRequest, cloud: Cloud) -> Message:
    if not cloud.settings.qstash_url:
        raise Problem(HTTPStatus.NOT_FOUND, "this deployment takes no messages of QStash")
    from wavecrawl.api.signatures.qstash import signed_by_qstash

    return signed_by_qstash(request, lambda: cloud.secrets.current().qstash_keys, url=cloud.settings.qstash_url)


_VERIFIERS: Mapping[str, Verify] = {"/webhooks/crawl": _standard, "/webhooks/qstash": _qstash}
