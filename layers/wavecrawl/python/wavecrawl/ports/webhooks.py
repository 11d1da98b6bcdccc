"""Webhooks: where a tenant wants to be told of what happens to its crawls (spec [36])."""

from dataclasses import dataclass, field
from typing import Protocol

from wavecrawl.domain.crawl.events import EventKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """One destination. Times are Unix seconds."""

    tenant: str
    webhook: str  # its id
    url: str
    secret: str = field(repr=False)  # whsec_...: messages are signed with it
    kinds: tuple[EventKind, ...] = ()  # what it is told of; none named = everything but progress
    description: str = ""
    disabled: bool = False  # it is told of nothing
    old_secret: str = field(default="", repr=False)  # messages are signed with it as well, until
    old_secret_until: float = 0.0
    created_at: float = 0.0
    changed_at: float = 0.0
    version: int = 1  # one higher with each change

    def wants(self, kind: EventKind) -> bool:
        """Tell whether it is told of such an event."""
        if self.disabled:
            return False
        return kind in self.kinds if self.kinds else kind is not EventKind.PROGRESS

    def secrets(self, now: float) -> tuple[str, ...]:
        """Return what messages are signed with now, the newest secret first."""
        return (self.secret, self.old_secret) if self.old_secret and now < self.old_secret_until else (self.secret,)


class Webhooks(Protocol):
    """Webhook rows. Contract: tests/contract/test_webhooks.py."""

    def create(self, webhook: Webhook) -> bool:
        """Store a new webhook; return False, with nothing changed, where the tenant has one of that id."""
        ...

    def read(self, tenant: str, webhook: str) -> Webhook | None:
        """Return a webhook, or None."""
        ...

    def update(self, webhook: Webhook) -> bool:
        """Replace the webhook whose version is one lower; return False where that is not so."""
        ...

    def delete(self, tenant: str, webhook: str) -> bool:
        """Delete a webhook; return whether there was one."""
        ...

    def of_tenant(self, tenant: str) -> list[Webhook]:
        """Return a tenant's webhooks by id."""
        ...
