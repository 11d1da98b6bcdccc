"""How often a site is crawled."""

from enum import StrEnum


class Frequency(StrEnum):
    """How often a site is crawled automatically.

    - `manual`: never
    - `weekly`: each Sunday between 00:00 and 01:00; in time zones whose clocks change at midnight an hour later
    - `monthly`: on the first day of the month, at the same time
    - `cron`: at the times of a cron expression
    """

    MANUAL = "manual"
    WEEKLY = "weekly"
    MONTHLY = "monthly"
    CRON = "cron"
