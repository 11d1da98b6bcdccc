"""Batches in DynamoDB.

botocore sends a write again if its response was lost. A nonce per lease lets the repeat recognise the first's row.
"""

import secrets

from msgspec.structs import replace

from wavecrawl.adapters.aws.attributes import Row
from wavecrawl.adapters.aws.names import ALL_BATCHES, batch_row, batches_of, wave_row, work_partition
from wavecrawl.adapters.aws.table import Table
from wavecrawl.adapters.aws.waves import OPEN, addition, units_of
from wavecrawl.adapters.aws.writes import Change
from wavecrawl.domain.crawl.bill import Usage
from wavecrawl.domain.crawl.job import BatchId, CrawlId
from wavecrawl.errors import TransientError
from wavecrawl.ports.batches import COUNTS, BatchRow, BatchSums, Lease

COMPLETION_UNITS = 4.0
"""Write units of a completion: two rows below 1 KB, each twice because of the transaction."""

_MINE = "attribute_not_exists(#done) AND #attempts = :attempt AND #owner = :owner"


class DynamoBatches:
    """`ports.batches.Batches`. A batch's row holds no job and stays below 1 KB, so a lease costs one write unit."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def of_wave(self, crawl: CrawlId, wave: int) -> list[BatchRow]:
        """Return the batches of a wave that were ever leased, by number, read consistently."""
        return [_batch(crawl, row) for row in self._table.query(work_partition(crawl), batches_of(wave))]

    def of_crawl(self, crawl: CrawlId) -> list[BatchRow]:
        """Return the batches of a crawl that were ever leased, by wave and number, read consistently."""
        return [_batch(crawl, row) for row in self._table.query(work_partition(crawl), ALL_BATCHES)]

    def read(self, id_: BatchId) -> BatchRow | None:
        """Return a batch, read consistently."""
        row = self._table.get(batch_row(id_))
        return _batch(id_.crawl, row) if row else None

    def lease(self, id_: BatchId, *, owner: str, now: float, seconds: float) -> Lease | None:
        """Lease a batch that is not done, and free or expired."""
        nonce = secrets.token_bytes(8)
        answer = self._table.update(
            Change(
                key=batch_row(id_),
                add={"attempts": 1},
                set={"owner": owner, "leased_until": now + seconds, "nonce": nonce},
                condition="attribute_not_exists(#done) AND "
                "(attribute_not_exists(#leased_until) OR #leased_until <= :now)",
                values={"now": now},
            )
        )
        row = answer.row
        if not answer.made and row.get("nonce") != nonce:
            return None
        return Lease(
            id=id_,
            attempt=row["attempts"],
            owner=owner,
            expires_at=float(row["leased_until"]),
            deliveries=row["attempts"] - row.get("forgiven", 0),
        )

    def note_records(self, lease: Lease, records: int) -> None:
        """Store the number of records so far: one write unit."""
        row = {"records": records}
        self._table.update(Change(key=batch_row(lease.id), set=row, condition=_MINE, values=_holder(lease)))

    def complete(self, lease: Lease, sums: BatchSums) -> bool:
        """Mark the batch done and count it in its wave, in one transaction of four write units.

        If the table is metered, the usage includes the transaction itself.
        """
        done = Change(
            key=batch_row(lease.id), set={"done": True}, remove=["leased_until"], condition=_MINE, values=_holder(lease)
        )
        usage = sums.usage + Usage(write_units=COMPLETION_UNITS if self._table.is_metered else 0.0)
        counted = {"done": 1} | {name: getattr(sums, name) for name in COUNTS} | units_of(usage)
        count = replace(addition(wave_row(lease.id.crawl, lease.id.wave), counted), condition=OPEN)
        try:
            made = not self._table.transact([done, count])
        except TransientError:
            if not self._is_done_by(lease):
                raise
            made = True
        if made:
            self._table.charged_elsewhere(write_units=COMPLETION_UNITS)
        return made

    def close(self, id_: BatchId) -> bool:
        """Mark a batch done without records and count it in its wave, in one transaction of four write units."""
        done = Change(
            key=batch_row(id_),
            set={"done": True, "closed": True},
            remove=["leased_until"],
            condition="attribute_not_exists(#done)",
        )
        count = replace(addition(wave_row(id_.crawl, id_.wave), {"done": 1}), condition=OPEN)
        return not self._table.transact([done, count])

    def give_back(self, lease: Lease) -> bool:
        """Free the caller's own lease. Repeating the request changes nothing more."""
        change = Change(key=batch_row(lease.id), remove=["leased_until"], condition=_MINE, values=_holder(lease))
        return self._table.update(change).made

    def postpone(self, id_: BatchId, *, starts_at: float) -> None:
        """Store the start of a batch that is not done."""
        condition = "attribute_not_exists(#done)"
        self._table.update(Change(key=batch_row(id_), set={"starts_at": starts_at}, condition=condition))

    def forgive(self, id_: BatchId) -> bool:
        """Forget the deliveries of a batch that is not done."""
        row = self._table.get(batch_row(id_)) or {}
        return "attempts" in row and self._forgive(row)

    def release(self, crawl: CrawlId, *, owner: str | None = None) -> int:
        """Free the leases of a dead owner, or all leases."""
        held = [
            row
            for row in self._table.query(work_partition(crawl), ALL_BATCHES)
            if "done" not in row and "leased_until" in row and owner in (None, row["owner"])
        ]
        return sum(self._release(row, forgive=owner is None) for row in held)

    def _release(self, row: Row, *, forgive: bool) -> bool:
        change = Change(
            key=(row["pk"], row["sk"]),
            set={"forgiven": row["attempts"]} if forgive else {},
            remove=["leased_until"],
            condition="attribute_not_exists(#done) AND #attempts = :attempts AND attribute_exists(#leased_until)",
            values={"attempts": row["attempts"]},
        )
        return self._table.update(change).made

    def _forgive(self, row: Row) -> bool:
        change = Change(
            key=(row["pk"], row["sk"]),
            set={"forgiven": row["attempts"]},
            condition="attribute_not_exists(#done) AND #attempts = :attempts",
            values={"attempts": row["attempts"]},
        )
        return self._table.update(change).made

    def _is_done_by(self, lease: Lease) -> bool:
        """Return whether a completion was carried out whose response was lost."""
        row = self._table.get(batch_row(lease.id)) or {}
        if "done" not in row or "closed" in row:
            return False
        return _holder(lease) == {"attempt": row["attempts"], "owner": row["owner"]}


def _batch(crawl: CrawlId, row: Row) -> BatchRow:
    _, wave, batch = row["sk"].split("#")
    done, attempts = "done" in row, row.get("attempts", 0)
    return BatchRow(
        id=BatchId(crawl=crawl, wave=int(wave), batch=int(batch)),
        attempts=attempts,
        done=done,
        leased_until=float(row.get("leased_until", 0.0)),
        owner=row.get("owner", ""),
        done_attempt=attempts if done and "closed" not in row else 0,
        starts_at=float(row.get("starts_at", 0.0)),
    )


def _holder(lease: Lease) -> Row:
    return {"attempt": lease.attempt, "owner": lease.owner}
