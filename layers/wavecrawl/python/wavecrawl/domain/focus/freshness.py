"""The freshness hint: how new a page seems to be."""

from datetime import date

from wavecrawl.domain.focus.paths import date_in
from wavecrawl.domain.focus.score import STEPS

UNKNOWN = STEPS // 2
_YEAR = 365  # days
_DATE = len("2026-11-23")


def freshness(path: str, lastmod: str, *, today: int) -> int:
    """Return the freshness in steps from 0 to 200.

    - A page of today has 1.0, a page that is one year old 0.5, two years 0.33, and so on.
    - The date is that of the sitemap (`lastmod`), or a year and a month in the path.
    - A page without a date, or with one in the future, has 0.5.

    `today`: the day on which the crawl started, as a proleptic Gregorian ordinal.
    """
    day = (_listed(lastmod) if lastmod else None) or date_in(path)
    if day is None or day.toordinal() > today:
        return UNKNOWN
    return STEPS * _YEAR // (_YEAR + today - day.toordinal())


def _listed(lastmod: str) -> date | None:
    try:
        return date.fromisoformat(lastmod[:_DATE])
    except ValueError:  # a year, or a year and a month
        return None
