"""Run one batch: lease it, claim each URL, do its work at the host's pace, store the records, mark it done.

`fetch_batch`, `render_batch`, `check_batch`, `resource_batch` and `process_media` define the work (`page_work`).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import wait
from contextlib import AbstractContextManager
from functools import partial
from itertools import chain, repeat
from math import inf
from threading import Lock

from msgspec import structs
from msgspec.structs import replace

from wavecrawl.application.body_room import PageShare
from wavecrawl.application.fetched_page import FetchedPage, NextStart, unfetched_record
from wavecrawl.application.page_work import PageWork
from wavecrawl.application.progress_notes import ProgressNotes
from wavecrawl.application.throttle import LONGEST_SLEEP
from wavecrawl.application.worker_ports import WorkerPorts
from wavecrawl.domain.crawl.job import BatchJob, BatchKind, HostPart, JobItem
from wavecrawl.domain.crawl.record import PageRecord, Reason
from wavecrawl.domain.crawl.record_view import UNTRIED
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.politeness.strain import outcome_of
from wavecrawl.errors import BatchStuckError, LeaseEndedError, StoreBusyError, TransientError
from wavecrawl.ports.archive import BatchArchive
from wavecrawl.ports.batches import BatchSums, Lease
from wavecrawl.ports.claims import Claimant

STORING = 0.1  # share of a lease that is reserved for storing what was fetched
SLOW_LEASE = 3  # the lease of a render or media batch is at least that many times the longest time of one URL
PAGES = (BatchKind.FETCH, BatchKind.RENDER)
MEDIA = (BatchKind.MEDIA, BatchKind.RESOURCE)
STRIKES = 5  # consecutive transport faults after which the rest of a batch is postponed


def run_batch(job: BatchJob, ports: WorkerPorts, work: PageWork, *, deadline: float = inf) -> bool:
    """Run a batch. Return False if another worker has or had it: a batch can be delivered more than once.

    `deadline` is when the worker must end, in Unix seconds. URLs that could take longer than that, or than the lease,
    are postponed to a later wave.
    After an error the lease is released, so that another worker can take the batch. Raise BatchStuckError if the batch
    may still be leased.
    """
    lease = _lease(job, ports, work)
    if lease is None:
        _complete_wave(job, ports)
        return False
    if lease.attempt > 1:
        ports.on_takeover()
    try:
        done = _run(job, lease, ports, work, deadline)
    except Exception as error:
        _give_back(lease, ports, error)
        raise
    if done:
        _complete_wave(job, ports)
    return done


def _lease(job: BatchJob, ports: WorkerPorts, work: PageWork) -> Lease | None:
    """Lease the batch. Raise BatchStuckError if the store does not respond: the lease may have been stored."""
    try:
        seconds = lease_of(work.kind, ports.settings)
        return ports.batches.lease(job.id, owner=ports.owner, now=ports.clock.now(), seconds=seconds)
    except StoreBusyError as error:
        raise BatchStuckError(f"batch {job.id.batch} of wave {job.id.wave} may be leased: {error}") from error


def _give_back(lease: Lease, ports: WorkerPorts, error: Exception) -> None:
    """Release the lease of a failed batch, so that another worker can take it immediately."""
    try:
        ports.batches.give_back(lease)
    except TransientError as second:
        batch = f"batch {lease.id.batch} of wave {lease.id.wave}"
        raise BatchStuckError(f"{batch} failed ({error}), and stays leased until its lease ends: {second}") from error


def _run(job: BatchJob, lease: Lease, ports: WorkerPorts, work: PageWork, deadline: float) -> bool:
    archive = ports.archive.open(job.id, attempt=lease.attempt)
    run = _BatchRun(job, lease, archive, ports=ports, work=work, deadline=deadline)
    try:
        if lease.deliveries > ports.settings.waves.max_attempts:
            run.give_up()
        else:
            run.work_all()
    except BaseException:
        archive.leave()
        raise
    if run.lost:
        archive.discard()
        return False
    archive.commit()
    return ports.batches.complete(lease, run.sums())


def _complete_wave(job: BatchJob, ports: WorkerPorts) -> None:
    """Complete the wave's task if all its batches are done.

    The token is read after the batch is marked done. The planner stores it before it counts done batches, so one of
    the two completes the task.
    """
    wave = ports.waves.read(job.id.crawl, job.id.wave)
    if wave is not None and wave.done >= wave.planned and wave.token:
        ports.signals.succeed(wave.token)


class _BatchRun:
    """One attempt at one batch."""

    def __init__(
        self,
        job: BatchJob,
        lease: Lease,
        archive: BatchArchive,
        *,
        ports: WorkerPorts,
        work: PageWork,
        deadline: float,
    ) -> None:
        self._job = job
        self._page_work = work
        self._lease_end = lease.expires_at
        self._last_start = min(deadline - work.seconds, _last_start(lease, work, ports.settings))
        self._end = min(deadline, _end(lease, work, ports.settings))
        self._ports = ports
        self._archive = archive
        self._claimant = Claimant(wave=job.id.wave, batch=job.id.batch, attempt=lease.attempt)
        self._lock = Lock()
        self._faults_in_a_row: Counter[str] = Counter()  # by host
        self._paused = {part.host: 0.0 for part in job.hosts}  # seconds to postpone the rest of each host; 0 = none
        self._first_part = job.hosts[0]
        self._part_of = _parts_by_key(job)
        self._sums = BatchSums()
        self._stored_bytes = 0
        self._stored_links = 0
        self._keys = frozenset(item.key for item in job.items)
        done: set[str] = set()
        for record in archive.salvaged():
            self._count(record, record.warc_length)
            done.add(record.key)
        self._todo = [item for item in job.items if item.key not in done]
        self._notes = ProgressNotes(lease, ports.batches, ports.clock, records=self._sums.records)
        self.lost = False

    def work_all(self) -> None:
        """Do the work for the remaining URLs, at most `in_flight` in parallel."""
        if not self._todo:
            return
        job, pace = self._job, self._job.pace
        if job.parts:  # each host has its own limit of open requests, and one that waits does not hold the others up
            hosts = min(len(job.parts), self._page_work.hosts_at_once)
            pace = replace(pace, in_flight=self._ports.settings.polite.in_flight * hosts)
        work = iter(_one_of_each_host(self._todo, self._part_of) if job.parts else self._todo)
        threads = min(pace.in_flight, len(self._todo))
        if threads == 1:
            self._work(work)
            return
        pool = self._ports.throttle.threads(job.host, pace)
        for result in wait([pool.submit(self._work, work) for _ in range(threads)]).done:
            result.result()

    def give_up(self) -> None:
        """End a batch that was delivered more often than the settings allow.

        One of its URLs may kill every worker. So each remaining URL is postponed to a batch of its own. The URL of a
        batch that has no other is given up.
        """
        if len(self._job.items) > 1:
            for item in self._todo:
                self._postpone(item, Reason.BATCH_FAILED)
            return
        for item in self._todo:
            self._store(self._page_work.give_up(item, self._ports.clock.now()))

    def sums(self) -> BatchSums:
        """Return the sums of the batch's records, and its usage."""
        return structs.replace(self._sums, usage=self._ports.meter.take())

    def _work(self, work: Iterator[JobItem]) -> None:
        while not self.lost:
            with self._lock:
                item = next(work, None)
            if item is None:
                return
            if reason := self._reason_to_postpone(item):
                self._postpone(item, reason)
                continue
            with self._page_work.room() as share:
                self._do(item, share)

    def _do(self, item: JobItem, share: PageShare | None) -> None:
        """Do the work for one URL and store it, if it can start in time and no other worker has the URL."""
        part = self._part(item)
        with self._slot(part) as in_time:
            if not in_time:
                self._postpone(item, self._reason_not_to_start(part))
                return
            if not self._ports.claims.claim(self._job.id.crawl, item.key, self._claimant):
                self.lost = True  # a newer attempt at this batch, or a newer wave, has the claim
                return
            began = self._page_work.cpu_time()
            requests = _Requests(self._job.requests, partial(self._next_start, part))
            fetched = requests.counted(
                self._page_work.do(item, share, requests.next_start, self._ending), self._page_work.kind
            )
            processing = self._page_work.cpu_time() - began  # waiting takes no CPU time
        if requests.stopped and _lacks_requests(fetched.record) and self._is_paused(part):
            self._postpone(item, Reason.HOST_PAUSED, requests=requests.sent)
            return
        for page in (fetched, fetched.other):  # before they are stored, which takes time: other requests are waiting
            if page is not None and self._page_work.kind is not BatchKind.RENDER and _was_requested(page.record):
                self._update_pause(page.record, part)
        if fetched.other is not None:  # stored first: a redirect that is stored has been followed
            self._store(fetched.other)
        self._store(fetched, processing)

    def _ending(self) -> Reason:
        """Return why work that takes long must end now."""
        if reason := self._ports.stop.reason():
            return reason
        return Reason.WORKER_OUT_OF_TIME if self._ports.clock.now() >= self._end else Reason.NONE

    def _part(self, item: JobItem) -> HostPart:
        """Return the part of the batch that an item belongs to."""
        return self._part_of.get(item.key) or self._first_part

    def _reason_to_postpone(self, item: JobItem) -> Reason:
        """Return why the next URL must be postponed; NONE if it can be requested."""
        ports = self._ports
        if reason := ports.stop.reason():
            self.lost = self.lost or ports.stop.crawl_is_deleted  # nothing may be stored any more
            return reason
        part = self._part(item)
        self._note_pause(part, at=part.starts_at)
        if self._job.parts and part.starts_at - ports.clock.now() > LONGEST_SLEEP:  # its turn is later than planned
            self._paused[part.host] = max(self._paused[part.host], part.starts_at - ports.clock.now())
        if self._paused[part.host]:
            return Reason.HOST_PAUSED
        waves = ports.settings.waves
        full = self._stored_bytes >= waves.max_batch_bytes or self._stored_links >= waves.max_batch_links
        return Reason.WORKER_FULL if full else Reason.NONE

    def _note_pause(self, part: HostPart, *, at: float) -> None:
        """Note the pause of a host that another batch of this process, or another worker of the crawl, has heard of."""
        left = self._ports.throttle.pause_left(part.host, wave=self._job.id.wave, at=at)
        if until := self._ports.stop.paused_until(part.host):
            now = self._ports.clock.now()
            left = max(left, until - now if until > max(now, at) else 0.0)
        self._paused[part.host] = max(self._paused[part.host], left)

    def _is_paused(self, part: HostPart) -> bool:
        """Return whether a host is paused, so that a page that needs further requests must begin again later.

        Else what is known of the page would depend on when another page heard of the pause.
        """
        self._note_pause(part, at=0.0)
        return bool(self._paused[part.host]) and not self._ports.stop.reason()

    def _reason_not_to_start(self, part: HostPart) -> Reason:
        """Return why there was no slot for a request. Raise LeaseEndedError if the batch may have a new owner."""
        if self._ports.clock.now() >= self._lease_end:
            id_ = self._job.id
            raise LeaseEndedError(f"the lease of batch {id_.batch} of wave {id_.wave} ended before the batch was done")
        if reason := self._ports.stop.reason():
            return reason
        self._note_pause(part, at=0.0)
        return Reason.HOST_PAUSED if self._paused[part.host] else Reason.WORKER_OUT_OF_TIME

    def _slot(self, part: HostPart) -> AbstractContextManager[bool]:
        """Return a slot for a request to the host. It yields False if the request could outlast the worker or crawl."""
        latest, stop = self._last_start, self._ports.stop.is_set
        return self._ports.throttle.slot(part.host, part.pace, not_before=part.starts_at, not_after=latest, stop=stop)

    def _next_start(self, part: HostPart) -> bool:
        """Wait for the start of a page's next request; return False if it could outlast the worker or the crawl."""
        latest, stop = self._last_start, self._ports.stop.is_set
        return self._ports.throttle.next_start(part.host, part.pace, not_after=latest, stop=stop)

    def _store(self, fetched: FetchedPage, processing: float = 0.0) -> None:
        """Store a record. `processing`: seconds of CPU time that its page took."""
        self._archive.add(fetched.record, fetched.exchanges, fetched.conversion)
        with self._lock:
            self._count(fetched.record, fetched.stored_bytes)
            records = self._sums.records
        if records < len(self._job.items):
            self._notes.update(records)
        self._page_work.watch(fetched.record)
        self._ports.measure(fetched.record, processing)

    def _count(self, record: PageRecord, stored_bytes: int) -> None:
        """Add a record to the sums. Records are not kept: a hundred of them can exceed a worker's memory."""
        kind = self._page_work.kind
        has_content = record.state.has_content
        is_fault = kind in PAGES and record.state.is_error
        self._sums = BatchSums(
            records=self._sums.records + (record.key in self._keys),
            fetched=self._sums.fetched + (kind in PAGES and has_content),
            bytes=self._sums.bytes + (0 if kind is BatchKind.RENDER or record.revalidated else record.bytes),
            faults=self._sums.faults + is_fault,
            media=self._sums.media + (kind in MEDIA and has_content),
        )
        self._stored_bytes += stored_bytes
        self._stored_links += len(record.links)

    def _update_pause(self, record: PageRecord, part: HostPart) -> None:
        """Postpone the rest of the host's URLs if it asks for a pause, no longer responds, or is overloaded."""
        throttle, polite, host = self._ports.throttle, self._ports.settings.polite, part.host
        is_blocked = record.state is UrlState.BLOCKED
        is_open = throttle.observe(host, part.pace, outcome_of(record.status, is_blocked=is_blocked))
        with self._lock:
            self._faults_in_a_row[host] = self._faults_in_a_row[host] + 1 if record.status is None else 0
            asked = 0.0 if record.status is None else min(record.retry_after, polite.max_retry_after)
            silent = self._faults_in_a_row[host] >= STRIKES
            self._paused[host] = max(self._paused[host], asked, polite.cooldown if is_open or silent else 0.0)
        if asked:
            throttle.pause(host, asked)
            self._ports.stop.note_pause(host, self._ports.clock.now() + asked)
        if is_open and polite.cooldown:
            throttle.pause(host, polite.cooldown, rest_of=self._job.id.wave)

    def _postpone(self, item: JobItem, reason: Reason, *, requests: int = 0) -> None:
        """Store that a URL waits for a later wave. `requests`: that were sent, and whose responses are dropped."""
        record = unfetched_record(item, UrlState.DEFERRED, reason, self._ports.clock.now())
        left = self._paused[self._part(item).host]
        record = structs.replace(record, tries=item.tries - 1, retry_after=left, requests=requests)
        self._store(FetchedPage(record=record, exchanges=()))


def _lacks_requests(record: PageRecord) -> bool:
    """Return whether further requests could have changed a record: of redirects, or for a body that broke off."""
    return record.reason is Reason.WORKER_OUT_OF_TIME or record.truncated


class _Requests:
    """The requests for one URL. Its first one is allowed."""

    __slots__ = ("_most", "_next_start", "_refused", "sent", "stopped")

    def __init__(self, most: int, next_start: NextStart) -> None:
        """`most`: number of requests that are allowed, 0 = no limit."""
        self._most = most
        self._next_start = next_start
        self._refused = False
        self.sent = 1
        self.stopped = False  # whether it was not the time for a further request

    def next_start(self) -> bool:
        """Wait for the start of the next request; return False if none may be sent."""
        if self._most and self.sent >= self._most:
            self._refused = True
            return False
        if not self._next_start():
            self.stopped = True
            return False
        self.sent += 1
        return True

    def counted(self, fetched: FetchedPage, kind: BatchKind) -> FetchedPage:
        """Return the result with the number of its requests, and why there were no more."""
        record, other = fetched.record, fetched.other
        sent = self.sent if _was_requested(record) or record.status is not None else self.sent - 1
        if kind is BatchKind.RENDER:  # a browser sends them
            sent = 0
        if sent != record.requests:
            record = structs.replace(record, requests=sent)
        if self._refused and record.reason is Reason.WORKER_OUT_OF_TIME:
            record = structs.replace(record, reason=Reason.MAX_REQUESTS)
        if other is not None:  # its requests are those of the first
            other = structs.replace(other, record=structs.replace(other.record, requests=0))
        is_same = record is fetched.record and other is fetched.other
        return fetched if is_same else structs.replace(fetched, record=record, other=other)


def _parts_by_key(job: BatchJob) -> dict[str, HostPart]:
    """Return the part of each URL of a batch that several hosts share, by url key; nothing for other batches."""
    hosts = chain.from_iterable(repeat(part, part.count) for part in job.parts)
    return {item.key: part for item, part in zip(job.items, hosts, strict=False)}


def _one_of_each_host(items: Sequence[JobItem], part_of: Mapping[str, HostPart]) -> list[JobItem]:
    """Return the items so that the first of each host come first, then the second: hosts are requested in parallel."""
    seen: Counter[str] = Counter()
    turns: list[tuple[int, JobItem]] = []
    for item in items:
        host = part_of[item.key].host
        turns.append((seen[host], item))
        seen[host] += 1
    return [item for _, item in sorted(turns, key=lambda turn: turn[0])]


def _was_requested(record: PageRecord) -> bool:
    """Return whether the record says something about the host: robots.txt can deny a media URL before its request."""
    return record.status is not None or record.reason not in UNTRIED


def lease_of(kind: BatchKind, settings: CrawlSettings) -> float:
    """Return the seconds for which a worker leases a batch. One rendered page, or one asset, can take long."""
    slow = {BatchKind.RENDER: settings.render.timeout, BatchKind.MEDIA: settings.media.longest}
    return max(settings.waves.lease, SLOW_LEASE * slow.get(kind, 0.0))


def _last_start(lease: Lease, work: PageWork, settings: CrawlSettings) -> float:
    """Return until when a request may start so that its worker ends before the lease does, in Unix seconds.

    A lease that is shorter than two requests may end before its worker: another worker can then take the batch.
    """
    return _end(lease, work, settings) - min(work.seconds, lease_of(work.kind, settings) / 2)


def _end(lease: Lease, work: PageWork, settings: CrawlSettings) -> float:
    """Return when the work must end so that there is time to store it before the lease ends, in Unix seconds."""
    return lease.expires_at - STORING * lease_of(work.kind, settings)
