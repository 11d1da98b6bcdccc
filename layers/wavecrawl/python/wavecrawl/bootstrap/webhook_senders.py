"""The sender of webhooks of a process."""

from collections.abc import Sequence

from wavecrawl import __version__
from wavecrawl.adapters.http.webhook_sender import GuardedWebhookSender


def webhook_sender(contact: str, allowed: Sequence[str]) -> GuardedWebhookSender:
    """Return what sends messages. It may reach the public internet, and networks that the operator allows, as CIDR."""
    agent = f"wavecrawl/{__version__}" + (f" (+{contact})" if contact else "")
    return GuardedWebhookSender(user_agent=agent, allowed=allowed)
