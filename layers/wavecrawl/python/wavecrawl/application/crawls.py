"""Crawls as a resource: list, delete."""

from dataclasses import dataclass

from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.errors import ConflictError
from wavecrawl.ports.crawls import CrawlRow, Crawls
from wavecrawl.ports.erasure import Erasure

_ROWS_PER_READ = 100
_READS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlPage:
    """A page of a list of crawls, newest first."""

    crawls: list[CrawlRow]
    following: str  # pass it as `before` to get the next page; "" = this is the last page


def list_crawls(
    crawls: Crawls, tenant: str, *, site: str = "", status: CrawlStatus | None = None, limit: int, before: str = ""
) -> CrawlPage:
    """Return up to `limit` crawls of a tenant, or of one of its sites, with ids below `before`, if given.

    With a status, at most 1,000 crawls are searched, so a page with fewer than `limit` crawls may not be the last.
    """
    if status is None:
        rows = _read(crawls, tenant, site, limit + 1, before)
        return CrawlPage(crawls=rows[:limit], following=rows[limit - 1].id.crawl if len(rows) > limit else "")
    found: list[CrawlRow] = []
    for _ in range(_READS):
        rows = _read(crawls, tenant, site, _ROWS_PER_READ, before)
        for row in rows:
            before = row.id.crawl
            if row.status is status:
                found.append(row)
            if len(found) == limit:
                return CrawlPage(crawls=found, following=before)
        if len(rows) < _ROWS_PER_READ:
            return CrawlPage(crawls=found, following="")
    return CrawlPage(crawls=found, following=before)


def delete_crawl(crawl: CrawlRow, *, crawls: Crawls, erasure: Erasure) -> None:
    """Delete a crawl with all its data. Raise ConflictError if it is running.

    The crawl's row is deleted last, so that a failure in between leaves a crawl that can be deleted again.
    """
    if crawl.status is CrawlStatus.RUNNING:
        raise ConflictError(f"crawl {crawl.id.crawl} is running; cancel it, and delete it when it has ended")
    erasure.erase(crawl.id)
    crawls.delete(crawl.id)


def _read(crawls: Crawls, tenant: str, site: str, limit: int, before: str) -> list[CrawlRow]:
    if site:
        return crawls.of_site(tenant, site, limit=limit, before=before)
    return crawls.of_tenant(tenant, limit=limit, before=before)
