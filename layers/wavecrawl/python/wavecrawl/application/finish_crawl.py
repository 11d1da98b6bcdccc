"""Finish a crawl: build its results, store its status, release its site's lock."""

import dataclasses
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from msgspec.structs import replace

from wavecrawl.application.change_history import NAME as HISTORY
from wavecrawl.application.change_history import write_history
from wavecrawl.application.crawl_end import crawl_end, reach_of, since
from wavecrawl.application.crawl_events import change_event, entry_of
from wavecrawl.application.crawl_state import CrawlStates, StateSummary
from wavecrawl.application.file_problems import note_problems
from wavecrawl.application.first_results import FirstResults, first_results, keep_first, kept_lists
from wavecrawl.application.fold_wave import FoldPorts, fold_rest
from wavecrawl.application.operator_controls import charge_month
from wavecrawl.application.references import note_references
from wavecrawl.application.results_inputs import facts_of, inputs_of, root_key
from wavecrawl.application.root_failure import FROM_THE_ROOT, failure_of
from wavecrawl.application.sitemap_files import entries_of
from wavecrawl.application.sitemap_listing import SitemapListing, load_listing
from wavecrawl.application.unused_turns import give_back_turns
from wavecrawl.application.wacz_package import Packing, write_package
from wavecrawl.domain.crawl.bill import SETUP, Usage
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.ledger import Notice
from wavecrawl.domain.crawl.outcome import CrawlOutcome, CrawlStatistics
from wavecrawl.domain.crawl.reached_limits import stops
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.references import NO_REFERENCES
from wavecrawl.domain.crawl.result_files import FILES, made_files
from wavecrawl.domain.crawl.site_changes import SiteChanges
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.domain.graph.issue import Severity
from wavecrawl.domain.graph.issue_kinds import issue_settings_of, reported_kinds
from wavecrawl.domain.urls.url import Identity
from wavecrawl.errors import RootFailedError
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.analytics import Analytics, AnalyticsInputs, Beside, CrawlFacts, CrawlSummary, EarlierCrawl
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.page_memories import CrawlEnd, Lastmod
from wavecrawl.ports.parts import Table

_ENDINGS = {
    Reason.CANCELLED: CrawlStatus.CANCELLED,
    Reason.BUDGET: CrawlStatus.BUDGET_EXHAUSTED,
    Reason.MONTHLY_BUDGET: CrawlStatus.BUDGET_EXHAUSTED,
}

_LOOKED_AT = 20  # crawls; those that failed have no results


class Building(msgspec.Struct, frozen=True, kw_only=True):
    """How the results of a crawl are built."""

    analytics: Analytics
    folding: FoldPorts
    folder: Path  # of the results
    packing: Packing | None  # None: no WACZ package
    existing: Callable[[], Collection[str]] = lambda: ()  # returns the names of the files of the results
    rebuild: bool = False  # whether all parts are made again
    publish: Callable[[Path], object] = lambda _: None  # uploads the folder
    fetch: Callable[[CrawlId, str, Path], Path | None] = lambda *_: None  # see `ports.analytics.EarlierCrawl`


def finish_crawl(crawl: CrawlRow, ports: Ports, building: Building | None) -> CrawlSummary | None:
    """Build the results, mark the crawl finished, free its site. A repeat builds the results again.

    A final status stays: the results contain what is stored of the crawl, even if it failed while they were built. The
    process that ends the crawl charges it with what `ports.meter` counts; a repeat charges nothing.

    The results are computed from the crawl's parts; parts that are missing are made first. Without `building`, only the
    status changes; results can be built later. If the WACZ package cannot be built, the results say why. Changes of the
    site are added to the crawl's log before `publish_ending` adds the last entry.

    Raise RootFailedError if no page was fetched because the root could not be crawled.
    """
    states = CrawlStates(ports.objects)
    ending = states.summary(crawl.id, at_least=ports.waves.last(crawl.id) if building else 0)
    is_over = crawl.status.has_ended
    status = crawl.status if is_over else _ENDINGS.get(ending.stopped, CrawlStatus.COMPLETED)
    if not is_over and not ending.stopped and not ending.counters.fetched:
        _check_root(crawl, states)
    used = Usage() if is_over else ports.meter.take()
    finished_at = crawl.finished_at or ports.clock.now()
    summary, changes = None, None
    if building is not None:
        usage = ports.waves.usage(crawl.id) + used
        facts = facts_of(crawl, status=status, stopped=ending.stopped.value, finished_at=finished_at, usage=usage)
        summary, changes = _build(crawl, ports, building, facts, ending)
        ports.crawls.note_outcome(crawl.id, _outcome(summary, changes))
    if changes:  # logged before the crawl ends: readers of the log stop at its end
        event = change_event(crawl, changes, status=status, pages=ending.counters.fetched, at=finished_at)
        ports.event_log.append(crawl.id, entry_of(event))
    if is_over:  # only its results were made; it may have been resumed meanwhile
        return summary
    give_back_turns(crawl.id, ports, now=ports.clock.now())
    if ports.crawls.finish(crawl.id, status=status, now=finished_at):
        ports.waves.add_usage(crawl.id, SETUP, used + ports.meter.take())
        charge_month(crawl.id, ports, now=finished_at)
    over = ports.crawls.read(crawl.id) or crawl
    if building is not None and over.status.has_ended and over.status is not status:  # another process ended it
        facts = replace(facts, status=over.status.value, finished_at=over.finished_at or finished_at)
        summary, _ = _build(over, ports, building, facts, ending)
    return summary


def _build(
    crawl: CrawlRow, ports: Ports, building: Building, facts: CrawlFacts, ending: StateSummary
) -> tuple[CrawlSummary, SiteChanges | None]:
    """Build and publish the results; return their summary, and the changes, None without an earlier crawl."""
    is_final = facts.status == CrawlStatus.COMPLETED
    parts = fold_rest(crawl.id, building.folding, is_over=is_final, rebuild=building.rebuild)
    pages = parts[Table.PAGES]
    referred = NO_REFERENCES  # those of a site's first crawl
    if ending.remembers:
        referred = building.analytics.references(crawl.id, parts, scratch=building.folding.scratch)
    note_references(crawl, referred, ports.objects)
    ports.memories.remember(crawl.id, pages, without=ports.hidden.of(crawl.id))
    ports.media_memories.remember(crawl.id, parts[Table.MEDIA])
    stored = load_listing(ports.objects, crawl.id)
    listing = stored or SitemapListing()
    earlier = earlier_crawls(crawl, ports) if ending.remembers else []
    before = earlier[0] if earlier else None
    first = first_results(crawl, ports.objects) if ending.remembers else None
    if first is None:
        end = crawl_end(crawl, facts, ending, stored, earlier=earlier, objects=ports.objects)
        _conclude(crawl, ports, parts, end, listing)
        changes = _changes(crawl, pages, before, ports, building) if ending.remembers else None
        found = FirstResults(changes=changes, blockers=tuple(end.blockers))
    else:
        found = first
    inputs = built_inputs(facts, crawl, ports, building, found, listing=stored, parts=parts, before=before)
    files = {*crawl.settings.files_at_once, *made_files(building.existing())}
    with TemporaryDirectory(prefix="history-", dir=building.folder.parent) as name:
        if ending.remembers:
            inputs = replace(inputs, history=_history(crawl, ports, building, Path(name), again=first is not None))
        summary = building.analytics.build(inputs, files=files, beside=packed(crawl, ports, building, facts))
    note_problems(crawl, [name for names in FILES.values() for name in names], {}, ports.objects)
    if ending.remembers and first is None:
        keep_first(crawl, found, ports.objects)
    building.publish(building.folder)
    return summary, found.changes


def built_inputs(
    facts: CrawlFacts,
    crawl: CrawlRow,
    ports: Ports,
    building: Building,
    found: FirstResults,
    *,
    listing: SitemapListing | None,
    parts: Mapping[Table, Sequence[Path]],
    before: CrawlRow | None,
) -> AnalyticsInputs:
    """Return the inputs of the results of a crawl. `before`: the site's earlier crawl that they are compared with.

    `listing`: None if the sitemaps have not been read.
    """
    inputs = inputs_of(
        facts,
        listing,
        parts=parts,
        folder=building.folder,
        entries=entries_of(crawl.id, listing or SitemapListing(), ports.objects, Identity.of(crawl.settings)),
        changes=found.changes,
        earlier=None if before is None else EarlierCrawl(crawl=before.id, fetch=building.fetch, hidden=ports.hidden.of),
        listed=kept_lists(crawl, ports.objects),
        screenshot=ports.screenshots.get,
    )
    return replace(inputs, blockers=found.blockers, notices=(*inputs.notices, *_damage(crawl.id, ports)))


def packed(crawl: CrawlRow, ports: Ports, building: Building, facts: CrawlFacts) -> Beside:
    """Return what writes the WACZ package of a crawl."""
    batches = [(row.id, row.done_attempt) for row in ports.batches.of_crawl(crawl.id) if row.done_attempt]
    return partial(write_package, building.packing, batches, facts)


def _history(crawl: CrawlRow, ports: Ports, building: Building, folder: Path, *, again: bool) -> Path:
    """Return the change history in a file of its own; if results are made `again`, that of the first ones."""
    known = building.fetch(crawl.id, HISTORY, folder) if again else None
    return known or write_history(crawl.id, crawl.settings.recrawl, ports.memories, folder)


def _conclude(
    crawl: CrawlRow, ports: Ports, parts: Mapping[Table, Sequence[Path]], end: CrawlEnd, listing: SitemapListing
) -> None:
    """Add to the memories what the end of the crawl shows."""
    lastmods = (Lastmod(entry.key, entry.lastmod) for entry in listing.entries if entry.lastmod)
    has_media = ports.media_memories.any(crawl.id)
    shown = ports.memories.conclude(crawl.id, parts, end, lastmods=lastmods, proof=has_media)
    if has_media:
        of_media = replace(end, reach=reach_of(crawl, media=True), sees_all=shown.proves_absence, earlier_reach="")
        ports.media_memories.conclude(crawl.id, parts, of_media)


def _damage(crawl: CrawlId, ports: Ports) -> Iterator[Notice]:
    """Yield a notice for each file of the memories that was left out."""
    for what, memories in (("pages", ports.memories), ("media", ports.media_memories)):
        for name in memories.damaged(crawl):
            yield Notice(
                subject=f"memory of {what}",
                message=f"the file {name} was damaged and was replaced. The {what} in it count as not seen before, and "
                "were requested in full",
            )


def _changes(
    crawl: CrawlRow, pages: Sequence[Path], before: CrawlRow | None, ports: Ports, building: Building
) -> SiteChanges:
    """Compare the pages with earlier crawls. What the crawl before knew, but did not read for a limit, is not new."""
    limits = frozenset() if before is None or before.outcome is None else before.outcome.limits
    deeper = before is not None and before.settings.max_depth != crawl.settings.max_depth
    with TemporaryDirectory(prefix="before-", dir=building.folder.parent) as copies:
        ledger = None
        if before is not None and (limits or deeper):
            ledger = building.fetch(before.id, "ledger.csv", Path(copies))
        found = ports.memories.changes(crawl.id, pages, since=since(crawl, before), ledger=ledger)
    return dataclasses.replace(found, limits=tuple(sorted(limits)))  # noqa: TID251 - it is a dataclass


def earlier_crawls(crawl: CrawlRow, ports: Ports) -> list[CrawlRow]:
    """Return the site's earlier crawls with results among the last few, the newest first."""
    of_second = f"{crawl.id.crawl.rpartition('-')[0]}."  # above all ids of its second, whose order is random
    rows = ports.crawls.of_site(crawl.id.tenant, crawl.id.site, limit=_LOOKED_AT, before=of_second)
    done = [row for row in rows if row.started_at < crawl.started_at and row.has_results and row.outcome is not None]
    return sorted(done, key=lambda row: row.started_at, reverse=True)


def _outcome(summary: CrawlSummary, changes: SiteChanges | None) -> CrawlOutcome:
    kinds = reported_kinds(issue_settings_of(summary.settings)).values()
    errors = sum(summary.issues.get(kind.name, 0) for kind in kinds if kind.severity is Severity.ERROR)
    limits = frozenset(stops(summary.reasons))
    outcome = CrawlOutcome(pages=summary.pages, errors=errors, statistics=_statistics(summary), limits=limits)
    if changes is None:
        return outcome
    return replace(outcome, new=changes.new, changed=changes.changed, gone=changes.gone)


def _statistics(summary: CrawlSummary) -> CrawlStatistics:
    timing = summary.timing
    return CrawlStatistics(
        urls=summary.urls,
        edges=summary.edges,
        bytes=summary.bytes,
        max_depth=summary.max_depth,
        pages_per_second=timing.pages_per_second,
        median_page_seconds=timing.median_page_seconds,
        p95_page_seconds=timing.p95_page_seconds,
        usd=None if summary.bill is None else summary.bill.total_usd,
        rendered=summary.rendered,
        states=_occurring(summary.states),
        reasons=_occurring(summary.reasons),
        statuses=_occurring(summary.statuses),
        orphans=None if summary.orphans is None else _occurring(summary.orphans),
        duplicates=_occurring(summary.duplicates),
        issues=_occurring(summary.issues),
        media=_occurring({kind: counts.urls for kind, counts in summary.media.items()}),
        media_bytes=sum(counts.received for counts in summary.media.values()),
        checks=_occurring({kind: counts.urls for kind, counts in summary.checks.items()}),
        broken=_occurring({kind: counts.broken for kind, counts in summary.checks.items()}),
    )


def _occurring(counts: Mapping[str, int]) -> dict[str, int]:
    return {str(name): count for name, count in counts.items() if name and count}


def _check_root(crawl: CrawlRow, states: CrawlStates) -> None:
    """Raise RootFailedError if the crawl was to start at its root, and the root could not be crawled."""
    if crawl.settings.discovery in FROM_THE_ROOT:
        key = root_key(crawl)
        ledger = states.load(crawl.id).frontier.ledger({})  # short, as no page was fetched
        problem = next((failure_of(row) for row in ledger if row.key == key), "")
        if problem:
            raise RootFailedError(problem)
