"""Webhook deliveries on one machine: a thread of `wavecrawl serve`."""

import logging
from collections.abc import Sequence
from random import random

from wavecrawl.adapters.embedded.delivery_worker import DeliveryThread, DeliveryWorker
from wavecrawl.application.deliver import DeliveryResult, deliver
from wavecrawl.bootstrap.http_clients import webhook_sender
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.webhooks.delivery import DeliveryId

logger = logging.getLogger(__name__)


def delivery_worker(store: LocalStore, *, contact: str, allowed: Sequence[str]) -> DeliveryWorker:
    """Return a worker that attempts the due deliveries of a data folder."""
    sender = webhook_sender(contact, allowed, store.current_controls)

    def turn(id_: DeliveryId) -> DeliveryResult:
        return deliver(id_, store, sender, chance=random)

    return DeliveryWorker(deliveries=store.deliveries, deliver=turn)


def delivery_thread(store: LocalStore, *, contact: str, allowed: Sequence[str]) -> DeliveryThread:
    """Return a thread that runs this worker."""
    worker = delivery_worker(store, contact=contact, allowed=allowed)
    return DeliveryThread(worker, now=store.clock.now, on_error=_report)


def _report(error: Exception) -> None:
    logger.error("delivering webhooks failed; it will be retried", exc_info=error)
