"""Dispatch a planned wave: store its rows, reserve its start times, send its messages."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from wavecrawl.application.crawl_state import Snapshot
from wavecrawl.domain.crawl.job import BatchId, BatchJob, BatchKind, CrawlId
from wavecrawl.domain.crawl.plan import PlannedBatch
from wavecrawl.domain.politeness.pace import Pace, Window, interval_between_workers, opening
from wavecrawl.ports.batches import Batches, BatchRow, Waves
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.host_gate import HostGate
from wavecrawl.ports.job_queue import JobQueue
from wavecrawl.ports.signals import Signals


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatcher:
    """Brings the batches of a snapshot to the workers; as often as it is asked, without doing anything twice."""

    batches: Batches
    waves: Waves
    hosts: HostGate
    queue: JobQueue
    signals: Signals
    clock: Clock

    def dispatch(
        self, crawl: CrawlId, snapshot: Snapshot, token: str, pace_of: Callable[[str], Pace], *, order: float = 0.0
    ) -> float:
        """Store the wave and its token, then send what is neither done nor validly leased.

        Return 0, or, where all of it starts so late that the queue cannot hold it until then, when to ask again (Unix
        seconds): nothing was sent in that case. Nor is anything sent where a token of a higher `order` is stored:
        whoever asked later has seen to it.
        """
        wave = snapshot.wave
        self.waves.create(crawl, wave, planned=len(snapshot.batches))
        if not self.waves.store_token(crawl, wave, token, order=order):
            return 0.0
        row = self.waves.read(crawl, wave)
        if row is not None and row.done >= row.planned:  # store-then-check: no wake-up can be lost
            self.signals.succeed(token)
            return 0.0
        now = self.clock.now()
        rows = {row.id.batch: row for row in self.batches.of_wave(crawl, wave)}
        open_ = [batch for batch in snapshot.batches if _is_free(rows.get(batch.number), now)]
        if not open_:
            return 0.0
        paces = {batch.host: pace_of(batch.items[0].url) for batch in open_}
        first = self._first_start(crawl, open_, paces, now)
        if first - now > self.queue.longest_delay:  # looked at, not reserved: who comes meanwhile takes no turn from us
            return first - self.queue.longest_delay
        id_ = BatchId(crawl=crawl, wave=wave, batch=0)
        self.queue.send(self._timed(id_, open_, paces, remembered=snapshot.remembers, now=now))
        return 0.0

    def _first_start(self, crawl: CrawlId, batches: list[PlannedBatch], paces: dict[str, Pace], now: float) -> float:
        """Return when the first batch could start, in Unix seconds."""
        opens = {
            host: opening(self.hosts.read(host), holder=str(crawl), interval=pace.interval, now=now)
            for host, pace in paces.items()
        }
        return min(max(opens[batch.host], batch.not_before) for batch in batches)

    def _timed(
        self, wave: BatchId, batches: list[PlannedBatch], paces: dict[str, Pace], *, remembered: bool, now: float
    ) -> list[BatchJob]:
        """Give every batch its start: one window a host, filled batch by batch."""
        counts: dict[str, int] = {}
        for batch in batches:
            counts[batch.host] = counts.get(batch.host, 0) + len(batch.items)
        windows: dict[str, Window] = {}
        positions = dict.fromkeys(counts, 0)
        jobs: list[BatchJob] = []
        for batch in batches:
            host, pace = batch.host, paces[batch.host]
            if host not in windows:
                apart = interval_between_workers(pace, latency=self.hosts.read(host).latency)
                windows[host] = self.hosts.reserve(
                    host, holder=str(wave.crawl), count=counts[host], interval=apart, now=now
                )
            starts_at = max(windows[host].start_of(positions[host]), batch.not_before)
            positions[host] += len(batch.items)
            jobs.append(
                BatchJob(
                    id=replace(wave, batch=batch.number),
                    kind=BatchKind.FETCH,
                    host=host,
                    items=batch.items,
                    starts_at=starts_at,
                    pace=pace,
                    remembered=remembered,
                )
            )
        return jobs


def _is_free(row: BatchRow | None, now: float) -> bool:
    return row is None or (not row.done and row.leased_until <= now)
