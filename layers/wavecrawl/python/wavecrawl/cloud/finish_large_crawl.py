"""The Fargate task of large crawls: `python -m wavecrawl.cloud.finish_large_crawl`.

It does what the function finish_crawl does. Its input is in the environment variable WAVECRAWL_TASK.
"""

import json
import os
from collections.abc import Mapping

from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.cloud_settings import CloudSettings
from wavecrawl.cloud.finish_crawl import finish_task
from wavecrawl.cloud.step_input import OpenTask, task_of
from wavecrawl.telemetry import about, count, logger, metrics

TASK = "WAVECRAWL_TASK"
"""Environment variable: the crawl and the number of the execution, as JSON."""


def main(environ: Mapping[str, str] = os.environ) -> None:
    """Finish the crawl. An error ends the process with a status that is not zero, so the task fails."""
    cloud = Cloud(CloudSettings.from_env(environ, needs=("table", "bucket", "state_machine_arn")))
    task = task_of(json.loads(environ[TASK]), OpenTask)
    about(task.crawl)
    try:
        finish_task(cloud, task)
        count("Failed", 0)
    except Exception:
        logger.exception("failed")
        count("Failed")
        raise
    finally:
        metrics.flush_metrics()


if __name__ == "__main__":
    main()
