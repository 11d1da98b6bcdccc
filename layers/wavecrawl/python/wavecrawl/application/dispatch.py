"""Dispatch a planned wave: store its row, reserve its start times, send its batches to the queue."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from wavecrawl.application.crawl_state import Snapshot
from wavecrawl.domain.crawl.job import BatchId, BatchJob, BatchKind, CrawlId
from wavecrawl.domain.crawl.plan import PlannedBatch
from wavecrawl.domain.politeness.pace import Pace, interval_between_workers
from wavecrawl.domain.politeness.windows import Window, opening
from wavecrawl.ports.batches import Batches, BatchRow, Waves
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.host_gate import HostGate
from wavecrawl.ports.job_queue import JobQueue
from wavecrawl.ports.signals import Signals


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatcher:
    """Sends the batches of a wave to the workers. Idempotent."""

    batches: Batches
    waves: Waves
    hosts: HostGate
    queue: JobQueue
    signals: Signals
    clock: Clock

    def dispatch(
        self, crawl: CrawlId, snapshot: Snapshot, token: str, pace_of: Callable[[str], Pace], *, order: float = 0.0
    ) -> float:
        """Store the wave and its token, then send the batches that no worker has and no message waits for.

        The message of a batch stays in the queue until the batch is done. So if all batches of the wave were sent,
        those that are neither done nor leased are sent again only if the queue cannot hold their messages any more.

        Return 0.0, or the Unix time at which to call again, if all batches start later than the queue can delay them.
        Nothing is sent then. Nothing is sent either if a token of a higher `order` is stored: a later call sent the
        batches.
        """
        wave = snapshot.wave
        self.waves.create(crawl, wave, planned=len(snapshot.batches))
        if not self.waves.store_token(crawl, wave, token, order=order):
            return 0.0
        row = self.waves.read(crawl, wave)
        if (
            row is not None and row.done >= row.planned
        ):  # read after the token is stored: either this or the last batch completes it
            self.signals.succeed(token)
            return 0.0
        now = self.clock.now()
        rows = {row.id.batch: row for row in self.batches.of_wave(crawl, wave)}
        open_ = [batch for batch in snapshot.batches if _is_free(rows.get(batch.number), now)]
        if row is not None and row.sent_at:
            open_ = [batch for batch in open_ if batch.not_before <= now]
            if open_ and self.queue.holds(sent_at=row.sent_at):
                return 0.0
        if not open_:
            return 0.0
        paces = {batch.host: pace_of(batch.items[0].url) for batch in open_}
        first = self._first_start(crawl, open_, paces, now)
        if first - now > self.queue.longest_delay:  # nothing is reserved yet, so that no start is wasted
            return first - self.queue.longest_delay
        id_ = BatchId(crawl=crawl, wave=wave, batch=0)
        self.queue.send(self._schedule(id_, open_, paces, remembered=snapshot.remembers, now=now))
        self.waves.mark_sent(crawl, wave, at=now)
        return 0.0

    def _first_start(self, crawl: CrawlId, batches: list[PlannedBatch], paces: dict[str, Pace], now: float) -> float:
        """Return when the first batch can start, in Unix seconds. Reserve nothing."""
        opens = {
            host: opening(self.hosts.read(host), holder=str(crawl), interval=pace.interval, now=now)
            for host, pace in paces.items()
        }
        return min(max(opens[batch.host], batch.not_before) for batch in batches)

    def _schedule(
        self, wave: BatchId, batches: list[PlannedBatch], paces: dict[str, Pace], *, remembered: bool, now: float
    ) -> list[BatchJob]:
        """Return the jobs with their start times. The batches of a host share one window, in order."""
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
    """Return whether a batch is neither done nor leased, nor postponed to a later start."""
    return row is None or (not row.done and row.leased_until <= now and row.starts_at <= now)
