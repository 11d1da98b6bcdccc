"""The webhooks that start crawls, in `wavecrawl serve`. In AWS they are the function `webhook`."""

from collections.abc import Callable, Mapping
from typing import Any

from wavecrawl.api.asgi import Answer, Respond
from wavecrawl.api.backend import Backend
from wavecrawl.api.crawl_webhook import WEBHOOKS, CrawlWebhook, MessageSecrets
from wavecrawl.application.request_crawl import CrawlRequest
from wavecrawl.application.start_by_message import StartedCrawl, start_by_message
from wavecrawl.domain.crawl.signed_message import SignedMessage


def crawl_webhooks(backend: Backend, secrets: Callable[[], MessageSecrets], *, base_url: str) -> Respond:
    """Return what responds to signed messages. `base_url`: that of the API, as QStash calls it."""
    webhook = CrawlWebhook(secrets, qstash_url=f"{base_url}{WEBHOOKS}qstash", max_body=backend.settings.max_body_bytes)

    def start(message: SignedMessage, requested: CrawlRequest) -> StartedCrawl:
        return start_by_message(message, requested, backend, backend.settings)

    def respond(event: Mapping[str, Any]) -> Answer | None:
        return webhook.respond(event, start) if event["rawPath"].startswith(WEBHOOKS) else None

    return respond
