"""Dispatch a planned wave: its rows, its times, its messages (design 3, "Resume")."""

from collections.abc import Callable
from dataclasses import dataclass

from wavecrawl.application.crawl_state import Snapshot
from wavecrawl.domain.job import BatchId, BatchJob, BatchKind, CrawlId
from wavecrawl.domain.politeness import Pace, Window
from wavecrawl.ports.batches import Batches, BatchRow, BatchWork, Waves
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

    def dispatch(self, crawl: CrawlId, snapshot: Snapshot, token: str, pace_of: Callable[[str], Pace]) -> None:
        """Store the wave and its token, then send what is neither done nor validly leased."""
        wave = snapshot.wave
        self.batches.create(
            [
                BatchWork(
                    id=BatchId(crawl=crawl, wave=wave, batch=batch.number),
                    kind=BatchKind.FETCH,
                    host=batch.host,
                    items=batch.items,
                    not_before=batch.not_before,
                )
                for batch in snapshot.batches
            ]
        )
        self.waves.create(crawl, wave, planned=len(snapshot.batches))
        self.waves.store_token(crawl, wave, token)
        row = self.waves.read(crawl, wave)
        if row is not None and row.done >= row.planned:  # store-then-check: no wake-up can be lost
            self.signals.succeed(token)
            return
        now = self.clock.now()
        rows = [row for row in self.batches.of_wave(crawl, wave) if not row.done and row.leased_until <= now]
        self.queue.send(self._timed(rows, pace_of, holder=str(crawl), now=now))

    def _timed(
        self, rows: list[BatchRow], pace_of: Callable[[str], Pace], *, holder: str, now: float
    ) -> list[BatchJob]:
        """Give every batch its start: one window a host, filled batch by batch."""
        counts: dict[str, int] = {}
        for row in rows:
            counts[row.work.host] = counts.get(row.work.host, 0) + len(row.work.items)
        paces = {row.work.host: pace_of(row.work.items[0].url) for row in rows}
        windows: dict[str, Window] = {}
        positions = dict.fromkeys(counts, 0)
        jobs: list[BatchJob] = []
        for row in rows:
            work = row.work
            pace = paces[work.host]
            if work.host not in windows:
                windows[work.host] = self.hosts.reserve(
                    work.host, holder=holder, count=counts[work.host], interval=pace.interval, now=now
                )
            starts_at = max(windows[work.host].start_of(positions[work.host]), work.not_before)
            positions[work.host] += len(work.items)
            jobs.append(
                BatchJob(id=work.id, kind=work.kind, host=work.host, items=work.items, starts_at=starts_at, pace=pace)
            )
        return jobs
