"""The HTTP clients of a process: one for pages, one for webhooks."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from wavecrawl.adapters.http.client import RequestsPageClient
from wavecrawl.adapters.http.user_agent import user_agent
from wavecrawl.domain.crawl.settings import CrawlSettings

if TYPE_CHECKING:
    from wavecrawl.adapters.http.webhook_sender import GuardedWebhookSender


def page_client(settings: CrawlSettings) -> RequestsPageClient:
    """Return a page client for crawls with these settings."""
    return RequestsPageClient(user_agent=user_agent(settings.contact), allowed=settings.allowed_addresses)


def webhook_sender(contact: str, allowed: Sequence[str]) -> "GuardedWebhookSender":
    """Return a sender of webhook messages. It may reach the public internet and the networks `allowed`, as CIDR."""
    from wavecrawl.adapters.http.webhook_sender import GuardedWebhookSender  # noqa: PLC0415 - crawls do not need it

    return GuardedWebhookSender(user_agent=user_agent(contact), allowed=allowed)
