"""Schedules: when a site is crawled again (spec [24])."""

from dataclasses import dataclass
from enum import StrEnum


class Frequency(StrEnum):
    """How a schedule is given."""

    MANUAL = "manual"  # never by itself
    WEEKLY = "weekly"  # 0 0 * * 0
    MONTHLY = "monthly"  # 0 0 1 * *
    CRON = "cron"


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """When a site is crawled by itself."""

    frequency: Frequency = Frequency.MANUAL
    cron: str = ""  # five fields: minute, hour, day of month, month, day of week; with frequency `cron` alone
    timezone: str = "UTC"  # a name of the IANA time zone database
