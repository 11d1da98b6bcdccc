"""Logger, tracer and metrics of the Lambda functions.

Logs and traces contain ids and numbers, but no events, headers, bodies or responses. Namespace, service and level come
from the environment (POWERTOOLS_METRICS_NAMESPACE, POWERTOOLS_SERVICE_NAME, POWERTOOLS_LOG_LEVEL).
"""

import logging
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools import Logger, Metrics, Tracer
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.typing import LambdaContext

from wavecrawl.telemetry.xray import XRayDaemon

if TYPE_CHECKING:  # the import would slow down the rejection of unsigned messages
    from wavecrawl.domain.crawl.job import CrawlId

Context = LambdaContext
Event = dict[str, Any]
Handler = Callable[[Event, Context], Any]

logger = Logger(utc=True)
if "POWERTOOLS_LOG_LEVEL" in os.environ:
    # The logger follows AWS_LAMBDA_LOG_LEVEL alone, which must not be above INFO, or Lambda would drop the metrics:
    # https://docs.aws.amazon.com/powertools/python/latest/core/logger/#aws-lambda-advanced-logging-controls-alc
    logging.getLogger(logger.service).setLevel(os.environ["POWERTOOLS_LOG_LEVEL"])
# Lambda sets its level on the root logger as well. Debug lines of libraries contain credentials and bodies.
logging.getLogger().setLevel(max(logging.getLogger().level, logging.INFO))
metrics = Metrics()
tracer = Tracer(provider=XRayDaemon(), auto_patch=False, disabled=False)  # the provider does nothing without a daemon


def instrumented(handler: Handler) -> Handler:
    """Add logs, traces and metrics to a handler. Metric `Failed` counts each invocation: 1 if it raised, else 0."""

    def counted(event: Event, context: Context) -> Any:
        try:
            result = handler(event, context)
        except Exception:
            logger.exception("failed")
            count("Failed")
            raise
        count("Failed", 0)
        return result

    counted.__name__ = handler.__module__
    measured: Handler = metrics.log_metrics(capture_cold_start_metric=True)(counted)
    traced: Handler = tracer.capture_lambda_handler(capture_response=False, capture_error=False)(measured)
    return logger.inject_lambda_context(log_event=False, clear_state=True)(traced)


def about(crawl: "CrawlId", **more: object) -> None:
    """Add the crawl to all later logs and traces of this thread, and `more`, such as wave and batch."""
    keys: Mapping[str, object] = {"crawl": str(crawl), **more}
    logger.thread_safe_append_keys(**keys)
    for key, value in keys.items():
        tracer.put_annotation(key, str(value))


def about_nothing() -> None:
    """Remove what `about` added in this thread. `instrumented` does this for each invocation."""
    logger.thread_safe_clear_keys()


def count(name: str, value: float = 1) -> None:
    """Add to a counter metric."""
    metrics.add_metric(name=name, unit=MetricUnit.Count, value=value)


def seconds(name: str, value: float) -> None:
    """Add a value to a duration metric."""
    metrics.add_metric(name=name, unit=MetricUnit.Seconds, value=value)
