"""The crawl of a saved site, started by its schedule or by an event that asks for it."""

import os

from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.cloud_settings import CloudSettings
from wavecrawl.cloud.site_starting import start_in_cloud
from wavecrawl.cloud.start_site import site_start
from wavecrawl.telemetry import Context, Event, about, count, instrumented, logger

cloud = Cloud(CloudSettings.from_env(os.environ, needs=("table", "state_machine_arn")))


@instrumented
def handler(event: Event, _: Context) -> dict[str, object]:
    """Start the site's crawl, once for each message; skip it where it cannot be started now."""
    asked = site_start(event, own_tenant=cloud.settings.tenant)
    id_, skip = start_in_cloud(cloud, asked.tenant, asked.site, message=asked.message, scheduled=asked.scheduled)
    about(id_)
    count("CrawlsStarted", skip is None)
    count("StartsSkipped", skip is not None)
    logger.info("crawl started" if skip is None else "crawl skipped", reason=skip.value if skip else "")
    return {"crawl": id_.crawl, "skipped": skip.value if skip else ""}
