"""Alarms and the dashboard."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from aws_cdk import ArnFormat, Duration, Stack
from aws_cdk import aws_apigatewayv2 as apigw
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from infra.config import Config
from infra.constructs.queues import Queues

PERIOD: Final = Duration.minutes(5)
OLDEST_MESSAGE: Final = Duration.hours(1)  # a batch that waits longer has no worker
OLDEST_DELIVERY: Final = Duration.hours(36)  # a day of retries plus the receiver's Retry-After


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """The monitored resources."""

    machine: sfn.StateMachine
    functions: Mapping[str, lambda_.Function]
    queues: Queues
    table: dynamodb.Table
    stage: apigw.HttpStage


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """The condition of an alarm: the metric is at or above the threshold in one period."""

    name: str
    metric: cloudwatch.IMetric
    description: str
    threshold: float = 1


class Observability(Construct):
    """Alarms that notify an SNS topic, with an e-mail subscription if configured, and a dashboard."""

    def __init__(self, scope: Construct, construct_id: str, *, config: Config, watched: Watched) -> None:
        super().__init__(scope, construct_id)
        self._name = config.stack_name
        self._watched = watched
        self.topic = self._topic(config)
        self.alarms = [self._alarm(condition) for condition in self._conditions()]
        self.dashboard = self._dashboard()

    def _topic(self, config: Config) -> sns.Topic:
        topic = sns.Topic(self, "Alarms", display_name=f"{config.stack_name} alarms", enforce_ssl=True)
        if config.alarm_email:
            topic.add_subscription(subscriptions.EmailSubscription(config.alarm_email))
        alarms = Stack.of(self).format_arn(
            service="cloudwatch",
            resource="alarm",
            resource_name=f"{config.stack_name}-*",
            arn_format=ArnFormat.COLON_RESOURCE_NAME,
        )
        _let_publish(topic, "cloudwatch.amazonaws.com", alarms)
        return topic

    def _alarm(self, condition: Condition) -> cloudwatch.Alarm:
        alarm = cloudwatch.Alarm(
            self,
            condition.name.title().replace("-", ""),
            alarm_name=f"{self._name}-{condition.name}",
            alarm_description=condition.description,
            metric=condition.metric,
            threshold=condition.threshold,
            evaluation_periods=1,
            comparison_operator=cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
            treat_missing_data=cloudwatch.TreatMissingData.NOT_BREACHING,
        )
        alarm.add_alarm_action(actions.SnsAction(self.topic))
        alarm.add_ok_action(actions.SnsAction(self.topic))
        return alarm

    def _conditions(self) -> list[Condition]:
        return [*self._crawl_conditions(), *self._queue_conditions(), *self._service_conditions()]

    def _crawl_conditions(self) -> list[Condition]:
        machine = self._watched.machine
        return [
            Condition(name="failed-crawls", metric=machine.metric_failed(period=PERIOD), description="A crawl failed."),
            Condition(
                name="stopped-crawls",
                metric=machine.metric_aborted(period=PERIOD),
                description="An execution was stopped from outside; its crawl is marked as failed.",
            ),
        ]

    def _queue_conditions(self) -> list[Condition]:
        queues = self._watched.queues
        return [
            Condition(
                name="fetch-dead-letters",
                metric=queues.fetch_dead.metric_approximate_number_of_messages_visible(period=PERIOD),
                description="Batches failed in all deliveries. See operations.md, redrive.",
            ),
            Condition(
                name="undelivered-events",
                metric=queues.undelivered.metric_approximate_number_of_messages_visible(period=PERIOD),
                description="fail_crawl did not receive a stopped execution; its site may still be locked.",
            ),
            Condition(
                name="deliveries-dead-letters",
                metric=queues.deliveries_dead.metric_approximate_number_of_messages_visible(period=PERIOD),
                description="Events or deliveries failed, so webhooks were not called. See the log of deliver.",
            ),
            Condition(
                name="deliveries-queue-age",
                metric=queues.deliveries.metric_approximate_age_of_oldest_message(period=PERIOD),
                threshold=OLDEST_DELIVERY.to_seconds(),
                description="Deliveries wait longer than all their retries take.",
            ),
            Condition(
                name="fetch-queue-age",
                metric=queues.fetch.metric_approximate_age_of_oldest_message(period=PERIOD),
                threshold=OLDEST_MESSAGE.to_seconds(),
                description="Batches wait for workers. See worker_concurrency.",
            ),
        ]

    def _service_conditions(self) -> list[Condition]:
        """Return one alarm per metric; a sum of metrics would cost as much and not name the function."""
        watched = self._watched
        return [
            Condition(
                name="server-errors",
                metric=watched.stage.metric_server_error(period=PERIOD, statistic="Sum"),
                description="The API returned a 5xx status.",
            ),
            *(
                Condition(
                    name=f"table-{kind.lower()}-throttles",
                    metric=self._table_metric(f"{kind}ThrottleEvents"),
                    description=f"DynamoDB throttled {kind.lower()}s.",
                )
                for kind in ("Read", "Write")
            ),
            *(
                Condition(
                    name=f"{name.replace('_', '-')}-throttles",
                    metric=function.metric_throttles(period=PERIOD),
                    description=f"Lambda throttled {name}. See account_concurrency and the account's quota.",
                )
                for name, function in watched.functions.items()
            ),
        ]

    def _table_metric(self, name: str) -> cloudwatch.Metric:
        return self._watched.table.metric(name, statistic="Sum", period=PERIOD)

    def _dashboard(self) -> cloudwatch.Dashboard:
        watched = self._watched
        machine, queues, stage = watched.machine, watched.queues, watched.stage
        functions = watched.functions.items()
        fetch = queues.fetch
        return cloudwatch.Dashboard(
            self,
            "Dashboard",
            dashboard_name=self._name,
            default_interval=Duration.hours(3),
            widgets=[
                [cloudwatch.AlarmStatusWidget(title="Alarms", alarms=self.alarms, width=24)],
                [
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
                ],
                [
                    _graph("Invocations", [f.metric_invocations(label=name) for name, f in functions]),
                    _graph("Errors", [f.metric_errors(label=name) for name, f in functions]),
                    _graph("Duration (p95)", [f.metric_duration(label=name, statistic="p95") for name, f in functions]),
                ],
                [
                    _graph(
                        "Table: consumed capacity",
                        [
                            self._table_metric("ConsumedWriteCapacityUnits"),
                            self._table_metric("ConsumedReadCapacityUnits"),
                        ],
                    ),
                    _graph(
                        "API: requests",
                        [stage.metric_count(), stage.metric_client_error(), stage.metric_server_error()],
                    ),
                    _graph("API: latency (p95)", [stage.metric_latency(statistic="p95")]),
                ],
                [_graph("Metrics of wavecrawl", [_own_metrics()], width=24)],
            ],
        )


def _let_publish(topic: sns.Topic, service: str, sources: str) -> None:
    """Let a service of AWS publish for resources of this account.

    `enforce_ssl` creates a topic policy. It replaces the default one, which allows this to all services:
    https://docs.aws.amazon.com/sns/latest/dg/sns-access-policy-use-cases.html
    """
    topic.add_to_resource_policy(
        iam.PolicyStatement(
            principals=[iam.ServicePrincipal(service)],
            actions=["sns:Publish"],
            resources=[topic.topic_arn],
            conditions={
                "StringEquals": {"aws:SourceAccount": Stack.of(topic).account},
                "ArnLike": {"aws:SourceArn": sources},
            },
        )
    )


def _graph(title: str, metrics: Sequence[cloudwatch.IMetric], *, width: int = 8) -> cloudwatch.GraphWidget:
    return cloudwatch.GraphWidget(title=title, left=list(metrics), width=width)


def _own_metrics() -> cloudwatch.MathExpression:
    """Return all metrics that the functions publish."""
    return cloudwatch.MathExpression(
        expression="SEARCH('{wavecrawl,service}', 'Sum', 300)", label="", using_metrics={}, period=PERIOD
    )
