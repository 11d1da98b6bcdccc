"""Parts of the results of running crawls: each message of the queue is a part."""

import os
from typing import Any

from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.cloud_settings import CloudSettings
from wavecrawl.cloud.fold_wave import FoldMessages
from wavecrawl.telemetry import Context, Event, instrumented

cloud = Cloud(CloudSettings.from_env(os.environ, needs=("table", "bucket")))
messages = FoldMessages(cloud)


@instrumented
def handler(event: Event, context: Context) -> Any:
    """Fold the part of each message; say which of them are to be delivered again."""
    return messages.process(event, context)
