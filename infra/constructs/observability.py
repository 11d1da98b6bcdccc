"""What an operator sees: alarms, and one dashboard."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from aws_cdk import Duration
from aws_cdk import aws_apigatewayv2 as apigw
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from aws_cdk import aws_stepfunctions as sfn
from constructs import Construct

from infra.config import Config
from infra.constructs.queues import Queues

PERIOD: Final = Duration.minutes(5)
OLDEST_MESSAGE: Final = Duration.hours(1)  # a batch that waits longer has no worker


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """What is watched."""

    machine: sfn.StateMachine
    functions: Mapping[str, lambda_.Function]
    queues: Queues
    table: dynamodb.Table
    stage: apigw.HttpStage


class Observability(Construct):
    """Alarms tell a topic, and a mailbox where one is given."""

    def __init__(self, scope: Construct, construct_id: str, *, config: Config, watched: Watched) -> None:
        super().__init__(scope, construct_id)
        self._name = config.stack_name
        self._watched = watched
        self.topic = self._topic(config)
        self.alarms = [self._alarm(*alarm) for alarm in self._conditions()]
        self.dashboard = self._dashboard()

    def _topic(self, config: Config) -> sns.Topic:
        topic = sns.Topic(self, "Alarms", display_name=f"{config.stack_name} alarms", enforce_ssl=True)
        if config.alarm_email:
            topic.add_subscription(subscriptions.EmailSubscription(config.alarm_email))
        return topic

    def _alarm(self, name: str, metric: cloudwatch.IMetric, threshold: float, description: str) -> cloudwatch.Alarm:
        alarm = cloudwatch.Alarm(
            self,
            "".join(part.title() for part in name.split("-")),
            alarm_name=f"{self._name}-{name}",
            alarm_description=description,
            metric=metric,
            threshold=threshold,
            evaluation_periods=1,
            comparison_operator=cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
            treat_missing_data=cloudwatch.TreatMissingData.NOT_BREACHING,
        )
        alarm.add_alarm_action(actions.SnsAction(self.topic))
        alarm.add_ok_action(actions.SnsAction(self.topic))
        return alarm

    def _conditions(self) -> Sequence[tuple[str, cloudwatch.IMetric, float, str]]:
        queues, stage = self._watched.queues, self._watched.stage
        return (
            ("failed-crawls", self._failed_crawls(), 1, "A crawl failed, was aborted or timed out."),
            ("function-throttles", self._functions("Throttles"), 1, "Lambda turned invocations away."),
            ("table-throttles", self._table_throttles(), 1, "DynamoDB turned requests away."),
            ("server-errors", stage.metric_server_error(period=PERIOD), 1, "The API answered 5xx."),
            (
                "fetch-dead-letters",
                queues.fetch_dead.metric_approximate_number_of_messages_visible(period=PERIOD, statistic="Maximum"),
                1,
                "Batches were delivered again and again and never done: see operations.md, redrive.",
            ),
            (
                "undelivered-events",
                queues.undelivered.metric_approximate_number_of_messages_visible(period=PERIOD, statistic="Maximum"),
                1,
                "An execution was stopped and fail_crawl could not be told: its site may still be locked.",
            ),
            (
                "fetch-queue-age",
                queues.fetch.metric_approximate_age_of_oldest_message(period=PERIOD, statistic="Maximum"),
                OLDEST_MESSAGE.to_seconds(),
                "Batches wait for workers: see fetch_concurrency.",
            ),
        )

    def _failed_crawls(self) -> cloudwatch.IMetric:
        machine = self._watched.machine
        return cloudwatch.MathExpression(
            expression="failed + aborted + timed_out",
            label="Crawls that failed",
            using_metrics={
                "failed": machine.metric_failed(statistic="Sum"),
                "aborted": machine.metric_aborted(statistic="Sum"),
                "timed_out": machine.metric_timed_out(statistic="Sum"),
            },
            period=PERIOD,
        )

    def _functions(self, metric: str) -> cloudwatch.IMetric:
        functions = self._watched.functions
        return cloudwatch.MathExpression(
            expression=" + ".join(functions),
            label=f"{metric} of all functions",
            using_metrics={name: function.metric(metric, statistic="Sum") for name, function in functions.items()},
            period=PERIOD,
        )

    def _table_metric(self, name: str) -> cloudwatch.Metric:
        return self._watched.table.metric(name, statistic="Sum", period=PERIOD)

    def _table_throttles(self) -> cloudwatch.IMetric:
        return cloudwatch.MathExpression(
            expression="reads + writes",
            label="Throttled requests",
            using_metrics={
                "reads": self._table_metric("ReadThrottleEvents"),
                "writes": self._table_metric("WriteThrottleEvents"),
            },
            period=PERIOD,
        )

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
                        "Batches waiting and under way",
                        [
                            fetch.metric_approximate_number_of_messages_visible(),
                            fetch.metric_approximate_number_of_messages_not_visible(),
                            fetch.metric_approximate_number_of_messages_delayed(),
                        ],
                    ),
                    _graph("Oldest batch that waits", [fetch.metric_approximate_age_of_oldest_message()]),
                ],
                [
                    _graph("Invocations", [f.metric_invocations(label=name) for name, f in functions]),
                    _graph("Errors", [f.metric_errors(label=name) for name, f in functions]),
                    _graph("Duration (p95)", [f.metric_duration(label=name, statistic="p95") for name, f in functions]),
                ],
                [
                    _graph(
                        "Table: capacity used",
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
                [_graph("What wavecrawl measures", [_own_metrics()], width=24)],
            ],
        )


def _graph(title: str, metrics: Sequence[cloudwatch.IMetric], *, width: int = 8) -> cloudwatch.GraphWidget:
    return cloudwatch.GraphWidget(title=title, left=list(metrics), width=width)


def _own_metrics() -> cloudwatch.MathExpression:
    """Return every metric of the functions' own, whatever its name."""
    return cloudwatch.MathExpression(
        expression="SEARCH('{wavecrawl,service}', 'Sum', 300)", label="", using_metrics={}, period=PERIOD
    )
