"""Cron expressions of five fields, and how EventBridge Scheduler writes the same.

What both can say is what is allowed here: numbers, names, lists, ranges and steps. Cron starts a job whose day of month
*and* day of week are given on either day; EventBridge Scheduler cannot say that ("You can't use * in both the
Day-of-month and Day-of-week fields. If you use it in one, you must use ? in the other":
https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html#cron-based), so one of them must be `*`.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from cronsim import CronSim, CronSimError

from wavecrawl.errors import InvalidInputError

_LONGEST = 256  # characters
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
_BEGINNING = datetime(2000, 1, 1)  # noqa: DTZ001 - to read an expression, some time of the clock on the wall


@dataclass(frozen=True, slots=True, kw_only=True)
class Cron:
    """When the clock on the wall shows a time that an expression means. Days of the week: 0 = Sunday."""

    text: str
    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int] | None  # None = `*`
    months: frozenset[int]
    weekdays: frozenset[int] | None  # None = `*`

    def after(self, shown: datetime) -> Iterator[datetime]:
        """Yield the times that follow the one shown, in order; none where 50 years bring none. They have no zone."""
        return iter(CronSim(self.text, shown))

    def for_eventbridge(self) -> str:
        """Return the expression as EventBridge Scheduler takes it: six fields, Sunday = 1, at most 256 characters.

        https://docs.aws.amazon.com/scheduler/latest/APIReference/API_CreateSchedule.html
        """
        if self.weekdays is None:
            days, weekdays = "*" if self.days is None else _written(self.days, 31), "?"
        else:
            days, weekdays = "?", _written({day + 1 for day in self.weekdays}, 7)
        minutes, hours, months = _written(self.minutes, 60), _written(self.hours, 24), _written(self.months, 12)
        return f"cron({minutes} {hours} {days} {months} {weekdays} *)"


def cron_of(text: str) -> Cron:
    """Return what an expression means; raise InvalidInputError, saying what is wrong with it."""
    parts = text.upper().split()
    if len(parts) != len(_FIELDS) or len(text) > _LONGEST:
        raise InvalidInputError(f"must be five fields (minute, hour, day of month, month, day of week): {text[:80]!r}")
    for (name, value), part in zip(_FIELDS, parts, strict=True):
        term = rf"(?:\*|{value}(?:-{value})?)(?:/{_NUMBER})?"
        if not re.fullmatch(f"{term}(?:,{term})*", part):
            raise InvalidInputError(f"its {name} must be made of numbers, names, '*', ',', '-' and '/': {part!r}")
    if "*" not in (parts[2], parts[4]):
        raise InvalidInputError(
            f"its day of month or its day of week must be '*', as both together cannot be scheduled: {text!r}"
        )
    try:
        read = CronSim(" ".join(parts), _BEGINNING)
    except CronSimError as error:
        raise InvalidInputError(f"{str(error).lower()}: {text!r}") from error
    return Cron(
        text=" ".join(parts),
        minutes=frozenset(read.minutes),
        hours=frozenset(read.hours),
        days=None if parts[2] == "*" else frozenset(read.days),
        months=frozenset(read.months),
        weekdays=None if parts[4] == "*" else frozenset(day % 7 for day in read.weekdays if isinstance(day, int)),
    )


def _written(values: Iterable[int], whole: int) -> str:
    """Return a list of values, runs of them as ranges; `*` where it has all there are."""
    runs: list[tuple[int, int]] = []
    for value in sorted(values):
        if runs and runs[-1][1] == value - 1:
            runs[-1] = runs[-1][0], value
        else:
            runs.append((value, value))
    if len(runs) == 1 and runs[0][1] - runs[0][0] + 1 == whole:
        return "*"
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in runs)
