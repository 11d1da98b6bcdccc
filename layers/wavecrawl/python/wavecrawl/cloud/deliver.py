"""The messages of the queue of deliveries: an event of the bus, or a delivery whose turn it may be."""

import json
from collections.abc import Mapping
from random import random
from typing import Any

import msgspec

from wavecrawl.adapters.aws.delivery_queue import delivery_from
from wavecrawl.application.deliver import Delivered, deliver
from wavecrawl.application.deliveries import create_deliveries
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.http_clients import webhook_sender
from wavecrawl.domain.webhooks.delivery import DeliveryId
from wavecrawl.errors import InvalidInputError
from wavecrawl.ports.events import CrawlEvent
from wavecrawl.telemetry import Event, count, logger


class DeliveryMessages:
    """Works on messages, one at a time."""

    def __init__(self, cloud: Cloud) -> None:
        self._cloud = cloud
        self._sender = webhook_sender(cloud.settings.contact, cloud.settings.allowed_addresses)

    def process(self, event: Event) -> dict[str, list[dict[str, str]]]:
        """Work on each message; return which of them are to be delivered again.

        https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
        """
        again = [record["messageId"] for record in event["Records"] if self._stays(record)]
        return {"batchItemFailures": [{"itemIdentifier": id_} for id_ in again]}

    def _stays(self, record: Mapping[str, Any]) -> bool:
        """Work on a message; tell whether it is to come again: at its next turn, or once what went wrong is over."""
        try:
            due_at = self._work_on(json.loads(record["body"]))
            if due_at is not None:
                self._cloud.deliveries_queue.wait(record["receiptHandle"], seconds=due_at - self._cloud.clock.now())
        except Exception:  # noqa: BLE001 - one message must not take the others with it; it comes again
            logger.exception("message failed")
            count("DeliveryMessagesFailed")
            return True
        return due_at is not None

    def _work_on(self, message: Any) -> float | None:
        """Return when the message's next turn is, None where it has none."""
        if isinstance(message, dict) and "detail-type" in message:
            event = _event_of(message)
            told = create_deliveries(event, self._cloud)
            logger.info("event fanned out", crawl=str(event.crawl), kind=event.kind.value, webhooks=told)
            return None
        id_ = delivery_from(json.dumps(message))
        turn = deliver(id_, self._cloud, self._sender, chance=random)
        _measure(id_, turn)
        return turn.due_at


def _event_of(message: Mapping[str, Any]) -> CrawlEvent:
    """Return what EventBridge delivered.

    https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-events-structure.html
    """
    try:
        return msgspec.convert(message["detail"], CrawlEvent)
    except (KeyError, msgspec.ValidationError) as error:
        raise InvalidInputError(f"the event tells of no crawl: {error}") from error


def _measure(id_: DeliveryId, turn: Delivered) -> None:
    attempt = turn.attempt
    if attempt is None:
        return
    count("WebhooksDelivered", attempt.taken)
    count("WebhookFailures", not attempt.taken)
    logger.info(
        "webhook tried",
        tenant=id_.tenant,
        webhook=id_.webhook,
        delivery=id_.delivery,
        status=attempt.status,
        error=attempt.error,
        due_at=turn.due_at,
    )
