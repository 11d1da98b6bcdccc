"""A crawl in one thread, with crashing workers, duplicate messages, expiring leases and a settable clock.

The result of a script of `Step`s is checked against the invariants of a crawl. Any part can be replaced by a broken
one, which shows that the checks find the defect.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from msgspec import structs
from msgspec.structs import replace
from tests.support.canned import saved
from tests.support.no_events import NoEvents
from tests.support.still_clock import StillClock

from wavecrawl.application.check_batch import check_batch
from wavecrawl.application.check_url import UrlChecker
from wavecrawl.application.crawl_events import Announcer
from wavecrawl.application.crawl_state import CrawlStates
from wavecrawl.application.dispatch import Dispatcher
from wavecrawl.application.fetch_batch import fetch_batch
from wavecrawl.application.fetch_page import PageFetcher
from wavecrawl.application.fetch_resource import ResourceFetcher
from wavecrawl.application.open_crawl import open_crawl
from wavecrawl.application.outside_requests import OutsideRequests
from wavecrawl.application.planner_ports import PlannerPorts
from wavecrawl.application.render_batch import render_batch
from wavecrawl.application.render_page import page_renderer
from wavecrawl.application.resource_batch import resource_batch
from wavecrawl.application.run_wave import Planner
from wavecrawl.application.site_rules import SiteRules, site_rules
from wavecrawl.application.start_crawl import start_crawl
from wavecrawl.application.stop_signal import StopSignal
from wavecrawl.application.throttle import Throttle
from wavecrawl.application.unused_turns import give_back_turns
from wavecrawl.application.worker_ports import WorkerPorts
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.batching import PlannedBatch
from wavecrawl.domain.crawl.bill import Usage
from wavecrawl.domain.crawl.job import BatchJob, BatchKind, CrawlId
from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.domain.crawl.record import PageRecord, Reason
from wavecrawl.domain.crawl.settings import CrawlSettings, Discovery, ScopeMode, ScopeSettings, WaveSettings
from wavecrawl.domain.fetching.exchange import Exchange, FetchRequest, TransportFault
from wavecrawl.domain.politeness.settings import PoliteSettings
from wavecrawl.domain.rendering.conversion import Conversion
from wavecrawl.errors import LeaseEndedError
from wavecrawl.ports.archive import Archive
from wavecrawl.ports.batches import Batches, BatchRow, Waves
from wavecrawl.ports.browser import Browser, RenderRequest
from wavecrawl.ports.claims import Claimant, Claims
from wavecrawl.ports.crawls import CrawlRow, Crawls
from wavecrawl.ports.host_gate import HostGate
from wavecrawl.ports.meter import Meter, NoMeter
from wavecrawl.ports.signals import ANOTHER_WAVE, Following

ORIGIN = "http://site.example"
LEASE = 100.0
Crash = Literal["", "before fetch", "after fetch", "before record", "before completion", "after completion"]


class WorkerDiedError(BaseException):
    """The worker died, and its unfinished work is lost."""


@dataclass(frozen=True, slots=True)
class Step:
    """One delivery of a job: which job, how the worker ends, and after how many pages."""

    job: int = 0  # position among the open jobs of the wave, modulo their number
    crash: Crash = ""
    after: int = 0  # pages of the batch that succeed before the fault
    overtaken: bool = False  # the worker stalls until its lease expires and another worker takes over
    before_claim: bool = False  # it stalls before it claims the page, and not while it fetches the page
    rival: Crash = ""  # how the other worker ends
    seconds: float = 0.0  # time that passes before the delivery
    again: bool = False  # the wave runs once more, as after a timeout


@dataclass(slots=True)
class Web:
    """A site as a graph: page n links to `links[n]`. Some pages fail at first. Successful responses are counted.

    Scripts write the links of `shells`: they are in the page only after a browser rendered it.
    """

    links: tuple[tuple[int, ...], ...]
    fails: dict[int, int] = field(default_factory=dict)  # page -> number of 503 responses before it succeeds
    retry_after: str = ""  # Retry-After of a 503
    silent: frozenset[int] = frozenset()  # pages that never respond
    shells: frozenset[int] = frozenset()
    served: Counter[int] = field(default_factory=Counter)  # successful responses by page
    requests: Counter[int] = field(default_factory=Counter)
    on_fetch: Callable[[int], None] = lambda _: None
    now: Callable[[], float] = lambda: 0.0

    def fetch(self, request: FetchRequest) -> Exchange:
        path = request.url.removeprefix(ORIGIN).partition("?")[0].strip("/")
        page = 0 if not path else int(path) if path.isdigit() else -1
        if request.method == "HEAD":
            return _answer(request, 200, "")
        if not 0 <= page < len(self.links):
            return _answer(request, 404, "")
        self.on_fetch(page)
        self.requests[page] += 1
        if page in self.silent:
            return _answer(request, 0, "")
        if self.requests[page] <= self.fails.get(page, 0):
            more = [("Retry-After", self.retry_after)] if self.retry_after else []
            return structs.replace(_answer(request, 503, "", *more), started_at=self.now())
        self.served[page] += 1
        return _answer(request, 200, "<script src=/app.js></script>" if page in self.shells else self.html(page))

    def download(self, request: FetchRequest, path: Path) -> Exchange:
        return saved(self.fetch(request), path)

    def html(self, page: int) -> str:
        """Return a page with its links."""
        links = "".join(f"<a href='/{target or ''}'>{target}</a>" for target in self.links[page])
        return f"<title>{page}</title><p>{links}</p>"

    def dom(self, request: RenderRequest) -> str:
        """Return what a browser makes of a response of this site."""
        path = request.url.removeprefix(ORIGIN).strip("/")
        return self.html(int(path or "0"))

    def close(self) -> None:
        """Do nothing; there is nothing to close."""


def _answer(request: FetchRequest, status: int, html: str, *more: tuple[str, str]) -> Exchange:
    headers = (("Content-Type", "text/html"), *more)
    return Exchange(
        url=request.url,
        method=request.method,
        status=status or None,
        headers=headers,
        body=html.encode(),
        raw_body=html.encode(),
        fault=None if status else TransportFault.RESET,
    )


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a simulation. A broken build replaces some of them."""

    claims: Callable[[LocalStore], Claims] = lambda store: store.claims
    batches: Callable[[LocalStore], Batches] = lambda store: store.batches
    planner: type[Planner] = Planner


@dataclass(slots=True)
class Outcome:
    """The result of a crawl."""

    ledger: list[tuple[str, str, str, int, str]]  # URL, state, reason, depth, parent; in order of discovery
    fetched: int
    checks: list[tuple[str, str, str]] = field(default_factory=list)  # URL, state, reason; in order of discovery


class Simulation:
    """One crawl of one web."""

    def __init__(
        self,
        web: Web,
        folder: Path,
        *,
        parts: Parts | None = None,
        max_pages: int = 1_000,
        batch_size: int = 4,
        min_batches: int = 2,
        max_tries: int = 0,
        max_seconds: float = 0.0,
        budget_usd: float = 0.0,
        meter: Meter | None = None,
        browser: Browser | None = None,
        longest_crawl: float = inf,
        scope: ScopeMode = ScopeMode.ORIGIN,
        interval: float = 0.0,
        worker_seconds: float = inf,
        max_batch_bytes: int = 1_000_000_000,
        max_batch_links: int = 1_000_000,
        max_attempts: int = 50,
        polite: PoliteSettings | None = None,
        one_process: bool = False,
        beside: "Simulation | None" = None,
        **settings: Any,
    ) -> None:
        """`interval` is the seconds between requests; each worker ends after `worker_seconds`.

        With `one_process`, all workers are one process, which remembers the responses of hosts. The crawl shares the
        store and the clock of `beside`, and belongs to another tenant. `settings` are more crawl settings.
        """
        self.web = web
        self.clock: StillClock = beside.clock if beside else StillClock()
        self._worker_seconds = worker_seconds
        self._parts = parts or Parts()
        self._store: LocalStore = beside._store if beside else LocalStore(folder)
        self._batches = self._parts.batches(self._store)
        self._claims = self._parts.claims(self._store)
        chosen = CrawlSettings(
            max_pages=max_pages,
            max_tries=max_tries,
            scope=ScopeSettings(mode=scope),
            max_seconds=max_seconds,
            budget_usd=budget_usd,
            retry_base=0.0,
            polite=polite
            or PoliteSettings(interval=interval, in_flight=1, adapt=False, max_interval=0.0, cooldown=1.0),
            waves=WaveSettings(
                lease=LEASE,
                batch_size=batch_size,
                min_batches=min_batches,
                max_attempts=max_attempts,
                max_batch_bytes=max_batch_bytes,
                max_batch_links=max_batch_links,
                best_first_urls=3,
            ),
            **{"discovery": Discovery.LINKS_ONLY} | settings,
        )
        if beside:
            id_ = replace(beside._row.id, tenant=f"beside-{beside._row.id.tenant}")
            row = start_crawl(
                id_, f"{ORIGIN}/", chosen, crawls=self._store.crawls, objects=self._store.objects, clock=self.clock
            )
        else:
            row = self._store.start(f"{ORIGIN}/", chosen)
        self._announcer = Announcer(log=self._store.event_log, events=NoEvents())
        self._row: CrawlRow = open_crawl(
            row,
            crawls=self._store.crawls,
            client=web,
            cache=self._store.robots,
            clock=self.clock,
            announcer=self._announcer,
        )
        self._throttle = Throttle(self.clock) if one_process else None
        self.logged: list[Mapping[str, object]] = []  # fields of the planner's lines about URLs
        self.excused: Counter[int] = Counter()  # pages in progress when their worker died or was overtaken
        self.jobs: list[BatchJob] = []
        self.longest_delay = inf
        self.holding = False  # whether the queue may hold what was sent
        self._meter = meter or NoMeter()
        self._browser = browser
        self._longest_crawl = longest_crawl
        self._tokens: set[str] = set()
        self._workers = 0
        self._phase = Phase.BFS

    @property
    def batches(self) -> Batches:
        """The stored batches."""
        return self._batches

    @property
    def waves(self) -> Waves:
        """The stored waves."""
        return self._store.waves

    @property
    def hosts(self) -> HostGate:
        """The stored state of hosts."""
        return self._store.hosts

    @property
    def started_at(self) -> float:
        """When the crawl started, in Unix seconds."""
        return self._row.started_at

    @property
    def completed_tokens(self) -> set[str]:
        """The completed tokens."""
        return set(self._tokens)

    def charge(self, wave: int, usage: Usage) -> None:
        """Charge a wave for usage outside its batches."""
        self._store.waves.add_usage(self._row.id, wave, usage)

    @property
    def crawls(self) -> Crawls:
        """The stored crawl."""
        return self._store.crawls

    @property
    def crawl_id(self) -> CrawlId:
        """The id of the crawl."""
        return self._row.id

    def close(self) -> None:
        self._store.close()

    def holds(self, *, sent_at: float) -> bool:
        """`ports.job_queue.JobQueue`."""
        assert sent_at > 0
        return self.holding

    def send(self, jobs: Sequence[BatchJob]) -> None:
        """`ports.job_queue.JobQueue`."""
        self.jobs.extend(jobs)

    def succeed(self, token: str, following: Following = ANOTHER_WAVE) -> None:
        """`ports.signals.Signals`."""
        assert following == ANOTHER_WAVE
        self._tokens.add(token)

    def crawl(self, script: Sequence[Step]) -> Outcome:
        """Crawl to the end: run the script first, then every remaining job until its wave is over."""
        steps = iter(script)
        wave = 0
        while True:
            wave += 1
            token = f"token {wave}"
            self.jobs.clear()
            self._tokens.clear()
            result = self._plan(wave, token)
            if not result and self._phase is Phase.BFS and self.planner().state.media.waiting:
                self._phase = Phase.MEDIA
                continue
            if not result:
                break
            while token not in self._tokens:
                step = next(steps, None)
                if step is None:
                    self._finish_wave(wave)
                    break
                if step.again:
                    token = f"token {wave} again"
                    assert self._plan(wave, token) == result, "a repeated wave has another plan"
                    continue
                self._take(step)
            self._check_wave(wave)
        return self.outcome()

    def give_back(self) -> None:
        """Give back the unused turns, as at the end of the crawl."""
        give_back_turns(self._row.id, self._store, now=self.clock.now())

    def planner(self) -> Planner:
        """Return a planner without any state in memory."""
        return self._parts.planner(self._row, self._rules(), self._planner_ports())

    def _plan(self, wave: int, token: str) -> tuple[tuple[str, ...], ...]:
        """Plan a wave with a planner without state in memory. Return the URLs of its batches."""
        planner = self.planner()
        done = {row.id.batch for row in self._batches.of_wave(self._row.id, wave) if row.done}
        sent = len(self.jobs)
        planner.run_wave(self._phase, wave, token)
        assert not done.intersection(job.id.batch for job in self.jobs[sent:]), "a completed batch is sent again"
        return tuple(tuple(item.url for item in batch.items) for batch in self._planned(wave))

    def _planned(self, wave: int) -> tuple[PlannedBatch, ...]:
        snapshot = CrawlStates(self._store.objects).snapshot(self._row.id, wave)
        return snapshot.batches if snapshot else ()

    def _take(self, step: Step) -> None:
        self.clock.time += step.seconds
        if self.jobs:
            self._deliver(self.jobs[step.job % len(self.jobs)], step)

    def _finish_wave(self, wave: int) -> None:
        """Let every lease expire and run the remaining jobs, as after the state machine's timeout."""
        self.clock.time += 2 * LEASE
        token = f"token {wave} last"
        self._plan(wave, token)
        for job in list(self.jobs):
            self._deliver(job, Step())
        assert token in self._tokens, "the token of the wave was not completed"

    def _deliver(self, job: BatchJob, step: Step, deadline: float = inf) -> None:
        self._workers += 1
        ports = self._worker_ports(f"worker {self._workers}")
        failure = _Failure(self, job, step)
        ports = structs.replace(
            ports,
            pages=self._fetcher(failure),
            checker=self._checker(failure),
            archive=failure.archive(ports.archive),
            batches=failure.batches(ports.batches),
            claims=failure.claims(ports.claims),
        )
        try:
            latest = min(deadline, self.clock.now() + self._worker_seconds)
            if job.kind is BatchKind.RENDER:
                assert self._browser is not None
                render_batch(job, ports, page_renderer(self._row, self._store, self._browser), deadline=latest)
            else:
                runs = {BatchKind.CHECK: check_batch, BatchKind.RESOURCE: resource_batch}
                run = runs.get(job.kind, fetch_batch)
                run(job, ports, deadline=latest)
        except WorkerDiedError:
            self.clock.time += LEASE + 1  # no other worker may continue before the lease expires
        except LeaseEndedError:
            assert step.overtaken

    def deliver(self, job: BatchJob, *, deadline: float = inf) -> None:
        """Deliver the job to a worker that succeeds."""
        self._deliver(job, Step(), deadline)

    def deliver_elsewhere(self, job: BatchJob, crash: Crash) -> None:
        """Deliver the job to another worker."""
        self._deliver(job, Step(crash=crash))

    def _check_wave(self, wave: int) -> None:
        rows = self._batches.of_wave(self._row.id, wave)
        row = self._store.waves.read(self._row.id, wave)
        assert row is not None
        assert all(batch.done for batch in rows), "a wave ended before its batches"
        assert row.planned == row.done == len(rows), "a batch was not counted exactly once"
        records = [record for batch in rows for record in self._records(batch)]
        keys = Counter(record.key for record in records)
        assert max(keys.values()) == 1, "a URL has two records"
        assert set(keys) == {item.key for batch in self._planned(wave) for item in batch.items}, "a URL is stranded"
        assert row.sums.records == len(records), "the count of records is wrong"
        checked = {item.key for one in self._planned(wave) if one.kind is BatchKind.CHECK for item in one.items}
        pages = [record for record in records if record.key not in checked]
        assert row.sums.fetched == sum(record.state == "fetched" for record in pages), "the count of pages is wrong"

    def _records(self, row: BatchRow) -> list[PageRecord]:
        return list(self._store.archive.records(row.id, attempt=row.done_attempt, shape=PageRecord))

    def outcome(self) -> Outcome:
        state = self.planner().state
        for page, count in self.web.served.items():
            assert count <= 1 + self.excused[page], f"page {page} was fetched {count} times"
        rows = [
            (row.url, row.state.value, row.reason.value, row.depth, row.parent) for row in state.frontier.ledger({})
        ]
        checks = [(row.url, row.state.value, row.reason.value) for row in state.media.ledger({})]
        open_ = [row for row in (*rows, *checks) if row[1] in ("pending", "deferred")]
        assert not open_, f"stranded: {open_}"
        return Outcome(ledger=rows, fetched=state.counters.fetched, checks=checks)

    def _rules(self) -> SiteRules:
        return site_rules(self._row, client=self.web, cache=self._store.robots, clock=self.clock)

    def _planner_ports(self) -> PlannerPorts:
        dispatcher = Dispatcher(
            batches=self._batches,
            waves=self._store.waves,
            hosts=self._store.hosts,
            queue=self,
            signals=self,
            clock=self.clock,
        )
        return PlannerPorts(
            batches=self._batches,
            waves=self._store.waves,
            archive=self._store.archive,
            objects=self._store.objects,
            memories=self._store.memories,
            media_memories=self._store.media_memories,
            hosts=self._store.hosts,
            clock=self.clock,
            dispatcher=dispatcher,
            announcer=self._announcer,
            longest_crawl=self._longest_crawl,
            renders=self._browser is not None,
            log_url=self.logged.append,
        )

    def _worker_ports(self, owner: str) -> WorkerPorts:
        return WorkerPorts(
            batches=self._batches,
            waves=self._store.waves,
            claims=self._claims,
            archive=self._store.archive,
            signals=self,
            clock=self.clock,
            throttle=self._throttle or Throttle(self.clock),
            pages=self._fetcher(None),
            checker=self._checker(None),
            resources=self._resources(),
            settings=self._row.settings,
            meter=self._meter,
            stop=StopSignal(self._row, self._store.crawls, self._store.waves, self.clock),
            owner=owner,
            watch=self._excuse_late_page,
        )

    def _excuse_late_page(self, record: PageRecord) -> None:
        """Let a page be fetched again whose worker had no time left to read it."""
        if record.reason is Reason.WORKER_OUT_OF_TIME and record.status is not None:
            self.excused[int(record.url.removeprefix(ORIGIN).strip("/") or 0)] += 1

    def _checker(self, failure: "_Failure | None") -> UrlChecker:
        requests = OutsideRequests(robots=self._rules().robots, clock=self.clock, settings=self._row.settings)
        return UrlChecker(client=failure or self.web, requests=requests, settings=self._row.settings)

    def _resources(self) -> ResourceFetcher:
        rules = self._rules()
        return ResourceFetcher(
            client=self.web,
            requests=OutsideRequests(robots=rules.robots, clock=self.clock, settings=self._row.settings),
            media=rules.media,
            record_at=self._store.archive.record_at,
            settings=self._row.settings,
        )

    def _fetcher(self, failure: "_Failure | None") -> PageFetcher:
        rules = self._rules()
        return PageFetcher(
            client=failure or self.web,
            links=rules.links,
            media=rules.media,
            robots=rules.robots,
            archive=self._store.archive,
            settings=self._row.settings,
        )


class _Failure:
    """A wrapper around a worker's ports that lets it die or stall at the chosen step."""

    def __init__(self, simulation: Simulation, job: BatchJob, step: Step) -> None:
        self._simulation = simulation
        self._job = job
        self._step = step
        self._pages = 0
        self._claimed = 0
        self._page = -1

    def fetch(self, request: FetchRequest) -> Exchange:
        """`ports.page_client.PageClient`."""
        web = self._simulation.web
        strikes = self._pages == self._step.after
        self._pages += 1
        if strikes and self._step.crash == "before fetch":
            raise WorkerDiedError
        exchange = web.fetch(request)
        path = request.url.removeprefix(ORIGIN).strip("/")
        self._page = int(path) if path.isdigit() else 0
        if strikes and self._step.crash == "after fetch":
            self._die_holding_a_page()
        if strikes and self._step.overtaken and not self._step.before_claim:
            self._simulation.excused[self._page] += 1
            self._stall()
        return exchange

    def download(self, request: FetchRequest, path: Path) -> Exchange:
        """`ports.page_client.PageClient`."""
        return saved(self.fetch(request), path)

    def _stall(self) -> None:
        """Let the lease expire and another worker take the batch over."""
        self._simulation.clock.time += LEASE + 1
        self._simulation.deliver_elsewhere(self._job, self._step.rival)

    def claims(self, real: Claims) -> Claims:
        """Return the claims. The worker may stall before one."""
        failure = self

        class Stalling:
            def claim(self, crawl: CrawlId, key: str, by: Claimant) -> bool:
                step = failure._step
                if step.overtaken and step.before_claim and failure._claimed == step.after:
                    failure._stall()
                failure._claimed += 1
                return real.claim(crawl, key, by)

            def holder(self, crawl: CrawlId, key: str) -> Claimant | None:
                return real.holder(crawl, key)

        return Stalling()

    def close(self) -> None:
        """Do nothing; there is nothing to close."""

    def archive(self, real: Archive) -> Archive:
        """Return the archive. Its next record may be the worker's last."""
        failure = self

        class Failing:
            def __getattr__(self, name: str) -> object:
                return getattr(real, name)

            def open(self, id_: object, *, attempt: int) -> object:
                opened = real.open(id_, attempt=attempt)  # type: ignore[arg-type]
                add = opened.add

                def adding(
                    record: PageRecord, exchanges: Sequence[Exchange], conversion: Conversion | None = None
                ) -> None:
                    if failure._step.crash == "before record" and failure._pages == failure._step.after + 1:
                        failure._die_holding_a_page()
                    add(record, exchanges, conversion)

                opened.add = adding  # type: ignore[method-assign]
                return opened

        return Failing()  # type: ignore[return-value]

    def batches(self, real: Batches) -> Batches:
        """Return the batches. Completing one may end the worker."""
        failure = self

        class Failing:
            def __getattr__(self, name: str) -> object:
                return getattr(real, name)

            def complete(self, lease: object, sums: object) -> bool:
                if failure._step.crash == "before completion":
                    raise WorkerDiedError
                done = real.complete(lease, sums)  # type: ignore[arg-type]
                if failure._step.crash == "after completion":
                    raise WorkerDiedError
                return done

        return Failing()  # type: ignore[return-value]

    def _die_holding_a_page(self) -> None:
        self._simulation.excused[self._page] += 1
        raise WorkerDiedError


def simulate(
    web: Web,
    script: Sequence[Step],
    *,
    parts: Parts | None = None,
    max_pages: int = 1_000,
    batch_size: int = 4,
    **settings: Any,
) -> tuple[Outcome, Web]:
    """Run a script over a web. Raise AssertionError if an invariant is broken. `settings` are more crawl settings."""
    fresh = Web(web.links, dict(web.fails), web.retry_after, web.silent)
    with TemporaryDirectory() as folder:
        simulation = Simulation(
            fresh, Path(folder), parts=parts, max_pages=max_pages, batch_size=batch_size, **settings
        )
        try:
            return simulation.crawl(script), fresh
        finally:
            simulation.close()
