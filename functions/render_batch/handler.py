"""One batch of pages to render: each message of the queue is a batch."""

import os
from typing import Any

from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.cloud_settings import CloudSettings
from wavecrawl.cloud.render_batch import RenderMessages
from wavecrawl.telemetry import Context, Event, instrumented

cloud = Cloud(CloudSettings.from_env(os.environ, needs=("table", "bucket", "render_queue_url")), on_x86=True)
messages = RenderMessages(cloud)


@instrumented
def handler(event: Event, context: Context) -> Any:
    """Render the batch of each message; say which of them are to be delivered again."""
    with cloud.invocation(context.memory_limit_in_mb):
        return messages.process(event, context)
