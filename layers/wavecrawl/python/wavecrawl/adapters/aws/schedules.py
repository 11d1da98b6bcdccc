"""Schedules in EventBridge Scheduler: one of each site, in the group of the stack.

https://docs.aws.amazon.com/scheduler/latest/APIReference/API_CreateSchedule.html
"""

import json
import re
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from wavecrawl.adapters.aws.faults import code_of, translated
from wavecrawl.domain.sites.schedule import Schedule
from wavecrawl.errors import StoreBusyError

if TYPE_CHECKING:
    from mypy_boto3_scheduler import EventBridgeSchedulerClient

SCHEDULED_TIME = "<aws.scheduler.scheduled-time>"
"""What Scheduler replaces by the time a crawl was due, the same in each of its attempts.

https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-schedule-context-attributes.html
"""

RETRIES = 10  # with exponential back-off
LATEST = 3_600  # seconds after which a crawl that could not be started waits for its next time
_MISSING, _CONFLICT = "ResourceNotFoundException", "ConflictException"
_TURNS = 3  # until a schedule that others create and delete meanwhile is as it should be
_READABLE = 31  # characters of a site's id in its schedule's name, which may have 64
_DIGEST = 32  # hex digits


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What schedules call, and as whom."""

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
        """Replace the site's schedule, at once; a manual one removes it."""
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
        for _ in range(_TURNS):
            if self._ask("update_schedule", request, refusal=_MISSING) or self._ask(
                "create_schedule", request, refusal=_CONFLICT
            ):
                return
        raise StoreBusyError(f"the schedule of {tenant}/{site} is being changed by others")

    def remove(self, tenant: str, site: str) -> None:
        """Remove the site's schedule, if it has one."""
        request = {"Name": schedule_name(tenant, site), "GroupName": self._target.group}
        self._ask("delete_schedule", request, refusal=_MISSING)

    def _target_of(self, tenant: str, site: str) -> dict[str, Any]:
        return {
            "Arn": self._target.function_arn,
            "RoleArn": self._target.role_arn,
            "Input": json.dumps({"tenant": tenant, "site": site, "due": SCHEDULED_TIME}),
            "RetryPolicy": {"MaximumRetryAttempts": RETRIES, "MaximumEventAgeInSeconds": LATEST},
            "DeadLetterConfig": {"Arn": self._target.dead_letters_arn},
        }

    def _ask(self, operation: str, request: dict[str, Any], *, refusal: str) -> bool:
        """Ask; return False where Scheduler refuses with that one error."""
        what = f"{operation} {request['Name']}"
        with translated(what):
            try:
                getattr(self._scheduler, operation)(**request)
            except ClientError as error:
                code = code_of(error)
                if code == refusal:
                    return False
                if code == _CONFLICT:  # somebody changes it at this very moment
                    raise StoreBusyError(f"{what}: {error}") from error
                raise
        return True


def _window(schedule: Schedule) -> dict[str, Any]:
    if not schedule.window:
        return {"Mode": "OFF"}
    return {"Mode": "FLEXIBLE", "MaximumWindowInMinutes": schedule.window}
