"""Batches and waves in SQLite."""

from collections.abc import Sequence
from typing import Any

from msgspec import structs

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.embedded.packed_table import PackedTable
from wavecrawl.domain.crawl.bill import Usage
from wavecrawl.domain.crawl.job import BatchId, CrawlId
from wavecrawl.domain.politeness.waits import Wait
from wavecrawl.ports.batches import BatchRow, BatchSums, Lease, Progress, WaveRow, progress_of

_FIND = "SELECT wave, batch, attempts, done, closed, leased_until, owner, starts_at FROM batch WHERE crawl = ?"
_LEASE = """
INSERT INTO batch (owner, leased_until, crawl, wave, batch, attempts) VALUES (?, ?, ?, ?, ?, 1)
ON CONFLICT (crawl, wave, batch) DO UPDATE
SET attempts = attempts + 1, owner = excluded.owner, leased_until = excluded.leased_until
WHERE batch.done = 0 AND batch.leased_until <= ?
RETURNING attempts, attempts - forgiven
"""
_RELEASE = """
UPDATE batch SET leased_until = 0, forgiven = CASE WHEN ?2 IS NULL THEN attempts ELSE forgiven END
WHERE crawl = ?1 AND done = 0 AND leased_until > 0 AND owner = ifnull(?2, owner)
"""
_END_LEASE = """
UPDATE batch SET done = ?, leased_until = 0
WHERE crawl = ? AND wave = ? AND batch = ? AND done = 0 AND attempts = ? AND owner = ?
"""
_POSTPONE = """
INSERT INTO batch (starts_at, crawl, wave, batch) VALUES (?, ?, ?, ?)
ON CONFLICT (crawl, wave, batch) DO UPDATE SET starts_at = excluded.starts_at WHERE batch.done = 0
"""
_CLOSE = """
INSERT INTO batch (done, closed, crawl, wave, batch) VALUES (1, 1, ?, ?, ?)
ON CONFLICT (crawl, wave, batch) DO UPDATE SET done = 1, closed = 1, leased_until = 0 WHERE batch.done = 0
"""
_FORGIVE = """
UPDATE batch SET forgiven = attempts WHERE crawl = ? AND wave = ? AND batch = ? AND done = 0 AND attempts > 0
"""
_NOTE = """
UPDATE batch SET records = ?
WHERE crawl = ? AND wave = ? AND batch = ? AND done = 0 AND attempts = ? AND owner = ?
"""
_NOTED = "SELECT total(records) FROM batch WHERE crawl = ? AND wave = ? AND done = 0"


class SqliteBatches:
    """`ports.batches.Batches`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waves = SqliteWaves(database)

    def of_wave(self, crawl: CrawlId, wave: int) -> list[BatchRow]:
        """Return the batches of a wave that were ever leased, by number."""
        rows = self._database.rows(f"{_FIND} AND wave = ? ORDER BY batch", str(crawl), wave)
        return [_batch(crawl, row) for row in rows]

    def of_crawl(self, crawl: CrawlId) -> list[BatchRow]:
        """Return the batches of a crawl that were ever leased, by wave and number."""
        return [_batch(crawl, row) for row in self._database.rows(f"{_FIND} ORDER BY wave, batch", str(crawl))]

    def read(self, id_: BatchId) -> BatchRow | None:
        """Return a batch."""
        rows = self._database.rows(f"{_FIND} AND wave = ? AND batch = ?", *_key(id_))
        return _batch(id_.crawl, rows[0]) if rows else None

    def lease(self, id_: BatchId, *, owner: str, now: float, seconds: float) -> Lease | None:
        """Lease a batch that is not done, and free or expired."""
        until = now + seconds
        rows = self._database.rows(_LEASE, owner, until, str(id_.crawl), id_.wave, id_.batch, now)
        if not rows:
            return None
        attempt, deliveries = rows[0]
        return Lease(id=id_, attempt=attempt, owner=owner, expires_at=until, deliveries=deliveries)

    def note_records(self, lease: Lease, records: int) -> None:
        """Store the number of records so far."""
        self._database.change(_NOTE, records, *_holder(lease))

    def complete(self, lease: Lease, sums: BatchSums) -> bool:
        """Mark the batch done and count it in its wave, in one transaction."""
        id_ = lease.id
        with self._database.transaction():
            made = self._waves.read(id_.crawl, id_.wave) is not None and self._end(lease, done=True)
            if made:
                self._waves.count(id_.crawl, id_.wave, sums, done=1)
        return made

    def close(self, id_: BatchId) -> bool:
        """Mark a batch done without records and count it in its wave, in one transaction."""
        with self._database.transaction():
            exists = self._waves.read(id_.crawl, id_.wave) is not None
            made = exists and self._database.change(_CLOSE, *_key(id_)) == 1
            if made:
                self._waves.count(id_.crawl, id_.wave, BatchSums(), done=1)
        return made

    def give_back(self, lease: Lease) -> bool:
        """Free the caller's own lease."""
        return self._end(lease, done=False)

    def postpone(self, id_: BatchId, *, starts_at: float) -> None:
        """Store the start of a batch that is not done."""
        self._database.change(_POSTPONE, starts_at, *_key(id_))

    def forgive(self, id_: BatchId) -> bool:
        """Forget the deliveries of a batch that is not done."""
        return self._database.change(_FORGIVE, *_key(id_)) == 1

    def release(self, crawl: CrawlId, *, owner: str | None = None) -> int:
        """Free the leases of a dead owner, or all leases."""
        return self._database.change(_RELEASE, str(crawl), owner)

    def _end(self, lease: Lease, *, done: bool) -> bool:
        return self._database.change(_END_LEASE, done, *_holder(lease)) == 1


class SqliteWaves:
    """`ports.batches.Waves`."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waves = PackedTable(database, "wave", WaveRow, key=("crawl", "wave"))

    def create(self, crawl: CrawlId, wave: int, *, planned: int, faults: int = 0) -> None:
        """Store a wave that does not exist yet. Its row may: a wait or usage can be stored before."""
        if self._waves.add(WaveRow(wave=wave, planned=planned, sums=BatchSums(faults=faults)), crawl=str(crawl)):
            return
        with self._database.transaction():
            row = self.read(crawl, wave)
            if row is not None and planned and not row.planned:
                sums = structs.replace(row.sums, faults=faults or row.sums.faults)
                self._waves.put(structs.replace(row, planned=planned, sums=sums), crawl=str(crawl))

    def store_token(self, crawl: CrawlId, wave: int, token: str, *, order: float = 0.0) -> bool:
        """Replace the wave's task token, unless the stored one has a higher order."""
        with self._database.transaction():
            found = self._waves.find("crawl = ? AND wave = ? AND token_order <= ?", str(crawl), wave, order)
            for row in found:
                self._waves.put(structs.replace(row, token=token), crawl=str(crawl), token_order=order)
        return bool(found)

    def mark_sent(self, crawl: CrawlId, wave: int, *, at: float, wait: Wait | None = None) -> None:
        """Store when all batches of a wave had been sent."""
        with self._database.transaction():
            row = self.read(crawl, wave)
            if row is not None:
                self._waves.put(structs.replace(row, sent_at=at, wait=wait or row.wait), crawl=str(crawl))

    def note_wait(self, crawl: CrawlId, wave: int, wait: Wait) -> None:
        """Store why a wave waits."""
        with self._database.transaction():
            row = self.read(crawl, wave) or WaveRow(wave=wave, planned=0)
            self._waves.put(structs.replace(row, wait=wait), crawl=str(crawl))

    def add_usage(self, crawl: CrawlId, wave: int, usage: Usage, *, create: bool = True) -> None:
        """Add to the wave's usage."""
        if usage:
            with self._database.transaction():
                if create or self.read(crawl, wave) is not None:
                    self.count(crawl, wave, BatchSums(usage=usage), done=0)

    def count(self, crawl: CrawlId, wave: int, sums: BatchSums, *, done: int) -> None:
        """Add to the wave's counters, as part of a transaction."""
        row = self.read(crawl, wave) or WaveRow(wave=wave, planned=0)
        self._waves.put(structs.replace(row, done=row.done + done, sums=row.sums + sums), crawl=str(crawl))

    def read(self, crawl: CrawlId, wave: int) -> WaveRow | None:
        """Return the wave, or None."""
        return self._waves.get(str(crawl), wave)

    def usage(self, crawl: CrawlId) -> Usage:
        """Return the usage of all waves so far."""
        return progress_of(self._of_crawl(crawl)).usage

    def last(self, crawl: CrawlId) -> int:
        """Return the number of the last wave that has batches, 0 = none."""
        return max((row.wave for row in self._of_crawl(crawl) if row.planned), default=0)

    def progress(self, crawl: CrawlId) -> Progress:
        """Add up the waves of a crawl, and the records in batches of its last wave that are not done."""
        waves = self._of_crawl(crawl)
        if not waves or waves[-1].done >= waves[-1].planned:
            return progress_of(waves)
        ((noted,),) = self._database.rows(_NOTED, str(crawl), waves[-1].wave)
        return progress_of(waves, in_progress=int(noted))

    def progress_of_each(self, crawls: Sequence[CrawlId]) -> list[Progress]:
        """Return the progress of each crawl."""
        return [self.progress(crawl) for crawl in crawls]

    def _of_crawl(self, crawl: CrawlId) -> list[WaveRow]:
        return self._waves.find("crawl = ? ORDER BY wave", str(crawl))


def _holder(lease: Lease) -> tuple[str, int, int, int, str]:
    return *_key(lease.id), lease.attempt, lease.owner


def _key(id_: BatchId) -> tuple[str, int, int]:
    return str(id_.crawl), id_.wave, id_.batch


def _batch(crawl: CrawlId, row: tuple[Any, ...]) -> BatchRow:
    wave, batch, attempts, done, closed, until, owner, starts_at = row
    return BatchRow(
        id=BatchId(crawl=crawl, wave=wave, batch=batch),
        attempts=attempts,
        done=bool(done),
        leased_until=until,
        owner=owner,
        done_attempt=attempts if done and not closed else 0,
        starts_at=starts_at,
    )
