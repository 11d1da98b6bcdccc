"""Webhooks: the URLs that a tenant's crawl events are sent to."""

import secrets
from base64 import b64encode
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from wavecrawl.domain.crawl.events import EventKind
from wavecrawl.domain.urls.parameters import ParameterRules
from wavecrawl.domain.urls.url import Identity, names_user
from wavecrawl.errors import ConflictError, InvalidUrlError
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.webhooks import Webhook, Webhooks

MOST = 20
"""Webhooks per tenant."""

GRACE = 24 * 3_600.0
"""Seconds that messages are signed with the old secret too, after a rotation."""

_ID_BYTES = 6
_SECRET_BYTES = 32  # the Standard Webhooks specification asks for 24 to 64


def destination(url: str) -> str:
    """Return the URL that messages are sent to.

    Raise InvalidUrlError if it is not an absolute http(s) URL, or contains a user or a password, which are never sent.
    """
    if names_user(url):
        what = "the URL contains a user or a password, which are never sent; remove them, and check the signature"
        raise InvalidUrlError(f"{what} of the messages instead")
    return Identity(parameters=ParameterRules(tracking=(), sessions=(), ignored=())).page_url(url).url


def create_webhook(
    tenant: str, url: str, *, kinds: Sequence[EventKind], description: str, webhooks: Webhooks, clock: Clock
) -> Webhook:
    """Create a webhook with a new secret.

    Raise InvalidUrlError if the URL is invalid, ConflictError if the tenant has the maximum number of webhooks.
    """
    target = destination(url)
    if len(webhooks.of_tenant(tenant)) >= MOST:
        raise ConflictError(f"a tenant can have {MOST} webhooks; delete one, or change one")
    now = clock.now()
    webhook = Webhook(
        tenant=tenant,
        webhook=f"hook-{secrets.token_hex(_ID_BYTES)}",
        url=target,
        secret=_new_secret(),
        kinds=tuple(dict.fromkeys(kinds)),
        description=description,
        created_at=now,
        changed_at=now,
    )
    if not webhooks.create(webhook):
        raise ConflictError("the new webhook's id is already in use; send the request again")
    return webhook


def change_webhook(
    webhook: Webhook, change: Callable[[Webhook], Webhook], *, webhooks: Webhooks, clock: Clock
) -> Webhook:
    """Return the webhook as changed; raise ConflictError if it was changed since it was read."""
    changed = replace(change(webhook), changed_at=clock.now(), version=webhook.version + 1)
    if not webhooks.update(changed):
        raise ConflictError(f"webhook {webhook.webhook} was changed by another request; get it again")
    return changed


def rotate_secret(webhook: Webhook, *, webhooks: Webhooks, clock: Clock, grace: float = GRACE) -> Webhook:
    """Give a webhook a new secret. For `grace` seconds messages are signed with the old one too."""
    until = clock.now() + grace
    return change_webhook(
        webhook,
        lambda before: replace(
            before, secret=_new_secret(), old_secret=before.secret if grace else "", old_secret_until=until
        ),
        webhooks=webhooks,
        clock=clock,
    )


def _new_secret() -> str:
    """Return a secret in the form of the Standard Webhooks specification."""
    return f"whsec_{b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()}"
