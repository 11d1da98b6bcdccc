"""Explain why a URL was crawled, or why not."""

from collections.abc import Iterator
from dataclasses import dataclass

from wavecrawl.application.crawl_state import CrawlStates
from wavecrawl.application.site_rules import SiteRules
from wavecrawl.domain.crawl.job import BatchId, CrawlId
from wavecrawl.domain.crawl.ledger import LedgerRow
from wavecrawl.domain.crawl.record import PageRecord, Reason
from wavecrawl.domain.urls.url import resolve
from wavecrawl.errors import InvalidUrlError
from wavecrawl.ports.archive import Archive
from wavecrawl.ports.batches import Batches
from wavecrawl.ports.objects import Objects

REASONS: dict[Reason, str] = {
    Reason.OUT_OF_SCOPE: "it is outside the site's scope (--scope, --path-prefix)",
    Reason.EXCLUDED: "an exclude pattern matches it",
    Reason.NOT_INCLUDED: "no include pattern matches it",
    Reason.ASSET: "its file extension is that of an asset, not of a page",
    Reason.TOO_LONG: "its URL is longer than max_url_length",
    Reason.NOFOLLOW: "every link to it says nofollow (--follow-nofollow)",
    Reason.MAX_DEPTH: "it is deeper than --max-depth",
    Reason.REDIRECT_LIMIT: "too many redirects in a row led to it (--max-redirects)",
    Reason.REDIRECTS_NOT_FOLLOWED: "only a redirect leads to it, and redirects are not followed",
    Reason.LINKS_NOT_FOLLOWED: "links are not followed in this discovery mode",
    Reason.MAX_PAGES: "the crawl reached --max-pages first",
    Reason.MAX_TRIES: "the crawl reached --max-tries first",
    Reason.TIME_LIMIT: "the crawl reached its time limit first (--max-seconds)",
    Reason.BUDGET: "the crawl reached its budget_usd first",
    Reason.FRONTIER_CAP: "more URLs were waiting than --max-frontier allows, and there was no room for it later",
    Reason.CANCELLED: "the crawl was cancelled first",
    Reason.ROBOTS_RULE: "robots.txt denies it",
    Reason.ROBOTS_UNREACHABLE: "robots.txt cannot be fetched, so nothing may be requested (RFC 9309 2.3.1.4)",
    Reason.DELAY_TOO_LONG: "robots.txt requires a longer delay between requests than polite.max_delay allows",
    Reason.REDIRECT_OUT_OF_SCOPE: "it redirects to a page outside the site",
    Reason.REDIRECT_BAD_TARGET: "it redirects to a URL that cannot be crawled",
    Reason.REDIRECT_LOOP: "it redirects to itself",
    Reason.HOST_UNAVAILABLE: "its host stopped responding",
    Reason.HOST_PAUSED: "its host asked for a pause",
    Reason.WORKER_OUT_OF_TIME: "its worker ran out of time first",
    Reason.WORKER_FULL: "its worker reached its storage limit first (waves.max_batch_bytes)",
    Reason.BATCH_FAILED: "its batch failed too many times; it waits for a batch of its own",
    Reason.RECORDS_LOST: "its stored record was missing or damaged, too many times",
    Reason.POISON: "the batch of this URL alone failed too many times",
}
"""Texts for the reasons. Other reasons are printed as they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainPorts:
    """The ports that `explain_url` uses, and the crawl."""

    crawl: CrawlId
    rules: SiteRules
    objects: Objects
    batches: Batches
    archive: Archive


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Everything known of one URL."""

    url: str
    key: str
    ledger: LedgerRow | None  # None = the crawl never found it
    would_be: Reason  # why a URL that was never found could not be crawled; NONE = nothing prevents it
    record: PageRecord | None

    def lines(self) -> Iterator[tuple[str, str]]:
        """Yield the names and values to print."""
        yield "URL", self.url
        row = self.ledger
        if row is None:
            why = REASONS.get(self.would_be) or "no crawled page links to it, and no sitemap lists it"
            yield "state", "never seen"
            yield "because", why
            return
        yield "state", row.state.value
        if row.reason:
            yield "because", REASONS.get(row.reason, row.reason.value)
        if row.detail:
            yield "detail", row.detail
        yield "depth", str(row.depth)
        yield "found by", f"{row.found_by.value}, wave {row.wave}, phase {row.phase.value}"
        if row.parent:
            yield "first found on", row.parent
        yield "tries", str(row.tries)
        if self.record is not None:
            yield from _record_lines(self.record)


def _record_lines(record: PageRecord) -> Iterator[tuple[str, str]]:
    if record.status is not None:
        yield "status", f"{record.status} {record.content_type}".rstrip()
        yield "size", f"{record.bytes:,} bytes in {record.elapsed * 1000:.0f} ms"
    if record.redirect_to:
        yield "redirects to", record.redirect_to
    if record.facts is not None:
        yield "title", record.facts.title
        yield "links", f"{len(record.links)}, {record.facts.word_count} words"
        if record.facts.canonical:
            yield "canonical", record.facts.canonical


def explain_url(url: str, ports: ExplainPorts) -> Explanation:
    """Return everything known of a URL in a crawl, running or not; raise InvalidUrlError if the URL is invalid."""
    target = ports.rules.links.target(resolve(url, ports.rules.root.url) or url)
    if target is None:
        raise InvalidUrlError(f"not a URL that could be crawled: {url!r}")
    state = CrawlStates(ports.objects).load(ports.crawl)
    index = state.frontier.find(target.page.key)
    ledger = record = None
    if index is not None:
        ledger = next(row for row in state.frontier.ledger(state.times) if row.order == index)
        record = _last_record(ports, *state.frontier.batch(index), target.page.key)
    return Explanation(
        url=ledger.url if ledger else target.page.url,
        key=target.page.key,
        ledger=ledger,
        would_be=target.skip or ports.rules.robots.reason_against(target.page.url) if ledger is None else Reason.NONE,
        record=record,
    )


def _last_record(ports: ExplainPorts, wave: int, number: int, key: str) -> PageRecord | None:
    for row in ports.batches.of_wave(ports.crawl, wave):
        if row.id.batch == number and row.done_attempt:
            id_ = BatchId(crawl=ports.crawl, wave=wave, batch=number)
            for record in ports.archive.records(id_, attempt=row.done_attempt, shape=PageRecord):
                if record.key == key:
                    return record
    return None
