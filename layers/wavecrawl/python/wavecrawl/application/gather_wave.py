"""Gather a wave: read the records of its batches, settle its URLs, follow its links."""

from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec import structs

from wavecrawl.application.crawl_state import CrawlState, CrawlStates, Snapshot
from wavecrawl.application.planner_ports import PlannerPorts
from wavecrawl.application.readable_records import readable_records
from wavecrawl.application.request_budget import RequestBudget
from wavecrawl.application.site_rules import SiteRules
from wavecrawl.domain.crawl.batching import PlannedBatch
from wavecrawl.domain.crawl.frontier import Frontier
from wavecrawl.domain.crawl.gather import FeedbackSum, Gatherer
from wavecrawl.domain.crawl.job import BatchId, BatchKind, CrawlId, JobItem
from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.domain.crawl.record import AWAITS_BROWSER, Reason
from wavecrawl.domain.crawl.record_view import RecordView
from wavecrawl.domain.crawl.settings import ScopeMode
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.crawl.useful_links import UsefulLinks
from wavecrawl.domain.fetching.limits import FetchLimits
from wavecrawl.domain.politeness.circuit_breaker import given_up
from wavecrawl.domain.urls.spellings import are_spellings, other_spelling
from wavecrawl.domain.urls.url import host_of
from wavecrawl.errors import ConflictError
from wavecrawl.ports.batches import BatchRow


class GatheredWave(msgspec.Struct, kw_only=True):
    """The records of a wave whose URLs are settled, with their useful links only."""

    phase: Phase
    views: dict[str, RecordView] = msgspec.field(default_factory=dict)  # by URL key, in planned order
    # Frontier indices of URLs not tried, as their host asked to pause.
    paused: list[int] = msgspec.field(default_factory=list)


class WaveGatherer(msgspec.Struct, frozen=True):
    """Gathers the last planned wave of a crawl into the planner's state."""

    crawl: CrawlId
    rules: SiteRules
    ports: PlannerPorts
    states: CrawlStates
    state: CrawlState
    gatherer: Gatherer
    budget: RequestBudget

    def settle(self, *, cancelled: bool) -> GatheredWave:
        """Settle the URLs of the wave, and report its hosts' responses.

        Raise ConflictError if a batch is not done, unless the crawl was cancelled.
        """
        state, frontier, polite = self.state, self.gatherer.frontier, self.rules.settings.polite
        wave = self.states.snapshot(self.crawl, state.wave)
        if self.rules.settings.budget_usd:  # the sum over all waves: late batches add usage to earlier waves
            state.counters.usage = self.ports.waves.usage(self.crawl)
        if wave is None or not wave.batches:
            return GatheredWave(phase=state.phase)
        gathered = GatheredWave(phase=wave.phase)
        sums: dict[str, FeedbackSum] = {}
        patient = self.rules.settings.limits.timeout >= FetchLimits().timeout
        useful = UsefulLinks(self.gatherer)
        for batch, records in self._records(wave, cancelled=cancelled):
            if batch.kind is not BatchKind.RENDER:
                for record in records:
                    host = host_of(record.url) if batch.shared else batch.host
                    host_sum = sums.setdefault(host, FeedbackSum(patient=patient, adapts=polite.adapt))
                    host_sum.add(record)
            planned = list(self._planned(batch.items, {record.key: record for record in records}, wave.phase))
            gathered.paused += self.gatherer.settle(
                planned, tried_in=wave.phase, clock=state.clock, wave=state.wave + 1
            )
            gathered.views.update((view.key, useful.of(view)) for view in planned if not view.place)
        for host, host_sum in sums.items():
            feedback = host_sum.feedback(of=f"{self.crawl}/{wave.wave}")
            host_state = self.ports.hosts.report(
                host,
                feedback,
                holder=str(self.crawl),
                now=self.ports.clock.now(),
                sender=self.rules.sender.at(host),
            )
            if host_state.last_strike == feedback.ended_at and feedback.outcomes and given_up(host_state, polite):
                _fail_waiting(frontier, host)
        gathered.paused = [index for index in gathered.paused if frontier.state(index) is UrlState.DEFERRED]
        return gathered

    def follow_links(self, gathered: GatheredWave, *, wave: int) -> None:
        """Add the links of a gathered wave to the frontier, to be planned in `wave`.

        While a host pauses, links are not followed. Afterwards the waves since then count as one, in the order of the
        first one's plan. Links are thus found in the same order as without the pause.
        """
        views = gathered.views
        if self.state.unfollowed:
            numbers = (*self.state.unfollowed, self.state.wave)
            views = self._views_of([one for number in numbers if (one := self.states.snapshot(self.crawl, number))])
        if self.rules.settings.scope.mode is not ScopeMode.ORIGIN:  # links can lead to other hosts
            targets = (url for view in views.values() for url in _targets(view))
            self.rules.robots.read_ahead(self.budget.lookable(targets))
        phase = _phase_after(gathered.phase)
        self.gatherer.follow_all(views.values(), phase=phase, wave=wave)
        self._follow_relaxed(phase)

    def _planned(
        self, items: Sequence[JobItem], records: Mapping[str, RecordView], phase: Phase
    ) -> Iterator[RecordView]:
        """Yield the records of a batch in planned order. After a followed redirect comes the record of its target."""
        for item in items:
            record = records.get(item.key) or self._lost(item)
            yield record
            other = _followed(item, record, records)
            if other is not None:
                self.gatherer.add_followed(record, phase=_phase_after(phase), wave=self.state.wave + 1)
                yield other

    def _records(self, wave: Snapshot, *, cancelled: bool) -> Iterator[tuple[PlannedBatch, list[RecordView]]]:
        """Yield the done batches of a wave in order, with their records; if it is cancelled, close the others first."""
        archive = self.ports.archive
        rows = self._done(wave.wave)
        open_ = [batch.number for batch in wave.batches if batch.number not in rows]
        if open_ and not cancelled:
            raise ConflictError(f"wave {wave.wave} is not over: batch {open_[0]} is not done")
        for number in open_:
            self.ports.batches.close(BatchId(crawl=self.crawl, wave=wave.wave, batch=number))
        if open_:
            rows = self._done(wave.wave)
        archive.prefetch([(row.id, row.done_attempt) for row in rows.values() if row.done_attempt])
        for batch in wave.batches:
            row = rows.get(batch.number)
            if row is not None and (row.done_attempt or not cancelled):
                records = readable_records(archive, row, RecordView)
                yield batch, [self._with_place(record, row) for record in records]

    def _with_place(self, record: RecordView, row: BatchRow) -> RecordView:
        """Return the record of a page that is rendered next with its place; its links are followed afterwards."""
        if record.reason not in AWAITS_BROWSER:
            return record
        place = self.ports.archive.place(row.id, attempt=row.done_attempt, key=record.key)
        return structs.replace(record, links=(), place=place)

    def _lost(self, item: JobItem) -> RecordView:
        """Return a record in place of one that is missing or damaged, so that the URL is planned again.

        The lost request is not counted as a try, as it was not the host's fault. After too many losses the URL fails.
        """
        index = self.gatherer.frontier.find(item.key)
        losses = 0 if index is None else self.gatherer.frontier.count_loss(index)
        return RecordView(
            key=item.key,
            url=item.url,
            state=UrlState.FAILED if losses > self.rules.settings.waves.max_attempts else UrlState.DEFERRED,
            reason=Reason.RECORDS_LOST,
            detail=f"its record was lost {losses} times",
            tries=item.tries - 1,
        )

    def _views_of(self, waves: list[Snapshot]) -> dict[str, RecordView]:
        """Return the last record of each URL of waves that are followed as one, with its useful links.

        The records are read in the order of the first wave's plan, those of one of its batches at a time.
        """
        rows: dict[str, BatchRow] = {}  # by URL key: the last done batch of the URL
        for wave in waves:
            done = self._done(wave.wave)
            rows.update((item.key, done[b.number]) for b in wave.batches if b.number in done for item in b.items)
        useful = UsefulLinks(self.gatherer)
        views: dict[str, RecordView] = {}
        for batch in waves[0].batches if waves else ():
            found: dict[str, RecordView] = {}
            held = {item.key: rows[item.key] for item in batch.items if item.key in rows}
            for key, row in tuple(held.items()):
                held.setdefault(other_spelling(key), rows.get(other_spelling(key), row))
            for row in {row.id: row for row in held.values()}.values():
                records = readable_records(self.ports.archive, row, RecordView)
                last = (one for one in records if held.get(one.key) is row and one.reason not in AWAITS_BROWSER)
                found.update((record.key, record) for record in last)
            for item in batch.items:
                record = found.get(item.key)
                other = record and _followed(item, record, found)
                views.update((view.key, useful.of(view)) for view in (record, other) if view is not None)
        return views

    def _done(self, wave: int) -> dict[int, BatchRow]:
        """Return the done batches of a wave, by number."""
        return {row.id.batch: row for row in self.ports.batches.of_wave(self.crawl, wave) if row.done}

    def _follow_relaxed(self, phase: Phase) -> None:
        """Follow the links of done pages again whose depth has decreased: it decreases that of their links.

        In each round, every batch is read once, and only the links that then change something are kept.
        """
        frontier = self.gatherer.frontier
        done: dict[int, dict[int, BatchRow]] = {}  # by wave
        while frontier.relaxed:
            pages, frontier.relaxed = list(dict.fromkeys(frontier.relaxed)), []
            keys: dict[tuple[int, int], set[str]] = {}  # by wave and batch
            for index in pages:
                keys.setdefault(frontier.batch(index), set()).add(frontier.key(index))
            for wave in {wave for wave, _ in keys if wave not in done}:
                done[wave] = self._done(wave)
            rows = [done[wave][number] for wave, number in sorted(keys) if number in done[wave]]
            self.ports.archive.prefetch([(row.id, row.done_attempt) for row in rows])
            views: dict[str, RecordView] = {}
            for row in rows:
                wanted = keys[row.id.wave, row.id.batch]
                for view in readable_records(self.ports.archive, row, RecordView):
                    if view.key in wanted:
                        views[view.key] = self.gatherer.without_ignored_links(view)
            ordered = (views[frontier.key(index)] for index in pages if frontier.key(index) in views)
            self.gatherer.follow_all(ordered, phase=phase, wave=self.state.wave + 1)


def _phase_after(phase: Phase) -> Phase:
    """Return the phase of what is found on the pages of a phase."""
    return Phase.ORPHAN if phase is Phase.SITEMAP else phase


def _followed(item: JobItem, record: RecordView, records: Mapping[str, RecordView]) -> RecordView | None:
    """Return the record of the other spelling of a URL, if its worker followed a redirect to that; else None."""
    if item.other_known or not are_spellings(record.key, record.redirect_key):
        return None
    return records.get(record.redirect_key)


def _targets(view: RecordView) -> Iterator[str]:
    """Yield the URLs of the site that a page links or redirects to."""
    if view.redirect_key and not view.redirect_skip:
        yield view.redirect_to
    for link in view.links:
        if not link.skip:
            yield link.url


def _fail_waiting(frontier: Frontier, host: str) -> None:
    """Fail the waiting URLs of a host that only failed, also after all its pauses. Fetched pages stay."""
    for index in frontier.waiting_indices():
        if host_of(frontier.url(index)) == host and not frontier.document(index):
            frontier.settle(
                index,
                UrlState.FAILED,
                reason=Reason.HOST_UNAVAILABLE,
                detail=f"{host} did not respond, or only with errors",
                tries=frontier.tries(index),
            )
