"""Schedules of sites."""

from pydantic import Field

from wavecrawl.api_models.types import RequestModel, ResponseModel, Timestamp
from wavecrawl.domain.sites.frequency import Frequency

LONGEST_CRON, LONGEST_ZONE = 256, 50

CRON = (
    "Cron expression, for frequency `cron` only: minute, hour, day of month, month, day of week. "
    "One of the two day fields must be `*`."
)
_WINDOW = "Minutes by which a start may be later, so that not all sites of the same time start at once."
TIMEZONE = "IANA time zone of the schedule."


class Schedule(RequestModel):
    """When a site is crawled automatically.

    Start times are local times of the time zone. If the change to daylight saving time skips a start time, no crawl
    starts. If the change back repeats a start time, one crawl starts.
    """

    frequency: Frequency = Frequency.MANUAL
    cron: str = Field(default="", max_length=LONGEST_CRON, description=CRON, examples=["30 4 * * 1-5"])
    timezone: str = Field(
        default="UTC",
        max_length=LONGEST_ZONE,
        description=TIMEZONE,
        examples=["Europe/Berlin"],
    )


class ScheduleStarts(ResponseModel):
    """When crawls of a schedule start."""

    starts: list[Timestamp] = Field(description="The next 5 starts. Empty if the schedule starts no crawl.")
    window_minutes: int = Field(description=_WINDOW)


class SiteSchedule(ResponseModel):
    """When a site is crawled automatically."""

    frequency: Frequency
    cron: str = Field(description="Cron expression for frequency `cron`. Empty for other frequencies.")
    timezone: str = Field(description=TIMEZONE)
    inherited: bool = Field(description="Whether it is the tenant's default schedule, and changes with it.")
    next_at: Timestamp | None = Field(
        description="Start of the window in which the next crawl starts. `null` if none is scheduled."
    )
    window_minutes: int = Field(description=_WINDOW)
