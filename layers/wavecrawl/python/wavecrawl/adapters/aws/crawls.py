"""Crawls in DynamoDB."""

import msgspec

from wavecrawl.adapters.aws.attributes import Row, binary, bytes_of, float_of, number, text, text_of
from wavecrawl.adapters.aws.faults import CONTESTED, THROTTLED
from wavecrawl.adapters.aws.names import (
    crawl_row,
    site_row,
    tenant_row,
    usage_row,
)
from wavecrawl.adapters.aws.table import Change, NewRow, Table
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.ports.crawls import CrawlRow, Quota, UsedUp

_SETTINGS = msgspec.msgpack.Decoder(CrawlSettings)
_encode = msgspec.msgpack.Encoder().encode
_NEW = "attribute_not_exists(#pk)"
_RUNNING = "#status = :running"
_IS_RUNNING = {":running": text(CrawlStatus.RUNNING.value)}


class DynamoCrawls:
    """`ports.crawls.Crawls`: the lock, the crawl and the tenant's list change together."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def create(self, crawl: CrawlRow, *, quota: Quota | None = None) -> str | UsedUp | None:
        """Store a crawl, take its site's lock, count the crawl; return what is in the way, if anything."""
        id_ = crawl.id
        steps: list[Change | NewRow] = [
            Change(
                key=site_row(id_),
                update="SET #active_crawl = :crawl",
                condition="attribute_not_exists(#active_crawl)",
                values={":crawl": text(id_.crawl)},
            ),
            NewRow(key=crawl_row(id_), row=_attributes(crawl), condition=_NEW),
            NewRow(key=tenant_row(id_.tenant, id_.crawl), row={"site": text(id_.site)}),
        ]
        if quota is not None:
            steps.append(_counted(id_.tenant, quota))
        answers = self._table.transact(steps, CONTESTED if quota else THROTTLED)
        if not answers:
            return None
        lock, row = answers[:2]
        if not row.made:
            return id_.crawl
        if not lock.made:
            return text_of(lock.row, "active_crawl")
        # What AWS documents is that each reason stands at its item's place, not that all that failed are named.
        return UsedUp(quota=quota) if quota and self.read(id_) is None else id_.crawl

    def read(self, id_: CrawlId) -> CrawlRow | None:
        """Return a crawl, or None."""
        row = self._table.get(crawl_row(id_))
        return _crawl(id_, row) if row else None

    def find(self, tenant: str, crawl: str) -> CrawlRow | None:
        """Return the tenant's crawl of that id, or None."""
        pointer = self._table.get(tenant_row(tenant, crawl))
        return self.read(_pointed(tenant, pointer)) if pointer else None

    def of_tenant(self, tenant: str, *, limit: int, before: str = "") -> list[CrawlRow]:
        """Return the tenant's crawls by id, from the highest down."""
        partition, prefix = tenant_row(tenant, "")
        found: list[CrawlRow] = []
        while True:
            below = f"{prefix}{before}" if before else ""
            ids = [_pointed(tenant, row) for row in self._table.query(partition, prefix, below=below, newest=limit)]
            rows = {
                (text_of(row, "pk"), text_of(row, "sk")): row
                for row in self._table.get_many(map(crawl_row, ids), consistent=True)
            }
            found += [_crawl(id_, rows[crawl_row(id_)]) for id_ in ids if crawl_row(id_) in rows]
            if len(ids) < limit or len(found) >= limit:
                return found[:limit]
            before = ids[-1].crawl  # some of them are deleted: those behind them are not the last for that

    def of_site(self, tenant: str, site: str, *, limit: int, before: str = "") -> list[CrawlRow]:
        """Return the site's crawls by id, from the highest down."""
        partition, prefix = crawl_row(CrawlId(tenant=tenant, site=site, crawl=""))
        below = f"{prefix}{before}" if before else ""
        rows = self._table.query(partition, prefix, below=below, newest=limit)
        names = [text_of(row, "sk").partition("#")[2] for row in rows]
        return [
            _crawl(CrawlId(tenant=tenant, site=site, crawl=name), row) for name, row in zip(names, rows, strict=True)
        ]

    def delete(self, id_: CrawlId) -> None:
        """Delete the row of a crawl, and with it what the tenant's list shows."""
        self._table.delete(crawl_row(id_))
        self._table.delete(tenant_row(id_.tenant, id_.crawl))

    def settle_root(self, id_: CrawlId, root_url: str) -> None:
        """Write down the root URL after its redirects."""
        self._table.update(
            Change(
                key=crawl_row(id_),
                update="SET #root_url = :root_url",
                condition="attribute_exists(#pk)",
                values={":root_url": text(root_url)},
            )
        )

    def ask_to_cancel(self, id_: CrawlId) -> bool:
        """Ask a running crawl to stop; return whether one was running."""
        update = "SET #cancel_asked = :yes"
        values = _IS_RUNNING | {":yes": {"BOOL": True}}
        return self._table.update(Change(key=crawl_row(id_), update=update, condition=_RUNNING, values=values)).made

    def finish(self, id_: CrawlId, *, status: CrawlStatus, now: float, error: str = "") -> bool:
        """Give the crawl its final status and free its site's lock, if it holds it; return whether it ran until now."""
        end = Change(
            key=crawl_row(id_),
            update="SET #status = :status, #finished_at = :now, #error = :error",
            condition=_RUNNING,
            values=_IS_RUNNING | {":status": text(status.value), ":now": number(now), ":error": text(error)},
        )
        unlock = Change(
            key=site_row(id_),
            update="REMOVE #active_crawl",
            condition="#active_crawl = :crawl",
            values={":crawl": text(id_.crawl)},
        )
        if not self._table.transact([end, unlock]):
            return True
        ended = self._table.update(end).made  # one of the two is so already: each for itself
        self._table.update(unlock)
        return ended


def _counted(tenant: str, quota: Quota) -> Change:
    """Return the step that counts a crawl: all of a tenant's starts of a month meet in this row."""
    condition, values = "", {":one": number(1)}
    if quota.limit is not None:
        condition = "attribute_not_exists(#crawls) OR #crawls < :limit"
        values[":limit"] = number(quota.limit)
    return Change(key=usage_row(tenant, quota.month), update="ADD #crawls :one", condition=condition, values=values)


def _attributes(crawl: CrawlRow) -> Row:
    return {
        "status": text(crawl.status.value),
        "cancel_asked": {"BOOL": crawl.cancel_asked},
        "start_url": text(crawl.start_url),
        "root_url": text(crawl.root_url),
        "settings": binary(_encode(crawl.settings)),
        "started_at": number(crawl.started_at),
        "finished_at": number(crawl.finished_at),
        "error": text(crawl.error),
    }


def _crawl(id_: CrawlId, row: Row) -> CrawlRow:
    return CrawlRow(
        id=id_,
        status=CrawlStatus(text_of(row, "status")),
        cancel_asked=row["cancel_asked"]["BOOL"],
        start_url=text_of(row, "start_url"),
        root_url=text_of(row, "root_url"),
        settings=_SETTINGS.decode(bytes_of(row, "settings")),
        started_at=float_of(row, "started_at"),
        finished_at=float_of(row, "finished_at"),
        error=text_of(row, "error"),
    )


def _pointed(tenant: str, pointer: Row) -> CrawlId:
    crawl = text_of(pointer, "sk").partition("#")[2]
    return CrawlId(tenant=tenant, site=text_of(pointer, "site"), crawl=crawl)
