"""Fetch one batch: lease it, claim and fetch each URL at its pace, store the records, say that it is done."""

from collections.abc import Callable, Iterator
from concurrent.futures import wait
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from math import inf
from threading import Lock

from msgspec import structs

from wavecrawl.application.fetch_page import FetchedPage, PageFetcher
from wavecrawl.application.site_rules import site_rules
from wavecrawl.application.throttle import Throttle
from wavecrawl.domain.crawl.job import BatchJob, JobItem
from wavecrawl.domain.crawl.memory import PageMemory
from wavecrawl.domain.crawl.record import PageRecord, Reason
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.errors import BatchStuckError, StoreBusyError, TransientError
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.archive import Archive, BatchArchive
from wavecrawl.ports.batches import Batches, BatchSums, Lease, Waves
from wavecrawl.ports.claims import Claimant, Claims
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.meter import Meter
from wavecrawl.ports.page_client import PageClient
from wavecrawl.ports.page_memories import PageMemories
from wavecrawl.ports.signals import Signals

STRIKES = 5  # transport faults in a row after which the rest of a batch waits for a better time


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchWorkshop:
    """What a worker needs besides the batch; built once per process and crawl."""

    batches: Batches
    waves: Waves
    claims: Claims
    memories: PageMemories
    archive: Archive
    signals: Signals
    clock: Clock
    throttle: Throttle
    pages: PageFetcher
    settings: CrawlSettings
    meter: Meter
    owner: str  # of leases: names this process
    watch: Callable[[PageRecord], None]  # called with every record, as it is stored
    on_takeover: Callable[[], None] = lambda: None  # called if the batch's last lease expired before it was done


def batch_workshop(
    crawl: CrawlRow,
    ports: Ports,
    client: PageClient,
    *,
    signals: Signals,
    owner: str,
    watch: Callable[[PageRecord], None],
    meter: Meter | None = None,
    on_takeover: Callable[[], None] = lambda: None,
) -> BatchWorkshop:
    """Return what a worker needs for a crawl whose root is settled; `meter` is used instead of that of the ports."""
    rules = site_rules(crawl, client=client, cache=ports.robots, clock=ports.clock)
    pages = PageFetcher(
        client=client, links=rules.links, robots=rules.robots, archive=ports.archive, settings=crawl.settings
    )
    return BatchWorkshop(
        batches=ports.batches,
        waves=ports.waves,
        claims=ports.claims,
        memories=ports.memories,
        archive=ports.archive,
        signals=signals,
        clock=ports.clock,
        throttle=Throttle(ports.clock),
        pages=pages,
        settings=crawl.settings,
        meter=meter or ports.meter,
        owner=owner,
        watch=watch,
        on_takeover=on_takeover,
    )


def fetch_batch(job: BatchJob, shop: BatchWorkshop, *, deadline: float = inf) -> bool:
    """Work on a delivered batch. Return False where it was not ours to finish; any delivery may come twice.

    `deadline` is when the worker has to end, in Unix seconds: what could outlast it is postponed to a later wave.
    After an error the batch is free again; BatchStuckError says that it may not be.
    """
    lease = _leased(job, shop)
    if lease is None:
        _wake_if_over(job, shop)
        return False
    if lease.attempt > 1:
        shop.on_takeover()
    try:
        done = _work(job, lease, shop, deadline)
    except Exception as error:
        _give_back(lease, shop, error)
        raise
    if done:
        _wake_if_over(job, shop)
    return done


def _leased(job: BatchJob, shop: BatchWorkshop) -> Lease | None:
    """Lease the batch. Where no answer comes it may be leased for all we know."""
    try:
        return shop.batches.lease(job.id, owner=shop.owner, now=shop.clock.now(), seconds=shop.settings.waves.lease)
    except StoreBusyError as error:
        raise BatchStuckError(f"batch {job.id.batch} of wave {job.id.wave} may be leased: {error}") from error


def _give_back(lease: Lease, shop: BatchWorkshop, error: Exception) -> None:
    """Let others take a failed batch up at once, unless they have done so already."""
    try:
        shop.batches.give_back(lease)
    except TransientError as second:
        what = (
            f"batch {lease.id.batch} of wave {lease.id.wave} failed ({error}), and stays leased for a while: {second}"
        )
        raise BatchStuckError(what) from error


def _work(job: BatchJob, lease: Lease, shop: BatchWorkshop, deadline: float) -> bool:
    archive = shop.archive.open(job.id, attempt=lease.attempt)
    run = _BatchRun(job, lease, archive, shop, deadline)
    try:
        if lease.deliveries > shop.settings.waves.max_attempts:
            run.give_up()
        else:
            run.fetch_all()
    except BaseException:
        archive.leave()
        raise
    if run.lost:
        archive.discard()
        return False
    archive.commit()
    return shop.batches.complete(lease, run.sums())


def _wake_if_over(job: BatchJob, shop: BatchWorkshop) -> None:
    """Complete the wave's task if all its batches are done, with the token stored by then (complete-then-read)."""
    wave = shop.waves.read(job.id.crawl, job.id.wave)
    if wave is not None and wave.done >= wave.planned and wave.token:
        shop.signals.succeed(wave.token)


class _BatchRun:
    """One attempt at one batch."""

    def __init__(
        self, job: BatchJob, lease: Lease, archive: BatchArchive, shop: BatchWorkshop, deadline: float
    ) -> None:
        self._job = job
        self._last_start = deadline - shop.settings.limits.timeout
        self._shop = shop
        self._archive = archive
        self._claimant = Claimant(wave=job.id.wave, batch=job.id.batch, attempt=lease.attempt)
        self._lock = Lock()
        self._faults_in_a_row = 0
        self._paused = 0.0  # seconds the rest of the batch has to wait; 0 = go on
        self._sums = BatchSums()
        self._kept = 0  # bytes
        done: set[str] = set()
        for record in archive.salvaged():
            self._count(record, record.warc_length)
            done.add(record.key)
        self._todo = [item for item in job.items if item.key not in done]
        self.lost = False

    def fetch_all(self) -> None:
        """Fetch what is left, `in_flight` at a time."""
        if not self._todo:
            return
        keys = [item.key for item in self._todo]
        recalls = self._job.remembered and self._shop.settings.revalidate
        memories = self._shop.memories.read(self._job.id.crawl, keys) if recalls else {}
        work = iter(self._todo)
        threads = min(self._job.pace.in_flight, len(self._todo))
        if threads == 1:
            self._work(work, memories)
            return
        pool = self._shop.throttle.threads(self._job.host, self._job.pace)
        for result in wait([pool.submit(self._work, work, memories) for _ in range(threads)]).done:
            result.result()

    def give_up(self) -> None:
        """Fail what is left: the batch was delivered as often as the settings allow."""
        now = self._shop.clock.now()
        for item in self._todo:
            record = _unfetched(item, UrlState.FAILED, Reason.POISON, now)
            self._keep(FetchedPage(record=record, exchanges=()))

    def sums(self) -> BatchSums:
        """Return what the batch counts."""
        return replace(self._sums, usage=self._shop.meter.take())

    def _work(self, work: Iterator[JobItem], memories: dict[str, PageMemory]) -> None:
        while not self.lost:
            with self._lock:
                item = next(work, None)
            if item is None:
                return
            if self._paused or self._kept >= self._shop.settings.waves.max_batch_bytes:
                self._postpone(item, Reason.HOST_PAUSED if self._paused else Reason.WORKER_FULL)
                continue
            self._shop.pages.wait_for_room()
            with self._slot() as in_time:
                if not in_time:
                    self._postpone(item, Reason.WORKER_OUT_OF_TIME)
                    continue
                if not self._shop.claims.claim(self._job.id.crawl, item.key, self._claimant):
                    self.lost = True  # only a newer attempt at this batch, or a newer wave, can be in the way
                    return
                fetched = self._shop.pages.fetch(item, memories.get(item.key), next_start=self._next_start)
            self._keep(fetched)
            self._mind(fetched.record)

    def _slot(self) -> AbstractContextManager[bool]:
        """Wait for a turn to ask the host; it says whether a request that starts then ends before the worker does."""
        job = self._job
        return self._shop.throttle.slot(job.host, job.pace, not_before=job.starts_at, not_after=self._last_start)

    def _next_start(self) -> bool:
        """Wait for one more request of the page under way; return whether there is time for it."""
        return self._shop.throttle.next_start(self._job.host, self._job.pace, not_after=self._last_start)

    def _keep(self, fetched: FetchedPage) -> None:
        self._archive.add(fetched.record, fetched.exchanges)
        with self._lock:
            self._count(fetched.record, sum(len(exchange.raw_body) for exchange in fetched.exchanges))
        self._shop.watch(fetched.record)

    def _count(self, record: PageRecord, kept: int) -> None:
        """Add a record to the sums, and let go of it: a hundred of them can be larger than a worker's memory."""
        self._sums = BatchSums(
            records=self._sums.records + 1,
            fetched=self._sums.fetched + (record.state in (UrlState.FETCHED, UrlState.UNCHANGED)),
            bytes=self._sums.bytes + record.bytes,
            faults=self._sums.faults + (record.state in (UrlState.FAILED, UrlState.HTTP_ERROR)),
        )
        self._kept += kept

    def _mind(self, record: PageRecord) -> None:
        """Stop asking a host that asks for a pause, or that does not answer at all."""
        with self._lock:
            self._faults_in_a_row = self._faults_in_a_row + 1 if record.status is None else 0
            if record.retry_after > 0 and record.status in (429, 503):
                self._paused = max(self._paused, record.retry_after)
            elif self._faults_in_a_row >= STRIKES:
                self._paused = max(self._paused, self._shop.settings.polite.cooldown)

    def _postpone(self, item: JobItem, reason: Reason) -> None:
        record = _unfetched(item, UrlState.DEFERRED, reason, self._shop.clock.now())
        record = structs.replace(record, tries=item.tries - 1, retry_after=self._paused)
        self._keep(FetchedPage(record=record, exchanges=()))


def _unfetched(item: JobItem, state: UrlState, reason: Reason, now: float) -> PageRecord:
    return PageRecord(
        key=item.key, url=item.url, depth=item.depth, state=state, reason=reason, tries=item.tries, fetched_at=now
    )
