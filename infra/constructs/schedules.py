"""Schedules of sites: their group, their role, and the event that starts a site's crawl."""

from typing import Final

from aws_cdk import ArnFormat, RemovalPolicy, Stack
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_scheduler as scheduler
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.config import Config
from infra.constructs.access import SCHEDULER, Scheduling
from infra.constructs.encryption import let_use
from infra.constructs.events import LATEST, dead_letters_of
from infra.constructs.functions import function_arn
from infra.constructs.principals import service

REQUESTED: Final = "crawl.requested"
"""The detail type of events that start the crawl of a saved site or of a URL."""


class Schedules(Construct):
    """The resources that schedules share. The API creates the schedules."""

    def __init__(self, scope: Construct, construct_id: str, *, config: Config, undelivered: sqs.Queue) -> None:
        super().__init__(scope, construct_id)
        # Deleting a group deletes its schedules, which would call a function that no longer exists:
        # https://docs.aws.amazon.com/scheduler/latest/APIReference/API_DeleteScheduleGroup.html
        scheduler.ScheduleGroup(
            self, "Group", schedule_group_name=config.stack_name, removal_policy=RemovalPolicy.DESTROY
        )
        # Only Scheduler, for schedules of this group, may assume the role:
        # https://docs.aws.amazon.com/scheduler/latest/UserGuide/cross-service-confused-deputy-prevention.html
        role = iam.Role(
            self,
            "Role",
            assumed_by=service(self, SCHEDULER, source_arn=_arn(self, "schedule-group", config.stack_name)),
            description=f"Permissions of the schedules of {config.stack_name}",
        )
        target = function_arn(self, config, "start_site")
        role.add_to_policy(iam.PolicyStatement(actions=["lambda:InvokeFunction"], resources=[target]))
        role.add_to_policy(iam.PolicyStatement(actions=["sqs:SendMessage"], resources=[undelivered.queue_arn]))
        let_use(role, config)  # to send to the queue of undelivered calls
        self.scheduling = Scheduling(
            group=config.stack_name,
            role=role,
            target_arn=target,
            schedules_arn=_arn(self, "schedule", f"{config.stack_name}/*"),
        )


class Requests(Construct):
    """The rule for events that request a site's crawl, and the handling of failed calls."""

    def __init__(
        self,
        scope: Construct,
        construct_id: str,
        *,
        start_site: lambda_.Function,
        bus: events.EventBus,
        undelivered: sqs.Queue,
    ) -> None:
        super().__init__(scope, construct_id)
        self.rule = events.Rule(
            self,
            "Requested",
            description="Requests for the crawl of a saved site",
            event_bus=bus,
            event_pattern=events.EventPattern(detail_type=[REQUESTED]),
            targets=[
                targets.LambdaFunction(start_site, dead_letter_queue=undelivered, max_event_age=LATEST),
            ],
        )
        dead_letters_of(self, start_site, undelivered)


def _arn(scope: Construct, resource: str, name: str) -> str:
    return Stack.of(scope).format_arn(
        service="scheduler", resource=resource, resource_name=name, arn_format=ArnFormat.SLASH_RESOURCE_NAME
    )
