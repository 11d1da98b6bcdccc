"""Crawls as a resource: list, delete."""

from dataclasses import dataclass

from wavecrawl.application.crawl_events import publish_ending
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.errors import ConflictError, CrawlRunningError
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.crawls import CrawlRow, Crawls
from wavecrawl.ports.erasure import Erasure
from wavecrawl.ports.knowledge import IndexRemovals

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


def cancel_crawl(id_: CrawlId, ports: Ports) -> CrawlRow | None:
    """Cancel a crawl; return it as stored, None if it has ended. A queued crawl ends at once, a running one soon."""
    if not ports.crawls.ask_to_cancel(id_):
        return None
    crawl = ports.crawls.read(id_)
    if crawl is not None and crawl.status is CrawlStatus.QUEUED:  # if it is started now, its first wave ends it
        ports.crawls.finish(id_, status=CrawlStatus.CANCELLED, now=ports.clock.now())
        crawl = ports.crawls.read(id_) or crawl
        publish_ending(crawl, log=ports.event_log, events=ports.events, pages=lambda: 0)
    ports.launcher.launch(id_)  # a crawl that pauses sees it
    return crawl


def resume_crawl(id_: CrawlId, crawls: Crawls) -> None:
    """Queue a failed or cancelled crawl again. It continues where it stopped, and does not count as a new crawl.

    Raise NotFoundError if it does not exist, CrawlRunningError if another crawl of the site is queued or running,
    ConflictError if it has another status.
    """
    obstacle = crawls.resume(id_)
    if isinstance(obstacle, CrawlStatus):
        raise ConflictError(
            f"crawl {id_.crawl} is {obstacle.value}; only interrupted, failed and cancelled crawls can be resumed"
        )
    if obstacle is not None:
        message = f"the site of crawl {id_.crawl} is being crawled, by crawl {obstacle}; wait for it, or cancel it"
        raise CrawlRunningError(message, crawl=obstacle)


def delete_crawl(crawl: CrawlRow, *, crawls: Crawls, erasure: Erasure, index: IndexRemovals | None = None) -> None:
    """Delete a crawl with all its data, also from the knowledge index. Raise ConflictError if it has not ended.

    The crawl's row is deleted last, so that a failure in between leaves a crawl that can be deleted again.
    """
    if not crawl.status.has_ended:
        raise ConflictError(
            f"crawl {crawl.id.crawl} is {crawl.status.value}; cancel it, and delete it when it has ended"
        )
    erasure.erase(crawl.id)
    if index is not None:
        index.forget_crawl(crawl.id)
    crawls.delete(crawl.id)


def _read(crawls: Crawls, tenant: str, site: str, limit: int, before: str) -> list[CrawlRow]:
    if site:
        return crawls.of_site(tenant, site, limit=limit, before=before)
    return crawls.of_tenant(tenant, limit=limit, before=before)
