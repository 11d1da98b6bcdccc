"""Cron expressions with five fields, and their translation for EventBridge Scheduler.

Allowed are numbers, names, lists, ranges and steps. If an expression has a day of month *and* a day of week, cron
matches either of them. EventBridge Scheduler does not support that ("You can't use * in both the Day-of-month and
Day-of-week fields. If you use it in one, you must use ? in the other":
https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html#cron-based), so one of them must be `*`.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime

import msgspec
from cronsim import CronSim, CronSimError

from wavecrawl.errors import InvalidInputError

_MAX_LENGTH = 256  # characters
_NUMBER = "[0-9]{1,2}"
_MONTH = f"(?:{_NUMBER}|JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC)"
_WEEKDAY = f"(?:{_NUMBER}|SUN|MON|TUE|WED|THU|FRI|SAT)"
_FIELDS = (
    ("minute", _NUMBER),
    ("hour", _NUMBER),
    ("day of month", _NUMBER),
    ("month", _MONTH),
    ("day of week", _WEEKDAY),
)
_ANY_TIME = datetime(2000, 1, 1)  # noqa: DTZ001 - the parser requires a local time


class Cron(msgspec.Struct, frozen=True, kw_only=True):
    """A parsed cron expression in local time. Days of the week: 0 = Sunday."""

    text: str
    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int] | None  # None = `*`
    months: frozenset[int]
    weekdays: frozenset[int] | None  # None = `*`

    def after(self, time: datetime) -> Iterator[datetime]:
        """Yield the matching times after a local time, in order; they have no time zone. Ends after 50 years."""
        return iter(CronSim(self.text, time))

    def for_eventbridge(self) -> str:
        """Return the expression for EventBridge Scheduler: six fields, Sunday = 1, at most 256 characters.

        https://docs.aws.amazon.com/scheduler/latest/APIReference/API_CreateSchedule.html
        """
        if self.weekdays is None:
            days, weekdays = "*" if self.days is None else _written(self.days, 31), "?"
        else:
            days, weekdays = "?", _written({day + 1 for day in self.weekdays}, 7)
        minutes, hours, months = _written(self.minutes, 60), _written(self.hours, 24), _written(self.months, 12)
        return f"cron({minutes} {hours} {days} {months} {weekdays} *)"


def cron_of(text: str) -> Cron:
    """Parse an expression; raise InvalidInputError if it is invalid."""
    parts = text.upper().split()
    if len(parts) != len(_FIELDS) or len(text) > _MAX_LENGTH:
        raise InvalidInputError(f"must be five fields (minute, hour, day of month, month, day of week): {text[:80]!r}")
    for (name, value), part in zip(_FIELDS, parts, strict=True):
        term = rf"(?:\*|{value}(?:-{value})?)(?:/{_NUMBER})?"
        if not re.fullmatch(f"{term}(?:,{term})*", part):
            raise InvalidInputError(f"may have only numbers, names, '*', ',', '-' and '/' as {name}: {part!r}")
    if "*" not in (parts[2], parts[4]):
        raise InvalidInputError(f"must have '*' as day of month or day of week; they cannot be combined: {text!r}")
    try:
        read = CronSim(" ".join(parts), _ANY_TIME)
    except CronSimError as error:
        raise InvalidInputError(f"is invalid ({str(error).lower()}): {text!r}") from error
    return Cron(
        text=" ".join(parts),
        minutes=frozenset(read.minutes),
        hours=frozenset(read.hours),
        days=None if parts[2] == "*" else frozenset(read.days),
        months=frozenset(read.months),
        weekdays=None if parts[4] == "*" else frozenset(day % 7 for day in read.weekdays if isinstance(day, int)),
    )


def _written(values: Iterable[int], whole: int) -> str:
    """Return values as a list with ranges; `*` if all `whole` values are in it."""
    runs: list[tuple[int, int]] = []
    for value in sorted(values):
        if runs and runs[-1][1] == value - 1:
            runs[-1] = runs[-1][0], value
        else:
            runs.append((value, value))
    if len(runs) == 1 and runs[0][1] - runs[0][0] + 1 == whole:
        return "*"
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)
