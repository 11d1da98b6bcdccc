"""The HTTP clients of a process: one for pages, one for webhooks.

Each is imported when it is first made, as some invocations send no request, and requests takes a fifth of a cold start.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from wavecrawl.adapters.http.user_agent import user_agent
from wavecrawl.application.operator_controls import CurrentControls
from wavecrawl.application.site_authentication import authentication_of
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.sites.authentication import Authentication
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.credentials import Credentials

if TYPE_CHECKING:
    from wavecrawl.adapters.http.client import RequestsPageClient
    from wavecrawl.adapters.http.webhook_sender import GuardedWebhookSender


class ClientPorts(Protocol):
    """What the client of a crawl is made from."""

    @property
    def credentials(self) -> Credentials:
        """The credentials of sites."""
        ...

    @property
    def current_controls(self) -> CurrentControls:
        """The operator's controls, which name the hosts that are never requested."""
        ...

    def on_sent(self, count: int) -> None:
        """Count bytes that left the machine: they are billed in AWS."""
        ...


def import_page_client() -> None:
    """Import the page client, so that the processes that this one forks afterwards have it already."""
    from wavecrawl.adapters.http import client  # noqa: F401, PLC0415 - see above


def page_client(
    settings: CrawlSettings,
    authentication: Authentication | None = None,
    *,
    denies: Callable[[str], bool] = lambda _: False,
    on_sent: Callable[[int], None] = lambda _: None,
) -> "RequestsPageClient":
    """Return a page client for crawls with these settings.

    `authentication`: what requests to the site carry. `denies`: whether the operator forbids requests to a host.
    `on_sent`: called with numbers of bytes that left this machine.
    """
    from wavecrawl.adapters.http.client import RequestsPageClient  # noqa: PLC0415 - see above
    from wavecrawl.adapters.http.outbound_proxies import outbound_proxies  # noqa: PLC0415 - see above
    from wavecrawl.adapters.http.own_authorities import own_authorities  # noqa: PLC0415 - loads ssl

    return RequestsPageClient(
        user_agent=user_agent(settings.contact, settings.user_agent_suffix),
        allowed=settings.allowed_addresses,
        accept_language=settings.accept_language,
        ca_file=own_authorities(),
        authentication=authentication,
        denies=denies,
        on_sent=on_sent,
        proxies=outbound_proxies(),
    )


def crawl_client(crawl: CrawlRow, ports: ClientPorts) -> "RequestsPageClient":
    """Return the page client of a crawl, with the credentials of its site."""
    return page_client(
        crawl.settings,
        authentication_of(crawl, ports.credentials),
        denies=ports.current_controls.denies,
        on_sent=ports.on_sent,
    )


def webhook_sender(contact: str, allowed: Sequence[str], controls: CurrentControls) -> "GuardedWebhookSender":
    """Return a sender of webhook messages. It may reach the public internet and the networks `allowed`, as CIDR."""
    from wavecrawl.adapters.http.outbound_proxies import outbound_proxies  # noqa: PLC0415 - the same
    from wavecrawl.adapters.http.own_authorities import own_authorities  # noqa: PLC0415 - the same
    from wavecrawl.adapters.http.webhook_sender import GuardedWebhookSender  # noqa: PLC0415 - the same

    agent = user_agent(contact)
    return GuardedWebhookSender(
        user_agent=agent,
        allowed=allowed,
        ca_file=own_authorities(),
        denies=controls.denies,
        proxies=outbound_proxies(),
    )
