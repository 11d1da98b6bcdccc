"""Claims, batches and waves in DynamoDB, with the conditional writes and the orders of design 3.

botocore sends a request again whose answer was lost. A conditional write that was carried out the first time then meets
its own row; a nonce, fresh for every call, tells that row from a rival's.
"""

import secrets
from typing import Any

from wavecrawl.adapters.aws.attributes import Row, binary, bytes_of, float_of, int_of, number, text, text_of
from wavecrawl.adapters.aws.names import ALL_BATCHES, ALL_WAVES, batch_row, batches_of, token_row, wave_row
from wavecrawl.adapters.aws.names import work_partition as partition_of
from wavecrawl.adapters.aws.table import Change, NewRow, Table
from wavecrawl.domain.crawl.bill import UNITS, Usage
from wavecrawl.domain.crawl.job import BatchId, CrawlId
from wavecrawl.errors import TransientError
from wavecrawl.ports.batches import BatchRow, BatchSums, Lease, Progress, WaveRow

COMPLETION_UNITS = 4.0
"""What a completion costs, in write units: two rows below 1 KB, twice as much in a transaction."""
_SUMS = ("records", "fetched", "bytes", "faults")
_ONE, _ZERO = number(1), number(0)


class DynamoBatches:
    """`ports.batches.Batches`. A batch's row holds no job, so it stays below 1 KB: a lease costs one write unit."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def of_wave(self, crawl: CrawlId, wave: int) -> list[BatchRow]:
        """Return the batches of a wave that were ever leased, by number, read consistently."""
        return [_batch(crawl, row) for row in self._table.query(partition_of(crawl), batches_of(wave))]

    def of_crawl(self, crawl: CrawlId) -> list[BatchRow]:
        """Return the batches of a crawl that were ever leased, by wave and number, read consistently."""
        return [_batch(crawl, row) for row in self._table.query(partition_of(crawl), ALL_BATCHES)]

    def lease(self, id_: BatchId, *, owner: str, now: float, seconds: float) -> Lease | None:
        """Take a batch that is not done and free or expired."""
        nonce, until = _nonce(), now + seconds
        answer = self._table.update(
            Change(
                key=batch_row(id_),
                update="SET #attempts = if_not_exists(#attempts, :zero) + :one, "
                "#owner = :owner, #leased_until = :until, #nonce = :nonce",
                condition="attribute_not_exists(#done) AND "
                "(attribute_not_exists(#leased_until) OR #leased_until <= :now)",
                values={
                    ":zero": _ZERO,
                    ":one": _ONE,
                    ":owner": text(owner),
                    ":until": number(until),
                    ":now": number(now),
                    ":nonce": binary(nonce),
                },
            )
        )
        row = answer.row
        if not answer.made and bytes_of(row, "nonce") != nonce:
            return None
        attempt = int_of(row, "attempts")
        return Lease(
            id=id_,
            attempt=attempt,
            owner=owner,
            expires_at=float_of(row, "leased_until"),
            deliveries=attempt - int_of(row, "forgiven"),
        )

    def complete(self, lease: Lease, sums: BatchSums) -> bool:
        """Mark the batch done and count it in its wave, in one transaction of four write units.

        Where the table is metered, the transaction is part of the usage that it writes.
        """
        done = Change(
            key=batch_row(lease.id),
            update="SET #done = :yes REMOVE #leased_until",
            condition="attribute_not_exists(#done) AND #attempts = :attempt AND #owner = :owner",
            values={":yes": {"BOOL": True}, ":attempt": number(lease.attempt), ":owner": text(lease.owner)},
        )
        usage = sums.usage + Usage(write_units=COMPLETION_UNITS if self._table.is_metered else 0.0)
        counted = {"done": 1.0} | {name: getattr(sums, name) for name in _SUMS} | _units(usage)
        count = _addition(wave_row(lease.id.crawl, lease.id.wave), counted)
        try:
            made = not self._table.transact([done, count])
        except TransientError:
            if not self._is_done_by(lease):
                raise
            made = True
        if made:
            self._table.charged_elsewhere(write_units=COMPLETION_UNITS)
        return made

    def give_back(self, lease: Lease) -> bool:
        """Free one's own lease; a repeat of the request changes nothing more."""
        change = Change(
            key=batch_row(lease.id),
            update="REMOVE #leased_until",
            condition="attribute_not_exists(#done) AND #attempts = :attempt AND #owner = :owner",
            values={":attempt": number(lease.attempt), ":owner": text(lease.owner)},
        )
        return self._table.update(change).made

    def release(self, crawl: CrawlId, *, owner: str | None = None) -> int:
        """Free the leases of a dead owner, or of everybody."""
        held = [
            row
            for row in self._table.query(partition_of(crawl), ALL_BATCHES)
            if "done" not in row and "leased_until" in row and owner in (None, text_of(row, "owner"))
        ]
        return sum(self._release(row, forgive=owner is None) for row in held)

    def _release(self, row: Row, *, forgive: bool) -> bool:
        change = Change(
            key=(text_of(row, "pk"), text_of(row, "sk")),
            update="SET #forgiven = #attempts REMOVE #leased_until" if forgive else "REMOVE #leased_until",
            condition="attribute_not_exists(#done) AND #attempts = :attempts AND attribute_exists(#leased_until)",
            values={":attempts": row["attempts"]},
        )
        return self._table.update(change).made

    def _is_done_by(self, lease: Lease) -> bool:
        """Find out how a completion ended whose answer was lost."""
        row = self._table.get(batch_row(lease.id)) or {}
        return "done" in row and int_of(row, "attempts") == lease.attempt and text_of(row, "owner") == lease.owner


class DynamoWaves:
    """`ports.batches.Waves`. The token has a row of its own beside the counters."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def create(self, crawl: CrawlId, wave: int, *, planned: int) -> None:
        """Store a wave that does not exist yet."""
        update = "SET #planned = if_not_exists(#planned, :planned)"
        self._table.update(Change(key=wave_row(crawl, wave), update=update, values={":planned": number(planned)}))

    def add_usage(self, crawl: CrawlId, wave: int, usage: Usage) -> None:
        """Add to the wave's usage."""
        if usage:
            self._table.update(_addition(wave_row(crawl, wave), _units(usage)))

    def store_token(self, crawl: CrawlId, wave: int, token: str, *, order: float = 0.0) -> bool:
        """Replace the token that is told when the wave's last batch is done, unless one of a higher order is there."""
        stored = NewRow(
            key=token_row(crawl, wave),
            row={"token": text(token), "order": number(order)},
            condition="attribute_not_exists(#order) OR #order <= :order",
            values={":order": number(order)},
        )
        return self._table.put(stored).made

    def read(self, crawl: CrawlId, wave: int) -> WaveRow | None:
        """Return the wave, or None: counters and token in one round trip.

        The two are read consistently one by one, not as of one moment. That is enough: whoever completes reads the
        token after its completion, and whoever stores a token reads the counters after that.
        """
        rows = self._table.get_many([wave_row(crawl, wave), token_row(crawl, wave)], consistent=True)
        found = {text_of(row, "sk"): row for row in rows}
        row = found.get(wave_row(crawl, wave)[1])
        if row is None:
            return None
        return WaveRow(
            wave=wave,
            planned=int_of(row, "planned"),
            done=int_of(row, "done"),
            token=text_of(found.get(token_row(crawl, wave)[1], {}), "token"),
            sums=BatchSums(**{name: int_of(row, name) for name in _SUMS}, usage=_usage(row)),
        )

    def usage(self, crawl: CrawlId) -> Usage:
        """Return what all waves have used until now."""
        return sum(map(_usage, self._table.query(partition_of(crawl), ALL_WAVES)), Usage())

    def last(self, crawl: CrawlId) -> int:
        """Return the number of the last wave that has batches; behind it stand a few at most that have none."""
        for newest in (2, 0):
            rows = self._table.query(partition_of(crawl), ALL_WAVES, newest=newest)
            waves = [_number(row) for row in rows if int_of(row, "planned")]
            if waves:
                return max(waves)
        return 0

    def progress(self, crawl: CrawlId) -> Progress:
        """Add up the waves of a crawl, in one query that may be a moment behind."""
        waves = self._table.query(partition_of(crawl), ALL_WAVES, consistent=False)
        sums = {name: sum(int_of(wave, name) for wave in waves) for name in _SUMS}
        return Progress(
            waves=max(map(_number, waves), default=0),
            batches=sum(int_of(wave, "planned") for wave in waves),
            batches_done=sum(int_of(wave, "done") for wave in waves),
            usage=sum((_usage(wave) for wave in waves), Usage()),
            **sums,
        )


def _usage(wave: Row) -> Usage:
    return Usage(**{unit: float_of(wave, f"u_{unit}") for unit in UNITS})


def _nonce() -> bytes:
    return secrets.token_bytes(8)


def _batch(crawl: CrawlId, row: Row) -> BatchRow:
    _, wave, batch = text_of(row, "sk").split("#")
    attempts, done = int_of(row, "attempts"), "done" in row
    return BatchRow(
        id=BatchId(crawl=crawl, wave=int(wave), batch=int(batch)),
        attempts=attempts,
        done=done,
        leased_until=float_of(row, "leased_until"),
        owner=text_of(row, "owner"),
        done_attempt=attempts if done else 0,
    )


def _number(row: Row) -> int:
    return int(text_of(row, "sk").partition("#")[2])


def _units(usage: Usage) -> dict[str, float]:
    """Return the units that were used, by attribute. Nine digits: sums stay short, and no price tells them apart."""
    return {f"u_{unit}": round(getattr(usage, unit), 9) for unit in UNITS if getattr(usage, unit)}


def _addition(key: tuple[str, str], amounts: dict[str, Any]) -> Change:
    added = {name: amount for name, amount in amounts.items() if amount}
    return Change(
        key=key,
        update="ADD " + ", ".join(f"#{name} :{name}" for name in added),
        values={f":{name}": number(amount) for name, amount in added.items()},
    )
