"""The routes of the REST API that ask results: they need DuckDB, and more memory than the others."""

import os

from wavecrawl.api.app import Api
from wavecrawl.api.problems import Answer
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.cloud_settings import CloudSettings
from wavecrawl.telemetry import Context, Event, instrumented

cloud = Cloud(CloudSettings.from_env(os.environ, needs=("table", "bucket", "secret_id")))
api = Api(cloud)


@instrumented
def handler(event: Event, context: Context) -> Answer:
    """Answer a request."""
    return api.resolve(event, context)
