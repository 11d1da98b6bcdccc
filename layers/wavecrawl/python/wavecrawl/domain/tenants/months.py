"""Calendar months in UTC, for quotas."""

from datetime import UTC, datetime


def month_of(now: float) -> str:
    """Return the month of a time in Unix seconds, such as "2026-11"."""
    return f"{datetime.fromtimestamp(now, tz=UTC):%Y-%m}"


def months_until(now: float, count: int) -> list[str]:
    """Return the month of a time in Unix seconds and those before it, `count` in all, latest first."""
    at = datetime.fromtimestamp(now, tz=UTC)
    numbers = [at.year * 12 + at.month - 1 - before for before in range(count)]
    return [f"{number // 12:04}-{number % 12 + 1:02}" for number in numbers]


def end_of_month(now: float) -> float:
    """Return the end of the month of `now`, in Unix seconds."""
    at = datetime.fromtimestamp(now, tz=UTC)
    years, month = divmod(at.month, 12)  # month is counted from 0
    return datetime(at.year + years, month + 1, 1, tzinfo=UTC).timestamp()
