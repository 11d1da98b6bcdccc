"""Run one wave: gather what the last one brought, plan the next, dispatch it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from math import inf

from wavecrawl.application.crawl_events import Announcer, wave_planned
from wavecrawl.application.crawl_limits import CrawlLimits
from wavecrawl.application.crawl_state import CrawlState, CrawlStates, Snapshot
from wavecrawl.application.dispatch import Dispatcher
from wavecrawl.application.host_speeds import HostSpeeds
from wavecrawl.application.seeds import seeds_for
from wavecrawl.application.site_rules import SiteRules
from wavecrawl.application.sitemap_listing import load_listing
from wavecrawl.domain.crawl.frontier import Frontier
from wavecrawl.domain.crawl.frontier_rows import FoundUrl
from wavecrawl.domain.crawl.gather import FeedbackSum, Gatherer, RecordView
from wavecrawl.domain.crawl.job import BatchId
from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.domain.crawl.memory import PageMemory, remembered
from wavecrawl.domain.crawl.plan import PlannedBatch, plan_again, plan_wave
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.settings import ScopeMode
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.politeness.pace import given_up
from wavecrawl.domain.urls.url import host_of
from wavecrawl.errors import ConflictError
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.archive import Archive
from wavecrawl.ports.batches import Batches, BatchRow, Waves
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.host_gate import HostGate
from wavecrawl.ports.job_queue import JobQueue
from wavecrawl.ports.objects import Objects
from wavecrawl.ports.page_memories import PageMemories
from wavecrawl.ports.signals import Signals

_SEEDS_AT_ONCE = 1_000  # looked at together, as their hosts may be many


@dataclass(frozen=True, slots=True, kw_only=True)
class WaveResult:
    """A planned wave. If it has batches, the last one completes its task token; if not, its phase is over."""

    wave: int
    batches: int
    urls: int
    stopped: Reason  # why the crawl plans nothing more; NONE while it continues
    pause_until: float = 0.0  # Unix seconds; if set, nothing was dispatched, and the wave must run again at this time
    given_up: bool = False  # the crawl was cancelled after the wave was planned; nothing was dispatched


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannerPorts:
    """What the planner needs of the world."""

    batches: Batches
    waves: Waves
    archive: Archive
    objects: Objects
    memories: PageMemories
    hosts: HostGate
    clock: Clock
    dispatcher: Dispatcher
    longest_crawl: float = inf  # seconds: what is stored of a crawl may not be there for ever
    announcer: Announcer


def planner_ports(
    ports: Ports, *, queue: JobQueue, signals: Signals, archive: Archive | None = None, longest_crawl: float = inf
) -> PlannerPorts:
    """Return the planner's ports; `archive` is used instead of that of the set."""
    dispatcher = Dispatcher(
        batches=ports.batches,
        waves=ports.waves,
        hosts=ports.hosts,
        queue=queue,
        signals=signals,
        clock=ports.clock,
    )
    return PlannerPorts(
        batches=ports.batches,
        waves=ports.waves,
        archive=archive or ports.archive,
        objects=ports.objects,
        memories=ports.memories,
        hosts=ports.hosts,
        clock=ports.clock,
        dispatcher=dispatcher,
        announcer=Announcer(log=ports.event_log, events=ports.events),
        longest_crawl=longest_crawl,
    )


class Planner:
    """Plans one crawl. Keeps the state between waves; a new planner reads it back from the snapshots."""

    def __init__(self, crawl: CrawlRow, rules: SiteRules, ports: PlannerPorts) -> None:
        self._crawl = crawl
        self._rules = rules
        self._ports = ports
        self._states = CrawlStates(ports.objects)
        self._speeds = HostSpeeds(rules, ports.hosts)
        self._limits = CrawlLimits(crawl, ports.longest_crawl)
        self._state: CrawlState | None = None

    @property
    def state(self) -> CrawlState:
        """The state after the last wave planned."""
        if self._state is None:
            self._state = self._states.load(self._crawl.id)
        return self._state

    def last_wave(self) -> tuple[int, Phase]:
        """Return the number and phase of the last wave planned; 0 before the first."""
        return self.state.wave, self.state.phase

    def run_wave(
        self, phase: Phase, wave: int, token: str, *, order: float = 0.0, cancelled: bool = False
    ) -> WaveResult:
        """Plan wave `wave`, unless it is planned already, and dispatch its batches that are not done.

        If the wave is run several times, its last batch completes the token of the highest `order`. If the result has
        no batches, a pause or `given_up`, the caller must complete the token. If the crawl was cancelled after the wave
        was planned, nothing is dispatched.
        Raise ConflictError if the previous wave is not over.
        """
        snapshot = self._states.snapshot(self._crawl.id, wave)
        given_up = cancelled and snapshot is not None and bool(snapshot.batches)
        if snapshot is None:
            if self.state.wave != wave - 1:
                self._state = self._states.load(self._crawl.id, up_to=wave - 1)
            snapshot = self._plan(phase, wave, cancelled=cancelled)
            if self._states.store(self._crawl.id, snapshot):
                self.state.apply_plan(snapshot)
            else:  # another planner was quicker: its plan counts
                self._state = None
                snapshot = self._states.snapshot(self._crawl.id, wave) or snapshot
        urls = sum(len(batch.items) for batch in snapshot.batches)
        if self.state.wave == wave:  # before anything can lead to the next wave, as the log is in order
            self._ports.announcer.announce(wave_planned(self._crawl, self.state, urls=urls))
        pause_until = 0.0
        if snapshot.batches and not given_up:
            dispatch = self._ports.dispatcher.dispatch
            pause_until = dispatch(self._crawl.id, snapshot, token, self._speeds.pace_of, order=order)
        return WaveResult(
            wave=wave,
            batches=len(snapshot.batches),
            urls=urls,
            stopped=snapshot.stopped,
            pause_until=pause_until,
            given_up=given_up,
        )

    def _plan(self, phase: Phase, wave: int, *, cancelled: bool) -> Snapshot:
        state, settings = self.state, self._rules.settings
        now = self._ports.clock.now()
        gatherer = Gatherer(
            frontier=state.frontier,
            settings=settings,
            allowed=self._rules.robots.reason_against,
            robots_problem=self._rules.robots.problem,
            counters=state.counters,
        )
        ended = self._gather(gatherer, cancelled=cancelled)
        stopped = self._limits.reason_to_stop(state.counters, now=now, cancelled=cancelled)
        unfollowed: tuple[int, ...] = ()
        if ended.paused and not stopped:
            unfollowed = (*state.unfollowed, state.wave)
            plan = plan_again(
                state.frontier,
                ended.paused,
                wave=wave,
                waves=settings.waves,
                clock=state.clock,
                speed_of=self._speeds.speed_of,
            )
        else:
            self._follow(gatherer, ended, wave)
            self._see_all(gatherer, self._seeds(phase, wave))
            if stopped:
                state.frontier.skip_waiting(stopped)
            plan = plan_wave(
                state.frontier,
                wave=wave,
                waves=settings.waves,
                room=self._limits.room(state.counters),
                clock=state.clock,
                interval=settings.polite.interval,
                speed_of=self._speeds.speed_of,
            )
        return Snapshot(
            wave=wave,
            phase=phase,
            planned_at=now,
            clock=plan.clock,
            counters=state.counters,
            stopped=stopped,
            batches=plan.batches,
            rows=state.frontier.changes(),
            unfollowed=unfollowed,
            remembers=state.remembers if state.wave else self._ports.memories.any(self._crawl.id),
        )

    def _seeds(self, phase: Phase, wave: int) -> Iterator[FoundUrl]:
        listing = partial(load_listing, self._ports.objects, self._crawl.id)
        return seeds_for(phase, wave, self._rules, listing, deepest=self.state.counters.max_bfs_depth)

    def _see_all(self, gatherer: Gatherer, ways: Iterator[FoundUrl]) -> None:
        for some in iter(lambda: list(islice(ways, _SEEDS_AT_ONCE)), []):
            self._rules.robots.read_ahead(way.url for way in some if not way.skip)
            for way in some:
                gatherer.add(way)

    def _gather(self, gatherer: Gatherer, *, cancelled: bool) -> "_Ended":
        """Take over how the tries of the wave before ended."""
        state = self.state
        last = self._states.snapshot(self._crawl.id, state.wave)
        if self._rules.settings.budget_usd:  # of all waves: some is added to a wave when that is long over
            state.counters.usage = self._ports.waves.usage(self._crawl.id)
        if last is None or not last.batches:
            return _Ended(phase=state.phase)
        ended = _Ended(phase=last.phase, keys=[item.key for batch in last.batches for item in batch.items])
        sums: dict[str, FeedbackSum] = {}
        for batch, row, views in self._records(last, cancelled=cancelled):
            host_sum = sums.setdefault(batch.host, FeedbackSum())
            for view in views:
                host_sum.add(view)
            ended.paused += gatherer.settle(views, tried_in=last.phase, clock=state.clock)
            ended.views.update((view.key, view) for view in views)
            ended.sources.update((view.key, (row.id, row.done_attempt)) for view in views)
        self._remember(ended)
        of = f"{self._crawl.id}/{last.wave}"
        for host, answered in sums.items():
            after = self._ports.hosts.report(host, answered.feedback(of=of), self._rules.settings.polite)
            if given_up(after, self._rules.settings.polite):
                _give_up(state.frontier, host)
        ended.paused = [index for index in ended.paused if state.frontier.state(index) is UrlState.DEFERRED]
        return ended

    def _follow(self, gatherer: Gatherer, ended: "_Ended", wave: int) -> None:
        """Follow the links of the wave before, in the order it was planned in.

        Where a host asked for a pause, the links of the waves since then have waited: all of them count as one wave, so
        that links are found in the same order as without the pause.
        """
        views, keys = ended.views, ended.keys
        if self.state.unfollowed:
            views = {}
            snapshots = [self._states.snapshot(self._crawl.id, number) for number in self.state.unfollowed]
            for paused in filter(None, snapshots):
                views |= {view.key: view for _, _, some in self._records(paused, cancelled=True) for view in some}
            views |= ended.views
            first = snapshots[0]
            keys = [item.key for batch in first.batches for item in batch.items] if first else []
        if self._rules.settings.scope.mode is not ScopeMode.ORIGIN:  # links lead to other hosts
            self._rules.robots.read_ahead(url for view in views.values() for url in _targets(view))
        found_in = Phase.ORPHAN if ended.phase is Phase.SITEMAP else ended.phase
        gatherer.follow_all((views[key] for key in keys if key in views), phase=found_in, wave=wave)
        self._follow_again(gatherer, found_in)

    def _records(
        self, planned: Snapshot, *, cancelled: bool
    ) -> Iterator[tuple[PlannedBatch, BatchRow, list[RecordView]]]:
        """Yield the batches of a wave that are done, by number, with their records."""
        archive = self._ports.archive
        rows = {row.id.batch: row for row in self._ports.batches.of_wave(self._crawl.id, planned.wave) if row.done}
        for batch in planned.batches:
            if batch.number not in rows and not cancelled:
                raise ConflictError(f"wave {planned.wave} is not over: batch {batch.number} is not done")
        archive.prefetch([(row.id, row.done_attempt) for row in rows.values()])
        for batch in planned.batches:
            row = rows.get(batch.number)
            if row is not None:
                yield batch, row, list(archive.records(row.id, attempt=row.done_attempt, shape=RecordView))

    def _remember(self, ended: "_Ended") -> None:
        """Write down what the site remembers of these pages; what did not change is not written."""
        known = self._ports.memories.read(self._crawl.id, list(ended.views)) if self.state.remembers else {}
        news: list[PageMemory] = []
        for view in ended.views.values():
            if not view.state.terminal:
                continue
            id_, attempt = ended.sources[view.key]
            place = self._ports.archive.place(id_, attempt=attempt, key=view.key)
            index = self.state.frontier.find(view.key)
            depth = 0 if index is None else self.state.frontier.depth(index)
            memory = remembered(known.get(view.key), view, depth=depth, place=place)
            if memory is not None:
                news.append(memory)
        if news:
            self._ports.memories.write(self._crawl.id, news)

    def _follow_again(self, gatherer: Gatherer, phase: Phase) -> None:
        """Pages that came nearer to the root after they were done bring their links nearer too."""
        frontier = gatherer.frontier
        while frontier.relaxed:
            index = frontier.relaxed.pop(0)
            wave, number = frontier.batch(index)
            batch = BatchId(crawl=self._crawl.id, wave=wave, batch=number)
            attempts = {row.id.batch: row.done_attempt for row in self._ports.batches.of_wave(self._crawl.id, wave)}
            for view in self._ports.archive.records(batch, attempt=attempts[number], shape=RecordView):
                if view.key == frontier.key(index):
                    gatherer.follow(index, view, phase=phase, wave=self.state.wave + 1)


@dataclass(slots=True, kw_only=True)
class _Ended:
    """What is left of a wave once its tries are settled."""

    phase: Phase
    keys: list[str] = field(default_factory=list)  # as planned
    views: dict[str, RecordView] = field(default_factory=dict)
    sources: dict[str, tuple[BatchId, int]] = field(default_factory=dict)  # batch and attempt, by url key
    paused: list[int] = field(default_factory=list)  # not tried: their host asked for a pause


def _targets(view: RecordView) -> Iterator[str]:
    """Yield the URLs that a page leads to, as far as they belong to the site."""
    if view.redirect_key and not view.redirect_skip:
        yield view.redirect_to
    for link in view.links:
        if not link.skip:
            yield link.url


def _give_up(frontier: Frontier, host: str) -> None:
    """Fail everything that waits for a host which did not answer through all its pauses."""
    for index in frontier.waiting_indices():
        if host_of(frontier.url(index)) == host:
            frontier.settle(
                index,
                UrlState.FAILED,
                reason=Reason.HOST_UNAVAILABLE,
                detail=f"{host} did not answer",
                tries=frontier.tries(index),
            )
