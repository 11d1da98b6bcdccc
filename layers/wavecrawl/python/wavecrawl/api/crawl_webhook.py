"""Webhooks that start crawls: a signed message in, the started crawl out."""
# ruff: noqa: PLC0415 - requests without a valid signature must be cheap: the rest is imported after the check

from collections.abc import Callable, Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Protocol

from wavecrawl.api.http_request import Event, HttpRequest, http_request
from wavecrawl.api.problems import Answer, Problem, json_answer, problem_of
from wavecrawl.domain.crawl.signed_message import SignedMessage
from wavecrawl.errors import CorruptDataError
from wavecrawl.telemetry import count, logger

if TYPE_CHECKING:
    from wavecrawl.application.request_crawl import CrawlRequest
    from wavecrawl.application.start_by_message import StartedCrawl

Start = Callable[[SignedMessage, "CrawlRequest"], "StartedCrawl"]
"""Starts the crawl that a message requests, unless an earlier delivery did; returns it."""


class MessageSecrets(Protocol):
    """The secrets that messages are signed with. During a rotation, several are valid."""

    @property
    def webhook_secrets(self) -> tuple[str, ...]:
        """Secrets of the Standard Webhooks specification: whsec_<base64>."""
        ...

    @property
    def qstash_keys(self) -> tuple[str, ...]:
        """QStash's current signing key, then the next."""
        ...


WEBHOOKS: Final = "/webhooks/"
"""The start of the paths that receive messages."""

SIGNED_PATHS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "/webhooks/crawl": ("webhook-id", "webhook-timestamp", "webhook-signature"),
        "/webhooks/qstash": ("upstash-signature",),
    }
)
"""The paths that receive messages, and the headers that a signed message has there. Other paths need an API key."""


def has_signature(event: Event) -> bool:
    """Return whether a request to one of `SIGNED_PATHS` has its headers.

    Only the body shows if the signature is valid.
    """
    headers = {name.lower() for name, value in event.get("headers", {}).items() if value}
    return headers.issuperset(SIGNED_PATHS[event["rawPath"]])


class CrawlWebhook:
    """Responds to POST /webhooks/crawl and POST /webhooks/qstash."""

    def __init__(self, secrets: Callable[[], MessageSecrets], *, qstash_url: str, max_body: int) -> None:
        """`secrets` are read only if a request has a signature. `qstash_url`: the URL that QStash calls; "" = none."""
        self._secrets = secrets
        self._qstash_url = qstash_url
        self._max_body = max_body
        self._verifiers: Mapping[str, Callable[[HttpRequest], SignedMessage]] = {
            "/webhooks/crawl": self._standard,
            "/webhooks/qstash": self._qstash,
        }

    def respond(self, event: Event, start: Start) -> Answer:
        """Return the response to a request. Every error becomes a problem response."""
        try:
            return self._accepted(event, start)
        except CorruptDataError as error:  # its message says what to correct: a traceback adds nothing
            logger.error("message failed", reason=str(error))
            count("Failed")
            return Problem(
                HTTPStatus.SERVICE_UNAVAILABLE, "the service cannot read its data; its log says why"
            ).answer()
        except Exception as error:  # noqa: BLE001 - the sender gets a response, whatever the error
            problem = problem_of(error)
            if problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                logger.error("message failed", exc_info=error)
                count("Failed")
            else:
                logger.info("message refused", status=problem.status.value)
            return problem.answer()

    def _accepted(self, event: Event, start: Start) -> Answer:
        request = http_request(event, max_body=self._max_body)
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
        body = {"crawl": started.crawl.crawl, "site": started.crawl.site, "status": started.status}
        if started.repeated:  # senders retry until they get a 2xx status
            return json_answer(HTTPStatus.OK, body)
        count("CrawlsStarted")
        return json_answer(HTTPStatus.ACCEPTED, body)

    def _standard(self, request: HttpRequest) -> SignedMessage:
        from wavecrawl.api.signatures.standard_webhook import signed_webhook

        return signed_webhook(request, lambda: self._secrets().webhook_secrets)

    def _qstash(self, request: HttpRequest) -> SignedMessage:
        if not self._qstash_url:
            raise Problem(HTTPStatus.NOT_FOUND, "this deployment does not accept QStash messages")
        from wavecrawl.api.signatures.qstash import signed_by_qstash

        return signed_by_qstash(request, lambda: self._secrets().qstash_keys, url=self._qstash_url)
