"""Retries: which statuses are retried, and the delay before a retry."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from hashlib import blake2b

from wavecrawl.domain.fetching.exchange import Exchange

RETRIED_STATUSES = frozenset((408, 421, 425, 429))
"""Statuses below 500 that are retried. Every 5xx is retried too."""


def retry_after(exchange: Exchange) -> float:
    """Return the Retry-After header in seconds (RFC 9110 10.2.3: seconds or a date); 0 if there is none.

    A date is compared with the response's Date header, so differences between clocks do not matter.
    """
    value = (exchange.header("Retry-After") or "").strip()
    if value.isascii() and value.isdigit():
        return float(value[:9])
    until = http_date(value)
    if until is None:
        return 0.0
    now = http_date(exchange.header("Date") or "")
    return max(0.0, until - (now if now is not None else exchange.started_at))


def http_date(value: str) -> float | None:
    """Return a date of HTTP, also in its old forms, as Unix seconds; None if it is none."""
    try:
        parsed = parsedate_to_datetime(value)
    except (ValueError, IndexError, OverflowError):
        return None
    aware = parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
    return (aware - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()


def back_off(*, tries: int, base: float, cap: float, chance: float) -> float:
    """Return the delay in seconds after `tries` failed tries: uniform in 0 .. min(cap, base * 2^(tries-1)).

    `chance` (0..1) is the random number. Source: "full jitter" in "Timeouts, retries and backoff with jitter",
    AWS Builders' Library.
    """
    return chance * min(cap, base * 2.0 ** min(tries - 1, 60))


def chance_of(key: str, tries: int) -> float:
    """Return a pseudo-random number in 0..1 for a url key and a try; it is the same in every run."""
    return int.from_bytes(blake2b(f"{key} {tries}".encode(), digest_size=6).digest()) / (1 << 48)
