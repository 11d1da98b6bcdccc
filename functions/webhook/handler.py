"""POST /webhooks/crawl and /webhooks/qstash: a signed message starts a crawl."""

import os
from http import HTTPStatus

from wavecrawl.api.crawl_webhook import receive
from wavecrawl.api.problems import Answer, problem_of
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.cloud_settings import CloudSettings
from wavecrawl.telemetry import Context, Event, count, instrumented, logger

cloud = Cloud(CloudSettings.from_env(os.environ, needs=("table", "state_machine_arn", "secret_id")))


@instrumented
def handler(event: Event, context: Context) -> Answer:
    """Start the crawl that a signed message asks for; answer whatever is wrong with it as a problem."""
    try:
        return receive(event, context, cloud)
    except Exception as error:  # noqa: BLE001 - whoever sent the message gets an answer, whatever happens
        problem = problem_of(error)
        if problem.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            logger.error("message failed", exc_info=error)
            count("Failed")
        else:
            logger.info("message refused", status=problem.status.value)
        return problem.answer()
