"""The monitored resources."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from aws_cdk import Duration
from aws_cdk import aws_apigatewayv2 as apigw
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_stepfunctions as sfn

from infra.constructs.queues import Queues

PERIOD: Final = Duration.minutes(5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """The monitored resources."""

    machine: sfn.StateMachine
    functions: Mapping[str, lambda_.Function]
    queues: Queues
    table: dynamodb.ITable
    stage: apigw.HttpStage
    namespace: str  # of the metrics that the functions publish

    def table_metric(self, name: str) -> cloudwatch.Metric:
        """Return a sum of a table's metric."""
        return self.table.metric(name, statistic="Sum", period=PERIOD)

    def own_metric(self, function: str, name: str, *, statistic: str = "Sum") -> cloudwatch.Metric:
        """Return a metric that a function publishes (telemetry)."""
        return cloudwatch.Metric(
            namespace=self.namespace,
            metric_name=name,
            dimensions_map={"service": function},
            statistic=statistic,
            period=PERIOD,
        )
