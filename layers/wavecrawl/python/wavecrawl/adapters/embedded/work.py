"""Claims, batches and waves in SQLite, with the conditional writes of design 3."""

from collections.abc import Sequence

import msgspec

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.domain.job import BatchId, CrawlId
from wavecrawl.ports.batches import BatchRow, BatchSums, BatchWork, Lease, WaveRow
from wavecrawl.ports.claims import Claimant

_WORK = msgspec.msgpack.Decoder(BatchWork)

_CLAIM = """
INSERT INTO claim (crawl, key, wave, batch, attempt) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (crawl, key) DO UPDATE SET wave = excluded.wave, batch = excluded.batch, attempt = excluded.attempt
WHERE claim.wave < excluded.wave
   OR (claim.wave = excluded.wave AND claim.batch = excluded.batch AND claim.attempt < excluded.attempt)
"""
_LEASE = """
UPDATE batch SET attempts = attempts + 1, owner = ?, leased_until = ?
WHERE crawl = ? AND wave = ? AND batch = ? AND done = 0 AND leased_until <= ?
RETURNING attempts, attempts - forgiven
"""
_RELEASE = """
UPDATE batch SET leased_until = 0, forgiven = CASE WHEN ?2 IS NULL THEN attempts ELSE forgiven END
WHERE crawl = ?1 AND done = 0 AND leased_until > 0 AND owner = ifnull(?2, owner)
"""
_COMPLETE = """
UPDATE batch SET done = 1, leased_until = 0
WHERE crawl = ? AND wave = ? AND batch = ? AND done = 0 AND attempts = ? AND owner = ?
"""
_COUNT = """
UPDATE wave SET done = done + 1, records = records + ?, fetched = fetched + ?, bytes = bytes + ?, faults = faults + ?
WHERE crawl = ? AND wave = ?
"""


class SqliteClaims:
    """`ports.claims.Claims`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def claim(self, crawl: CrawlId, key: str, by: Claimant) -> bool:
        """Take the URL; return whether it is ours."""
        return self._database.change(_CLAIM, str(crawl), key, by.wave, by.batch, by.attempt) == 1


class SqliteBatches:
    """`ports.batches.Batches`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, batches: Sequence[BatchWork]) -> None:
        """Store batches that do not exist yet."""
        with self._database.transaction() as connection:
            connection.executemany(
                "INSERT INTO batch (crawl, wave, batch, work) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
                [(str(b.id.crawl), b.id.wave, b.id.batch, msgspec.msgpack.encode(b)) for b in batches],
            )

    def of_wave(self, crawl: CrawlId, wave: int) -> list[BatchRow]:
        """Return the batches of a wave by number."""
        rows = self._database.rows(
            "SELECT work, attempts, done, leased_until, owner FROM batch WHERE crawl = ? AND wave = ? ORDER BY batch",
            str(crawl),
            wave,
        )
        return [
            BatchRow(
                work=_WORK.decode(work),
                attempts=attempts,
                done=bool(done),
                leased_until=until,
                owner=owner,
                done_attempt=attempts if done else 0,
            )
            for work, attempts, done, until, owner in rows
        ]

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
        return mine

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

    def store_token(self, crawl: CrawlId, wave: int, token: str) -> None:
        """Replace the token that is told when the wave's last batch is done."""
        self._database.change("UPDATE wave SET token = ? WHERE crawl = ? AND wave = ?", token, str(crawl), wave)

    def read(self, crawl: CrawlId, wave: int) -> WaveRow | None:
        """Return the wave, or None."""
        rows = self._database.rows(
            "SELECT planned, done, token, records, fetched, bytes, faults FROM wave WHERE crawl = ? AND wave = ?",
            str(crawl),
            wave,
        )
        if not rows:
            return None
        planned, done, token, records, fetched, size, faults = rows[0]
        sums = BatchSums(records=records, fetched=fetched, bytes=size, faults=faults)
        return WaveRow(wave=wave, planned=planned, done=done, token=token, sums=sums)
