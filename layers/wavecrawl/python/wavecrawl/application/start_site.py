"""Start a crawl: of a saved site by request, by schedule or by event; of a URL by event."""

from collections.abc import Callable
from enum import StrEnum

from wavecrawl.application.operator_settings import OperatorSettings
from wavecrawl.application.request_crawl import CrawlRequest, request_crawl
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.trigger import Trigger
from wavecrawl.domain.sites.frequency import Frequency
from wavecrawl.errors import (
    CrawlRunningError,
    ForbiddenError,
    InvalidInputError,
    NotFoundError,
    PlanLimitError,
    QuotaExceededError,
)
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.sites import SiteRow


class Skip(StrEnum):
    """Why a crawl was not started, for callers without a user."""

    RUNNING = "the site is being crawled"
    USED_UP = "the plan allows no more crawls in this month"
    BEYOND_PLAN = "the site's settings exceed its tenant's plan"
    DISABLED = "the tenant is disabled"
    UNKNOWN = "there is no such site"
    UNSCHEDULED = "the site no longer has a schedule"
    REFUSED = "the URL or the settings are not valid"


def start_site(id_: CrawlId, ports: Ports, operator: OperatorSettings, *, trigger: Trigger = Trigger.API) -> CrawlRow:
    """Start a crawl of a saved site. Idempotent for the same id.

    Raise NotFoundError if the tenant has no such site; otherwise raise as `request_crawl`.
    """
    site = ports.sites.read(id_.tenant, id_.site)
    if site is None:
        raise NotFoundError(f"there is no site {id_.site}")
    return _request(id_, site, ports, operator, trigger)


def try_start_site(id_: CrawlId, ports: Ports, operator: OperatorSettings) -> Skip | None:
    """Start a crawl that an event requests, as `start_site`.

    Return why none was started, None if one was; do not raise these errors.
    """
    site = ports.sites.read(id_.tenant, id_.site)
    return Skip.UNKNOWN if site is None else _try(lambda: _request(id_, site, ports, operator, Trigger.EVENT))


def try_start_crawl(id_: CrawlId, request: CrawlRequest, ports: Ports, operator: OperatorSettings) -> Skip | None:
    """Start a requested crawl. Return why none was started, as `try_start_site`."""
    return _try(lambda: request_crawl(id_, request, ports, operator))


def start_scheduled(id_: CrawlId, ports: Ports, operator: OperatorSettings) -> Skip | None:
    """Start a scheduled crawl as `try_start_site`.

    If the site was deleted or no longer has a schedule, remove the schedule from the scheduler.
    """
    site = ports.sites.read(id_.tenant, id_.site)
    if site is None or site.schedule.frequency is Frequency.MANUAL:
        ports.schedules.remove(id_.tenant, id_.site)
        return Skip.UNKNOWN if site is None else Skip.UNSCHEDULED
    return _try(lambda: _request(id_, site, ports, operator, Trigger.SCHEDULE))


def _try(start: Callable[[], object]) -> Skip | None:
    try:
        start()
    except CrawlRunningError:
        return Skip.RUNNING
    except QuotaExceededError:
        return Skip.USED_UP
    except PlanLimitError:
        return Skip.BEYOND_PLAN
    except ForbiddenError:
        return Skip.DISABLED
    except InvalidInputError:
        return Skip.REFUSED
    return None


def _request(id_: CrawlId, site: SiteRow, ports: Ports, operator: OperatorSettings, trigger: Trigger) -> CrawlRow:
    request = CrawlRequest(url=site.url, settings=site.settings, trigger=trigger, named=site.named)
    return request_crawl(id_, request, ports, operator)
