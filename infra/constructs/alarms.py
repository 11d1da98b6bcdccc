"""The conditions of alarms.

An operator's alarm means that the deployment does not do its work, or costs more than expected. The mistake of a tenant
starts none: a root that cannot be crawled fails its crawl, but no execution and no function
(`wavecrawl.cloud.root_failed`); a budget ends a crawl with results; a receiver of webhooks that does not respond gets
its messages later.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_sqs as sqs

from infra.config import AlarmSet, Config
from infra.constructs.functions import WORKERS
from infra.constructs.watched import PERIOD, Watched
from wavecrawl.domain.crawl.job import BatchKind

EXPLAINED: Final = "docs/operations.md"
"""The page with a section for each alarm of AlarmSet.FEW, which has the alarm's name."""

OLDEST_MESSAGE: Final = Duration.hours(1)  # a batch that waits longer has no worker
OLDEST_FOLD: Final = Duration.hours(6)  # a part that failed is tried again after 90 minutes
OLDEST_INDEXING: Final = Duration.hours(12)  # a site with a million pages takes hours
OLDEST_DELIVERY: Final = Duration.hours(36)  # a day of retries plus the receiver's Retry-After

REPEATED: Final = 3
"""Failures in one period that are no passing disturbance: a batch that cannot work is tried three times in it."""

BUSY: Final = 0.25
"""Share of the requests that `api_rate` permits in a day. More than that costs dollars a day (docs/costs.md)."""

_DAY: Final = Duration.days(1)


class Concern(StrEnum):
    """Why an operator wants to know of an alarm."""

    WAITING = "A user waits"
    LOST = "Work is lost"
    MONEY = "Money"
    DETAIL = "Detail"  # names the part that causes one of the others, or that will


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """The condition of an alarm: the metric is at or above the threshold in one period."""

    name: str
    metric: cloudwatch.IMetric
    description: str  # what happened, and what to do
    threshold: float = 1
    concern: Concern = Concern.DETAIL

    @property
    def text(self) -> str:
        """The description of the alarm, which its messages contain."""
        if self.concern is Concern.DETAIL:
            return f"{self.description} More: {EXPLAINED}#all-other-alarms"
        return f"{self.concern}: {self.description} More: {EXPLAINED}#{self.name}"


def conditions(watched: Watched, config: Config) -> list[Condition]:
    """Return the conditions of the configured set of alarms.

    Each has one metric. An alarm over several is billed per metric (https://aws.amazon.com/cloudwatch/pricing/), so it
    would cost as much and not name the function.
    """
    if config.alarms is AlarmSet.NONE:
        return []
    few = [*_of_users(watched), *_of_work(watched), *_of_money(watched, config)]
    return few if config.alarms is AlarmSet.FEW else [*few, *_details(watched)]


def _of_users(watched: Watched) -> list[Condition]:
    return [
        Condition(
            name="server-errors",
            metric=watched.stage.metric_server_error(period=PERIOD, statistic="Sum"),
            threshold=REPEATED,
            description="The API returned a 5xx status several times in five minutes. See the logs of api and webhook.",
            concern=Concern.WAITING,
        ),
        _age(
            "fetch-queue-age",
            watched.queues.batches[BatchKind.FETCH].queue,
            OLDEST_MESSAGE,
            "The oldest batch of pages has waited one hour for a worker. Raise worker_concurrency, or see why"
            " fetch_batch fails.",
            concern=Concern.WAITING,
        ),
    ]


def _of_work(watched: Watched) -> list[Condition]:
    return [
        Condition(
            name="failed-crawls",
            metric=watched.machine.metric_failed(period=PERIOD),
            description="A crawl failed because of the deployment, not because of its site. See `error` of"
            " GET /v1/crawls/ID, then start the crawl again.",
            concern=Concern.LOST,
        ),
        Condition(
            name="lost-pages",
            metric=watched.own_metric("finish_crawl", "PagesLost"),
            threshold=REPEATED,
            description="A crawl ended without pages whose batches failed in every attempt (reason `poison`). See the"
            " log of fetch_batch, then crawl the site again.",
            concern=Concern.LOST,
        ),
        _dead_letters(
            "undelivered-events",
            watched.queues.undelivered,
            "A stopped crawl was not marked as failed, or a scheduled crawl was not started. The message in the queue"
            " names it.",
            concern=Concern.LOST,
        ),
        _dead_letters(
            "deliveries-dead-letters",
            watched.queues.deliveries_dead,
            "Events did not reach the webhooks of tenants because of an error of deliver. See its log, then redrive"
            " the queue.",
            concern=Concern.LOST,
        ),
    ]


def _of_money(watched: Watched, config: Config) -> list[Condition]:
    found = [
        Condition(
            name="api-requests",
            metric=watched.stage.metric_count(period=_DAY, statistic="Sum"),
            threshold=round(BUSY * config.api_rate * _DAY.to_seconds()),
            description="The API got a quarter of the requests in a day that api_rate permits. If these are strangers,"
            " lower api_rate.",
            concern=Concern.MONEY,
        )
    ]
    if config.alarm_usd_a_day:
        crawls = Condition(
            name="crawl-dollars",
            metric=watched.own_metric("finish_crawl", "CrawlUsd").with_(period=_DAY),
            threshold=config.alarm_usd_a_day,
            description="The crawls that ended within a day cost alarm_usd_a_day or more. See which: sort the crawls by"
            " their bill.",
            concern=Concern.MONEY,
        )
        found.insert(0, crawls)
    return found


def _details(watched: Watched) -> list[Condition]:
    """Return the conditions of AlarmSet.ALL alone: each failure of each resource."""
    return [
        *_of_crawls(watched),
        *_of_slow_batches(watched, BatchKind.RENDER, "renders", "a browser"),
        *_of_slow_batches(watched, BatchKind.MEDIA, "media", "process_media"),
        *_of_indexing(watched),
        *_of_queues(watched),
        *_of_table(watched),
        *_of_functions(watched),
    ]


def _of_crawls(watched: Watched) -> list[Condition]:
    machine = watched.machine
    return [
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


def _dead_letters(name: str, queue: sqs.IQueue, description: str, concern: Concern = Concern.DETAIL) -> Condition:
    metric = queue.metric_approximate_number_of_messages_visible(period=PERIOD)
    return Condition(name=name, metric=metric, description=description, concern=concern)


def _age(
    name: str, queue: sqs.IQueue, longest: Duration, description: str, concern: Concern = Concern.DETAIL
) -> Condition:
    metric = queue.metric_approximate_age_of_oldest_message(period=PERIOD)
    return Condition(name=name, metric=metric, threshold=longest.to_seconds(), description=description, concern=concern)


def _of_queues(watched: Watched) -> list[Condition]:
    queues = watched.queues
    return [
        _dead_letters(
            "fetch-dead-letters",
            queues.batches[BatchKind.FETCH].dead,
            "Batches failed in all deliveries. See operations.md, redrive.",
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


def _of_table(watched: Watched) -> list[Condition]:
    return [
        Condition(
            name=f"table-{kind.lower()}-throttles",
            metric=watched.table_metric(f"{kind}ThrottleEvents"),
            description=f"DynamoDB throttled {kind.lower()}s.",
        )
        for kind in ("Read", "Write")
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
