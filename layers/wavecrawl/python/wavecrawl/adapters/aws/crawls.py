"""Crawls in DynamoDB."""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec.structs import asdict

from wavecrawl.adapters.aws.attributes import Row
from wavecrawl.adapters.aws.faults import CONTESTED, THROTTLED
from wavecrawl.adapters.aws.names import crawl_row, queued_row, running_row, site_row, tenant_row, usage_row
from wavecrawl.adapters.aws.packed_items import PackedItems
from wavecrawl.adapters.aws.table import Table, in_parallel
from wavecrawl.adapters.aws.writes import EXISTS, Change, NewRow, Removal
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.outcome import CrawlOutcome
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.errors import NotFoundError
from wavecrawl.ports.crawls import RESUMABLE, CrawlRow, Quota, UsedUp

_UNFINISHED = "#status IN (:queued, :running)"
_IS_UNFINISHED: Row = {"queued": CrawlStatus.QUEUED, "running": CrawlStatus.RUNNING}
_QUEUED_AT_ONCE = 100
_OF_THIS_RUN = "attribute_not_exists(#resumes) OR #resumes = :resumes"  # rows of earlier versions lack it
_ROOM = "attribute_not_exists(#crawls) OR size(#crawls) < :most OR contains(#crawls, :crawl)"


class DynamoCrawls:
    """`ports.crawls.Crawls`: one transaction changes the site's lock, the crawl and the tenant's list."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._crawls = PackedItems(table, CrawlRow)

    def create(self, crawl: CrawlRow, *, quota: Quota | None = None) -> str | UsedUp | None:
        """Store a crawl, lock its site and count the crawl; return the obstacle, if any."""
        id_ = crawl.id
        lock = Change(
            key=site_row(id_), set={"active_crawl": id_.crawl}, condition="attribute_not_exists(#active_crawl)"
        )
        new = self._crawls.new(crawl_row(id_), crawl, status=crawl.status)
        pointer = NewRow(key=tenant_row(id_.tenant, id_.crawl), row={"site": id_.site})
        steps: list[Change | NewRow] = [lock, new, pointer]
        if crawl.status is CrawlStatus.QUEUED:
            steps.append(_waiting(crawl))
        if quota is not None:
            steps.append(_counted(id_.tenant, quota))
        answers = self._table.transact(steps, CONTESTED if quota else THROTTLED)
        if not answers:
            return None
        locked, stored = answers[:2]
        if not stored.made:
            return id_.crawl
        if not locked.made:
            return str(locked.row["active_crawl"])
        # AWS documents that each reason stands at its item's place, not that all failed items are named.
        return UsedUp(quota=quota) if quota and self.read(id_) is None else id_.crawl

    def queue(self, tenant: str) -> list[CrawlId]:
        """Return the tenant's crawls that were not launched yet, by id, at most 100."""
        partition, prefix = queued_row(CrawlId(tenant=tenant, site="", crawl=""))
        return [_pointed(tenant, pointer) for pointer in self._table.query(partition, prefix, limit=_QUEUED_AT_ONCE)]

    def admit(self, id_: CrawlId, *, most: int, now: float) -> CrawlStatus | None:
        """Set a queued crawl to `running` if its tenant has room for it; return its status then.

        The tenant's row of running crawls holds a set of ids, so a repeat changes nothing.
        """
        row = self.read(id_)
        if row is None or row.status is not CrawlStatus.QUEUED:
            return row.status if row else None
        begin = Change(
            key=crawl_row(id_),
            set={"status": CrawlStatus.RUNNING, "waited": row.waited + max(0.0, now - row.queued_at)},
            condition="#status = :queued",
            values={"queued": CrawlStatus.QUEUED},
        )
        room = Change(
            key=running_row(id_.tenant),
            add={"crawls": frozenset((id_.crawl,))},
            condition=_ROOM,
            values={"most": most, "crawl": id_.crawl},
        )
        answers = self._table.transact([begin, room], CONTESTED)
        if not answers:
            return CrawlStatus.RUNNING
        if answers[0].made:
            return CrawlStatus.QUEUED
        changed = self.read(id_)  # another process admitted, ended or deleted it
        return changed.status if changed else None

    def launched(self, id_: CrawlId, *, resumes: int) -> None:
        """Remove a crawl from the queue, unless it was resumed again."""
        self._table.delete(queued_row(id_), condition=_OF_THIS_RUN, values={"resumes": resumes})

    def resume(self, id_: CrawlId) -> str | CrawlStatus | None:
        """Queue a failed or cancelled crawl and lock its site; return the obstacle, if any."""
        row = self.read(id_)
        if row is None:
            raise NotFoundError(f"crawl {id_} does not exist")
        if row.status not in RESUMABLE:
            return row.status
        new = row.queued_again()
        again = Change(
            key=crawl_row(id_),
            set={
                "status": new.status,
                "cancel_asked": new.cancel_asked,
                "queued_at": new.queued_at,
                "finished_at": new.finished_at,
                "error": new.error,
                "resumes": new.resumes,
            },
            condition="#status = :before",
            values={"before": row.status},
        )
        lock = Change(
            key=site_row(id_), set={"active_crawl": id_.crawl}, condition="attribute_not_exists(#active_crawl)"
        )
        answers = self._table.transact([again, lock, _waiting(new)], THROTTLED)
        if not answers:
            return None
        return str(answers[1].row["active_crawl"]) if answers[0].made else CrawlStatus(answers[0].row["status"])

    def read(self, id_: CrawlId) -> CrawlRow | None:
        """Return a crawl, or None."""
        return self._crawls.get(crawl_row(id_))

    def find(self, tenant: str, crawl: str) -> CrawlRow | None:
        """Return the tenant's crawl of that id, or None."""
        pointer = self._table.get(tenant_row(tenant, crawl))
        return self.read(_pointed(tenant, pointer)) if pointer else None

    def of_tenant(self, tenant: str, *, limit: int, before: str = "") -> list[CrawlRow]:
        """Return the tenant's crawls by id, from the highest down."""
        partition, prefix = tenant_row(tenant, "")
        found: list[CrawlRow] = []
        while True:
            pointers = self._table.query(partition, prefix, before=before, limit=limit, descending=True)
            ids = [_pointed(tenant, pointer) for pointer in pointers]
            items = self._table.get_many(map(crawl_row, ids))
            rows = {row.id: row for row in map(self._crawls.unpack, items)}
            found += [rows[id_] for id_ in ids if id_ in rows]
            if len(ids) < limit or len(found) >= limit:
                return found[:limit]
            before = ids[-1].crawl  # a deletion may have removed some of these crawls, but not yet their pointers

    def of_site(self, tenant: str, site: str, *, limit: int, before: str = "") -> list[CrawlRow]:
        """Return the site's crawls by id, from the highest down."""
        partition, prefix = crawl_row(CrawlId(tenant=tenant, site=site, crawl=""))
        items = self._table.query(partition, prefix, before=before, limit=limit, descending=True)
        return [self._crawls.unpack(item) for item in items]

    def of_sites(self, tenant: str, sites: Sequence[str], *, limit: int) -> list[list[CrawlRow]]:
        """Return the newest crawls of each site, at most `limit` per site, read in parallel."""
        return in_parallel(lambda site: self.of_site(tenant, site, limit=limit), sites)

    def delete(self, id_: CrawlId) -> None:
        """Delete the row of a crawl, and its pointer in the tenant's list."""
        self._table.delete(crawl_row(id_))
        self._table.delete(tenant_row(id_.tenant, id_.crawl))

    def settle_root(self, id_: CrawlId, root_url: str, *, requests: int = 0) -> None:
        """Store the root URL after its redirects."""
        settled = {"root_url": root_url, "opening_requests": requests}
        self._table.update(Change(key=crawl_row(id_), set=settled, condition=EXISTS))

    def note_outcome(self, id_: CrawlId, outcome: CrawlOutcome) -> None:
        """Store the figures of the crawl's results."""
        figures = _stored(outcome)
        change = Change(key=crawl_row(id_), set={"outcome": figures}, condition=EXISTS)
        self._table.update(change)

    def note_pauses(self, id_: CrawlId, pauses: dict[str, float]) -> None:
        """Store until when hosts are paused."""
        self._table.update(Change(key=crawl_row(id_), set={"pauses": pauses}, condition=EXISTS))

    def ask_to_cancel(self, id_: CrawlId) -> bool:
        """Request that a crawl stops; return False if it has ended."""
        change = Change(key=crawl_row(id_), set={"cancel_asked": True}, condition=_UNFINISHED, values=_IS_UNFINISHED)
        return self._table.update(change).made

    def finish(self, id_: CrawlId, *, status: CrawlStatus, now: float, error: str = "") -> bool:
        """Set the crawl's final status and unlock its site if it holds the lock; return whether it had not ended."""
        end = Change(
            key=crawl_row(id_),
            set={"status": status, "finished_at": now, "error": error},
            condition=_UNFINISHED,
            values=_IS_UNFINISHED,
        )
        unlock = Change(
            key=site_row(id_),
            remove=["active_crawl"],
            condition="#active_crawl = :crawl",
            values={"crawl": id_.crawl},
        )
        make_room = Change(key=running_row(id_.tenant), delete={"crawls": frozenset((id_.crawl,))})
        leave_queue = Removal(key=queued_row(id_))
        if not self._table.transact([end, make_room, leave_queue, unlock], CONTESTED):
            return True
        # One of the two conditions failed: the crawl has ended, or another one has the lock.
        ended = not self._table.transact([end, make_room, leave_queue], CONTESTED)
        self._table.update(unlock)
        return ended


def _waiting(crawl: CrawlRow) -> NewRow:
    """Return the row of a crawl in its tenant's queue."""
    return NewRow(key=queued_row(crawl.id), row={"site": crawl.id.site, "resumes": crawl.resumes})


def _counted(tenant: str, quota: Quota) -> Change:
    """Return the step that counts a crawl. All crawls that a tenant starts in a month are counted in this row."""
    key = usage_row(tenant, quota.month)
    if quota.limit is None:
        return Change(key=key, add={"crawls": 1})
    condition = "attribute_not_exists(#crawls) OR #crawls < :limit"
    return Change(key=key, add={"crawls": 1}, condition=condition, values={"limit": quota.limit})


def _pointed(tenant: str, pointer: Row) -> CrawlId:
    return CrawlId(tenant=tenant, site=pointer["site"], crawl=pointer["sk"].partition("#")[2])


def _stored(figures: msgspec.Struct) -> dict[str, Any]:
    """Return figures without those that have no form in DynamoDB: they get their defaults when they are read."""
    found = {name: one for name, one in asdict(figures).items() if one is not None and one != frozenset()}
    return {name: _stored(one) if isinstance(one, msgspec.Struct) else one for name, one in found.items()}
