"""Repeats: a request that is sent again is answered as before, and done once (IETF draft idempotency-key-header)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

KEPT = 86_400.0
"""Seconds a request is remembered: a day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptAnswer:
    """An answer that was given before."""

    status: int
    body: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What is known of a request that came before."""

    fingerprint: str  # of what was asked
    answer: KeptAnswer | None  # None = it is being worked on


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """The right to work on a request, until somebody takes it over."""

    tenant: str
    key: str
    until: float  # Unix seconds. Names the hold as well: whoever takes over has one that ends later


class Repeats(Protocol):
    """Requests by their tenant and idempotency key, kept for a day. Contract: tests/contract/test_repeats.py."""

    def begin(self, tenant: str, key: str, *, fingerprint: str, now: float, seconds: float) -> Hold | Seen:
        """Claim a key for `seconds` (above 0), the longest its work may take; or return what is known of its first use.

        A claim without an answer that is older than its seconds is taken over.
        """
        ...

    def keep(self, hold: Hold, answer: KeptAnswer, *, now: float) -> None:
        """Keep the answer for a day, unless the hold was taken over."""
        ...

    def forget(self, hold: Hold) -> None:
        """Forget a key whose request did nothing, unless the hold was taken over."""
        ...
