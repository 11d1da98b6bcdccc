"""Change a webhook, or its secret."""

from collections.abc import Callable
from dataclasses import replace

from wavecrawl.application.create_webhook import new_secret
from wavecrawl.errors import ConflictError
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.webhooks import Webhook, Webhooks

GRACE = 24 * 3_600.0
"""Seconds an old secret goes on signing beside the new one."""


def change_webhook(
    webhook: Webhook, change: Callable[[Webhook], Webhook], *, webhooks: Webhooks, clock: Clock
) -> Webhook:
    """Return the webhook as changed; raise ConflictError where somebody else has changed it meanwhile."""
    changed = replace(change(webhook), changed_at=clock.now(), version=webhook.version + 1)
    if not webhooks.update(changed):
        raise ConflictError(f"webhook {webhook.webhook} has just been changed by somebody else: look again")
    return changed


def rotate_secret(webhook: Webhook, *, webhooks: Webhooks, clock: Clock, grace: float = GRACE) -> Webhook:
    """Give a webhook a new secret; for `grace` seconds messages are signed with the old one too."""
    until = clock.now() + grace
    return change_webhook(
        webhook,
        lambda before: replace(
            before, secret=new_secret(), old_secret=before.secret if grace else "", old_secret_until=until
        ),
        webhooks=webhooks,
        clock=clock,
    )
