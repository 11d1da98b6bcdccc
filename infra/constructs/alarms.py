"""The conditions of alarms."""

from dataclasses import dataclass
from typing import Final

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_sqs as sqs

from infra.config import AlarmSet
from infra.constructs.functions import WORKERS
from infra.constructs.watched import PERIOD, Watched
from wavecrawl.domain.crawl.job import BatchKind

OLDEST_MESSAGE: Final = Duration.hours(1)  # a batch that waits longer has no worker
OLDEST_FOLD: Final = Duration.hours(6)  # a part that failed is tried again after 90 minutes
OLDEST_INDEXING: Final = Duration.hours(12)  # a site with a million pages takes hours
OLDEST_DELIVERY: Final = Duration.hours(36)  # a day of retries plus the receiver's Retry-After

REPEATED: Final = 3
"""Failures in one period that are no passing disturbance: a batch that cannot work is tried three times in it."""

FEW: Final = (
    *("failed-crawls", "server-errors", "fetch-queue-age", "failed-batches", "undelivered-events"),
    *("fetch-dead-letters", "deliveries-dead-letters"),
    *("fetch-batch-errors", "fetch-batch-throttles", "deliver-errors"),
)
"""The ten alarms of AlarmSet.FEW: with them, each part that stops working is noticed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """The condition of an alarm: the metric is at or above the threshold in one period."""

    name: str
    metric: cloudwatch.IMetric
    description: str
    threshold: float = 1


def conditions(watched: Watched, alarms: AlarmSet) -> list[Condition]:
    """Return the conditions of a set of alarms.

    Each has one metric. An alarm over several is billed per metric (https://aws.amazon.com/cloudwatch/pricing/), so it
    would cost as much and not name the function.
    """
    if alarms is AlarmSet.NONE:
        return []
    found = [
        *_of_crawls(watched),
        *_of_slow_batches(watched, BatchKind.RENDER, "renders", "a browser"),
        *_of_slow_batches(watched, BatchKind.MEDIA, "media", "process_media"),
        *_of_indexing(watched),
        *_of_queues(watched),
        *_of_services(watched),
        *_of_functions(watched),
    ]
    return found if alarms is AlarmSet.ALL else [condition for condition in found if condition.name in FEW]


def _of_crawls(watched: Watched) -> list[Condition]:
    machine = watched.machine
    return [
        Condition(name="failed-crawls", metric=machine.metric_failed(period=PERIOD), description="A crawl failed."),
        Condition(
            name="stopped-crawls",
            metric=machine.metric_aborted(period=PERIOD),
            description="An execution was stopped from outside; its crawl is marked as failed.",
        ),
        # A function that reports its failures to SQS does not fail itself, so it has no errors:
        # https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
        Condition(
            name="failed-batches",
            metric=watched.own_metric("fetch_batch", "BatchesFailed"),
            threshold=REPEATED,
            description="Batches failed and are retried. See 'batch failed' in the log of fetch_batch.",
        ),
        Condition(
            name="failed-folds",
            metric=watched.own_metric("fold_wave", "FoldsFailed"),
            threshold=REPEATED,
            description="Parts of results failed and are retried. See 'fold failed' in the log of fold_wave.",
        ),
        Condition(
            name="failed-deliveries",
            metric=watched.own_metric("deliver", "DeliveryMessagesFailed"),
            threshold=REPEATED,
            description="Deliveries failed for internal errors and are retried. See the log of deliver.",
        ),
    ]


def _dead_letters(name: str, queue: sqs.IQueue, description: str) -> Condition:
    metric = queue.metric_approximate_number_of_messages_visible(period=PERIOD)
    return Condition(name=name, metric=metric, description=description)


def _age(name: str, queue: sqs.IQueue, longest: Duration, description: str) -> Condition:
    metric = queue.metric_approximate_age_of_oldest_message(period=PERIOD)
    return Condition(name=name, metric=metric, threshold=longest.to_seconds(), description=description)


def _of_queues(watched: Watched) -> list[Condition]:
    queues = watched.queues
    return [
        _dead_letters(
            "fetch-dead-letters",
            queues.batches[BatchKind.FETCH].dead,
            "Batches failed in all deliveries. See operations.md, redrive.",
        ),
        _dead_letters(
            "undelivered-events",
            queues.undelivered,
            "fail_crawl did not receive a stopped execution; its site may still be locked.",
        ),
        _dead_letters(
            "deliveries-dead-letters",
            queues.deliveries_dead,
            "Events or deliveries failed, so webhooks were not called. See the log of deliver.",
        ),
        _dead_letters(
            "folds-dead-letters",
            queues.folds_dead,
            "Parts failed in all deliveries. The end of the crawl makes them. See the log of fold_wave.",
        ),
        _age(
            "folds-queue-age",
            queues.folds,
            OLDEST_FOLD,
            "Parts wait for fold_wave, so queries over running crawls lag behind.",
        ),
        _age(
            "deliveries-queue-age",
            queues.deliveries,
            OLDEST_DELIVERY,
            "Deliveries wait longer than all their retries take.",
        ),
        _age(
            "fetch-queue-age",
            queues.batches[BatchKind.FETCH].queue,
            OLDEST_MESSAGE,
            "Batches wait for workers. See worker_concurrency.",
        ),
    ]


def _of_slow_batches(watched: Watched, kind: BatchKind, name: str, waits_for: str) -> list[Condition]:
    """Return the conditions of a kind of batches that a deployment may be without."""
    queue, function = watched.queues.batches.get(kind), WORKERS[kind]
    if queue is None:
        return []
    return [
        Condition(
            name=f"failed-{name}",
            metric=watched.own_metric(function, "BatchesFailed"),
            threshold=REPEATED,
            description=f"Batches failed and are retried. See 'batch failed' in the log of {function}.",
        ),
        _dead_letters(
            f"{kind}-dead-letters",
            queue.dead,
            f"Batches of {function} failed in all deliveries. See operations.md, redrive.",
        ),
        _age(
            f"{kind}-queue-age", queue.queue, OLDEST_MESSAGE, f"Batches wait for {waits_for}. See worker_concurrency."
        ),
    ]


def _of_indexing(watched: Watched) -> list[Condition]:
    """Return the conditions of the knowledge index, which a deployment may be without."""
    queues = watched.queues.indexing
    if queues is None:
        return []
    return [
        Condition(
            name="failed-indexings",
            metric=watched.own_metric("index_site", "IndexingsFailed"),
            threshold=REPEATED,
            description="Texts were not indexed; it is tried again. See 'indexing failed' in the log of index_site.",
        ),
        _dead_letters(
            "index-dead-letters",
            queues.dead,
            "Changes of knowledge indexes failed in all deliveries. See operations.md, redrive.",
        ),
        _age(
            "index-queue-age", queues.queue, OLDEST_INDEXING, "Crawls wait for index_site; searches find older texts."
        ),
    ]


def _of_services(watched: Watched) -> list[Condition]:
    return [
        Condition(
            name="server-errors",
            metric=watched.stage.metric_server_error(period=PERIOD, statistic="Sum"),
            description="The API returned a 5xx status.",
        ),
        *(
            Condition(
                name=f"table-{kind.lower()}-throttles",
                metric=watched.table_metric(f"{kind}ThrottleEvents"),
                description=f"DynamoDB throttled {kind.lower()}s.",
            )
            for kind in ("Read", "Write")
        ),
    ]


def _of_functions(watched: Watched) -> list[Condition]:
    found: list[Condition] = []
    for function, resource in watched.functions.items():
        name = function.replace("_", "-")
        found += [
            Condition(
                name=f"{name}-throttles",
                metric=resource.metric_throttles(period=PERIOD),
                description=f"Lambda throttled {function}. See account_concurrency and the account's quota.",
            ),
            Condition(
                name=f"{name}-errors",
                metric=resource.metric_errors(period=PERIOD),
                description=f"{function} failed: it could not start, ran out of memory or time, or raised an error."
                " See its log.",
            ),
        ]
    return found
