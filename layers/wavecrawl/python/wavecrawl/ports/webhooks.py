"""Webhooks: destinations for the events of a tenant's crawls."""

from typing import Any, Protocol

import msgspec

from wavecrawl.domain.crawl.events import EventKind


class Webhook(msgspec.Struct, frozen=True, kw_only=True):
    """One destination. Times are Unix seconds."""

    tenant: str
    webhook: str  # its id
    url: str
    secret: str  # whsec_...; signs messages
    kinds: tuple[EventKind, ...] = ()  # the events to send; () = all except progress
    description: str = ""
    disabled: bool = False  # nothing is sent
    old_secret: str = ""  # also signs messages, until `old_secret_until`
    old_secret_until: float = 0.0
    created_at: float = 0.0
    changed_at: float = 0.0
    version: int = 1  # increases with each change

    def __repr__(self) -> str:
        """Return which webhook it is, without its secrets."""
        return f"Webhook(tenant={self.tenant!r}, webhook={self.webhook!r}, url={self.url!r})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """Return the same for the representation that rich makes, which would have all fields of a struct."""
        return [("tenant", self.tenant), ("webhook", self.webhook), ("url", self.url)]

    def wants(self, kind: EventKind) -> bool:
        """Return whether events of this kind are sent to it."""
        if self.disabled:
            return False
        return kind in self.kinds if self.kinds else kind is not EventKind.PROGRESS

    def secrets(self, now: float) -> tuple[str, ...]:
        """Return the current signing secrets, newest first."""
        return (self.secret, self.old_secret) if self.old_secret and now < self.old_secret_until else (self.secret,)


class Webhooks(Protocol):
    """Webhook rows. Contract: tests/contract/test_webhooks.py."""

    def create(self, webhook: Webhook) -> bool:
        """Store a new webhook; return False without a change if its id exists."""
        ...

    def read(self, tenant: str, webhook: str) -> Webhook | None:
        """Return a webhook, or None. Raise CorruptDataError if its secrets cannot be read."""
        ...

    def update(self, webhook: Webhook) -> bool:
        """Replace the webhook if the stored version is one lower; return whether it was."""
        ...

    def delete(self, tenant: str, webhook: str) -> bool:
        """Delete a webhook; return whether it existed."""
        ...

    def of_tenant(self, tenant: str) -> list[Webhook]:
        """Return a tenant's webhooks by id. A webhook whose secrets cannot be read has none: `secret` is ""."""
        ...
