"""Waves in DynamoDB, and their sums.

A crawl may have 20,000 waves, and each request for the crawl needs their sums. When twenty waves are over, the planner
of the next one closes them: from then on their rows do not change, and a row of totals holds the sums of all waves up
to the last of them. So a reader needs the last row of totals and the waves after it: one request, about ten kilobytes.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from wavecrawl.adapters.aws.attributes import Row
from wavecrawl.adapters.aws.names import (
    ALL_WAVES,
    OF_A_TOTAL,
    Key,
    batches_of,
    token_row,
    total_row,
    wave_row,
    work_partition,
)
from wavecrawl.adapters.aws.table import Table, in_parallel
from wavecrawl.adapters.aws.writes import EXISTS, NEW, Change, NewRow
from wavecrawl.domain.crawl.bill import UNITS, Usage
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.politeness.waits import Wait
from wavecrawl.ports.batches import COUNTS, BatchSums, Progress, WaveRow, progress_of

CLOSED_TOGETHER: Final = 20
"""Waves that are closed at a time. Each costs a write and a read unit more, in a crawl of more waves than this."""

_AT_ONCE: Final = CLOSED_TOGETHER + 4  # rows of a request: waves since the last row of totals, and that

OPEN: Final = f"{EXISTS} AND attribute_not_exists(#closed)"
"""The condition of a write to a wave that exists and is not closed."""

_NOT_CLOSED: Final = "attribute_not_exists(#closed)"


class DynamoWaves:
    """`ports.batches.Waves`. The token has a row of its own beside the counters."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def create(self, crawl: CrawlId, wave: int, *, planned: int, faults: int = 0) -> None:
        """Store a wave that does not exist yet."""
        values = {"planned": planned} | ({"faults": faults} if faults else {})
        if wave > CLOSED_TOGETHER:
            self._close(crawl, below=wave)
        condition = "attribute_not_exists(#planned)"  # not "no row": usage may have been added before
        self._table.update(Change(key=wave_row(crawl, wave), set=values, condition=condition))

    def mark_sent(self, crawl: CrawlId, wave: int, *, at: float, wait: Wait | None = None) -> None:
        """Store when all batches of a wave had been sent."""
        values = {"sent_at": at} | (_stored(wait) if wait else {})
        self._table.update(Change(key=wave_row(crawl, wave), set=values, condition=EXISTS))

    def note_wait(self, crawl: CrawlId, wave: int, wait: Wait) -> None:
        """Store why a wave waits."""
        self._table.update(Change(key=wave_row(crawl, wave), set=_stored(wait), condition=_NOT_CLOSED))

    def add_usage(self, crawl: CrawlId, wave: int, usage: Usage, *, create: bool = True) -> None:
        """Add to the wave's usage."""
        while usage:
            change = addition(wave_row(crawl, wave), units_of(usage))
            answer = self._table.update(replace(change, condition=_NOT_CLOSED if create else OPEN))
            if answer.made or not answer.row:
                return
            last = self._sums(crawl).last_row  # this one is closed: the crawl is charged in the last one, or the next
            wave, create = last + (wave == last), True

    def store_token(self, crawl: CrawlId, wave: int, token: str, *, order: float = 0.0) -> bool:
        """Replace the wave's task token, unless the stored one has a higher order."""
        row = {"token": token, "order": order}
        condition = "attribute_not_exists(#order) OR #order <= :order"
        new = NewRow(key=token_row(crawl, wave), row=row, condition=condition, values={"order": order})
        return self._table.put(new).made

    def read(self, crawl: CrawlId, wave: int) -> WaveRow | None:
        """Return the wave, or None: counters and token in one request.

        Both are read consistently, but not at one moment. That is enough: a worker reads the token after its
        completion, and a planner reads the counters after it stored a token.
        """
        keys = wave_row(crawl, wave), token_row(crawl, wave)
        rows = {row["sk"]: row for row in self._table.get_many(keys)}
        row, token = (rows.get(key[1]) for key in keys)
        return _wave(row, token=token["token"] if token else "") if row else None

    def usage(self, crawl: CrawlId) -> Usage:
        """Return the usage of all waves so far."""
        return self._sums(crawl).progress().usage

    def last(self, crawl: CrawlId) -> int:
        """Return the number of the last wave that has batches, 0 = none."""
        return self._sums(crawl).last

    def progress(self, crawl: CrawlId) -> Progress:
        """Add up the waves of a crawl, and the records in batches of its last wave that are not done.

        Both are read eventually consistently, at half the price.
        """
        sums = self._sums(crawl, consistent=False)
        if not sums.waves or sums.waves[-1].done >= sums.waves[-1].planned:
            return sums.progress()
        rows = self._table.query(work_partition(crawl), batches_of(sums.waves[-1].wave), consistent=False)
        return sums.progress(in_progress=sum(row.get("records", 0) for row in rows if "done" not in row))

    def progress_of_each(self, crawls: Sequence[CrawlId]) -> list[Progress]:
        """Return the progress of each crawl, read in parallel."""
        return in_parallel(self.progress, crawls)

    def _sums(self, crawl: CrawlId, *, consistent: bool = True) -> "_Sums":
        """Read the last row of totals, and the waves after it."""
        waves: list[WaveRow] = []
        before, more = "", True
        while more:
            rows = self._table.query(
                work_partition(crawl), ALL_WAVES, before=before, limit=_AT_ONCE, descending=True, consistent=consistent
            )
            for row in rows:
                if row["sk"].endswith(OF_A_TOTAL):
                    return _Sums(total=_progress(row), last_of_total=row["last"], waves=waves[::-1])
                waves.append(_wave(row))
            before, more = (rows[-1]["sk"].removeprefix(ALL_WAVES) if rows else ""), len(rows) == _AT_ONCE
        return _Sums(waves=waves[::-1])

    def _close(self, crawl: CrawlId, *, below: int) -> None:
        """Close the waves before this one, if they are many, and store their totals. They are over.

        A repeat stores the same. If it is interrupted, the next wave repeats it, perhaps for a wave more. Waves without
        a row are closed too, as usage could be added to them later.
        """
        sums = self._sums(crawl)
        over = range(sums.total.waves + 1, below)
        if len(over) < CLOSED_TOGETHER:
            return
        closed = replace(sums, waves=in_parallel(lambda wave: self._closed(crawl, wave), over))
        total = closed.progress()
        row = {name: getattr(total, name) for name in _TOTALS} | units_of(total.usage) | {"last": closed.last}
        self._table.put(NewRow(key=total_row(crawl, over[-1]), row=row, condition=NEW))

    def _closed(self, crawl: CrawlId, wave: int) -> WaveRow:
        """Close a wave; return it as it stays."""
        return _wave(self._table.update(Change(key=wave_row(crawl, wave), set={"closed": True})).row)


class _Sums(msgspec.Struct, frozen=True, kw_only=True):
    """The waves of a crawl: the sums of the closed ones, and the others."""

    total: Progress = msgspec.field(default_factory=Progress)
    last_of_total: int = 0  # the last closed wave that has batches
    waves: Sequence[WaveRow]  # in order

    @property
    def last(self) -> int:
        """The last wave that has batches, 0 = none."""
        return max((wave.wave for wave in self.waves if wave.planned), default=self.last_of_total)

    @property
    def last_row(self) -> int:
        """The last wave that is stored, 0 = none."""
        return self.waves[-1].wave if self.waves else self.total.waves

    def progress(self, *, in_progress: int = 0) -> Progress:
        """Return the sums over all waves."""
        later, total = progress_of(self.waves, in_progress=in_progress), self.total
        sums = {name: getattr(total, name) + getattr(later, name) for name in (*_TOTALS, "usage", "in_progress")}
        return Progress(**sums | {"waves": max(total.waves, later.waves), "wait": later.wait})


_TOTALS: Final = tuple(name for name in Progress.__struct_fields__ if name not in ("usage", "in_progress", "wait"))
"""The names of the plain numbers in a row of totals."""


def _progress(row: Row) -> Progress:
    return Progress(**{name: row.get(name, 0) for name in _TOTALS}, usage=_usage(row))


def _usage(row: Row) -> Usage:
    return Usage(**{unit: float(row.get(f"u_{unit}", 0.0)) for unit in UNITS})


def _wave(row: Row, *, token: str = "") -> WaveRow:
    return WaveRow(
        wave=int(row["sk"].removeprefix(ALL_WAVES)),
        planned=row.get("planned", 0),
        done=row.get("done", 0),
        token=token,
        sent_at=float(row.get("sent_at", 0.0)),
        wait=msgspec.json.decode(row["wait"], type=Wait) if "wait" in row else None,
        sums=BatchSums(**{name: row.get(name, 0) for name in COUNTS}, usage=_usage(row)),
    )


def _stored(wait: Wait) -> dict[str, object]:
    return {"wait": msgspec.json.encode(wait).decode()}


def units_of(usage: Usage) -> dict[str, float]:
    """Return the used units by attribute. Nine digits keep sums short, and are exact enough for every price."""
    return {f"u_{unit}": round(getattr(usage, unit), 9) for unit in UNITS if getattr(usage, unit)}


def addition(key: Key, amounts: Mapping[str, float]) -> Change:
    """Return the change that adds amounts to a row."""
    return Change(key=key, add={name: amount for name, amount in amounts.items() if amount})
