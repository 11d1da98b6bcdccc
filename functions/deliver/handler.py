"""Webhooks of tenants: events of the bus become deliveries, and each delivery has its turns."""

import os
from typing import Any

from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.cloud_settings import CloudSettings
from wavecrawl.cloud.deliver import DeliveryMessages
from wavecrawl.telemetry import Context, Event, instrumented

cloud = Cloud(CloudSettings.from_env(os.environ, needs=("table", "deliveries_queue_url")))
messages = DeliveryMessages(cloud)


@instrumented
def handler(event: Event, _: Context) -> Any:
    """Work on each message; say which of them are to come again."""
    return messages.process(event)
