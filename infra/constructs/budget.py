"""A budget for the costs of the deployment."""

from typing import Final

from aws_cdk import ArnFormat, Aws, Stack, Tags
from aws_cdk import aws_budgets as budgets
from aws_cdk import aws_sns as sns
from constructs import Construct

from infra.config import Config
from infra.constructs.topic import let_publish

TAG: Final = "wavecrawl"
"""Key of the tag of all resources, whose value is the deployment; for cost allocation."""

_THRESHOLDS: Final = (("ACTUAL", 80), ("ACTUAL", 100), ("FORECASTED", 100))  # percent of the amount


def name_in_account(config: Config) -> str:
    """Return a name that no other deployment of the account has, in any region."""
    return f"{config.stack_name}-{Aws.REGION}"


def tag_resources(stack: Stack, config: Config) -> None:
    """Tag all resources of a stack with the deployment's name."""
    # The region is known at deployment only, too late for tags of the stack itself.
    Tags.of(stack).add(TAG, name_in_account(config), exclude_resource_types=["aws:cdk:stack"])


class Budget(Construct):
    """A monthly budget that notifies the topic of alarms. It warns; nothing is stopped.

    https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-create-filters.html (tags),
    https://docs.aws.amazon.com/cost-management/latest/userguide/budgets-sns-policy.html (permission to publish)
    """

    def __init__(self, scope: Construct, construct_id: str, *, config: Config, topic: sns.Topic) -> None:
        super().__init__(scope, construct_id)
        let_publish(
            topic,
            "budgets.amazonaws.com",
            Stack.of(self).format_arn(
                service="budgets", region="", resource="*", arn_format=ArnFormat.NO_RESOURCE_NAME
            ),
        )
        name = name_in_account(config)
        budget = budgets.CfnBudget(
            self,
            "Monthly",
            budget=budgets.CfnBudget.BudgetDataProperty(
                budget_name=name,
                budget_type="COST",
                time_unit="MONTHLY",
                budget_limit=budgets.CfnBudget.SpendProperty(amount=config.budget_usd_a_month, unit="USD"),
                cost_filters={"TagKeyValue": [f"user:{TAG}${name}"]},
            ),
            notifications_with_subscribers=[
                budgets.CfnBudget.NotificationWithSubscribersProperty(
                    notification=budgets.CfnBudget.NotificationProperty(
                        comparison_operator="GREATER_THAN",
                        notification_type=kind,
                        threshold=percent,
                        threshold_type="PERCENTAGE",
                    ),
                    subscribers=[
                        budgets.CfnBudget.SubscriberProperty(subscription_type="SNS", address=topic.topic_arn)
                    ],
                )
                for kind, percent in _THRESHOLDS
            ],
        )
        budget.node.add_dependency(topic)  # and its policy, without which the topic is refused
