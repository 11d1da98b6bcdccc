"""The metrics of crawls: their names in CloudWatch (EMF) and in Prometheus, each stated once."""

from enum import StrEnum
from typing import Final

from msgspec import Struct


class MetricKind(StrEnum):
    """The types of Prometheus: https://prometheus.io/docs/concepts/metric_types/."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


class Metric(Struct, frozen=True, kw_only=True):
    """A figure of crawls. `emf` or `prometheus` is "" if it is not reported there."""

    emf: str
    prometheus: str  # without the prefix `wavecrawl_`
    kind: MetricKind
    help: str


def _metric(emf: str, prometheus: str, kind: MetricKind, text: str) -> Metric:
    return Metric(emf=emf, prometheus=prometheus, kind=kind, help=text)


_COUNTER, _GAUGE, _HISTOGRAM = MetricKind.COUNTER, MetricKind.GAUGE, MetricKind.HISTOGRAM

FETCH_DURATION: Final = _metric(
    "FetchDuration", "fetch_duration_seconds", _HISTOGRAM, "Time of a request with a response, to the last byte."
)
PROCESSING_DURATION: Final = _metric(
    "ProcessingDuration",
    "processing_duration_seconds",
    _HISTOGRAM,
    "CPU time of a page, in the worker's thread and in the process that reads expensive pages.",
)
QUEUE_LATENCY: Final = _metric(
    "QueueLatency", "queue_latency_seconds", _HISTOGRAM, "Time that a batch waited for a worker after its start."
)
PLANNING_DURATION: Final = _metric(
    "PlanningDuration",
    "planning_duration_seconds",
    _HISTOGRAM,
    "Time to gather the records of a wave, and to plan and store the next one.",
)
REQUESTED: Final = _metric("", "urls_requested_total", _COUNTER, "Tries of pages that were requested.")
FETCHED: Final = _metric("PagesFetched", "pages_fetched_total", _COUNTER, "Pages fetched or found unchanged.")
UNCHANGED: Final = _metric("", "pages_unchanged_total", _COUNTER, "Pages found unchanged since an earlier crawl.")
FAILED: Final = _metric(
    "PagesFailed", "pages_failed_total", _COUNTER, "Pages that ended in an error: 4xx, 5xx or no response."
)
MEDIA_FETCHED: Final = _metric("MediaFetched", "media_fetched_total", _COUNTER, "Media stored or found unchanged.")
MEDIA_FAILED: Final = _metric(
    "MediaFailed", "media_failed_total", _COUNTER, "Media that ended in an error: 4xx, 5xx or no response."
)
CHECKED: Final = _metric("UrlsChecked", "urls_checked_total", _COUNTER, "Tries of URLs that are checked only.")
CHECKS_FAILED: Final = _metric(
    "ChecksFailed", "checks_failed_total", _COUNTER, "Checked URLs that ended in an error: 4xx, 5xx or no response."
)
SUCCESS_RATE: Final = _metric("SuccessRate", "success_ratio", _GAUGE, "Share of requested pages that have content.")
BYTES: Final = _metric("BytesFetched", "bytes_fetched_total", _COUNTER, "Bytes of bodies, as transferred.")
ROBOTS_DENIALS: Final = _metric("RobotsDenials", "robots_denials_total", _COUNTER, "URLs that robots.txt denies.")
RETRIES: Final = _metric("Retries", "retries_total", _COUNTER, "Retries after errors, by class.")
STALE_LEASES: Final = _metric(
    "StaleLeases", "stale_leases_total", _COUNTER, "Batches that another worker took over from one that ended."
)
REDISPATCHES: Final = _metric("Redispatches", "redispatches_total", _COUNTER, "Waves that were sent again.")
FRONTIER_DEPTH: Final = _metric(
    "FrontierDepth", "frontier_depth", _GAUGE, "URLs to be requested, as of the last wave, those of this wave included."
)
DUPLICATES: Final = _metric("", "duplicates", _GAUGE, "Pages of an ended crawl that are duplicates, by kind.")
OBJECTIVE: Final = _metric(
    "", "objective_value", _GAUGE, "Figures that an ended crawl is judged by, such as its change yield."
)
HOST_INTERVAL: Final = _metric("", "host_interval_seconds", _GAUGE, "Time between two requests to the host.")
CRAWLS: Final = _metric("", "crawls", _GAUGE, "Queued, running and paused crawls.")

METRICS: Final = (
    FETCH_DURATION,
    PROCESSING_DURATION,
    QUEUE_LATENCY,
    PLANNING_DURATION,
    REQUESTED,
    FETCHED,
    UNCHANGED,
    FAILED,
    MEDIA_FETCHED,
    MEDIA_FAILED,
    CHECKED,
    CHECKS_FAILED,
    SUCCESS_RATE,
    BYTES,
    ROBOTS_DENIALS,
    RETRIES,
    STALE_LEASES,
    REDISPATCHES,
    FRONTIER_DEPTH,
    DUPLICATES,
    OBJECTIVE,
    HOST_INTERVAL,
    CRAWLS,
)
"""All metrics of running crawls, in the order in which they are reported."""
