"""Alarms and the dashboard."""

from aws_cdk import ArnFormat, Duration, Stack
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sns_subscriptions as subscriptions
from constructs import Construct

from infra.config import Config
from infra.constructs.alarms import Condition, conditions
from infra.constructs.budget import name_in_account
from infra.constructs.dashboard import widgets
from infra.constructs.encryption import own_key
from infra.constructs.topic import let_publish
from infra.constructs.watched import Watched


class Observability(Construct):
    """Alarms that notify an SNS topic, with an e-mail subscription if configured, and a dashboard."""

    def __init__(self, scope: Construct, construct_id: str, *, config: Config, watched: Watched) -> None:
        super().__init__(scope, construct_id)
        self._name = config.stack_name
        self.topic = self._topic(config)
        self.alarms = [self._alarm(condition) for condition in conditions(watched, config)]
        self.dashboard = self._dashboard(config, watched) if config.dashboard else None

    def _topic(self, config: Config) -> sns.Topic:
        topic = sns.Topic(
            self,
            "Alarms",
            display_name=f"{config.stack_name} alarms",
            enforce_ssl=True,
            master_key=own_key(self, config),
        )
        if config.alarm_email:
            topic.add_subscription(subscriptions.EmailSubscription(config.alarm_email))
        alarms = Stack.of(self).format_arn(
            service="cloudwatch",
            resource="alarm",
            resource_name=f"{config.stack_name}-*",
            arn_format=ArnFormat.COLON_RESOURCE_NAME,
        )
        let_publish(topic, "cloudwatch.amazonaws.com", alarms)
        return topic

    def _alarm(self, condition: Condition) -> cloudwatch.Alarm:
        alarm = cloudwatch.Alarm(
            self,
            condition.name.title().replace("-", ""),
            alarm_name=f"{self._name}-{condition.name}",
            alarm_description=condition.text,
            metric=condition.metric,
            threshold=condition.threshold,
            evaluation_periods=1,
            comparison_operator=cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
            treat_missing_data=cloudwatch.TreatMissingData.NOT_BREACHING,
        )
        alarm.add_alarm_action(actions.SnsAction(self.topic))
        alarm.add_ok_action(actions.SnsAction(self.topic))
        return alarm

    def _dashboard(self, config: Config, watched: Watched) -> cloudwatch.Dashboard:
        return cloudwatch.Dashboard(
            self,
            "Dashboard",
            # Dashboards are global: https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_PutDashboard.html
            dashboard_name=name_in_account(config),
            default_interval=Duration.hours(3),
            widgets=widgets(watched, self.alarms),
        )
