"""List crawls: of a tenant or a site, of any status or one."""

from dataclasses import dataclass

from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.ports.crawls import CrawlRow, Crawls

_AT_ONCE = 100  # rows looked at in one step
_STEPS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlPage:
    """A page of a list, the newest crawl first."""

    crawls: list[CrawlRow]
    following: str  # the id to go on below; "" = there is no more


def list_crawls(
    crawls: Crawls, tenant: str, *, site: str = "", status: CrawlStatus | None = None, limit: int, before: str = ""
) -> CrawlPage:
    """Return up to `limit` crawls whose ids are below `before`, where given.

    A status is looked for among a thousand crawls at most: a page may hold fewer than `limit`, and yet not be the last.
    """
    if status is None:
        rows = _some(crawls, tenant, site, limit + 1, before)
        return CrawlPage(crawls=rows[:limit], following=rows[limit - 1].id.crawl if len(rows) > limit else "")
    found: list[CrawlRow] = []
    for _ in range(_STEPS):
        rows = _some(crawls, tenant, site, _AT_ONCE, before)
        for row in rows:
            before = row.id.crawl
            if row.status is status:
                found.append(row)
            if len(found) == limit:
                return CrawlPage(crawls=found, following=before)
        if len(rows) < _AT_ONCE:
            return CrawlPage(crawls=found, following="")
    return CrawlPage(crawls=found, following=before)


def _some(crawls: Crawls, tenant: str, site: str, limit: int, before: str) -> list[CrawlRow]:
    if site:
        return crawls.of_site(tenant, site, limit=limit, before=before)
    return crawls.of_tenant(tenant, limit=limit, before=before)
