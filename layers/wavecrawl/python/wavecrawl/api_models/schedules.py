"""Schedules of sites."""

from pydantic import Field

from wavecrawl.api_models.types import RequestModel, ResponseModel, Timestamp
from wavecrawl.domain.sites.frequency import Frequency

_LONGEST_CRON, _LONGEST_ZONE = 256, 50

_CRON = (
    "Cron expression, for frequency `cron` only: minute, hour, day of month, month, day of week. "
    "One of the two day fields must be `*`."
)


class Schedule(RequestModel):
    """When a site is crawled automatically.

    Start times are local times of the time zone. If the change to daylight saving time skips a start time, no crawl
    starts. If the change back repeats a start time, one crawl starts.
    """

    frequency: Frequency = Frequency.MANUAL
    cron: str = Field(default="", max_length=_LONGEST_CRON, description=_CRON, examples=["30 4 * * 1-5"])
    timezone: str = Field(
        default="UTC",
        max_length=_LONGEST_ZONE,
        description="IANA time zone of the schedule.",
        examples=["Europe/Berlin"],
    )


class SiteSchedule(ResponseModel):
    """When a site is crawled automatically."""

    frequency: Frequency
    cron: str = Field(description="Cron expression for frequency `cron`. Empty for other frequencies.")
    timezone: str = Field(description="IANA time zone of the schedule.")
    next_at: Timestamp | None = Field(description="Start of the next crawl. `null` if none is scheduled.")
