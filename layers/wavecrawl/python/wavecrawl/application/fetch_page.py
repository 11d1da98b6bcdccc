"""Fetch one URL: its request, the redirects that stay the same page, and its record."""

from collections.abc import Callable

from msgspec import Struct, structs

from wavecrawl.application.parse_lock import ParseLock
from wavecrawl.application.robots_gate import RobotsGate
from wavecrawl.domain.crawl.job import JobItem
from wavecrawl.domain.crawl.memory import PageMemory
from wavecrawl.domain.crawl.record import Hop, Link, PageRecord, Reason
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.fetching.exchange import Exchange, FetchRequest
from wavecrawl.domain.fetching.headers import canonical_link, cookies_set, robots_directives
from wavecrawl.domain.fetching.outcome import HTML_TYPES, Outcome, classify, media_type
from wavecrawl.domain.pages.charset import decode_html
from wavecrawl.domain.pages.extraction import extract
from wavecrawl.domain.urls.link_filter import LinkFilter
from wavecrawl.domain.urls.url import resolve
from wavecrawl.ports.archive import Archive
from wavecrawl.ports.page_client import PageClient

_SNIFFED = (b"<!doctype html", b"<html", b"<head", b"<body")  # signs of HTML where no Content-Type says what it is


Turn = Callable[[], bool]
"""Waits until one more request may start; False where the worker has no time left for it."""


def no_wait() -> bool:
    """Return True at once."""
    return True


class Fetched(Struct, frozen=True, kw_only=True, gc=False):
    """What came of one try: the record, and every exchange made for it, in order."""

    record: PageRecord
    exchanges: tuple[Exchange, ...]


class _Trail(Struct, frozen=True, kw_only=True, gc=False):
    """The exchanges of one try so far, and where they lead."""

    exchanges: tuple[Exchange, ...]
    hops: tuple[Hop, ...] = ()
    target: str = ""  # absolute; set where the last answer redirects to another page
    reason: Reason = Reason.NONE  # why the trail ends here, where the last answer alone does not say

    @property
    def last(self) -> Exchange:
        return self.exchanges[-1]


class PageFetcher:
    """Fetches pages for one crawl. Safe to share between threads."""

    def __init__(
        self, *, client: PageClient, links: LinkFilter, robots: RobotsGate, archive: Archive, settings: CrawlSettings
    ) -> None:
        self._client = client
        self._links = links
        self._robots = robots
        self._archive = archive
        self._settings = settings
        self._parsing = ParseLock()

    def wait_for_room(self) -> None:
        """Wait while pages are fetched more quickly than they are read."""
        self._parsing.wait_until_idle()

    def fetch(self, item: JobItem, memory: PageMemory | None, *, turn: Turn = no_wait) -> Fetched:
        """Try one URL. `memory` lets the server say that nothing changed. Never raises for what the network does.

        Whoever calls waited for the first request's turn; `turn` is asked before each further one.
        """
        trail = self._walk(item, memory, turn)
        record = self._record(item, trail)
        if record.state is UrlState.UNCHANGED and memory is not None:
            before = self._archive.record_at(memory.record)
            if before is None:  # the crawl that read it is gone: the whole page is needed after all
                if not turn():
                    return Fetched(record=self._out_of_time(item, record), exchanges=trail.exchanges)
                again = self._walk(item, None, turn)
                return Fetched(record=self._record(item, again), exchanges=trail.exchanges + again.exchanges)
            record = structs.replace(self._as_before(record, before), body_at=before.body_at or memory.record)
        return Fetched(record=record, exchanges=trail.exchanges)

    def _walk(self, item: JobItem, memory: PageMemory | None, turn: Turn) -> _Trail:
        """Request the URL, and go on at once where an answer redirects to the same page by another spelling."""
        url = item.url
        exchanges: tuple[Exchange, ...] = ()
        hops: tuple[Hop, ...] = ()
        cookies: dict[str, str] = {}
        while True:
            exchange = self._client.fetch(self._request(url, cookies, memory))
            exchanges = (*exchanges, exchange)
            location = exchange.header("Location") or ""
            if exchange.fault or classify(exchange).state is not UrlState.REDIRECTED:
                return _Trail(exchanges=exchanges, hops=hops)
            target = resolve(location, url)
            goal = self._links.target(target) if target else None
            hops = (*hops, Hop(url=url, status=exchange.status or 0, location=target or location))
            if target is None or goal is None:
                return _Trail(exchanges=exchanges, hops=hops, reason=Reason.REDIRECT_BAD_TARGET)
            if goal.page.key != item.key or not self._settings.follow_redirects:
                return _Trail(exchanges=exchanges, hops=hops, target=target)
            news = {name: value for name, value in cookies_set(exchange).items() if cookies.get(name) != value}
            cookies.update(news)
            if any(hop.url == _bare(target) for hop in hops) and not news:
                return _Trail(exchanges=exchanges, hops=hops, reason=Reason.REDIRECT_LOOP)
            if len(hops) > self._settings.max_redirects:
                return _Trail(exchanges=exchanges, hops=hops, reason=Reason.REDIRECT_LIMIT)
            url = _bare(target)
            against = self._robots.reason_against(url)
            if against or not turn():
                return _Trail(exchanges=exchanges, hops=hops, reason=against or Reason.WORKER_OUT_OF_TIME)

    def _request(self, url: str, cookies: dict[str, str], memory: PageMemory | None) -> FetchRequest:
        headers: list[tuple[str, str]] = []
        if cookies:
            headers.append(("Cookie", "; ".join(f"{name}={value}" for name, value in cookies.items())))
        if memory is not None and memory.record:
            if memory.etag:
                headers.append(("If-None-Match", memory.etag))
            if memory.last_modified:
                headers.append(("If-Modified-Since", memory.last_modified))
        return FetchRequest(url=url, headers=tuple(headers), limits=self._settings.limits)

    def _record(self, item: JobItem, trail: _Trail) -> PageRecord:
        with self._parsing:
            return self._read(item, trail)

    def _read(self, item: JobItem, trail: _Trail) -> PageRecord:
        exchange = trail.last
        outcome = _outcome(trail)
        record = PageRecord(
            key=item.key,
            url=item.url,
            depth=item.depth,
            state=outcome.state,
            reason=outcome.reason,
            detail=outcome.detail,
            tries=item.tries,
            status=exchange.status,
            content_type=media_type(exchange.header("Content-Type") or ""),
            final_url=exchange.url if exchange.url != item.url else "",
            hops=trail.hops,
            etag=exchange.header("ETag") or "",
            last_modified=exchange.header("Last-Modified") or "",
            bytes=len(exchange.raw_body),
            decoded_bytes=len(exchange.body),
            truncated=exchange.truncated,
            response_time=exchange.first_byte_after,
            elapsed=exchange.elapsed,
            fetched_at=exchange.started_at,
        )
        if trail.reason is Reason.WORKER_OUT_OF_TIME:
            return self._out_of_time(item, record)
        if outcome.retry and item.tries <= self._settings.max_retries:
            return structs.replace(record, state=UrlState.DEFERRED, retry_after=outcome.wait)
        if trail.target:
            return self._redirected(record, trail.target)
        return self._page(record, exchange) if outcome.state is UrlState.FETCHED else record

    def _out_of_time(self, item: JobItem, record: PageRecord) -> PageRecord:
        """A page whose worker has to end between two requests is tried again from the start, and that counts."""
        state = UrlState.DEFERRED if item.tries <= self._settings.max_retries else UrlState.FAILED
        return structs.replace(record, state=state, reason=Reason.WORKER_OUT_OF_TIME)

    def _redirected(self, record: PageRecord, target: str) -> PageRecord:
        goal = self._links.target(target)
        if goal is None:  # _walk checked it
            raise ValueError(f"not a target: {target}")
        reason = Reason.REDIRECT_OUT_OF_SCOPE if goal.skip is Reason.OUT_OF_SCOPE else Reason.STATUS
        return structs.replace(
            record,
            reason=reason,
            redirect_to=goal.page.url,
            redirect_key=goal.page.key,
            redirect_skip=goal.skip,
        )

    def _page(self, record: PageRecord, exchange: Exchange) -> PageRecord:
        """Read what a 2xx answer holds."""
        record = structs.replace(
            record,
            header_canonical=canonical_link(exchange),
            header_robots=robots_directives(exchange, self._settings.robots_product),
        )
        if not exchange.body.strip():
            return structs.replace(record, reason=Reason.EMPTY)
        if not _is_html(record.content_type, exchange.body):
            return structs.replace(record, reason=Reason.NOT_HTML)
        decoded = decode_html(exchange.body, exchange.header("Content-Type") or "")
        found = extract(decoded.html, url=exchange.url, max_links=self._settings.max_links)
        return structs.replace(
            record,
            is_html=True,
            charset=decoded.encoding,
            facts=found.facts,
            links=self._links.links(found.links, base=found.base_url),
        )

    def _as_before(self, record: PageRecord, before: PageRecord) -> PageRecord:
        """Fill the record of an unchanged page from the last one that was read in full."""
        return structs.replace(
            record,
            content_type=before.content_type,
            charset=before.charset,
            is_html=before.is_html,
            header_canonical=before.header_canonical,
            header_robots=before.header_robots,
            etag=record.etag or before.etag,
            last_modified=record.last_modified or before.last_modified,
            truncated=before.truncated,
            facts=before.facts,
            links=tuple(self._judged_again(link) for link in before.links),
        )

    def _judged_again(self, link: Link) -> Link:
        goal = self._links.target(link.url)
        return link if goal is None else structs.replace(link, url=goal.page.url, key=goal.page.key, skip=goal.skip)


def _outcome(trail: _Trail) -> Outcome:
    outcome = classify(trail.last)
    if trail.reason in (Reason.ROBOTS_RULE, Reason.ROBOTS_UNREACHABLE):
        return structs.replace(outcome, state=UrlState.ROBOTS_DENIED, reason=trail.reason)
    if trail.reason:
        detail = f"{outcome.detail}, to {trail.hops[-1].location[:200]}"
        return structs.replace(outcome, reason=trail.reason, detail=detail)
    return outcome


def _bare(url: str) -> str:
    return url.partition("#")[0]


def _is_html(content_type: str, body: bytes) -> bool:
    if content_type:
        return content_type in HTML_TYPES
    return body[:512].lstrip(b"\xef\xbb\xbf \t\r\n\f").lower().startswith(_SNIFFED)
