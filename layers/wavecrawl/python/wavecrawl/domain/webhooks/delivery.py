"""The delivery of one message to one webhook, retried for a day.

The delays and the meaning of responses follow the Standard Webhooks specification: 2xx is success, 410 disables the
webhook, everything else, including redirects, is a failure. A random part is added to each delay, so that deliveries
that failed together are not retried together.
https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
"""

from datetime import UTC, datetime
from enum import StrEnum
from hashlib import blake2b
from http import HTTPStatus
from typing import Final

import msgspec
from msgspec.structs import replace

DELAYS: Final = (5.0, 300.0, 1_800.0, 7_200.0, 18_000.0, 36_000.0, 23_095.0)
"""Seconds from each failure to the next try: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, and a last try after 24 h in all."""

SPREAD: Final = 0.1
"""Maximum random part of a delay, relative to the delay."""

KEPT: Final = 30 * 86_400.0
"""Seconds for which deliveries are stored."""

MOST_ATTEMPTS: Final = 40
"""Maximum stored attempts per delivery; older ones are dropped."""


class DeliveryState(StrEnum):
    """State of a delivery.

    - `pending`: being attempted or waiting for the next attempt
    - `delivered`: accepted by the receiver
    - `failed`: given up after the last attempt
    - `dropped`: not sent, because the webhook was deleted or disabled
    """

    PENDING = "pending"
    DELIVERED = "delivered"
    FAILED = "failed"
    DROPPED = "dropped"


class DeliveryId(msgspec.Struct, frozen=True, kw_only=True):
    """The id of a delivery."""

    tenant: str
    webhook: str
    delivery: str  # also the message's `webhook-id`; sorts by the time of the event


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """One try of a delivery and its result."""

    at: float  # Unix seconds
    status: int | None = None  # None = no response
    error: str = ""  # one line of text; "" if there was a response
    elapsed: float = 0.0  # seconds
    retry_after: float = 0.0  # seconds; the receiver's Retry-After

    @property
    def taken(self) -> bool:
        """Whether the receiver accepted the message."""
        return self.status is not None and HTTPStatus.OK <= self.status < HTTPStatus.MULTIPLE_CHOICES

    @property
    def unwanted(self) -> bool:
        """Whether the receiver wants no more messages."""
        return self.status == HTTPStatus.GONE


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """One message to one webhook. Times are Unix seconds."""

    id: DeliveryId
    kind: str  # kind of the event
    body: str  # JSON, the same bytes in each attempt
    created_at: float
    due_at: float  # time of the next try, while pending
    state: DeliveryState = DeliveryState.PENDING
    tries: int = 0  # since the delivery was created or sent again
    attempts: tuple[Attempt, ...] = ()  # newest last
    version: int = 1  # increases with each change

    def attempted(self, attempt: Attempt, *, chance: float) -> "Delivery":
        """Return the delivery after an attempt; `chance` (0..1) is the random number for the next delay."""
        tries = self.tries + 1
        state, due_at = DeliveryState.PENDING, self.due_at
        if attempt.taken:
            state = DeliveryState.DELIVERED
        elif attempt.unwanted or tries > len(DELAYS):
            state = DeliveryState.FAILED
        else:
            delay = max(DELAYS[tries - 1] * (1 + SPREAD * chance), min(attempt.retry_after, DELAYS[-2]))
            due_at = attempt.at + delay
        attempts = (*self.attempts, attempt)[-MOST_ATTEMPTS:]
        return replace(self, state=state, due_at=due_at, tries=tries, attempts=attempts, version=self.version + 1)

    def dropped(self) -> "Delivery":
        """Return the delivery as dropped, because its webhook was deleted or disabled."""
        return replace(self, state=DeliveryState.DROPPED, version=self.version + 1)

    def again(self, now: float) -> "Delivery":
        """Return the delivery as new: due at once, with all retries."""
        return replace(self, state=DeliveryState.PENDING, due_at=now, tries=0, version=self.version + 1)


def delivery_name(at: float, *parts: str, sequence: int = 0) -> str:
    """Return the name of a delivery. Equal arguments give equal names.

    Names sort by `at` (Unix seconds of the event), to the millisecond, then by `sequence` (of the crawl's events). The
    name contains no full stop, which is the separator in the signed text.
    """
    digest = blake2b("\n".join(parts).encode(), digest_size=8).hexdigest()
    second = datetime.fromtimestamp(int(at), tz=UTC)
    return f"msg_{second:%Y%m%dT%H%M%S}{int(at % 1 * 1_000):03}_{sequence:012}_{digest}"
