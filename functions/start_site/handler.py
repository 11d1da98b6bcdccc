"""Start a crawl of a saved site: by schedule, or because an event requests it."""

import os

from wavecrawl.application.start_site import Skip
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.cloud_settings import CloudSettings
from wavecrawl.cloud.start_site import REQUESTED, site_start, start_site
from wavecrawl.errors import InvalidInputError
from wavecrawl.telemetry import Context, Event, about, count, instrumented, logger

cloud = Cloud(CloudSettings.from_env(os.environ, needs=("table", "state_machine_arn")))


@instrumented
def handler(event: Event, _: Context) -> dict[str, object]:
    """Start the site's crawl, once for each message; skip it if it cannot be started now."""
    try:
        requested = site_start(event, own_tenant=cloud.settings.tenant)
    except InvalidInputError as error:
        if event.get("detail-type") != REQUESTED:
            raise
        # The sender's mistake: a repetition would not help, and it is no failure of the deployment.
        count("StartsSkipped")
        logger.warning("request of a crawl is not valid", event_id=event.get("id"), error=str(error))
        return {"crawl": "", "skipped": Skip.REFUSED.value}
    id_, skip = start_site(cloud, requested)
    about(id_)
    count("CrawlsStarted", skip is None)
    count("StartsSkipped", skip is not None)
    logger.info("crawl started" if skip is None else "crawl skipped", reason=skip.value if skip else "")
    return {"crawl": id_.crawl, "skipped": skip.value if skip else ""}
