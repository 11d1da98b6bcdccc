"""A message from outside that was proved to come from somebody who may send it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A signed message. What one says may come several times, and counts once."""

    source: str  # webhook, qstash
    id: str  # the same in every attempt to deliver it
    token: str  # what was signed; it is accepted once
