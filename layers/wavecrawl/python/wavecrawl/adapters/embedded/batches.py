"""Batches and waves in SQLite."""

from sqlite3 import Connection
from typing import Any

import msgspec

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.domain.crawl.bill import Usage
from wavecrawl.domain.crawl.job import BatchId, CrawlId
from wavecrawl.ports.batches import BatchRow, BatchSums, Lease, Progress, WaveRow

_USAGE = msgspec.msgpack.Decoder(Usage)

_OF_WAVE = """
SELECT wave, batch, attempts, done, leased_until, owner FROM batch WHERE crawl = ? AND wave = ? ORDER BY batch
"""

_OF_CRAWL = """
SELECT wave, batch, attempts, done, leased_until, owner FROM batch WHERE crawl = ? ORDER BY wave, batch
"""

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

_GIVE_BACK = """
UPDATE batch SET leased_until = 0
WHERE crawl = ? AND wave = ? AND batch = ? AND done = 0 AND attempts = ? AND owner = ?
"""

_COMPLETE = """
UPDATE batch SET done = 1, leased_until = 0
WHERE crawl = ? AND wave = ? AND batch = ? AND done = 0 AND attempts = ? AND owner = ?
"""

_COUNT = """
UPDATE wave SET done = done + 1, records = records + ?, fetched = fetched + ?, bytes = bytes + ?, faults = faults + ?
WHERE crawl = ? AND wave = ?
"""


class SqliteBatches:
    """`ports.batches.Batches`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of_wave(self, crawl: CrawlId, wave: int) -> list[BatchRow]:
        """Return the batches of a wave that were ever leased, by number."""
        return [_batch(crawl, row) for row in self._database.rows(_OF_WAVE, str(crawl), wave)]

    def of_crawl(self, crawl: CrawlId) -> list[BatchRow]:
        """Return the batches of a crawl that were ever leased, by wave and number."""
        return [_batch(crawl, row) for row in self._database.rows(_OF_CRAWL, str(crawl))]

    def lease(self, id_: BatchId, *, owner: str, now: float, seconds: float) -> Lease | None:
        """Take a batch that is not done and free or expired."""
        until = now + seconds
        rows = self._database.rows(_LEASE, owner, until, str(id_.crawl), id_.wave, id_.batch, now)
        if not rows:
            return None
        attempt, deliveries = rows[0]
        return Lease(id=id_, attempt=attempt, owner=owner, expires_at=until, deliveries=deliveries)

    def complete(self, lease: Lease, sums: BatchSums) -> bool:
        """Mark the batch done and count it in its wave, in one transaction."""
        crawl, id_ = str(lease.id.crawl), lease.id
        with self._database.transaction() as connection:
            mine = connection.execute(_COMPLETE, (crawl, id_.wave, id_.batch, lease.attempt, lease.owner)).rowcount == 1
            if mine:
                connection.execute(_COUNT, (sums.records, sums.fetched, sums.bytes, sums.faults, crawl, id_.wave))
                _add_usage(connection, crawl, id_.wave, sums.usage)
        return mine

    def give_back(self, lease: Lease) -> bool:
        """Free one's own lease."""
        id_ = lease.id
        return self._database.change(_GIVE_BACK, str(id_.crawl), id_.wave, id_.batch, lease.attempt, lease.owner) == 1

    def release(self, crawl: CrawlId, *, owner: str | None = None) -> int:
        """Free the leases of a dead owner, or of everybody."""
        return self._database.change(_RELEASE, str(crawl), owner)


class SqliteWaves:
    """`ports.batches.Waves`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, crawl: CrawlId, wave: int, *, planned: int) -> None:
        """Store a wave that does not exist yet."""
        sql = "INSERT INTO wave (crawl, wave, planned) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
        self._database.change(sql, str(crawl), wave, planned)

    def store_token(self, crawl: CrawlId, wave: int, token: str, *, order: float = 0.0) -> bool:
        """Replace the token that is told when the wave's last batch is done, unless one of a higher order is there."""
        sql = "UPDATE wave SET token = ?1, token_order = ?2 WHERE crawl = ?3 AND wave = ?4 AND token_order <= ?2"
        return self._database.change(sql, token, order, str(crawl), wave) == 1

    def add_usage(self, crawl: CrawlId, wave: int, usage: Usage) -> None:
        """Add to the wave's usage."""
        with self._database.transaction() as connection:
            _add_usage(connection, str(crawl), wave, usage)

    def read(self, crawl: CrawlId, wave: int) -> WaveRow | None:
        """Return the wave, or None."""
        columns = "planned, done, token, records, fetched, bytes, faults, usage"
        rows = self._database.rows(
            f"SELECT {columns} FROM wave WHERE crawl = ? AND wave = ?",  # noqa: S608 - constant
            str(crawl),
            wave,
        )
        if not rows:
            return None
        planned, done, token, records, fetched, size, faults, usage = rows[0]
        sums = BatchSums(records=records, fetched=fetched, bytes=size, faults=faults, usage=_usage(usage))
        return WaveRow(wave=wave, planned=planned, done=done, token=token, sums=sums)

    def usage(self, crawl: CrawlId) -> Usage:
        """Return what all waves have used until now."""
        rows = self._database.rows("SELECT usage FROM wave WHERE crawl = ? ORDER BY wave", str(crawl))
        return sum((_usage(row[0]) for row in rows), Usage())

    def last(self, crawl: CrawlId) -> int:
        """Return the number of the last wave that has batches; 0 where none has."""
        rows = self._database.rows("SELECT max(wave) FROM wave WHERE crawl = ? AND planned > 0", str(crawl))
        return int(rows[0][0] or 0)

    def progress(self, crawl: CrawlId) -> Progress:
        """Add up the waves of a crawl."""
        sql = "SELECT planned, done, records, fetched, bytes, faults, usage, wave FROM wave WHERE crawl = ?"
        rows = self._database.rows(sql, str(crawl))
        planned, done, records, fetched, size, faults = (sum(row[column] for row in rows) for column in range(6))
        return Progress(
            waves=max((row[7] for row in rows), default=0),
            batches=planned,
            batches_done=done,
            records=records,
            fetched=fetched,
            bytes=size,
            faults=faults,
            usage=sum((_usage(row[6]) for row in rows), Usage()),
        )


def _batch(crawl: CrawlId, row: tuple[Any, ...]) -> BatchRow:
    wave, batch, attempts, done, until, owner = row
    return BatchRow(
        id=BatchId(crawl=crawl, wave=wave, batch=batch),
        attempts=attempts,
        done=bool(done),
        leased_until=until,
        owner=owner,
        done_attempt=attempts if done else 0,
    )


def _usage(stored: bytes) -> Usage:
    return _USAGE.decode(stored) if stored else Usage()


def _add_usage(connection: Connection, crawl: str, wave: int, usage: Usage) -> None:
    """Add to a wave's usage, inside a transaction."""
    if not usage:
        return
    known = connection.execute("SELECT usage FROM wave WHERE crawl = ? AND wave = ?", (crawl, wave)).fetchone()
    total = msgspec.msgpack.encode(_usage(known[0] if known else b"") + usage)
    connection.execute(
        "INSERT INTO wave (crawl, wave, planned, usage) VALUES (?, ?, 0, ?) "
        "ON CONFLICT DO UPDATE SET usage = excluded.usage",
        (crawl, wave, total),
    )
