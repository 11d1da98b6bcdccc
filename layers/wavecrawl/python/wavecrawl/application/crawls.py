"""Crawls as a resource: list, delete."""

from collections.abc import Iterator, Sequence

import msgspec

from wavecrawl.application.crawl_events import publish_ending
from wavecrawl.application.references import references_of
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.references import NO_REFERENCES, References
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.errors import ConflictError, CrawlRunningError
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.crawls import CrawlRow, Crawls

_ROWS_PER_READ = 100
_READS = 10


class CrawlPage(msgspec.Struct, frozen=True, kw_only=True):
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


def delete_crawl(crawl: CrawlRow, ports: Ports) -> None:
    """Delete a crawl as `delete_crawls` does."""
    delete_crawls([crawl], ports)


def delete_crawls(crawls: Sequence[CrawlRow], ports: Ports) -> None:
    """Delete crawls with all their data, also from the knowledge index.

    What other crawls of the site refer to is kept, and deleted with the last of them (ADR 34). Raise ConflictError
    without a change if one of them has not ended, CrawlRunningError if another crawl of the site has not: it is not
    known yet what it will refer to.

    A crawl's row is deleted last, so that a failure in between leaves a crawl that can be deleted again.
    """
    for crawl in crawls:
        if not crawl.status.has_ended:
            raise ConflictError(
                f"crawl {crawl.id.crawl} is {crawl.status.value}; cancel it, and delete it when it has ended"
            )
    for tenant, site in sorted({crawl.id.owned_site for crawl in crawls}):
        _delete_of_site(tenant, site, [crawl for crawl in crawls if crawl.id.owned_site == (tenant, site)], ports)


def _delete_of_site(tenant: str, site: str, crawls: Sequence[CrawlRow], ports: Ports) -> None:
    deleted = {crawl.id for crawl in crawls}
    others = [row for row in _all_of(tenant, site, ports.crawls) if row.id not in deleted]
    _check_ended(others)
    keep = _together(others, ports)
    erased: dict[CrawlId, References] = {}
    waiting = sorted(crawls, key=lambda crawl: crawl.id.crawl)
    while waiting:  # the newest first; if one cannot be erased, what it refers to is still there
        crawl = waiting.pop()
        erased[crawl.id] = keep | _together(waiting, ports)
        ports.erasure.erase(crawl.id, keep=erased[crawl.id])
    there = {row.id for row in others}
    for id_ in ports.erasure.remains(tenant, site):  # before the rows: nothing names them when the last one is deleted
        if id_ not in there and erased.get(id_) != keep:
            ports.erasure.erase(id_, keep=keep)
    for id_ in erased:
        if ports.index_removals is not None:
            ports.index_removals.forget_crawl(id_)
        ports.crawls.delete(id_)


def _together(crawls: Sequence[CrawlRow], ports: Ports) -> References:
    """Return the references of all these crawls."""
    found = NO_REFERENCES
    for crawl in crawls:
        found |= references_of(crawl, ports)
    return found


def _check_ended(crawls: Sequence[CrawlRow]) -> None:
    for row in crawls:
        if not row.status.has_ended:
            message = (
                f"crawl {row.id.crawl} of the site is {row.status.value}, and may refer to what its other crawls have "
                "stored; delete these when it has ended, or cancel it first"
            )
            raise CrawlRunningError(message, crawl=row.id.crawl)


def _all_of(tenant: str, site: str, crawls: Crawls) -> Iterator[CrawlRow]:
    before = ""
    while rows := crawls.of_site(tenant, site, limit=_ROWS_PER_READ, before=before):
        yield from rows
        before = rows[-1].id.crawl


def _read(crawls: Crawls, tenant: str, site: str, limit: int, before: str) -> list[CrawlRow]:
    if site:
        return crawls.of_site(tenant, site, limit=limit, before=before)
    return crawls.of_tenant(tenant, limit=limit, before=before)
