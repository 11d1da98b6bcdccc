"""Start a crawl: check the request, take the site's lock, store the crawl."""

import re
from datetime import UTC, datetime
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from wavecrawl.application.url_list import store_urls
from wavecrawl.domain.counts import counted
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.settings import CrawlSettings, Discovery
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.domain.crawl.trigger import Trigger
from wavecrawl.domain.recrawl.settings import Mode
from wavecrawl.domain.tenants.months import end_of_month
from wavecrawl.domain.urls.spellings import key_of_page
from wavecrawl.domain.urls.url import Identity, names_user
from wavecrawl.errors import CorruptDataError, CrawlRunningError, InvalidUrlError, QuotaExceededError
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.crawls import CrawlRow, Crawls, Quota, UsedUp
from wavecrawl.ports.objects import Objects

if TYPE_CHECKING:
    from wavecrawl.ports.tenants import TenantRow

_ODD: Final = re.compile(r"[^A-Za-z0-9._-]")
_FRACTIONS: Final = 16**3  # of a second, in the id of a crawl
_CHARACTERS: Final = 9  # of a name, in the id of a crawl
_LONGEST_HOST: Final = 200  # characters of the host in a site's id: it is a folder name, and file systems allow 255


def site_of(url: str, settings: CrawlSettings) -> str:
    """Return the id of the site with root `url`: its host, and 8 hexadecimal digits of a hash of the URL.

    A slash at the end of the path makes no other site: `/docs` usually redirects to `/docs/`.

    Hosts can have quotation marks, semicolons and more (https://url.spec.whatwg.org/#forbidden-host-code-point). Site
    ids are used in paths, headers and file names, so other characters than A-Z, a-z, 0-9, '.', '_' and '-' become '_'.

    Raise InvalidUrlError if the URL cannot be crawled.
    """
    if names_user(url):
        raise InvalidUrlError("the URL contains a user or a password, which are never sent; remove them")
    root = Identity.of(settings).page_url(url)
    digest = blake2b(key_of_page(root.key, root.url).encode(), digest_size=4).hexdigest()
    return f"{_ODD.sub('_', root.host.strip('[]'))[:_LONGEST_HOST]}-{digest}"


def crawl_id_at(now: float, name: str) -> str:
    """Return a crawl's id, such as "20261122-140552-1f8e03ab29d4". Ids sort by time, also within a second.

    The last part is the fraction of the second in 3 hexadecimal digits, and the first 9 characters of `name`, which is
    random or a hash: a tenant's crawls have different ids, even if a thousand schedules are due at once.
    """
    fraction = int(now % 1 * _FRACTIONS)
    return f"{datetime.fromtimestamp(int(now), tz=UTC):%Y%m%d-%H%M%S}-{fraction:03x}{name[:_CHARACTERS]}"


def start_crawl(
    id_: CrawlId,
    start_url: str,
    settings: CrawlSettings,
    *,
    crawls: Crawls,
    objects: Objects,
    clock: Clock,
    tenant: "TenantRow | None" = None,
    status: CrawlStatus = CrawlStatus.RUNNING,
    authenticated: bool = False,
    triggered_by: Trigger | None = None,
) -> CrawlRow:
    """Store a new crawl, queued or running, and return it; return the stored crawl if it was started before.

    `authenticated`: whether the crawl uses the credentials of its site.

    The URLs of discovery `list` are stored before the crawl, as an object of their own; its settings then have none. An
    uploaded list must have been given to the crawl (`application.uploaded_lists`).
    If `tenant` is given, the crawl counts against its monthly quota. Raise InvalidInputError if the input is
    invalid, CrawlRunningError if another crawl of the site is running, QuotaExceededError if the quota is
    used up. No crawl is stored or counted in these cases. The list may remain; in AWS it expires.
    """
    identity = Identity.of(settings)
    root = identity.page_url(start_url)
    settings = settings.validated()
    if settings.mode is Mode.CHANGED_ONLY and settings.discovery is Discovery.LINKS_FIRST:
        settings = replace(settings, discovery=Discovery.SITEMAP_FIRST)  # the first wave needs the dates
    if settings.urls:
        for number, url in enumerate(settings.urls, start=1):
            _check_listed(number, url, identity)
        store_urls(objects, id_, settings.urls)
    now = clock.now()
    crawl = CrawlRow(
        id=id_,
        start_url=start_url,
        root_url="",
        settings=replace(settings, urls=()),
        status=status,
        started_at=now,
        queued_at=now,
        authenticated=authenticated,
        triggered_by=triggered_by,
    )
    running = crawls.create(crawl, quota=_quota_of(tenant, now) if tenant else None)
    if running is None:
        return crawl
    if isinstance(running, UsedUp):
        raise _quota_error(running.quota, now)
    if running != id_.crawl:
        message = f"{start_url} is being crawled already, by crawl {running}; wait for it, or cancel it"
        raise CrawlRunningError(message, crawl=running)
    known = crawls.read(id_)
    if known is None:
        raise CorruptDataError(f"the site of {root.host} is locked by crawl {running}, which does not exist")
    return known


def _check_listed(number: int, url: str, identity: Identity) -> None:
    """Raise InvalidUrlError with its number if a URL of a list cannot be crawled."""
    try:
        identity.page_url(url)
    except InvalidUrlError as error:
        raise InvalidUrlError(f"URL {number:,} of the list cannot be crawled: {error}") from error


def _quota_of(tenant: "TenantRow", now: float) -> Quota:
    from wavecrawl.application.tenants import quota_of  # noqa: PLC0415 - workers and `crawl` start faster without it

    return quota_of(tenant, now)


def _quota_error(quota: Quota, now: float) -> QuotaExceededError:
    resets_at = end_of_month(now)
    when = datetime.fromtimestamp(resets_at, tz=UTC)
    allowed = counted(quota.limit or 0, "crawl")
    message = f"the quota of {allowed} in {quota.month} is used up; the next month begins {when:%Y-%m-%d %H:%M} UTC"
    return QuotaExceededError(message, resets_at=resets_at, wait=resets_at - now)
