"""How often a site is crawled."""

from enum import StrEnum


class Frequency(StrEnum):
    """How often a site is crawled by its schedule."""

    MANUAL = "manual"  # never
    WEEKLY = "weekly"  # Sunday 00:00
    MONTHLY = "monthly"  # first day of the month, 00:00
    CRON = "cron"
