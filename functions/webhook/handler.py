"""POST /webhooks/crawl and /webhooks/qstash: a signed message starts a crawl."""

import os
from typing import TYPE_CHECKING

from wavecrawl.api.crawl_webhook import CrawlWebhook
from wavecrawl.api.problems import Answer
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.cloud_settings import CloudSettings
from wavecrawl.domain.crawl.signed_message import SignedMessage
from wavecrawl.telemetry import Context, Event, about, instrumented

if TYPE_CHECKING:
    from wavecrawl.application.request_crawl import CrawlRequest
    from wavecrawl.application.start_by_message import StartedCrawl

cloud = Cloud(CloudSettings.from_env(os.environ, needs=("table", "state_machine_arn", "secret_id")))


@instrumented
def handler(event: Event, _context: Context) -> Answer:
    """Start the crawl that a signed message requests."""
    return respond(event)


def respond(event: Event) -> Answer:
    """Do so, without the invocation's logs, traces and metrics."""

    def start(message: SignedMessage, requested: "CrawlRequest") -> "StartedCrawl":
        from wavecrawl.application.start_by_message import start_by_message  # noqa: PLC0415 - so unsigned ones are cheap

        started = start_by_message(message, requested, cloud, cloud.settings)
        about(started.crawl)
        return started

    return CrawlWebhook(
        lambda: cloud.secrets.current(),  # noqa: PLW0108 - the client is made for signed messages only
        qstash_url=cloud.settings.qstash_url,
        max_body=cloud.settings.max_body_bytes,
    ).respond(event, start)
