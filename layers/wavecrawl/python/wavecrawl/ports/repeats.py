"""Idempotency: a repeated request gets the first response and has no second effect.

Source: IETF draft idempotency-key-header.
"""

from collections.abc import Mapping
from typing import Protocol

import msgspec

KEPT = 86_400.0
"""Seconds for which a request is stored: a day."""

MESSAGES_KEPT = 7 * KEPT
"""Seconds for which a message that starts a crawl is stored: longer than senders retry a delivery."""


class KeptAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A stored response."""

    status: int
    body: str
    headers: Mapping[str, str] = msgspec.field(default_factory=dict)


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """An earlier request with the same key."""

    fingerprint: str  # hash of the request
    answer: KeptAnswer | None  # None = still in progress


class Hold(msgspec.Struct, frozen=True, kw_only=True):
    """The right to process a request, until another process takes it over."""

    tenant: str
    key: str
    until: float  # Unix seconds; also identifies the hold, as a later one ends later
    kept: float = KEPT  # seconds for which the response is stored


class Repeats(Protocol):
    """Requests by their tenant and idempotency key. Contract: tests/contract/test_repeats.py."""

    def begin(
        self, tenant: str, key: str, *, fingerprint: str, now: float, seconds: float, kept: float = KEPT
    ) -> Hold | Seen:
        """Claim a key for `seconds` (above 0), the maximum duration of the request, or return its earlier use.

        `kept`: seconds for which the key, and then the response, is stored.
        An expired claim without a response is taken over.
        """
        ...

    def keep(self, hold: Hold, answer: KeptAnswer, *, now: float) -> None:
        """Store the response, unless the hold was taken over."""
        ...

    def forget(self, hold: Hold) -> None:
        """Delete a key whose request had no effect, unless the hold was taken over."""
        ...
