"""The contract of both schedulers: which schedules exist, and when they start their sites."""

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest
from botocore.exceptions import ClientError
from tests.support.emulator import emulated_clients
from tests.support.still_clock import StillClock

from wavecrawl.adapters.aws.clients import AwsClients
from wavecrawl.adapters.aws.schedules import EventBridgeSchedules, Target
from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.embedded.schedules import SqliteSchedules
from wavecrawl.domain.sites.frequency import Frequency
from wavecrawl.domain.sites.schedule import Schedule
from wavecrawl.errors import NotFoundError, StoreBusyError
from wavecrawl.ports.schedules import Schedules

WEEKLY = Schedule(frequency=Frequency.WEEKLY)
DAILY = Schedule(frequency=Frequency.CRON, cron="15 6 * * *", timezone="Europe/Berlin")
NOON = 1_767_960_000.0  # Friday, 2026-01-09, 12:00 UTC


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheduler:
    """A scheduler and a function that returns its schedules: the expression by tenant and site."""

    schedules: Schedules
    known: Callable[[], dict[tuple[str, str], str]]


@contextmanager
def embedded(folder: Path) -> Iterator[Scheduler]:
    database = Database(folder / "wavecrawl.sqlite")
    schedules = SqliteSchedules(database, StillClock(NOON))

    def known() -> dict[tuple[str, str], str]:
        return {(one.tenant, one.site): _text(one.schedule) for one in schedules.known()}

    yield Scheduler(schedules=schedules, known=known)
    database.close()


@contextmanager
def eventbridge(_: Path) -> Iterator[Scheduler]:
    clients, target = emulated_clients(), new_group(emulated_clients())

    def known() -> dict[tuple[str, str], str]:
        found: dict[tuple[str, str], str] = {}
        for one in clients.scheduler.list_schedules(GroupName=target.group)["Schedules"]:
            if one["GroupName"] == target.group:  # the emulator lists the schedules of all groups
                schedule = clients.scheduler.get_schedule(Name=one["Name"], GroupName=target.group)
                input_ = json.loads(schedule["Target"]["Input"])
                text = f"{schedule['ScheduleExpression']} {schedule['ScheduleExpressionTimezone']}"
                found[input_["tenant"], input_["site"]] = text
        return found

    yield Scheduler(schedules=EventBridgeSchedules(clients.scheduler, target), known=known)


def new_group(clients: AwsClients) -> Target:
    """Create a group. Return a target that is never called."""
    group = f"g{uuid4().hex}"
    clients.scheduler.create_schedule_group(Name=group)
    return Target(
        group=group,
        function_arn="arn:aws:lambda:us-east-1:000000000000:function:start-site",
        role_arn="arn:aws:iam::000000000000:role/scheduler",
        dead_letters_arn="arn:aws:sqs:us-east-1:000000000000:undelivered",
    )


def _text(schedule: Schedule) -> str:
    times = schedule.times()
    assert times is not None
    return f"{times.for_eventbridge()} {schedule.timezone}"


ADAPTERS: dict[str, Callable[[Path], AbstractContextManager[Scheduler]]] = {
    "embedded": embedded,
    "eventbridge": eventbridge,
}


@pytest.fixture(params=sorted(ADAPTERS))
def scheduler(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Scheduler]:
    with ADAPTERS[request.param](tmp_path) as made:
        yield made


def test_a_site_has_the_schedule_that_was_put_last(scheduler: Scheduler) -> None:
    scheduler.schedules.put("t", "s", WEEKLY)
    assert scheduler.known() == {("t", "s"): "cron(0 0 ? * 1 *) UTC"}
    scheduler.schedules.put("t", "s", DAILY)
    assert scheduler.known() == {("t", "s"): "cron(15 6 * * ? *) Europe/Berlin"}


def test_a_manual_schedule_is_none(scheduler: Scheduler) -> None:
    scheduler.schedules.put("t", "s", Schedule())
    assert scheduler.known() == {}
    scheduler.schedules.put("t", "s", WEEKLY)
    scheduler.schedules.put("t", "s", Schedule())
    assert scheduler.known() == {}


def test_a_schedule_is_removed_once(scheduler: Scheduler) -> None:
    scheduler.schedules.put("t", "s", WEEKLY)
    scheduler.schedules.remove("t", "s")
    assert scheduler.known() == {}
    scheduler.schedules.remove("t", "s")


def test_each_site_of_each_tenant_has_a_schedule_of_its_own(scheduler: Scheduler) -> None:
    for tenant, site in (("t", "s"), ("t", "s-2"), ("u", "s"), ("t/s", "2")):
        scheduler.schedules.put(tenant, site, WEEKLY)
    scheduler.schedules.remove("t", "s")
    assert sorted(scheduler.known()) == [("t", "s-2"), ("t/s", "2"), ("u", "s")]


def test_a_schedule_is_due_once_after_any_pause(tmp_path: Path) -> None:
    database = Database(tmp_path / "wavecrawl.sqlite")
    schedules = SqliteSchedules(database, StillClock(NOON))
    schedules.put("t", "s", DAILY)
    morning = NOON + 17.25 * 3_600  # 06:15 in Berlin
    assert schedules.due(morning - 1.0) == []
    later = morning + 30 * 86_400.0 + 15 * 60.0
    (due,) = schedules.due(later)
    assert morning <= due.next_at < morning + 15 * 60.0  # the window of a cron expression
    taken = schedules.take(due, crawl="c1", now=later)
    assert taken is not None
    assert taken.next_at == due.next_at + 31 * 86_400.0
    assert schedules.take(due, crawl="c2", now=later) is None
    assert [one.crawl for one in schedules.due(later)] == ["c1"]  # until the crawl is marked as started
    schedules.begun(taken)
    assert schedules.due(later) == []
    database.close()


def test_the_same_schedule_again_forgets_no_run_that_is_due(tmp_path: Path) -> None:
    database = Database(tmp_path / "wavecrawl.sqlite")
    SqliteSchedules(database, StillClock(NOON)).put("t", "s", DAILY)

    month_later = StillClock(NOON + 30 * 86_400.0)
    later = SqliteSchedules(database, month_later)
    later.put("t", "s", DAILY)
    assert len(later.due(month_later.now())) == 1
    later.put("t", "s", WEEKLY)
    assert later.due(month_later.now()) == []
    database.close()


def test_a_schedule_calls_the_function_with_tenant_site_and_the_time_it_was_due() -> None:
    clients, target = emulated_clients(), new_group(emulated_clients())
    EventBridgeSchedules(clients.scheduler, target).put("t", "example.com-1", WEEKLY)
    (one,) = [s for s in clients.scheduler.list_schedules()["Schedules"] if s["GroupName"] == target.group]
    assert one["Name"].startswith("example.com-1-")
    schedule = clients.scheduler.get_schedule(Name=one["Name"], GroupName=target.group)
    assert schedule["Target"] == {
        "Arn": target.function_arn,
        "RoleArn": target.role_arn,
        "Input": '{"tenant": "t", "site": "example.com-1", "due": "<aws.scheduler.scheduled-time>"}',
        "RetryPolicy": {"MaximumRetryAttempts": 10, "MaximumEventAgeInSeconds": 3_600},
        "DeadLetterConfig": {"Arn": target.dead_letters_arn},
    }
    assert schedule["FlexibleTimeWindow"] == {"Mode": "FLEXIBLE", "MaximumWindowInMinutes": 60}


def test_a_schedule_of_every_minute_has_no_window() -> None:
    clients, target = emulated_clients(), new_group(emulated_clients())
    every_minute = Schedule(frequency=Frequency.CRON, cron="* * * * *")
    EventBridgeSchedules(clients.scheduler, target).put("t", "s", every_minute)
    (one,) = [s for s in clients.scheduler.list_schedules()["Schedules"] if s["GroupName"] == target.group]
    schedule = clients.scheduler.get_schedule(Name=one["Name"], GroupName=target.group)
    assert schedule["FlexibleTimeWindow"] == {"Mode": "OFF"}


def test_a_group_that_is_missing_is_named() -> None:
    target = Target(group="missing", function_arn="arn:f", role_arn="arn:r", dead_letters_arn="arn:q")
    with pytest.raises(NotFoundError, match="create_schedule s-"):
        EventBridgeSchedules(emulated_clients().scheduler, target).put("t", "s", WEEKLY)


class Contested:
    """A scheduler whose schedule another worker creates or deletes at the same time: it raises the given errors."""

    def __init__(self, *refusals: str) -> None:
        self.refusals = list(refusals)
        self.calls: list[str] = []

    def __getattr__(self, operation: str) -> Callable[..., None]:
        def answer(**_: object) -> None:
            self.calls.append(operation)
            if self.refusals and (code := self.refusals.pop(0)):
                raise ClientError({"Error": {"Code": code, "Message": ""}}, operation)

        return answer


NOBODY = Target(group="g", function_arn="arn:f", role_arn="arn:r", dead_letters_arn="arn:q")
MISSING, CONFLICT = "ResourceNotFoundException", "ConflictException"


def test_a_schedule_created_concurrently_is_updated() -> None:
    scheduler = Contested(MISSING, CONFLICT)
    EventBridgeSchedules(scheduler, NOBODY).put("t", "s", WEEKLY)  # type: ignore[arg-type]  # the methods it uses
    assert scheduler.calls == ["update_schedule", "create_schedule", "update_schedule"]


@pytest.mark.parametrize("refusals", [(CONFLICT,), (MISSING, CONFLICT) * 3])
def test_a_schedule_that_others_keep_changing_is_busy(refusals: tuple[str, ...]) -> None:
    schedules = EventBridgeSchedules(Contested(*refusals), NOBODY)  # type: ignore[arg-type]  # as above
    with pytest.raises(StoreBusyError):
        schedules.put("t", "s", WEEKLY)
