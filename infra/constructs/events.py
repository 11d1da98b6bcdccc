"""Events: those wavecrawl publishes, and those it must hear of."""

from typing import Final

from aws_cdk import Duration
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.config import Config

ENDINGS: Final = ("ABORTED", "TIMED_OUT", "FAILED")
"""How an execution ends without having finished its crawl.

https://docs.aws.amazon.com/step-functions/latest/dg/eventbridge-integration.html
"""

SOURCE: Final = "wavecrawl"
"""Of the events on the bus (`adapters.aws.events`)."""

KINDS: Final = ("crawl.started", "crawl.progress", "site.changed", "crawl.completed", "crawl.failed")
"""Their detail types (`ports.events.EventKind`)."""

TRIES: Final = 2  # of Lambda, after the first
LATEST: Final = Duration.hours(6)


class EventBus(Construct):
    """The bus that `crawl.completed` and the like are published on."""

    def __init__(self, scope: Construct, construct_id: str, *, config: Config) -> None:
        super().__init__(scope, construct_id)
        self.bus = events.EventBus(
            self, "Bus", event_bus_name=config.stack_name, description="What happens to crawls of wavecrawl"
        )


class Endings(Construct):
    """Executions that were stopped from outside: their crawl is marked failed, which frees its site's lock."""

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
                targets.LambdaFunction(
                    fail_crawl, dead_letter_queue=undelivered, retry_attempts=TRIES, max_event_age=LATEST
                )
            ],
        )
        dead_letters_of(self, fail_crawl, undelivered)


def dead_letters_of(scope: Construct, function: lambda_.Function, undelivered: sqs.Queue) -> None:
    """Have asynchronous calls of a function tried again, and kept where the last try failed.

    Not by the function's own method, which would give its role more than it needs.
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
    """What happens to crawls, on its way to the webhooks of tenants."""

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
            description="Something happened to a crawl: whoever has a webhook for it is told",
            event_bus=bus,
            event_pattern=events.EventPattern(source=[SOURCE], detail_type=[*KINDS]),
            targets=[targets.SqsQueue(deliveries, dead_letter_queue=undelivered)],
        )
