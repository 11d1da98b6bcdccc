"""Events that wavecrawl publishes, and events that it handles."""

from typing import Final

from aws_cdk import Duration
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.config import Config

ENDINGS: Final = ("ABORTED", "TIMED_OUT", "FAILED")
"""Final statuses of an execution that did not finish its crawl.

https://docs.aws.amazon.com/step-functions/latest/dg/eventbridge-integration.html
"""

SOURCE: Final = "wavecrawl"
"""The source of events on the bus (`adapters.aws.events`)."""

KINDS: Final = ("crawl.started", "crawl.progress", "site.changed", "crawl.completed", "crawl.failed")
"""Their detail types (`domain.crawl.events.EventKind`)."""

TRIES: Final = 2  # retries by Lambda, if the function fails
LATEST: Final = Duration.hours(6)
"""How long an event is retried, the maximum of asynchronous invocations.

Throttles are retried for all this time; they do not count as tries. EventBridge makes up to 185 attempts to hand an
event over to Lambda.
https://docs.aws.amazon.com/lambda/latest/dg/invocation-async-error-handling.html
https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-rule-retry-policy.html
"""


class EventBus(Construct):
    """The bus for events of crawls."""

    def __init__(self, scope: Construct, construct_id: str, *, config: Config) -> None:
        super().__init__(scope, construct_id)
        self.bus = events.EventBus(
            self, "Bus", event_bus_name=config.stack_name, description="Events of wavecrawl's crawls"
        )


class Endings(Construct):
    """The rule for stopped executions: their crawl is marked as failed, which frees its site's lock."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        fail_crawl: lambda_.Function,
        state_machine_arn: str,
        undelivered: sqs.Queue,
    ) -> None:
        super().__init__(scope, construct_id)
        self.rule = events.Rule(
            self,
            "Stopped",
            description="A crawl's execution was aborted, timed out or failed",
            event_pattern=events.EventPattern(
                source=["aws.states"],
                detail_type=["Step Functions Execution Status Change"],
                detail={"status": list(ENDINGS), "stateMachineArn": [state_machine_arn]},
            ),
            targets=[
                targets.LambdaFunction(fail_crawl, dead_letter_queue=undelivered, max_event_age=LATEST),
            ],
        )
        dead_letters_of(self, fail_crawl, undelivered)


def dead_letters_of(scope: Construct, function: lambda_.Function, undelivered: sqs.Queue) -> None:
    """Retry asynchronous calls of a function; send those whose last try failed to `undelivered`.

    The function's own CDK method would grant its role more permissions than needed.
    """
    lambda_.CfnEventInvokeConfig(
        scope,
        "AfterTheLastTry",
        function_name=function.function_name,
        qualifier="$LATEST",
        maximum_retry_attempts=TRIES,
        maximum_event_age_in_seconds=LATEST.to_seconds(),
        destination_config=lambda_.CfnEventInvokeConfig.DestinationConfigProperty(
            on_failure=lambda_.CfnEventInvokeConfig.OnFailureProperty(destination=undelivered.queue_arn)
        ),
    )


class Announcements(Construct):
    """The rule that sends events to the queue of deliveries, for the webhooks of tenants."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        bus: events.EventBus,
        deliveries: sqs.Queue,
        undelivered: sqs.Queue,
    ) -> None:
        super().__init__(scope, construct_id)
        self.rule = events.Rule(
            self,
            "Published",
            description="Events of crawls, for the tenants' webhooks",
            event_bus=bus,
            event_pattern=events.EventPattern(source=[SOURCE], detail_type=[*KINDS]),
            targets=[targets.SqsQueue(deliveries, dead_letter_queue=undelivered)],
        )
