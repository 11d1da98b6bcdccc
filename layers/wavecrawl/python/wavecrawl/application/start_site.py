"""Start a crawl: of a saved site by request, by schedule or by event; of a URL by event."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from wavecrawl.application.operator_settings import OperatorSettings
from wavecrawl.application.request_crawl import CrawlRequest, request_crawl
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.trigger import Trigger
from wavecrawl.domain.sites.frequency import Frequency
from wavecrawl.errors import (
    CrawlRunningError,
    CrawlsStoppedError,
    ForbiddenError,
    HostDeniedError,
    InvalidInputError,
    NotDeployedError,
    NotFoundError,
    PlanLimitError,
    QuotaExceededError,
)
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.crawls import CrawlRow


class Skip(StrEnum):
    """Why a crawl was not started, for callers without a user."""

    RUNNING = "the site is being crawled"
    USED_UP = "the plan allows no more crawls in this month"
    BEYOND_PLAN = "the site's settings exceed its tenant's plan"
    DISABLED = "the tenant is disabled"
    UNKNOWN = "there is no such site or tenant"
    UNSCHEDULED = "the site no longer has a schedule"
    STOPPED = "the operator has stopped all crawls"
    DENIED = "the operator does not allow requests to the host"
    REFUSED = "the URL or the settings are not valid"


_SKIPS: Final[Mapping[type[Exception], Skip]] = {
    NotFoundError: Skip.UNKNOWN,
    CrawlRunningError: Skip.RUNNING,
    QuotaExceededError: Skip.USED_UP,
    PlanLimitError: Skip.BEYOND_PLAN,
    CrawlsStoppedError: Skip.STOPPED,
    HostDeniedError: Skip.DENIED,
    ForbiddenError: Skip.DISABLED,
    InvalidInputError: Skip.REFUSED,
}


def start_site(id_: CrawlId, ports: Ports, operator: OperatorSettings, *, trigger: Trigger = Trigger.API) -> CrawlRow:
    """Start a crawl of a saved site. Idempotent for the same id. Raise as `request_crawl`."""
    return request_crawl(id_, of_site(id_.site, trigger=trigger), ports, operator)


def try_start_site(id_: CrawlId, ports: Ports, operator: OperatorSettings) -> Skip | None:
    """Start a crawl of a saved site that an event requests. Idempotent for the same id.

    Return why none was started, None if one was; do not raise these errors.
    """
    return try_start_crawl(id_, of_site(id_.site, trigger=Trigger.EVENT), ports, operator)


def try_start_crawl(id_: CrawlId, request: CrawlRequest, ports: Ports, operator: OperatorSettings) -> Skip | None:
    """Start a requested crawl. Return why none was started, as `try_start_site`."""
    try:
        request_crawl(id_, request, ports, operator)
    except NotDeployedError:  # the store is missing, not the site
        raise
    except tuple(_SKIPS) as error:
        return next(skip for kind, skip in _SKIPS.items() if isinstance(error, kind))
    return None


def start_scheduled(id_: CrawlId, ports: Ports, operator: OperatorSettings) -> Skip | None:
    """Start a scheduled crawl as `try_start_site`.

    If the site was deleted or no longer has a schedule, remove the schedule from the scheduler.
    """
    site = ports.sites.read(id_.tenant, id_.site)
    if site is None or site.schedule.frequency is Frequency.MANUAL:
        ports.schedules.remove(id_.tenant, id_.site)
        return Skip.UNKNOWN if site is None else Skip.UNSCHEDULED
    return try_start_crawl(id_, of_site(id_.site, trigger=Trigger.SCHEDULE), ports, operator)


def of_site(site: str, *, trigger: Trigger) -> CrawlRequest:
    """Return the request of a crawl of a saved site with its settings."""
    return CrawlRequest(site=site, trigger=trigger, named=frozenset())
