"""Schedules in EventBridge Scheduler: one per site, in the stack's schedule group.

https://docs.aws.amazon.com/scheduler/latest/APIReference/API_CreateSchedule.html
"""

import json
import re
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import msgspec
from botocore.exceptions import ClientError

from wavecrawl.adapters.aws.faults import code_of, translated
from wavecrawl.domain.sites.schedule import Schedule
from wavecrawl.errors import StoreBusyError

if TYPE_CHECKING:
    from mypy_boto3_scheduler import EventBridgeSchedulerClient

SCHEDULED_TIME = "<aws.scheduler.scheduled-time>"
"""Scheduler replaces this with the time at which a crawl was due; it is the same in each attempt.

https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-schedule-context-attributes.html
"""

RETRIES = 10  # with exponential back-off
LATEST = 3_600  # seconds after which a start that failed is skipped
_MISSING, _CONFLICT = "ResourceNotFoundException", "ConflictException"
_ATTEMPTS = 3  # in case of concurrent changes
_READABLE = 31  # characters of a site's id in the schedule's name, of at most 64
_DIGEST = 32  # hex digits


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """The target of schedules and the role for calling it."""

    group: str
    function_arn: str
    role_arn: str
    dead_letters_arn: str


def schedule_name(tenant: str, site: str) -> str:
    """Return the name of a site's schedule."""
    digest = sha256(f"{tenant}/{site}".encode()).hexdigest()[:_DIGEST]
    return f"{re.sub(r'[^0-9A-Za-z_.-]', '_', site)[:_READABLE]}-{digest}"


class EventBridgeSchedules:
    """`ports.schedules.Schedules`."""

    def __init__(self, scheduler: "EventBridgeSchedulerClient", target: Target) -> None:
        self._scheduler = scheduler
        self._target = target

    def put(self, tenant: str, site: str, schedule: Schedule) -> None:
        """Replace the site's schedule; a manual one removes it. Takes effect immediately."""
        times = schedule.times()
        if times is None:
            self.remove(tenant, site)
            return
        request = {
            "Name": schedule_name(tenant, site),
            "GroupName": self._target.group,
            "Description": f"Crawls of {tenant}/{site}"[:512],
            "ScheduleExpression": times.for_eventbridge(),
            "ScheduleExpressionTimezone": schedule.timezone,
            "FlexibleTimeWindow": _window(schedule),
            "Target": self._target_of(tenant, site),
        }
        for _ in range(_ATTEMPTS):
            if self._call("update_schedule", request, expected=_MISSING) or self._call(
                "create_schedule", request, expected=_CONFLICT
            ):
                return
        raise StoreBusyError(f"the schedule of {tenant}/{site} is being changed by another process")

    def remove(self, tenant: str, site: str) -> None:
        """Remove the site's schedule, if it has one."""
        request = {"Name": schedule_name(tenant, site), "GroupName": self._target.group}
        self._call("delete_schedule", request, expected=_MISSING)

    def _target_of(self, tenant: str, site: str) -> dict[str, Any]:
        return {
            "Arn": self._target.function_arn,
            "RoleArn": self._target.role_arn,
            "Input": json.dumps({"tenant": tenant, "site": site, "due": SCHEDULED_TIME}),
            "RetryPolicy": {"MaximumRetryAttempts": RETRIES, "MaximumEventAgeInSeconds": LATEST},
            "DeadLetterConfig": {"Arn": self._target.dead_letters_arn},
        }

    def _call(self, operation: str, request: dict[str, Any], *, expected: str) -> bool:
        """Send the request; return False if Scheduler rejects it with the expected error."""
        what = f"{operation} {request['Name']}"
        with translated(what):
            try:
                getattr(self._scheduler, operation)(**request)
            except ClientError as error:
                code = code_of(error)
                if code == expected:
                    return False
                if code == _CONFLICT:  # another process is changing it
                    raise StoreBusyError(f"{what}: {error}") from error
                raise
        return True


def _window(schedule: Schedule) -> dict[str, Any]:
    if not schedule.window:
        return {"Mode": "OFF"}
    return {"Mode": "FLEXIBLE", "MaximumWindowInMinutes": schedule.window}
