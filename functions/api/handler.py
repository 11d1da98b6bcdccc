"""The REST API: every route of `web.api`."""

import os

from wavecrawl.api.app import Api
from wavecrawl.api.problems import Answer
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.cloud_settings import CloudSettings
from wavecrawl.cloud.self_test import self_tested
from wavecrawl.telemetry import Context, Event, instrumented

cloud = Cloud(CloudSettings.from_env(os.environ, needs=("table", "bucket", "state_machine_arn", "secret_id")))
api = Api(cloud)


@instrumented
@self_tested(
    cloud,
    *("table", "objects_read", "objects_that_expire", "catalog_removals", "state_machine", "secret", "schedules"),
    "credentials_removed",
    *("bus", "deliveries_sent"),
)
def handler(event: Event, context: Context) -> Answer:
    """Answer a request."""
    return api.resolve(event, context)
