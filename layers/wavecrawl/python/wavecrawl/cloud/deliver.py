"""The function deliver: each message of its queue is an event of the bus, or a delivery to attempt."""

import json
from collections.abc import Mapping
from functools import cached_property
from random import random
from typing import TYPE_CHECKING, Any

import msgspec

from wavecrawl.adapters.aws.delivery_queue import delivery_from
from wavecrawl.application.deliver import DeliveryResult, deliver
from wavecrawl.application.deliveries import create_deliveries
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.http_clients import webhook_sender
from wavecrawl.cloud.sqs_messages import Message, process_messages
from wavecrawl.domain.webhooks.delivery import DeliveryId
from wavecrawl.errors import InvalidInputError
from wavecrawl.ports.events import CrawlEvent
from wavecrawl.telemetry import Event, count, logger

if TYPE_CHECKING:
    from wavecrawl.adapters.http.webhook_sender import GuardedWebhookSender


class DeliveryMessages:
    """Processes messages, one at a time."""

    def __init__(self, cloud: Cloud) -> None:
        self._cloud = cloud

    @cached_property
    def _sender(self) -> "GuardedWebhookSender":
        """The sender. Events of the bus, which become deliveries, need none."""
        settings = self._cloud.settings
        return webhook_sender(settings.contact, settings.allowed_addresses, self._cloud.current_controls)

    def process(self, event: Event) -> dict[str, list[dict[str, str]]]:
        """Process each message; return the messages to deliver again."""
        return process_messages(event, self._is_done)

    def _is_done(self, message: Message) -> bool:
        """Process a message; return False if it is to be delivered again: at its next turn, or after a failure."""
        try:
            due_at = self._next_turn(json.loads(message["body"]))
            if due_at is not None:
                self._cloud.deliveries_queue.wait(message["receiptHandle"], seconds=due_at - self._cloud.clock.now())
        except Exception:  # noqa: BLE001 - the other messages go on
            logger.exception("message failed")
            count("DeliveryMessagesFailed")
            return False
        return due_at is None

    def _next_turn(self, body: Any) -> float | None:
        """Process the body of a message; return the time of its next turn, None if it has none."""
        if isinstance(body, dict) and "detail-type" in body:
            event = _event_of(body)
            created = create_deliveries(event, self._cloud)
            logger.info("deliveries created", crawl=str(event.crawl), kind=event.kind.value, webhooks=created)
            return None
        id_ = delivery_from(json.dumps(body))
        turn = deliver(id_, self._cloud, self._sender, chance=random)
        _measure(id_, turn)
        return turn.due_at


def _event_of(message: Mapping[str, Any]) -> CrawlEvent:
    """Return the crawl event in an event of EventBridge.

    https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-events-structure.html
    """
    try:
        return msgspec.convert(message["detail"], CrawlEvent)
    except (KeyError, msgspec.ValidationError) as error:
        raise InvalidInputError(f"the message is not an event of a crawl: {error}") from error


def _measure(id_: DeliveryId, turn: DeliveryResult) -> None:
    attempt = turn.attempt
    if attempt is None:
        return
    count("WebhooksDelivered", attempt.taken)
    count("WebhookFailures", not attempt.taken)
    logger.info(
        "delivery attempted",
        tenant=id_.tenant,
        webhook=id_.webhook,
        delivery=id_.delivery,
        status=attempt.status,
        error=attempt.error,
        due_at=turn.due_at,
    )
