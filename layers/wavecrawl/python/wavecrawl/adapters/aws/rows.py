"""Crawls, page memories, hosts and robots.txt files in DynamoDB."""

import time
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

import msgspec

from wavecrawl.adapters.aws.attributes import Row, binary, bytes_of, float_of, int_of, number, text, text_of
from wavecrawl.adapters.aws.faults import CONTESTED, OUTRUN, THROTTLED, attempts
from wavecrawl.adapters.aws.names import (
    crawl_row,
    host_row,
    page_row,
    page_shards,
    robots_row,
    site_row,
    tenant_row,
    usage_row,
)
from wavecrawl.adapters.aws.table import Change, NewRow, Table
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.memory import PageMemory
from wavecrawl.domain.crawl.settings import CrawlSettings, PoliteSettings
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.domain.politeness.pace import Feedback, HostState, Window, adapt, reserve
from wavecrawl.domain.politeness.robots import RobotsFile
from wavecrawl.errors import StoreBusyError
from wavecrawl.ports.crawls import CrawlRow, Quota, UsedUp

_SETTINGS = msgspec.msgpack.Decoder(CrawlSettings)
_MEMORY = msgspec.msgpack.Decoder(PageMemory)
_HOST = msgspec.msgpack.Decoder(HostState)
_ROBOTS = msgspec.msgpack.Decoder(RobotsFile)
_encode = msgspec.msgpack.Encoder().encode

Result = TypeVar("Result")

_NEW = "attribute_not_exists(#pk)"
_RUNNING = "#status = :running"
_IS_RUNNING = {":running": text(CrawlStatus.RUNNING.value)}

_ROOM_IN_A_UNIT = 850  # bytes of a memory that leave its row, with keys and names, below 1 KB
_MAX_ROBOTS = 350 * 1024  # bytes, well below the 400 KB of an item


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


class DynamoPageMemories:
    """`ports.page_memories.PageMemories`: in bulk, a hundred rows a read and 25 a write."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def any(self, crawl: CrawlId) -> bool:
        """Tell whether the site remembers any page: the first shard that has one tells it."""
        shards = page_shards(crawl)
        return any(self._table.query(partition, prefix, newest=1) for partition, prefix in shards)

    def read(self, crawl: CrawlId, keys: Sequence[str]) -> dict[str, PageMemory]:
        """Return the memories that exist, by url key. Gather wrote them at least a wave ago: half a unit each."""
        memories = map(_memory, self._table.get_many(page_row(crawl, key) for key in keys))
        return {memory.key: memory for memory in memories}

    def write(self, crawl: CrawlId, memories: Iterable[PageMemory]) -> None:
        """Store memories, replacing older ones."""
        self._table.put_many({page_row(crawl, memory.key): _memory_row(memory) for memory in memories})

    def forget(self, crawl: CrawlId, key: str) -> None:
        """Forget a page."""
        self._table.delete(page_row(crawl, key))


class DynamoHostGate:
    """`ports.host_gate.HostGate`: read, compute, write where nobody was quicker; otherwise once more."""

    def __init__(self, table: Table, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._table = table
        self._sleep = sleep

    def read(self, host: str) -> HostState:
        """Return what is known of the host."""
        return _host(host, self._table.get(host_row(host), consistent=False))

    def reserve(self, host: str, *, holder: str, count: int, interval: float, now: float) -> Window:
        """Reserve `count` request starts."""
        return self._change(host, lambda s: reserve(s, holder=holder, count=count, interval=interval, now=now))[1]

    def report(self, host: str, feedback: Feedback, settings: PoliteSettings) -> HostState:
        """Let the host's state follow from how it answered; return the new one."""
        return self._change(host, lambda state: (adapt(state, feedback, settings), None))[0]

    def _change(self, host: str, change: Callable[[HostState], tuple[HostState, Result]]) -> tuple[HostState, Result]:
        row = self._table.get(host_row(host)) or {}
        for _ in attempts(self._sleep, OUTRUN):
            version = int_of(row, "version")
            state, result = change(_host(host, row))
            data = _encode(state)
            answer = self._table.put(
                NewRow(
                    key=host_row(host),
                    row={"state": binary(data), "version": number(version + 1)},
                    condition="#version = :version" if version else _NEW,
                    values={":version": number(version)} if version else {},
                )
            )
            # A write that was sent twice, as its first answer was lost, meets itself.
            mine = int_of(answer.row, "version") == version + 1 and bytes_of(answer.row, "state") == data
            if answer.made or mine:
                return state, result
            row = answer.row
        raise StoreBusyError(f"host {host}: others changed its row again and again")


class DynamoRobotsCache:
    """`ports.robots_cache.RobotsCache`. A file that no item can hold is not kept: it is asked for again."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def read(self, origin: str) -> RobotsFile | None:
        """Return the file last stored for an origin, or None."""
        row = self._table.get(robots_row(origin), consistent=False)
        return _ROBOTS.decode(zlib.decompress(bytes_of(row, "file"))) if row else None

    def write(self, file: RobotsFile) -> None:
        """Store a file under its origin."""
        data = zlib.compress(_encode(file), 6)
        if len(data) > _MAX_ROBOTS:
            self._table.delete(robots_row(file.origin))
            return
        self._table.put(NewRow(key=robots_row(file.origin), row={"file": binary(data)}))


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


def _memory_row(memory: PageMemory) -> Row:
    """Encode a memory. The row's key holds the url key already; a large memory is packed, as each started KB costs."""
    data = _encode(replace(memory, key=""))
    if len(data) <= _ROOM_IN_A_UNIT:
        return {"memory": binary(data)}
    return {"packed": binary(zlib.compress(data, 9))}


def _memory(row: Row) -> PageMemory:
    data = zlib.decompress(bytes_of(row, "packed")) if "packed" in row else bytes_of(row, "memory")
    return replace(_MEMORY.decode(data), key=text_of(row, "sk").partition("#")[2])


def _host(host: str, row: Row | None) -> HostState:
    return _HOST.decode(bytes_of(row, "state")) if row else HostState(host=host)
