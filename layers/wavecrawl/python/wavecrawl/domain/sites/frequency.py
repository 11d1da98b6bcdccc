"""How often a site is crawled."""

from enum import StrEnum


class Frequency(StrEnum):
    """How often a site is crawled automatically.

    - `manual`: never
    - `weekly`: Sunday 00:00, or within one hour after
    - `monthly`: first day of the month 00:00, or within one hour after
    - `cron`: at the times of a cron expression
    """

    MANUAL = "manual"
    WEEKLY = "weekly"
    MONTHLY = "monthly"
    CRON = "cron"
