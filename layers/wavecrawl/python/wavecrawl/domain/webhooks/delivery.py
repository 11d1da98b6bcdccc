"""The delivery of one message to one webhook: tried until it is taken, for a day (spec [36]).

The delays are those of the Standard Webhooks specification, as far as a day goes; each is a little longer by chance, so
that what failed together is not tried again together. What the receiver answers is read as the specification says:
2xx is success, 410 asks for nothing more ever, everything else, redirects too, is a failure.
https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from hashlib import blake2b
from http import HTTPStatus
from typing import Final

DELAYS: Final = (5.0, 300.0, 1_800.0, 7_200.0, 18_000.0, 36_000.0, 23_095.0)
"""Seconds from each failure to the next try: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, and once more when the day is over."""

SPREAD: Final = 0.1
"""How much longer a delay may be by chance."""

KEPT: Final = 30 * 86_400.0
"""Seconds that deliveries are kept."""

MOST_ATTEMPTS: Final = 40
"""Attempts that are kept; who asks for more deliveries than that loses sight of the oldest."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryId:
    """Names one delivery."""

    tenant: str
    webhook: str
    delivery: str  # also the message's `webhook-id`; sorts by the time of what it tells of


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One try to deliver, and how it ended."""

    at: float  # Unix seconds
    status: int | None = None  # None = no answer came
    error: str = ""  # one line for people; "" where an answer came
    elapsed: float = 0.0  # seconds
    retry_after: float = 0.0  # seconds that the receiver asked for

    @property
    def taken(self) -> bool:
        """Tell whether the receiver took the message."""
        return self.status is not None and HTTPStatus.OK <= self.status < HTTPStatus.MULTIPLE_CHOICES

    @property
    def unwanted(self) -> bool:
        """Tell whether the receiver wants no message any more."""
        return self.status == HTTPStatus.GONE


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One message to one webhook. Times are Unix seconds."""

    id: DeliveryId
    kind: str  # of event
    body: str  # JSON, byte for byte the same in each attempt
    created_at: float
    due_at: float  # when to try (again), while pending
    state: DeliveryState = DeliveryState.PENDING
    tries: int = 0  # since it was asked for last
    attempts: tuple[Attempt, ...] = ()  # of all times, the newest last
    version: int = 1  # one higher with each change

    def attempted(self, attempt: Attempt, *, chance: float) -> "Delivery":
        """Return the delivery after an attempt; `chance` (0 to 1) spreads the next one."""
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
        """Return the delivery, given up as its webhook is there no more."""
        return replace(self, state=DeliveryState.DROPPED, version=self.version + 1)

    def again(self, now: float) -> "Delivery":
        """Return the delivery as new: due at once, with a day before it."""
        return replace(self, state=DeliveryState.PENDING, due_at=now, tries=0, version=self.version + 1)


def delivery_name(at: float, *parts: str) -> str:
    """Return the name of a delivery: the same for the same parts, sorted by `at` (Unix seconds, of what it tells of).

    It holds no full stop, which the signed text is put together with.
    """
    digest = blake2b("\n".join(parts).encode(), digest_size=8).hexdigest()
    return f"msg_{datetime.fromtimestamp(at, tz=UTC):%Y%m%dT%H%M%S}_{digest}"
