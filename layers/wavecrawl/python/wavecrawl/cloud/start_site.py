"""What `start_site` is told: by EventBridge Scheduler that a site's time has come, or by an event that it is wanted.

Nobody else can call the function: Scheduler does so as the role of the stack's schedules, which the API alone creates,
and the event comes from the stack's own bus, on which IAM decides who may put events.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import msgspec

from wavecrawl.errors import InvalidInputError

REQUESTED = "crawl.requested"
"""The detail type of events that ask for a crawl; their detail is {"site": ..., "tenant": ...}."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteStart:
    """A site to crawl. The same message always has the same name, however often it comes."""

    tenant: str
    site: str
    message: str
    scheduled: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Due:
    tenant: str
    site: str
    due: str  # the time, as Scheduler writes it: the same in each attempt


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    site: str
    tenant: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Envelope:
    id: str
    detail: _Wanted


def site_start(event: Mapping[str, Any], *, own_tenant: str) -> SiteStart:
    """Return which site is to be crawled; raise InvalidInputError where the event is neither of the two.

    An event without a tenant means the deployment's own.
    """
    try:
        if event.get("detail-type") == REQUESTED:
            told = msgspec.convert(event, _Envelope)
            tenant, site, name = told.detail.tenant or own_tenant, told.detail.site, f"event#{told.id}"
            return SiteStart(tenant=tenant, site=site, message=_name(name), scheduled=False)
        due = msgspec.convert(event, _Due)
    except msgspec.ValidationError as error:
        raise InvalidInputError(f"neither a site that is due nor {REQUESTED}: {error}") from error
    name = f"schedule#{due.tenant}/{due.site}#{due.due}"
    return SiteStart(tenant=due.tenant, site=due.site, message=_name(name), scheduled=True)


def _name(text: str) -> str:
    return sha256(text.encode()).hexdigest()
