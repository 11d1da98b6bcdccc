"""What the programs of the Fargate task for large crawls have in common. The state machine says which one runs."""

import json
from collections.abc import Callable, Mapping
from typing import Protocol, TypeVar

from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.cloud_settings import CloudSettings
from wavecrawl.cloud.step_input import task_of
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.telemetry import about, count, logger, metrics

TASK = "WAVECRAWL_TASK"
"""Environment variable: the input of the program, as JSON."""


class _OfACrawl(Protocol):
    """The input of a program."""

    @property
    def crawl(self) -> CrawlId:
        """The crawl that it works for."""
        ...


_Input = TypeVar("_Input", bound=_OfACrawl)


def run_program(
    environ: Mapping[str, str],
    shape: type[_Input],
    program: Callable[[Cloud, _Input], object],
    *,
    needs: tuple[str, ...],
) -> None:
    """Run a program. An error ends the process with a status that is not zero, so the task fails.

    `needs`: the settings that must be set.
    """
    cloud = Cloud(CloudSettings.from_env(environ, needs=needs))
    task = task_of(json.loads(environ[TASK]), shape)
    about(task.crawl)
    try:
        program(cloud, task)
        count("Failed", 0)
    except Exception:
        logger.exception("failed")
        count("Failed")
        raise
    finally:
        metrics.flush_metrics()
