"""The function start_site: called by EventBridge Scheduler if a site is due, or by an event that requests a crawl.

Nothing else can call the function: Scheduler calls it with the role of the stack's schedules, which only the API
creates, and the event comes from the stack's own bus, where IAM decides who may put events.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import msgspec

from wavecrawl.application.start_crawl import crawl_id_at
from wavecrawl.application.start_site import Skip, start_scheduled, try_start_site
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.errors import InvalidInputError

REQUESTED = "crawl.requested"
"""The detail type of events that request a crawl; their detail is {"site": ..., "tenant": ...}."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteStart:
    """A site to crawl."""

    tenant: str
    site: str
    message: str  # names the message; the same in every delivery
    scheduled: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Due:
    tenant: str
    site: str
    due: str  # the time, as Scheduler writes it: the same in each attempt


@dataclass(frozen=True, slots=True, kw_only=True)
class _Requested:
    site: str
    tenant: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Envelope:
    id: str
    detail: _Requested


def site_start(event: Mapping[str, Any], *, own_tenant: str) -> SiteStart:
    """Return which site to crawl. An event without a tenant means the deployment's own, `own_tenant`.

    Raise InvalidInputError if the event is neither of the two.
    """
    try:
        if event.get("detail-type") == REQUESTED:
            envelope = msgspec.convert(event, _Envelope)
            tenant, site, name = envelope.detail.tenant or own_tenant, envelope.detail.site, f"event#{envelope.id}"
            return SiteStart(tenant=tenant, site=site, message=_name(name), scheduled=False)
        due = msgspec.convert(event, _Due)
    except msgspec.ValidationError as error:
        raise InvalidInputError(f"the event is neither a site that is due nor {REQUESTED}: {error}") from error
    name = f"schedule#{due.tenant}/{due.site}#{due.due}"
    return SiteStart(tenant=due.tenant, site=due.site, message=_name(name), scheduled=True)


def start_site(cloud: Cloud, requested: SiteStart) -> tuple[CrawlId, Skip | None]:
    """Start the crawl of a saved site; return its id, and why it was not started, if so.

    The message decides the crawl's id: another delivery finds the crawl that was started, or continues to start it.
    """
    now = cloud.clock.now()
    candidate = CrawlId(tenant=requested.tenant, site=requested.site, crawl=crawl_id_at(now, requested.message))
    id_ = cloud.messages.crawl_of(requested.message, candidate, now=now)
    start = start_scheduled if requested.scheduled else try_start_site
    return id_, start(id_, cloud, cloud.settings)


def _name(text: str) -> str:
    return sha256(text.encode()).hexdigest()
