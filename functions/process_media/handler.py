"""One batch of media URLs: each message of the queue is a batch."""

import os
from typing import Any

from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.cloud_settings import CloudSettings
from wavecrawl.cloud.process_media import MediaMessages
from wavecrawl.telemetry import Context, Event, instrumented

cloud = Cloud(CloudSettings.from_env(os.environ, needs=("table", "bucket", "media_queue_url")))
messages = MediaMessages(cloud)


@instrumented
def handler(event: Event, context: Context) -> Any:
    """Process the batch of each message; say which of them are to be delivered again."""
    with cloud.invocation(context.memory_limit_in_mb):
        return messages.process(event, context)
