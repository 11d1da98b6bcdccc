"""Run one wave: gather the previous wave, plan this one, dispatch its batches."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from itertools import chain, islice

import msgspec
from msgspec.structs import replace

from wavecrawl.application.crawl_events import wave_event
from wavecrawl.application.crawl_limits import CrawlLimits
from wavecrawl.application.crawl_state import CrawlState, CrawlStates, Snapshot
from wavecrawl.application.dispatch import Dispatched
from wavecrawl.application.gather_wave import GatheredWave, WaveGatherer
from wavecrawl.application.host_speeds import HostSpeeds
from wavecrawl.application.known_pages import known_pages
from wavecrawl.application.plan_later import LaterPlanner
from wavecrawl.application.plan_pages import PagePlanner
from wavecrawl.application.planner_ports import PlannerPorts
from wavecrawl.application.request_budget import RequestBudget, budget_of, left_for_sitemaps
from wavecrawl.application.robots_waits import RobotsWaits
from wavecrawl.application.seeds import seeds_for
from wavecrawl.application.site_feeds import store_feeds
from wavecrawl.application.site_rules import SiteRules
from wavecrawl.application.sitemap_listing import listed_urls, load_listing
from wavecrawl.application.url_list import load_urls
from wavecrawl.domain.crawl.counters import Counters
from wavecrawl.domain.crawl.frontier_rows import FoundUrl
from wavecrawl.domain.crawl.gather import Gatherer
from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.domain.crawl.plan import Plan
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.request_budget import A_CHECK, A_PAGE
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.crawl.suppressed_log import suppressed_urls
from wavecrawl.domain.politeness.waits import Wait, WaitReason
from wavecrawl.domain.urls.url import host_of
from wavecrawl.errors import TransientError
from wavecrawl.ports.crawls import CrawlRow

_AT_ONCE = (Reason.CANCELLED, Reason.TIME_LIMIT, Reason.BUDGET, Reason.MONTHLY_BUDGET)
"""Reasons to stop that no batch is waited for."""

_FOR_ALL = (*_AT_ONCE, Reason.PLANNER_MEMORY)
"""Reasons to stop that also end what follows the pages."""

_WITHOUT_REQUESTS = (Reason.MAX_TRIES, Reason.MAX_REQUESTS)
"""Reasons to stop that do not keep fetched pages from being rendered."""

_EPOCH = date(1970, 1, 1).toordinal()
_DAY = 86_400  # seconds
_SEEDS_AT_ONCE = 1_000  # whose robots.txt files are fetched together


@dataclass(frozen=True, slots=True, kw_only=True)
class WaveResult:
    """A planned wave. If it has batches, the last one completes its task token; if not, its phase is over."""

    wave: int
    batches: int
    urls: int
    stopped: Reason  # why the crawl plans nothing more; NONE while it continues
    pause_until: float = 0.0  # Unix seconds; if set, nothing was dispatched, and the wave must run again at this time
    wait_until: float = 0.0  # Unix seconds; if set, the wave has no batches, and the next wave must run at this time
    media: int = 0  # media URLs that are not done
    denied: int = 0  # URLs so far that robots.txt denies
    unreached: Mapping[str, int] = field(default_factory=dict)  # by host; see `Snapshot`
    wait: Wait | None = field(default=None, compare=False)  # for what the wave waits, or why it is slow
    cancelled: bool = False  # the crawl had to stop after the wave was planned; nothing was dispatched
    again: bool = field(default=False, compare=False)  # whether batches of the wave were dispatched before
    counters: Counters = field(default_factory=Counters, compare=False)  # of pages, when the wave was planned
    pending: int = field(default=0, compare=False)  # URLs that were not done then
    # Seconds that planning the wave took; None if it was planned before, or by another process.
    planning: float | None = field(default=None, compare=False)


class LastWave(msgspec.Struct, frozen=True, kw_only=True):
    """The last planned wave of a crawl."""

    wave: int  # its number; 0 before the first
    phase: Phase
    is_final: bool  # whether it ended a cancelled crawl. If that is resumed, it continues with the next wave


class Planner:
    """Plans one crawl. Keeps the state between waves; a new planner restores it from the snapshots."""

    def __init__(self, crawl: CrawlRow, rules: SiteRules, ports: PlannerPorts) -> None:
        self._crawl = crawl
        self._rules = rules
        self._ports = ports
        settings = rules.settings
        self._states = CrawlStates(ports.objects, strategy=settings.strategy, keeps_outside=settings.checks.external)
        self._speeds = HostSpeeds(rules, ports.hosts)
        self._limits = CrawlLimits(crawl, ports.longest_crawl)
        self._pages = PagePlanner(crawl=crawl, rules=rules, ports=ports, speeds=self._speeds, limits=self._limits)
        self._later = LaterPlanner(crawl=crawl.id, rules=rules, ports=ports, speeds=self._speeds, limits=self._limits)
        waves = settings.waves
        self._part_sizes = replace(waves, part_seconds=min(waves.part_seconds, ports.part_seconds))
        self._state: CrawlState | None = None
        self._spent = False  # whether a limit of the month's costs is reached
        self._full = False  # whether there is too little memory to plan further waves

    @property
    def state(self) -> CrawlState:
        """The state after the last planned wave."""
        if self._state is None:
            self._state = self._states.load(self._crawl.id)
        return self._state

    @property
    def held_bytes(self) -> int:
        """About how many bytes of memory the URLs of the state take that is kept now."""
        return 0 if self._state is None else self._state.bytes

    def bytes_for(self, wave: int) -> int:
        """Return how many bytes the URLs of the state take from which a wave is planned; 0 if it is planned already.

        No state is restored to learn it.
        """
        if self._state is not None and self._state.wave == wave - 1:
            return self._state.bytes
        if self._states.is_planned(self._crawl.id, wave):
            return 0
        return self._states.summary_of(self._crawl.id, wave - 1).state_bytes

    def restore(self, wave: int) -> None:
        """Restore the state after a wave, unless it is kept."""
        if self._state is None or self._state.wave != wave:
            self._state = None  # before the other state takes memory
            self._state = self._states.load(self._crawl.id, up_to=wave)

    def left_for_sitemaps(self) -> int:
        """Return how many requests the crawl's sitemaps may take."""
        return left_for_sitemaps(self._crawl, self._ports.objects)

    def last_wave(self) -> LastWave:
        """Return the last planned wave."""
        state = self.state
        return LastWave(wave=state.wave, phase=state.phase, is_final=state.stopped is Reason.CANCELLED)

    def plan(
        self, phase: Phase, wave: int, *, cancelled: bool = False, spent: bool = False, full: bool = False
    ) -> float | None:
        """Plan wave `wave`, unless it is planned already. `run_wave` dispatches it later, perhaps elsewhere.

        Return how many seconds that took; None if it is planned already.
        """
        self._spent, self._full = spent, full
        if self._states.is_planned(self._crawl.id, wave):
            return None
        began = self._ports.clock.now()
        self._plan_and_store(phase, wave, cancelled=cancelled)
        return self._since(began)

    def run_wave(
        self,
        phase: Phase,
        wave: int,
        token: str,
        *,
        order: float = 0.0,
        cancelled: bool = False,
        spent: bool = False,
        full: bool = False,
    ) -> WaveResult:
        """Plan wave `wave`, unless it is planned already, and dispatch its batches that are not done.

        `spent`: a limit of the month's costs is reached, so the crawl ends. `full`: so it does, as the memory is too
        small to plan further waves. The state of the crawl is restored only if the wave is planned here.

        If the wave is run several times, its last batch completes the token of the highest `order`. If the result has
        no batches, a pause or `cancelled`, the caller must complete the token. If the crawl was cancelled or its time
        has ended since the wave was planned, nothing is dispatched.
        Raise ConflictError if the previous wave is not over.
        """
        self._spent, self._full = spent, full
        snapshot = self._states.snapshot(self._crawl.id, wave)
        cancelled_since = again = is_old = False
        planning = None
        if snapshot is None:
            began = self._ports.clock.now()
            snapshot = self._plan_and_store(phase, wave, cancelled=cancelled)
            planning = self._since(began)
        else:
            cancelled_since = bool(snapshot.batches) and self._must_end(snapshot.counters, cancelled=cancelled)
            row = self._ports.waves.read(self._crawl.id, wave)
            again = row is not None and row.planned > 0
            is_old = self._states.is_planned(self._crawl.id, wave + 1)
        urls = sum(len(batch.items) for batch in snapshot.batches)
        if not is_old:  # announced before the dispatch, so that the log is in order
            self._ports.announcer.announce(wave_event(self._crawl, snapshot, urls=urls))
        if snapshot.unreached:
            faults = sum(snapshot.unreached.values())
            self._ports.waves.create(self._crawl.id, wave, planned=len(snapshot.batches), faults=faults)
        dispatched = Dispatched()
        if snapshot.wait_until > self._ports.clock.now():
            dispatched = Dispatched(wait=_robots_wait(snapshot))
        if dispatched.wait:
            self._ports.waves.note_wait(self._crawl.id, wave, dispatched.wait)
        if snapshot.batches and not cancelled_since:
            dispatch = self._ports.dispatcher.dispatch
            dispatched = dispatch(self._crawl.id, snapshot, token, self._speeds.speed_of, order=order)
            self._request_fold(snapshot)
        return WaveResult(
            wave=wave,
            batches=len(snapshot.batches),
            urls=urls,
            stopped=snapshot.stopped,
            pause_until=dispatched.pause_until,
            wait_until=snapshot.wait_until,
            wait=dispatched.wait,
            media=snapshot.media_waiting,
            denied=snapshot.denied,
            unreached=snapshot.unreached,
            cancelled=cancelled_since,
            again=again,
            counters=snapshot.counters,
            pending=snapshot.pending,
            planning=planning,
        )

    def _since(self, began: float) -> float:
        """Return the seconds since a Unix time; 0 if the clock was set back."""
        return max(0.0, self._ports.clock.now() - began)

    def _request_fold(self, snapshot: Snapshot) -> None:
        """Request the part that ended with the wave before, if one did. A repeat is harmless."""
        if snapshot.parts[-1:] == (snapshot.wave - 1,):
            with suppress(TransientError):
                self._ports.folds.request(self._crawl.id, snapshot.wave - 1)

    def _plan_and_store(self, phase: Phase, wave: int, *, cancelled: bool) -> Snapshot:
        """Plan a wave and store its snapshot. Return the stored one if another planner was faster."""
        self.restore(wave - 1)
        self._states.store_whole(self._crawl.id, self.state)
        snapshot = self._plan(phase, wave, cancelled=cancelled)
        if self._states.store(self._crawl.id, snapshot):
            self._log_suppressed(snapshot)
            self.state.apply_plan(snapshot)
            return snapshot
        self._state = None
        return self._states.snapshot(self._crawl.id, wave) or snapshot

    def _log_suppressed(self, snapshot: Snapshot) -> None:
        """Write lines about URLs that a new plan suppresses. Only the planner that stored the plan writes them."""
        log_url, share = self._ports.log_url, self._rules.settings.log_urls
        if log_url is None or not share:
            return
        rows = chain(snapshot.rows, snapshot.media_rows)
        for fields in suppressed_urls(rows, self._crawl.id, snapshot.wave, share=share):
            log_url(fields)

    def _plan(self, phase: Phase, wave: int, *, cancelled: bool) -> Snapshot:
        state = self.state
        now = self._ports.clock.now()
        if not state.wave:
            state.remembers = self._ports.memories.any(self._crawl.id)
        waits = RobotsWaits(self._rules.robots, self._rules.settings.polite, state.robots_waits, now=now)
        budget = budget_of(self._crawl, state, self._ports.objects)
        previous = self._previous_wave(waits, budget)
        gathered = previous.settle(cancelled=self._must_end(state.counters, cancelled=cancelled))
        each = A_CHECK if phase is Phase.MEDIA else A_PAGE
        requests_left = bool(gathered.paused or budget.room(each))
        gathered_at = self._ports.clock.now()  # pages of many links take long
        stopped = self._reason_to_stop(state.counters, gathered_at, cancelled=cancelled, requests_left=requests_left)
        if state.stopped is Reason.CANCELLED and stopped not in _AT_ONCE:  # the crawl was resumed
            state.media.unskip(Reason.CANCELLED)
            if not stopped:
                waits.check(state.frontier, state.frontier.unskip(Reason.CANCELLED))
        if stopped in _WITHOUT_REQUESTS and state.frontier.awaits_browser:
            stopped = Reason.NONE
        unfollowed: tuple[int, ...] = ()
        if phase is Phase.MEDIA:
            ends_all = stopped in (*_FOR_ALL, Reason.MAX_REQUESTS)
            stop = stopped if ends_all else Reason.NONE  # limits of pages do not stop what follows them
            unfollowed = self._follow_resources(previous, gathered, wave, stop=stop)
            plan = self._later.plan(state, gathered.paused, wave, stop=stop, budget=budget)
        elif gathered.paused and not stopped:
            unfollowed = (*state.unfollowed, state.wave)
            plan = self._pages.plan_again(state, gathered.paused, wave)
        else:
            if not stopped:
                waits.request_again(state.frontier)
            previous.follow_links(gathered, wave=wave)
            self._add_seeds(previous, phase, wave)
            plan = self._plan_pages(previous.gatherer, phase, wave, stopped=stopped, budget=budget)
            if phase is Phase.BFS and not plan.batches:
                store_feeds(self._ports.objects, self._crawl.id, state.frontier)
        plan = budget.plan(plan)
        return self._snapshot(phase, wave, plan, waits, now=now, stopped=stopped, unfollowed=unfollowed)

    def _follow_resources(
        self, previous: WaveGatherer, gathered: GatheredWave, wave: int, *, stop: Reason
    ) -> tuple[int, ...]:
        """Add what the resources of a wave load to the frontier; return the waves for which this is done later.

        If the crawl must `stop`, it is added to be skipped for that reason, and a resumed crawl requests it.
        """
        if gathered.phase is not Phase.MEDIA:
            return ()
        if gathered.paused and not stop:
            return (*self.state.unfollowed, self.state.wave)
        previous.follow_links(gathered, wave=wave)
        return ()

    def _plan_pages(
        self, gatherer: Gatherer, phase: Phase, wave: int, *, stopped: Reason, budget: RequestBudget
    ) -> Plan:
        """Plan the next pages, or if the crawl has `stopped`, none. After the last one, add what follows the pages."""
        state = self.state
        if stopped:
            state.frontier.skip_waiting(stopped)
        else:
            state.frontier.limit_waiting(self._rules.settings.frontier_limit)
        if stopped in _FOR_ALL:
            state.media.skip_waiting(stopped)
        plan = self._pages.plan(state, wave, gatherer.traps, budget)
        is_last = not plan.batches and not stopped and not state.frontier.waiting
        if is_last and gatherer.add_pages_named_like_files(phase=phase, wave=wave):
            plan = self._pages.plan(state, wave, gatherer.traps, budget)
        if not plan.batches and stopped not in _FOR_ALL:
            self._later.add_links(state, wave)
        return plan

    def _snapshot(
        self,
        phase: Phase,
        wave: int,
        plan: Plan,
        waits: RobotsWaits,
        *,
        now: float,
        stopped: Reason,
        unfollowed: tuple[int, ...],
    ) -> Snapshot:
        """Return what the plan of a wave changed in the state."""
        state = self.state
        until = None
        if not plan.batches:
            until = now if plan.another_follows else waits.next_request(state.frontier)
        return Snapshot(
            wave=wave,
            phase=phase,
            planned_at=now,
            clock=plan.clock,
            counters=state.counters,
            stopped=stopped,
            batches=plan.batches,
            rows=state.frontier.changes(),
            vocabulary=state.vocabulary.delta(),
            families=state.families.delta(),
            lessons=state.lessons.delta(),
            media_rows=state.media.changes(),
            media_counters=state.media_counters,
            origins=tuple(origin for origin, since in state.origins.items() if since == wave),
            media_waiting=state.media.waiting,
            known=len(state.frontier),
            pending=state.frontier.pending,
            errors=sum(state.frontier.count_of(one) for one in UrlState if one.is_error),
            denied=state.frontier.count_of(UrlState.ROBOTS_DENIED),
            state_bytes=state.bytes,
            unfollowed=unfollowed,
            remembers=state.remembers,
            robots_waits=waits.waits,
            unreached=waits.unreached,
            wait_until=0.0 if until is None else min(until, self._limits.ends_at),
            ends=state.ends.after(
                state.wave,
                settled=state.counters.done + state.media_counters.done,
                now=now,
                waves=self._part_sizes,
                goes_on=bool(plan.batches),
                must_end=stopped in _FOR_ALL,
            ),
        )

    def _must_end(self, counters: Counters, *, cancelled: bool) -> bool:
        """Return whether the crawl ends now, even if batches of its last wave are not done."""
        return self._reason_to_stop(counters, self._ports.clock.now(), cancelled=cancelled) in _AT_ONCE

    def _reason_to_stop(self, counters: Counters, now: float, *, cancelled: bool, requests_left: bool = True) -> Reason:
        return self._limits.reason_to_stop(
            counters,
            now=now,
            cancelled=cancelled,
            spent=self._spent,
            full=self._full,
            requests_left=requests_left,
        )

    def _previous_wave(self, waits: RobotsWaits, budget: RequestBudget) -> WaveGatherer:
        is_media = self.state.phase is Phase.MEDIA
        gatherer = self._later.gatherer(self.state) if is_media else self._pages.gatherer(self.state, waits, budget)
        return WaveGatherer(self._crawl.id, self._rules, self._ports, self._states, self.state, gatherer, budget)

    def _known(self, wave: int) -> Iterator[FoundUrl]:
        """Yield the pages of earlier crawls; none in the site's first crawl."""
        if self.state.remembers:
            ports = self._ports
            listing = load_listing(ports.objects, self._crawl.id)
            now = self._crawl.started_at  # so that the same pages are due if the wave is planned again
            yield from known_pages(self._crawl.id, self._rules, ports.memories, listing=listing, wave=wave, now=now)

    def _add_seeds(self, previous: WaveGatherer, phase: Phase, wave: int) -> None:
        seeds: Iterator[FoundUrl] = seeds_for(
            phase,
            wave,
            self._rules,
            urls=partial(load_urls, self._ports.objects, self._crawl.id, self._crawl.settings.url_list),
            listed=partial(listed_urls, self._ports.objects, self._crawl.id),
            known=partial(self._known, wave),
            deepest=self.state.counters.max_bfs_depth,
        )
        while chunk := list(islice(seeds, _SEEDS_AT_ONCE)):
            urls = (seed.url for seed in chunk if not seed.skip)
            self._rules.robots.read_ahead(previous.budget.lookable(urls))
            previous.gatherer.add_all(chunk)


def _robots_wait(snapshot: Snapshot) -> Wait | None:
    """Return for which robots.txt a wave without batches waits; None if it waits for nothing else than its time."""
    until = snapshot.wait_until
    waiting = (origin for origin, wait in sorted(snapshot.robots_waits.items()) if wait.until >= until)
    origin = next(waiting, "")
    return Wait(reason=WaitReason.ROBOTS, host=host_of(origin), until=until) if origin else None
