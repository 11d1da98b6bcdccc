"""Create a webhook: where a tenant wants to be told of what happens to its crawls."""

import secrets
from base64 import b64encode
from collections.abc import Sequence

from wavecrawl.domain.crawl.events import EventKind
from wavecrawl.domain.urls.url import Identity
from wavecrawl.errors import ConflictError
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.webhooks import Webhook, Webhooks

MOST = 20
"""Webhooks of a tenant."""

_ID_BYTES = 6
_SECRET_BYTES = 32  # the specification asks for 24 to 64


def new_secret() -> str:
    """Return a secret, as the Standard Webhooks specification writes them."""
    return f"whsec_{b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()}"


def destination(url: str) -> str:
    """Return the URL that messages are sent to; raise InvalidUrlError where it is no absolute http(s) URL."""
    return Identity(tracking_parameters=()).page_url(url).url


def create_webhook(
    tenant: str, url: str, *, kinds: Sequence[EventKind], description: str, webhooks: Webhooks, clock: Clock
) -> Webhook:
    """Return a new webhook, with its secret.

    Raise InvalidUrlError where the URL does not hold, ConflictError where the tenant has as many as it may have.
    """
    target = destination(url)
    if len(webhooks.of_tenant(tenant)) >= MOST:
        raise ConflictError(f"a tenant may have {MOST} webhooks: delete one, or change one")
    now = clock.now()
    webhook = Webhook(
        tenant=tenant,
        webhook=f"hook-{secrets.token_hex(_ID_BYTES)}",
        url=target,
        secret=new_secret(),
        kinds=tuple(dict.fromkeys(kinds)),
        description=description,
        created_at=now,
        changed_at=now,
    )
    if not webhooks.create(webhook):
        raise ConflictError("the webhook's id is taken: ask again")
    return webhook
