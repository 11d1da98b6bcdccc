"""The end of a rotation of the webhooks' key: all secrets are sealed with the new key, and the old one is dropped."""

from collections.abc import Iterator

import msgspec

from wavecrawl.adapters.aws.webhook_key import WebhookKey
from wavecrawl.adapters.aws.webhooks import DynamoWebhooks
from wavecrawl.errors import ConflictError, CorruptDataError
from wavecrawl.ports.tenants import Tenants

_PAGE = 100


class Resealed(msgspec.Struct, frozen=True, kw_only=True):
    """What was done."""

    webhooks: int  # whose secrets are sealed with the new key now
    unreadable: tuple[str, ...]  # why the secrets of others cannot be read with either key
    dropped: bool  # whether there was a key to drop


def reseal_all(key: WebhookKey, webhooks: DynamoWebhooks, tenants: Tenants, *, own_tenant: str) -> Resealed:
    """Seal the secrets of all webhooks with the current key, then drop the previous one.

    Raise ConflictError while functions may still seal with the previous key, and if a webhook changes all the time.
    """
    if seconds := key.settles_in():
        raise ConflictError(f"functions may still use the previous key; run this again in {seconds:.0f} seconds")
    done, unreadable = 0, list[str]()
    for tenant in _ids(tenants, own_tenant):
        stale = webhooks.stale(tenant)
        failures = list(filter(None, (_failure(webhooks, tenant, webhook) for webhook in stale)))
        if len(webhooks.stale(tenant)) > len(failures):
            raise ConflictError(f"a webhook of tenant {tenant} was changed meanwhile; run this again")
        done += len(stale) - len(failures)
        unreadable += failures
    return Resealed(webhooks=done, unreadable=tuple(unreadable), dropped=key.drop_previous())


def _failure(webhooks: DynamoWebhooks, tenant: str, webhook: str) -> str:
    """Seal the secrets of a webhook; return why they cannot be read, or ""."""
    try:
        webhooks.reseal(tenant, webhook)
    except CorruptDataError as error:
        return str(error)
    return ""


def _ids(tenants: Tenants, own_tenant: str) -> Iterator[str]:
    """Yield the ids of all tenants. The deployment's own one may have no row."""
    yield own_tenant
    after = ""
    while page := [row.tenant for row in tenants.listed(limit=_PAGE, after=after)]:
        yield from (tenant for tenant in page if tenant != own_tenant)
        after = page[-1]
