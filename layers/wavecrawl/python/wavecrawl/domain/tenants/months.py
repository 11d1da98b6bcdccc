"""Calendar months in UTC, for quotas."""

from datetime import UTC, datetime

_DECEMBER = 12


def month_of(now: float) -> str:
    """Return the month of a time in Unix seconds, such as "2026-11"."""
    return f"{datetime.fromtimestamp(now, tz=UTC):%Y-%m}"


def end_of_month(now: float) -> float:
    """Return the end of the month of `now`, in Unix seconds."""
    at = datetime.fromtimestamp(now, tz=UTC)
    year, month = (at.year + 1, 1) if at.month == _DECEMBER else (at.year, at.month + 1)
    return datetime(year, month, 1, tzinfo=UTC).timestamp()
