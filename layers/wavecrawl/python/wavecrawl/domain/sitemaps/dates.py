"""Dates of sitemap entries."""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_W3C_DATE = re.compile(
    r"\d{4}(-\d\d(-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?\s?(Z|[+-]\d\d:?\d\d)?)?)?)?", re.IGNORECASE | re.ASCII
)


def w3c_date(written: str) -> str:
    """Return a W3C or RFC 822 date as W3C datetime, the format of sitemaps; "" if it is not a date."""
    value = written.strip()
    if _W3C_DATE.fullmatch(value):
        value = value.replace(" ", "T", 1) if value[10:11] == " " else value
        value = value.replace(" ", "")
        try:
            if len(value) >= len("2026-01-01"):
                datetime.fromisoformat(value)
            elif not "01" <= (value[5:7] or "01") <= "12":
                return ""
        except ValueError:
            return ""
        return value
    try:
        date = parsedate_to_datetime(value)  # a date without an offset is UTC (RFC 5322 3.3)
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError, IndexError):
        return ""


def time_of(lastmod: str) -> float | None:
    """Return the Unix seconds of a W3C date and time, in UTC if it has no offset; None for a date without a time."""
    if "T" not in lastmod.upper():
        return None
    date = datetime.fromisoformat(lastmod)
    return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
