"""Explain why a URL was crawled, or why not."""

from collections.abc import Callable, Iterator
from typing import TypeVar

import msgspec

from wavecrawl.application.absence import LaterCrawl, absence_of, later_crawl
from wavecrawl.application.crawl_state import CrawlStates
from wavecrawl.application.pages import find_record
from wavecrawl.application.reason_texts import REASONS
from wavecrawl.application.results_so_far import results_of
from wavecrawl.application.site_rules import site_rules
from wavecrawl.domain.counts import counted
from wavecrawl.domain.crawl.frontier_rows import change_of
from wavecrawl.domain.crawl.ledger import LedgerRow, UrlChange
from wavecrawl.domain.crawl.record import PageRecord, Reason
from wavecrawl.domain.focus.explanation import LANE_NAMES, ScorePart, score_parts
from wavecrawl.domain.focus.score import UNSCORED, ScoreColumns, matches_focus
from wavecrawl.domain.focus.settings import Strategy
from wavecrawl.domain.urls.cut_urls import key_of_cut
from wavecrawl.domain.urls.earlier_keys import earlier_key
from wavecrawl.domain.urls.spellings import other_spelling
from wavecrawl.domain.urls.url import resolve
from wavecrawl.errors import InvalidUrlError, NotFoundError
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.check_results import CheckedUrl
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.live_results import SoFar, UrlFilter, Urls
from wavecrawl.ports.media_results import MediaRow
from wavecrawl.ports.results import LinkSource, Mark, PageRow, Part

RowT = TypeVar("RowT")

_MOST_SOURCES = 10
_MOST_MEDIA = 20

_NOT_FOLLOWED = "pages link to it, but the crawl has not followed these links"


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """Everything known of one URL."""

    url: str
    key: str
    ledger: LedgerRow | None  # None = the crawl never found it
    would_be: Reason  # why a URL that was never found could not be crawled; NONE = nothing prevents it
    record: PageRecord | None
    linked_from: tuple[LinkSource, ...]  # the first links to it
    score: tuple[ScorePart, ...] = ()  # the parts of its score; none if it never joined the frontier
    matches_focus: bool = False  # whether it matches the focus terms, so that it comes before all lanes
    not_indexable: str | None = None  # why; "" = it is indexable; None = no page, or not yet known
    duplicate_of: str = ""  # the page that is kept instead; "" also until the crawl has results
    near_duplicate_of: str = ""  # a similar page
    similarity: float | None = None  # to that page
    check: CheckedUrl | None = None  # its check, as a URL that is not a page
    asset: MediaRow | None = None  # its request as media, if it was not checked
    deleted: bool = False  # whether the page was deleted from the crawl; nothing of it is shown then
    absence: str = ""  # why a page that an earlier crawl read is deleted, or was not seen; "" = it was read, or never
    later: LaterCrawl | None = None  # a later crawl that does not have the page

    @property
    def because(self) -> str:
        """The reason of the state as a text; "" if the state needs none."""
        if self.deleted:
            return "the page was deleted from this crawl"
        if self.ledger is None:
            unlinked = "no crawled page links to it, and no sitemap lists it"
            return REASONS.get(self.would_be) or (_NOT_FOLLOWED if self.linked_from else unlinked)
        return REASONS.get(self.ledger.reason, self.ledger.reason.value)

    def lines(self, *, scored: bool) -> Iterator[tuple[str, str]]:
        """Yield the names and values to print. `scored`: whether the order of the crawl depends on the score."""
        yield "URL", self.url
        row = self.ledger
        yield "state", row.state.value if row else "deleted" if self.deleted else "never seen"
        yield from ((name, why) for name, why in (("because", self.because), ("absence", self.absence)) if why)
        yield from _outcome_lines(self.check, self.asset)
        if row is not None and row.detail:
            yield "detail", row.detail
        if row is not None and self.record is not None:
            yield from _record_lines(self.record)
        if self.not_indexable is not None:
            yield "indexable", f"no: {self.not_indexable.replace('_', ' ')}" if self.not_indexable else "yes"
        for name, other in (("duplicate of", self.duplicate_of), ("similar to", self.near_duplicate_of)):
            if other:
                yield name, f"{other}  (similarity {self.similarity or 0.0:.3f})"
        for position, source in enumerate(self.linked_from):
            yield "" if position else "linked from", f"{source.url}  ({source.text})" if source.text else source.url
        if row is not None:
            yield from _discovery_lines(row)
            if row.lane is not None and (scored or row.reason is Reason.FRONTIER_CAP):
                yield "lane", f"{row.lane} ({LANE_NAMES[row.lane]})"
                if self.matches_focus:
                    yield "focus", "link text and path match the focus terms: it comes before all lanes"
                yield "score", f"{row.score:.3f}, the weighted sum of these parts, at least 0 and at most 1:"
                yield from ((part.name.replace("_", " "), part.text) for part in self.score)


def _discovery_lines(row: LedgerRow) -> Iterator[tuple[str, str]]:
    yield "depth", str(row.depth)
    yield "found by", f"{row.found_by.value}, wave {row.wave}, phase {row.phase.value}"
    if row.parent:
        yield "first found on", row.parent
    yield "tries", str(row.tries)


def _outcome_lines(check: CheckedUrl | None, asset: MediaRow | None) -> Iterator[tuple[str, str]]:
    if check is not None:
        yield from _check_lines(check)
    elif asset is not None:
        yield "media", _outcome(asset)
        yield "named by", counted(asset.uses, "page")


def _check_lines(check: CheckedUrl) -> Iterator[tuple[str, str]]:
    yield "check", _outcome(check)
    yield "verdict", f"{check.verdict}: {check.evidence}"
    if check.final_url:
        yield "leads to", check.final_url
    yield "named by", counted(check.pages, "page")
    if check.page:
        yield "first page", check.page


def _outcome(url: CheckedUrl | MediaRow) -> str:
    """Return what a URL that is not a page is, and what its request led to: file, not_found: HTTP 404 Not Found."""
    problem = url.detail or url.reason
    state = f"{url.kind}, {url.state}"
    return f"{state}: {problem}" if problem else state


def _record_lines(record: PageRecord) -> Iterator[tuple[str, str]]:
    if record.status is not None:
        yield "status", f"{record.status} {record.content_type}".rstrip()
        yield "size", f"{counted(record.bytes, 'byte')} in {record.elapsed * 1000:.0f} ms"
    if record.redirect_to:
        yield "redirects to", record.redirect_to
    if record.facts is not None:
        yield "title", record.facts.title
        if record.facts.description:
            yield "description", record.facts.description
        yield from _rendering_lines(record)
        yield "links", f"{len(record.links)}, {counted(record.facts.word_count, 'word')}"
        if record.facts.canonical:
            yield "canonical", record.facts.canonical
        if robots := sorted({*record.header_robots, *record.facts.robots}):
            yield "robots", ", ".join(robots)
    for position, one in enumerate((record.media or ())[:_MOST_MEDIA]):
        text = f"{one.kind}, {one.text}" if one.text else one.kind.value
        yield "" if position else f"media ({len(record.media or ())})", f"{one.url}  ({text})"


def _rendering_lines(record: PageRecord) -> Iterator[tuple[str, str]]:
    if record.shell or record.rendered or record.render_problem:
        gain = "it added links or text" if record.render_added else "it added nothing"
        yield "rendered", f"yes, {gain}" if record.rendered else "no"
    if record.shell:
        yield "shell", record.shell
    if record.render_problem:
        yield "problem", record.render_problem
    if record.screenshot:
        yield "screenshot", record.screenshot


def explain_url(url: str, crawl: CrawlRow, ports: Ports, *, with_absence: bool = True) -> Explanation:
    """Return everything known of a URL in a crawl, running or not; raise InvalidUrlError if the URL is invalid.

    Nothing is fetched: the rules of robots.txt are those that were read last. `with_absence`: whether to look up why
    this or a later crawl did not read a page that an earlier one read.
    """
    rules = site_rules(crawl, client=None, cache=ports.robots, clock=ports.clock)
    target = rules.links.target(resolve(url, rules.root.url) or url)
    if target is None:
        raise InvalidUrlError(f"not a URL that could be crawled: {url!r}")
    key = key_of_cut(url) or target.page.key
    found = results_of(crawl, ports)
    hidden = ports.hidden.of(crawl.id)
    deleted = key in hidden
    ledger = None if deleted else _ledger_row(crawl, key, found, ports)
    if ledger is None and not deleted:  # an earlier version may have had another key
        for other in filter(None, (other_spelling(key), earlier_key(key, target.page.url))):
            row = None if other in hidden else _ledger_row(crawl, other, found, ports)
            if row is not None and row.url == target.page.url:
                key, ledger = other, row
                break
    address = ledger.url if ledger else target.page.url
    page = _page(crawl, key, found) if ledger else None
    record = _record(crawl, key, ports) if ledger else None
    absence, later = "", None
    if with_absence and not deleted:
        absence = absence_of(crawl, key, ledger, record.status if record else None, ports)
        later = later_crawl(crawl, key, ports)
    check = asset = None
    if crawl.settings.checks.enabled:
        check = _first(lambda: found.results.checks(crawl.id, url=address, limit=1))
    if crawl.settings.lists_media and check is None:
        asset = _first(lambda: found.results.media(crawl.id, url=address, limit=1))
    return Explanation(
        url=address,
        key=key,
        ledger=ledger,
        would_be=target.skip or rules.robots.reason_against(target.page.url)
        if ledger is None and not deleted
        else Reason.NONE,
        record=record,
        linked_from=_links_to(address, crawl, found, ports),
        score=tuple(score_parts(ledger, crawl.settings.focus)) if ledger else (),
        matches_focus=ledger is not None and _matches_focus(crawl, ledger, ports),
        not_indexable=page.not_indexable if page and page.state.has_content else None,
        duplicate_of=(page.duplicate_of if page else None) or "",
        near_duplicate_of=(page.near_duplicate_of if page else None) or "",
        similarity=page.similarity if page else None,
        check=check,
        asset=asset,
        deleted=deleted,
        absence=absence,
        later=later,
    )


def _ledger_row(crawl: CrawlRow, key: str, found: SoFar, ports: Ports) -> LedgerRow | None:
    """Return the row of a URL, as it is in the parts, or as a later wave left it."""
    row = found.urls.find(crawl.id, key)
    if found.as_of_wave is None:
        return row
    urls: dict[int, str] = {}
    change: UrlChange | None = None
    first = (
        found.as_of_wave + 2 if found.as_of_wave else 1
    )  # a part has the changes of the snapshot after its last wave
    for snapshot in CrawlStates(ports.objects).snapshots(crawl.id, first, ports.waves.last(crawl.id) + 1):
        times = {snapshot.wave: snapshot.planned_at}
        for changed in snapshot.rows:
            urls[changed.index] = changed.url
            if changed.key == key:
                change = change_of(changed, times)
    if change is None:
        return row
    parent = "" if change.parent is None else urls.get(change.parent) or _url_of(crawl, change.parent, found.urls)
    return _row_of(change, row, parent)


def _matches_focus(crawl: CrawlRow, row: LedgerRow, ports: Ports) -> bool:
    """Return whether a URL matches the focus terms, as the snapshot says in which it got its score.

    That is nearly always the wave in which it was found. False if the crawl does not request matches first.
    """
    settings = crawl.settings
    if not settings.focus.terms or settings.strategy is not Strategy.BEST_FIRST or row.lane is None:
        return False
    states = CrawlStates(ports.objects)
    for wave in range(row.wave, ports.waves.last(crawl.id) + 2):
        snapshot = states.snapshot(crawl.id, wave)
        found = (one.score for one in (snapshot.rows if snapshot else ()) if one.key == row.key)
        score = next(found, UNSCORED)
        if score != UNSCORED:
            return matches_focus(score)
    return False


def _row_of(change: UrlChange, before: LedgerRow | None, parent: str) -> LedgerRow:
    return LedgerRow(
        order=change.id,
        url=change.url,
        key=change.key,
        state=change.state,
        reason=change.reason,
        detail=change.detail,
        depth=change.depth,
        parent=parent,
        found_by=change.found_by,
        phase=change.phase,
        wave=change.found_in,
        found_at=change.found_at or (before.found_at if before else 0.0),
        tries=change.tries,
        **{name: getattr(change, name) for name in ScoreColumns.__struct_fields__},
    )


def _url_of(crawl: CrawlRow, id_: int, urls: Urls) -> str:
    """Return the URL with this number, "" if it is hidden."""
    rows = urls.list(crawl.id, UrlFilter(), limit=1, after=Mark(row=id_ - 1)).rows
    return rows[0].url if rows and rows[0].order == id_ else ""


def _links_to(url: str, crawl: CrawlRow, found: SoFar, ports: Ports) -> tuple[LinkSource, ...]:
    try:
        return found.results.links_to(crawl.id, url, most=_MOST_SOURCES)
    except NotFoundError:  # the crawl has ended without results
        return ports.live.so_far(crawl.id).results.links_to(crawl.id, url, most=_MOST_SOURCES)


def _page(crawl: CrawlRow, key: str, found: SoFar) -> PageRow | None:
    try:
        detail = found.results.page(crawl.id, key, links=0)
    except NotFoundError:  # the same
        return None
    return detail.page if detail else None


def _first(read: Callable[[], Part[RowT]]) -> RowT | None:
    """Return the first row of a list, None if it has none."""
    try:
        rows = read().rows
    except NotFoundError:  # the same
        return None
    return rows[0] if rows else None


def _record(crawl: CrawlRow, key: str, ports: Ports) -> PageRecord | None:
    try:
        return find_record(crawl, key, ports)[0]
    except NotFoundError:
        return None
