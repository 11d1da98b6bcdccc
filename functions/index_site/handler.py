"""The knowledge index: each message of the queue is a crawl to index, or something to remove."""

import os
from typing import Any

from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.cloud_settings import CloudSettings
from wavecrawl.cloud.index_site import IndexMessages
from wavecrawl.telemetry import Context, Event, instrumented

cloud = Cloud(CloudSettings.from_env(os.environ, needs=("table", "bucket", "index_queue_url")))
messages = IndexMessages(cloud)


@instrumented
def handler(event: Event, context: Context) -> Any:
    """Process each message; say which of them are to be delivered again."""
    return messages.process(event, context)
