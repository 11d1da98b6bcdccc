"""The Fargate task that finishes large crawls: `python -m wavecrawl.cloud.finish_large_crawl`.

It does what the function finish_crawl does.
"""

import os
from collections.abc import Mapping

from wavecrawl.cloud.fargate import run_program
from wavecrawl.cloud.finish_crawl import finish_task
from wavecrawl.cloud.step_input import OpenTask


def main(environ: Mapping[str, str] = os.environ) -> None:
    """Finish the crawl that the environment names."""
    run_program(environ, OpenTask, finish_task, needs=("table", "bucket", "state_machine_arn"))


if __name__ == "__main__":
    main()
