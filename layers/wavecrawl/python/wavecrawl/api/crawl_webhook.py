"""The HTTP side of the webhook function: a signed message in, the started crawl out."""
# ruff: noqa: PLC0415 - requests without a valid signature must be cheap: the rest is imported after the check

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING

from wavecrawl.api.http_request import Event, HttpRequest, http_request
from wavecrawl.api.problems import Answer, Problem, json_answer, problem_of
from wavecrawl.domain.crawl.signed_message import SignedMessage
from wavecrawl.telemetry import count, logger

if TYPE_CHECKING:
    from wavecrawl.application.request_crawl import CrawlRequest
    from wavecrawl.bootstrap.cloud import Cloud

Start = Callable[[SignedMessage, "CrawlRequest"], Mapping[str, str]]
"""Starts the crawl that a message requests; returns the body of the response."""


class CrawlWebhook:
    """Responds to POST /webhooks/crawl and POST /webhooks/qstash."""

    def __init__(self, cloud: "Cloud") -> None:
        """Use settings and secrets of `cloud`; secrets are read only if a request has a signature."""
        self._cloud = cloud
        self._verifiers: Mapping[str, Callable[[HttpRequest], SignedMessage]] = {
            "/webhooks/crawl": self._standard,
            "/webhooks/qstash": self._qstash,
        }

    def respond(self, event: Event, start: Start) -> Answer:
        """Return the response to a request. Every error becomes a problem response."""
        try:
            return self._accepted(event, start)
        except Exception as error:  # noqa: BLE001 - the sender gets a response, whatever the error
            problem = problem_of(error)
            if problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                logger.error("message failed", exc_info=error)
                count("Failed")
            else:
                logger.info("message refused", status=problem.status.value)
            return problem.answer()

    def _accepted(self, event: Event, start: Start) -> Answer:
        request = http_request(event, max_body=self._cloud.settings.max_body_bytes)
        verify = self._verifiers.get(request.path)
        if verify is None:
            raise Problem(HTTPStatus.NOT_FOUND, f"there is no {request.path}")
        if request.method != "POST":
            raise Problem(HTTPStatus.METHOD_NOT_ALLOWED, "send a POST", headers={"allow": "POST"})
        try:
            message = verify(request)
        except Problem:
            count("SignaturesRefused")
            raise
        from wavecrawl.api.crawl_request import crawl_request

        started = start(message, crawl_request(request.body))
        count("CrawlsStarted")
        return json_answer(HTTPStatus.ACCEPTED, started)

    def _standard(self, request: HttpRequest) -> SignedMessage:
        from wavecrawl.api.signatures.standard_webhook import signed_webhook

        return signed_webhook(request, lambda: self._cloud.secrets.current().webhook_secrets)

    def _qstash(self, request: HttpRequest) -> SignedMessage:
        url = self._cloud.settings.qstash_url
        if not url:
            raise Problem(HTTPStatus.NOT_FOUND, "this deployment does not accept QStash messages")
        from wavecrawl.api.signatures.qstash import signed_by_qstash

        return signed_by_qstash(request, lambda: self._cloud.secrets.current().qstash_keys, url=url)
