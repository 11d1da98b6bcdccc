"""The function start_site: called by EventBridge Scheduler if a site is due, or by an event that requests a crawl.

Nothing else can call the function: Scheduler calls it with the role of the stack's schedules, which only the API
creates, and the event comes from the stack's own bus, where IAM decides who may put events.
"""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import msgspec

from wavecrawl.application.crawl_settings import crawl_settings, named_settings
from wavecrawl.application.request_crawl import CrawlRequest
from wavecrawl.application.start_by_message import crawl_of_message
from wavecrawl.application.start_crawl import site_of
from wavecrawl.application.start_site import Skip, start_scheduled, try_start_crawl, try_start_site
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.settings_bounds import REQUEST_BOUNDS
from wavecrawl.domain.crawl.trigger import Trigger
from wavecrawl.errors import InvalidInputError

REQUESTED = "crawl.requested"
"""The detail type of events that request a crawl.

Their detail is {"site": ..., "tenant": ...} for a saved site, {"url": ..., "settings": {...}, "tenant": ...} for a URL.
"""


class SiteStart(msgspec.Struct, frozen=True, kw_only=True):
    """A site to crawl."""

    tenant: str
    site: str
    request: CrawlRequest | None = None  # None: the settings of the saved site
    message: str  # names the message; the same in every delivery
    scheduled: bool


class _Due(msgspec.Struct, frozen=True, kw_only=True):
    tenant: str
    site: str
    due: str  # the time, as Scheduler writes it: the same in each attempt


class _Requested(msgspec.Struct, frozen=True, kw_only=True):
    site: str = ""
    url: str = ""
    settings: dict[str, Any] | None = None
    tenant: str = ""


class _Envelope(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    detail: _Requested


def site_start(event: Mapping[str, Any], *, own_tenant: str) -> SiteStart:
    """Return which site to crawl. An event without a tenant means the deployment's own, `own_tenant`.

    Raise InvalidInputError if the event is neither of the two.
    """
    try:
        if event.get("detail-type") == REQUESTED:
            envelope = msgspec.convert(event, _Envelope)
            return _start_of(envelope.detail, own_tenant=own_tenant, message=_name(f"event#{envelope.id}"))
        due = msgspec.convert(event, _Due)
    except msgspec.ValidationError as error:
        raise InvalidInputError(f"the event is neither a site that is due nor {REQUESTED}: {error}") from error
    name = f"schedule#{due.tenant}/{due.site}#{due.due}"
    return SiteStart(tenant=due.tenant, site=due.site, message=_name(name), scheduled=True)


def _start_of(detail: _Requested, *, own_tenant: str, message: str) -> SiteStart:
    """Return what an event requests; raise InvalidInputError if it names no site, or a site and a URL."""
    tenant = detail.tenant or own_tenant
    if bool(detail.site) == bool(detail.url) or (detail.site and detail.settings is not None):
        what = "its detail must name either a site, or a url, which may have settings"
        raise InvalidInputError(f"the event is neither a site that is due nor {REQUESTED}: {what}")
    if detail.site:
        return SiteStart(tenant=tenant, site=detail.site, message=message, scheduled=False)
    settings = crawl_settings(detail.settings, bounds=REQUEST_BOUNDS)
    named = named_settings(detail.settings)
    request = CrawlRequest(url=detail.url, settings=settings, trigger=Trigger.EVENT, named=named)
    site = site_of(detail.url, settings)
    return SiteStart(tenant=tenant, site=site, request=request, message=message, scheduled=False)


def start_site(cloud: Cloud, requested: SiteStart) -> tuple[CrawlId, Skip | None]:
    """Start the crawl of a saved site or of a URL; return its id, and why it was not started, if so.

    The message decides the crawl's id: another delivery finds the crawl that was started, or continues to start it.
    """
    now = cloud.clock.now()
    id_ = crawl_of_message(cloud.repeats, requested.message, tenant=requested.tenant, site=requested.site, now=now)
    if requested.request is not None:
        return id_, try_start_crawl(id_, requested.request, cloud, cloud.settings)
    start = start_scheduled if requested.scheduled else try_start_site
    return id_, start(id_, cloud, cloud.settings)


def _name(text: str) -> str:
    return sha256(text.encode()).hexdigest()
