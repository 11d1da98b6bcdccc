"""The decorator stack of every function: logger, tracer, metrics, in that order.

Logs and traces hold ids and numbers: no event, no header, no body, no answer. Namespace, service and level come from
the environment (POWERTOOLS_METRICS_NAMESPACE, POWERTOOLS_SERVICE_NAME, POWERTOOLS_LOG_LEVEL).
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from aws_lambda_powertools import Logger, Metrics, Tracer
from aws_lambda_powertools.metrics import MetricUnit
from aws_lambda_powertools.utilities.typing import LambdaContext as Context

from wavecrawl.telemetry.xray import XRayDaemon

if TYPE_CHECKING:  # it brings everything that crawls are made of, and unsigned messages are no crawls
    from wavecrawl.domain.crawl.job import CrawlId

__all__ = [
    "Context",
    "Event",
    "Handler",
    "about",
    "about_nothing",
    "count",
    "instrumented",
    "logger",
    "metrics",
    "seconds",
    "tracer",
]

Event = dict[str, Any]
Handler = Callable[[Event, Context], Any]

logger = Logger(utc=True)
metrics = Metrics()
tracer = Tracer(provider=XRayDaemon(), auto_patch=False, disabled=False)  # the provider knows when there is no daemon


def instrumented(handler: Handler) -> Handler:
    """Wrap a function's handler into the stack. Metric `Failed` counts every invocation: 1 where it raised, else 0."""

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
    """Say in everything this thread logs and traces from here on which crawl it is about; `more`: wave, batch."""
    keys: Mapping[str, object] = {"crawl": str(crawl), **more}
    logger.thread_safe_append_keys(**keys)
    for key, value in keys.items():
        tracer.put_annotation(key, str(value))


def about_nothing() -> None:
    """Forget what `about` said in this thread, which begins something else. Functions do so by themselves."""
    logger.thread_safe_clear_keys()


def count(name: str, value: float = 1) -> None:
    """Add to a metric that counts."""
    metrics.add_metric(name=name, unit=MetricUnit.Count, value=value)


def seconds(name: str, value: float) -> None:
    """Add one value to a metric that is a duration."""
    metrics.add_metric(name=name, unit=MetricUnit.Seconds, value=value)
