"""Limits of one HTTP request."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchLimits:
    """Limits of one request."""

    timeout: float = 10.0  # seconds, from the start of the connection to the last byte
    max_bytes: int = 5 * 1024 * 1024  # of the body as transferred
    max_decoded_bytes: int = 20 * 1024 * 1024  # of the body after Content-Encoding is undone
