"""Dispatch a planned wave: store its row, reserve its start times, send its batches to the queue."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from wavecrawl.application.crawl_state import Snapshot
from wavecrawl.domain.crawl.batching import PlannedBatch, Speed
from wavecrawl.domain.crawl.job import BatchId, BatchJob, CrawlId, HostPart, JobItem
from wavecrawl.domain.politeness.waits import SHORTEST, Wait, WaitReason
from wavecrawl.domain.politeness.windows import Turns, Window, reserve
from wavecrawl.ports.batches import Batches, BatchRow, Waves
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.host_gate import HostGate
from wavecrawl.ports.job_queue import JobQueue
from wavecrawl.ports.signals import Signals

_ByHost = Mapping[int, Mapping[str, Sequence[JobItem]]]
"""The URLs of each batch, by host."""


class Dispatched(msgspec.Struct, frozen=True, kw_only=True):
    """What became of the batches of a wave."""

    pause_until: float = 0.0  # Unix seconds; when to dispatch the wave again, 0 = it is dispatched
    wait: Wait | None = None  # why the first batch waits, or why all are slow


class Dispatcher(msgspec.Struct, frozen=True, kw_only=True):
    """Sends the batches of a wave to the workers. Idempotent."""

    batches: Batches
    waves: Waves
    hosts: HostGate
    queue: JobQueue
    signals: Signals
    clock: Clock

    def dispatch(
        self, crawl: CrawlId, snapshot: Snapshot, token: str, speed_of: Callable[[str], Speed], *, order: float = 0.0
    ) -> Dispatched:
        """Store the wave and its token, then send the batches that no worker has and no message waits for.

        The message of a batch stays in the queue until the batch is done. So if all batches of the wave were sent,
        those that are neither done nor leased are sent again only if the queue cannot hold their messages any more.

        The result has the time at which to call again, if all batches start later than the queue can delay them.
        Nothing is sent then. Nothing is sent either if a token of a higher `order` is stored: a later call sent the
        batches.
        """
        wave = snapshot.wave
        self.waves.create(crawl, wave, planned=len(snapshot.batches))
        if not self.waves.store_token(crawl, wave, token, order=order):
            return Dispatched()
        row = self.waves.read(crawl, wave)
        if (
            row is not None and row.done >= row.planned
        ):  # read after the token is stored: either this or the last batch completes it
            self.signals.succeed(token)
            return Dispatched()
        now = self.clock.now()
        rows = {row.id.batch: row for row in self.batches.of_wave(crawl, wave)}
        undone = [batch for batch in snapshot.batches if not _is_done(rows.get(batch.number))]
        open_ = [batch for batch in undone if _is_free(rows.get(batch.number), now)]
        if not open_ or (row is not None and row.sent_at and self.queue.holds(sent_at=row.sent_at)):
            return Dispatched()
        items = {batch.number: batch.by_host() for batch in open_}
        speeds = {host: speed_of(urls[0].url) for hosts in items.values() for host, urls in hosts.items()}
        part = "" if open_ == undone else str(wave)  # the other batches keep their turns
        counts: Counter[str] = Counter()
        for hosts in items.values():
            counts.update({host: len(urls) for host, urls in hosts.items()})
        turns = {host: _turns(crawl, part, counts[host], speed) for host, speed in speeds.items()}
        first = self._first_start(open_, items, turns, now)
        if first - now > self.queue.longest_delay:  # nothing is reserved yet, so that no start is wasted
            wait = _wait(open_, speeds, first, now)
            if wait is not None:
                self.waves.note_wait(crawl, wave, wait)
            return Dispatched(pause_until=first - self.queue.longest_delay, wait=wait)
        id_ = BatchId(crawl=crawl, wave=wave, batch=0)
        windows = {host: self.hosts.reserve(host, wanted, now=now) for host, wanted in turns.items()}
        jobs = _schedule(id_, open_, items, speeds, windows)
        self.queue.send(jobs)
        wait = _wait(open_, speeds, min(job.starts_at for job in jobs), now)
        self.waves.mark_sent(crawl, wave, at=max(now, *(job.starts_at for job in jobs)), wait=wait)
        return Dispatched(wait=wait)

    def _first_start(self, batches: list[PlannedBatch], items: _ByHost, turns: dict[str, Turns], now: float) -> float:
        """Return when the first batch can start, in Unix seconds. Reserve nothing."""
        opens = {
            host: reserve(self.hosts.read(host, sender=wanted.sender), wanted, now=now)[1].opens_at
            for host, wanted in turns.items()
        }
        return min(max(batch.not_before, *(opens[host] for host in items[batch.number])) for batch in batches)


def _turns(crawl: CrawlId, part: str, count: int, speed: Speed) -> Turns:
    """Return the turns at a host that `count` URLs need."""
    return Turns(
        holder=str(crawl),
        part=part,
        count=count,
        interval=speed.turn,
        spacing=speed.spacing,
        not_before=speed.paused_until,
        sender=speed.sender,
        sender_interval=speed.sender_turn,
        apart=speed.pace.crawl_delay > 0,
    )


def _wait(batches: Sequence[PlannedBatch], speeds: Mapping[str, Speed], first: float, now: float) -> Wait | None:
    """Return for what the wave waits until its `first` start, or why it is slow; None if it is neither."""
    if first - now < SHORTEST:
        slow = [speed.slowness for speed in speeds.values()]
        return max((one for one in slow if one), key=lambda one: one.seconds) if all(slow) else None
    paused = {host: speed for host, speed in speeds.items() if speed.paused_until > now}
    if len(paused) == len(speeds):
        pause = min(paused.values(), key=lambda speed: speed.paused_until).pause
        if pause is not None:
            return replace(pause, until=first)
    if all(batch.not_before >= first for batch in batches):
        return Wait(reason=WaitReason.RETRY, host=batches[0].host, until=first)
    return Wait(reason=WaitReason.OTHER_CRAWLS, host=next(host for host in speeds if host not in paused), until=first)


def _schedule(
    wave: BatchId,
    batches: list[PlannedBatch],
    items: _ByHost,
    speeds: dict[str, Speed],
    windows: dict[str, Window],
) -> list[BatchJob]:
    """Return the jobs with their start times. The batches of a host share one window, in order.

    A batch of several hosts starts when the last of them may be requested, so that no worker waits.
    """
    positions = dict.fromkeys(windows, 0)
    jobs: list[BatchJob] = []
    for batch in batches:
        parts: list[HostPart] = []
        for host, urls in items[batch.number].items():
            starts_at = max(windows[host].start_of(positions[host]), batch.not_before)
            positions[host] += len(urls)
            parts.append(HostPart(host=host, count=len(urls), starts_at=starts_at, pace=speeds[host].pace))
        jobs.append(
            BatchJob(
                id=replace(wave, batch=batch.number),
                kind=batch.kind,
                host=batch.host,
                items=batch.items,
                starts_at=max(part.starts_at for part in parts),
                pace=speeds[batch.host].pace,
                requests=batch.requests,
                parts=tuple(parts) if batch.shared else (),
            )
        )
    return jobs


def _is_done(row: BatchRow | None) -> bool:
    return row is not None and row.done


def _is_free(row: BatchRow | None, now: float) -> bool:
    """Return whether a batch that is not done is neither leased nor postponed to a later start."""
    return row is None or (row.leased_until <= now and row.starts_at <= now)
