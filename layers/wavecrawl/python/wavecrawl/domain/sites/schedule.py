"""Schedules of sites.

The rules for clock changes are those of EventBridge Scheduler, also on one machine: "When time shifts forward in the
Spring, if a cron expression falls on a non-existent date and time, your schedule invocation is skipped. When time
shifts backwards in the Fall, your schedule runs only once and does not repeat its invocation":
https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html#daylist-savings-time
(It does not specify which of the two times; here it is the first.) Cron libraries have other rules, so the library
computes local times only. A weekly or monthly start must not be skipped: where clocks change at midnight, as in Chile
and Cuba, it is at 01:00.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import blake2b
from types import MappingProxyType
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from wavecrawl.domain.sites.cron import Cron, cron_of
from wavecrawl.domain.sites.frequency import Frequency
from wavecrawl.errors import InvalidInputError, InvalidSettingsError

_ZONE = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+){0,2}")
_NO_ZONES = ("posix/", "right/", "localtime", "posixrules", "Factory")  # files that are not time zones
_LONGEST_ZONE = 50  # https://docs.aws.amazon.com/scheduler/latest/APIReference/API_CreateSchedule.html

_HOUR, _QUARTER = 60, 15  # minutes


_DAYS: Mapping[Frequency, str] = MappingProxyType({Frequency.WEEKLY: "* * 0", Frequency.MONTHLY: "1 * *"})
"""The days of the named frequencies: the last three fields of a cron expression."""

_YEARS = range(2026, 2036)  # a zone that changes its clocks by a rule does so in each of them


class Schedule(msgspec.Struct, frozen=True, kw_only=True):
    """The schedule of a site. `validated` must have passed before use."""

    frequency: Frequency = Frequency.MANUAL
    cron: str = ""  # minute, hour, day of month, month, day of week; only with frequency `cron`
    timezone: str = "UTC"  # a name of the IANA time zone database

    def validated(self) -> "Schedule":
        """Return self; raise InvalidSettingsError with all problems if a value is invalid."""
        problems = tuple(_problems(self))
        if problems:
            raise InvalidSettingsError(problems)
        return self

    def times(self) -> Cron | None:
        """Return the local times of the schedule; None = never."""
        if self.frequency is Frequency.MANUAL:
            return None
        days = _DAYS.get(self.frequency)
        return cron_of(f"0 {_first_hour(self.timezone)} {days}" if days else self.cron)

    @property
    def window(self) -> int:
        """Minutes by which a start may be delayed, so that schedules of the same time do not all start at once.

        60 for named frequencies, which share one minute of the week or month; 15 for cron expressions; 0 for cron
        expressions with several minutes.
        """
        times = self.times()
        if times is None or len(times.minutes) > 1:
            return 0
        return _QUARTER if self.frequency is Frequency.CRON else _HOUR


def delay_of(schedule: Schedule, name: str) -> float:
    """Return by how many seconds the starts of one site are later than the starts of their windows.

    It depends on the name of the site only, so that sites of the same time are spread evenly.
    """
    digest = blake2b(name.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") / 2**64 * schedule.window * 60


def next_run(schedule: Schedule, after: float) -> float | None:
    """Return the first start of a window after `after` (Unix seconds), or None."""
    times = schedule.times()
    if times is None:
        return None
    zone = ZoneInfo(schedule.timezone)
    local = times.after(datetime.fromtimestamp(after, tz=zone).replace(tzinfo=None))
    moments = (time.replace(tzinfo=zone) for time in local)  # the first of two if a local time occurs twice
    return next((one.timestamp() for one in moments if _exists(one) and one.timestamp() > after), None)


@cache
def _first_hour(zone: str) -> int:
    """Return the first hour whose beginning no day of a time zone skips."""
    days = [datetime(year, 1, 1, tzinfo=ZoneInfo(zone)) + timedelta(days=day) for year in _YEARS for day in range(365)]
    return next(hour for hour in range(24) if all(_exists(day.replace(hour=hour)) for day in days))


def _exists(moment: datetime) -> bool:
    """Return whether a local time exists in its zone; clock changes skip some."""
    there_and_back = moment.astimezone(UTC).astimezone(moment.tzinfo)
    return there_and_back.replace(tzinfo=None) == moment.replace(tzinfo=None)


def _problems(schedule: Schedule) -> Iterator[str]:
    if schedule.frequency is not Frequency.CRON and schedule.cron:
        yield f"schedule.cron requires frequency 'cron'; frequency is {schedule.frequency.value!r}"
    if schedule.frequency is Frequency.CRON:
        try:
            cron_of(schedule.cron)
        except InvalidInputError as error:
            yield f"schedule.cron {error}"
    if not _is_zone(schedule.timezone):
        yield f"schedule.timezone must be a name such as Europe/Berlin (IANA time zones): {schedule.timezone!r}"


def _is_zone(name: str) -> bool:
    if len(name) > _LONGEST_ZONE or not _ZONE.fullmatch(name) or name.startswith(_NO_ZONES):
        return False
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # OSError: a folder of zones
        return False
    return True
