"""The REST API: every route of `web.api`."""

import os

from wavecrawl.adapters.aws import check_site
from wavecrawl.api.app import Api
from wavecrawl.api.problems import Answer
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.cloud_settings import CloudSettings
from wavecrawl.telemetry import Context, Event, instrumented

cloud = Cloud(CloudSettings.from_env(os.environ, needs=("table", "bucket", "state_machine_arn", "secret_id")))
api = Api(cloud)


@instrumented
def handler(event: Event, context: Context) -> Answer:
    """Answer a request."""
    return check_site.response(event) or api.resolve(event, context)
