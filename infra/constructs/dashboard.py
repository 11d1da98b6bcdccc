"""The widgets of the dashboard."""

from collections.abc import Sequence
from typing import Final

from aws_cdk import aws_cloudwatch as cloudwatch

from infra.constructs.functions import WORKERS
from infra.constructs.watched import Watched
from wavecrawl.domain.crawl.job import BatchKind

MOST_METRICS: Final = 50
"""Metrics of a dashboard that may be one of the free ones: https://aws.amazon.com/cloudwatch/pricing/"""

_TIMED: Final = ("run_wave", "fetch_batch", "finish_crawl")
"""Functions whose duration is shown: those that may run out of time or whose time is most of the bill."""

_COUNTED: Final = (*WORKERS.values(), "fold_wave", "index_site", "deliver", "webhook", "api", "results")
"""Functions whose invocations are shown. The others are steps of crawls."""

_OWN: Final = (
    ("Pages", (("fetch_batch", "PagesFetched"), ("fetch_batch", "PagesFailed"), ("fetch_batch", "BatchesFailed"))),
    ("Frontier: waiting URLs", (("run_wave", "FrontierDepth"),)),
    ("Cost of finished crawls, dollars", (("finish_crawl", "CrawlUsd"),)),
    ("Webhooks", (("deliver", "WebhooksDelivered"), ("deliver", "WebhookFailures"))),
)
"""Graphs of the functions' own metrics. A search would show all, but would be more than MOST_METRICS."""


def widgets(watched: Watched, alarms: Sequence[cloudwatch.Alarm]) -> list[list[cloudwatch.IWidget]]:
    """Return the rows of the dashboard."""
    functions = watched.functions
    state: list[cloudwatch.IWidget] = []
    if alarms:
        state.append(cloudwatch.AlarmStatusWidget(title="Alarms", alarms=list(alarms), width=24))
    return [
        state,
        _crawls(watched),
        [
            _graph(title, [watched.own_metric(function, name) for function, name in shown], width=6)
            for title, shown in _OWN
        ],
        [
            _graph(
                "Invocations",
                [functions[name].metric_invocations(label=name) for name in _COUNTED if name in functions],
            ),
            _graph("Errors", [function.metric_errors(label=name) for name, function in functions.items()]),
            _graph(
                "Duration (p95)",
                [functions[name].metric_duration(label=name, statistic="p95") for name in _TIMED],
            ),
        ],
        _services(watched),
    ]


def _crawls(watched: Watched) -> list[cloudwatch.IWidget]:
    machine, fetch = watched.machine, watched.queues.batches[BatchKind.FETCH].queue
    return [
        _graph("Crawls", [machine.metric_started(), machine.metric_succeeded(), machine.metric_failed()]),
        _graph(
            "Batches: waiting, running, delayed",
            [
                fetch.metric_approximate_number_of_messages_visible(),
                fetch.metric_approximate_number_of_messages_not_visible(),
                fetch.metric_approximate_number_of_messages_delayed(),
            ],
        ),
        _graph("Age of the oldest waiting batch", [fetch.metric_approximate_age_of_oldest_message()]),
    ]


def _services(watched: Watched) -> list[cloudwatch.IWidget]:
    stage = watched.stage
    return [
        _graph(
            "Table: consumed capacity",
            [watched.table_metric("ConsumedWriteCapacityUnits"), watched.table_metric("ConsumedReadCapacityUnits")],
        ),
        _graph("API: requests", [stage.metric_count(), stage.metric_client_error(), stage.metric_server_error()]),
        _graph("API: latency (p95)", [stage.metric_latency(statistic="p95")]),
    ]


def _graph(title: str, metrics: Sequence[cloudwatch.IMetric], *, width: int = 8) -> cloudwatch.GraphWidget:
    return cloudwatch.GraphWidget(title=title, left=list(metrics), width=width)
