"""Schedules, as sites and tenants' settings name and show them."""

from pydantic import Field

from wavecrawl.api_models.types import Asked
from wavecrawl.domain.sites.frequency import Frequency
from wavecrawl.domain.sites.schedule import Schedule

_LONGEST_CRON, _LONGEST_ZONE = 256, 50

_CRON = "with `cron` alone: minute, hour, day of month, month, day of week; one of the days is `*`"


class ScheduleModel(Asked):
    """When a site is crawled by itself.

    At changes of the clock, a time that is left out starts nothing, and one that comes twice starts once.
    """

    frequency: Frequency = Field(
        default=Frequency.MANUAL,
        description="`weekly` is Sunday 00:00, `monthly` the first 00:00, within the hour after; `manual` is never",
    )
    cron: str = Field(default="", max_length=_LONGEST_CRON, description=_CRON, examples=["30 4 * * 1-5"])
    timezone: str = Field(
        default="UTC", max_length=_LONGEST_ZONE, description="IANA time zone", examples=["Europe/Berlin"]
    )


def asked_schedule(asked: ScheduleModel) -> Schedule:
    """Return the schedule that a request names."""
    return Schedule(frequency=asked.frequency, cron=asked.cron, timezone=asked.timezone)


def shown_schedule(schedule: Schedule) -> ScheduleModel:
    """Return a schedule as it is shown."""
    return ScheduleModel(frequency=schedule.frequency, cron=schedule.cron, timezone=schedule.timezone)
