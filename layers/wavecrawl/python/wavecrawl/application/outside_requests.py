"""Requests for URLs that are not crawled as pages: redirects lead to any host; robots.txt of each host is obeyed."""

from collections.abc import Callable

from msgspec import Struct, structs

from wavecrawl.application.fetched_page import NextStart, unfetched_record
from wavecrawl.application.robots_gate import RobotsGate, reason_without
from wavecrawl.domain.crawl.job import JobItem
from wavecrawl.domain.crawl.record import Hop, PageRecord, Reason, unrequested_state
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.fetching.cookies import Cookies, cookies_after
from wavecrawl.domain.fetching.exchange import Exchange
from wavecrawl.domain.fetching.outcome import Outcome, classify, location_of, media_type
from wavecrawl.domain.politeness.robots_wait import seconds_of
from wavecrawl.domain.urls.url import origin_of, resolve
from wavecrawl.ports.clock import Clock

Request = Callable[[str, Cookies], Exchange | None]
"""Requests a URL with the cookies that redirects to it have set. Returns None if the worker must end first."""


class Chain(Struct, frozen=True, kw_only=True, gc=False):
    """The last exchange of a try, and why it ended before a response other than a redirect."""

    exchange: Exchange | None  # None: no request was made
    url: str  # of the last request
    hops: tuple[Hop, ...] = ()
    received: int = 0  # bytes of all bodies as transferred
    reason: Reason = Reason.NONE


class OutsideRequests:
    """Follows redirects, and makes the records of tries. Safe to share between threads."""

    def __init__(self, *, robots: RobotsGate, clock: Clock, settings: CrawlSettings) -> None:
        self.robots = robots
        self._clock = clock
        self._settings = settings

    def follow(self, first: str, request: Request, next_start: NextStart, *, max_redirects: int | None = None) -> Chain:
        """Request a URL and follow its redirects, at most `max_redirects`: by default those of the settings.

        `next_start` is called before every request but the first, also before that for the robots.txt of another host.
        """
        url, hops, received = first, tuple[Hop, ...](), 0
        most = self._settings.max_redirects if max_redirects is None else max_redirects
        origins = {origin_of(first)}
        exchange: Exchange | None = None
        cookies: Cookies = ()
        while True:
            reason = Reason.NONE if _may_look(url, origins, next_start) else Reason.WORKER_OUT_OF_TIME
            reason = reason or self.robots.reason_against(url)
            if not reason and exchange is not None and not next_start():
                reason = Reason.WORKER_OUT_OF_TIME
            response = None if reason else request(url, cookies)
            if response is None:
                reason = reason or Reason.WORKER_OUT_OF_TIME
                return Chain(exchange=exchange, url=url, hops=hops, received=received, reason=reason)
            exchange = response
            received += exchange.received_bytes
            location = location_of(exchange)
            if not location:
                return Chain(exchange=exchange, url=url, hops=hops, received=received)
            target = resolve(location, url)
            hops = (*hops, Hop(url=url, status=exchange.status or 0, location=target or location))
            before, cookies = cookies, cookies_after(cookies, exchange)
            reason = self._reason_to_stop(target, hops, most, has_new_cookies=cookies != before)
            if target is None or reason:
                return Chain(exchange=exchange, url=url, hops=hops, received=received, reason=reason)
            url = target.partition("#")[0]

    def unrequested(self, item: JobItem) -> PageRecord:
        """Return the record of a URL before its requests."""
        return unfetched_record(item, UrlState.FAILED, Reason.NONE, self._clock.now())

    def ended(self, item: JobItem, chain: Chain) -> tuple[PageRecord, Outcome | None]:
        """Return the record of a try, and the outcome of its response: None if the record is complete without it."""
        exchange = chain.exchange
        record = structs.replace(self.unrequested(item), hops=chain.hops)
        if exchange is not None:
            final_url = chain.url if chain.url != item.url else ""
            record = structs.replace(with_response(record, exchange), final_url=final_url, bytes=chain.received)
        if chain.reason or exchange is None:
            return self._stopped(record, chain), None
        outcome = classify(exchange)
        record = structs.replace(
            record, state=outcome.state, reason=outcome.reason, detail=outcome.detail, retry_after=outcome.wait
        )
        if outcome.retry and item.tries <= self._settings.max_retries:
            return structs.replace(record, state=UrlState.DEFERRED), None
        return record, outcome

    def postponed(self, record: PageRecord) -> PageRecord:
        """Return the record of a URL whose worker ends between two of its requests. The try counts."""
        state = UrlState.DEFERRED if record.tries <= self._settings.max_retries else UrlState.FAILED
        return structs.replace(record, state=state, reason=Reason.WORKER_OUT_OF_TIME)

    def _reason_to_stop(self, target: str | None, hops: tuple[Hop, ...], most: int, *, has_new_cookies: bool) -> Reason:
        """Return why a redirect to `target` is not followed; NONE if it is. `most`: limit of redirects."""
        if target is None or not target.startswith(("http://", "https://")):
            return Reason.REDIRECT_BAD_TARGET
        if not self._settings.follow_redirects:
            return Reason.REDIRECTS_NOT_FOLLOWED
        if not has_new_cookies and any(hop.url == target.partition("#")[0] for hop in hops):
            return Reason.REDIRECT_LOOP
        return Reason.REDIRECT_LIMIT if len(hops) > most else Reason.NONE

    def _stopped(self, record: PageRecord, chain: Chain) -> PageRecord:
        """Return the record of a try that ended at a redirect, or before its first request."""
        reason = chain.reason
        if reason is Reason.WORKER_OUT_OF_TIME:
            return self.postponed(record)
        if reason is Reason.ROBOTS_UNREACHABLE:
            return self._waiting(record, chain.url)
        if reason is Reason.ROBOTS_RULE:
            return structs.replace(record, state=UrlState.ROBOTS_DENIED, reason=reason)
        if reason is Reason.DELAY_TOO_LONG:
            return structs.replace(record, state=UrlState.SKIPPED, reason=reason)
        detail = f"to {chain.hops[-1].location[:200]}"
        return structs.replace(record, state=UrlState.REDIRECTED, reason=reason, detail=detail)

    def _waiting(self, record: PageRecord, url: str) -> PageRecord:
        """Return the record of a URL that waits for a robots.txt that cannot be fetched, or is given up."""
        trouble, polite = self.robots.trouble(url), self._settings.polite
        detail = trouble.problem if trouble else ""
        record = structs.replace(record, reason=Reason.ROBOTS_UNREACHABLE, detail=detail)
        if record.tries > polite.max_robots_waits or (trouble and trouble.lasting):
            reason = reason_without(trouble)
            return structs.replace(record, state=unrequested_state(reason), reason=reason)
        return structs.replace(record, state=UrlState.DEFERRED, retry_after=seconds_of(record.tries, polite))


def _may_look(url: str, origins: set[str], next_start: NextStart) -> bool:
    """Return whether the robots.txt of a URL may be requested, if its origin is none of the `origins` before."""
    origin = origin_of(url)
    if origin in origins:
        return True
    origins.add(origin)
    return next_start()


def with_response(record: PageRecord, exchange: Exchange) -> PageRecord:
    """Return the record with the facts of a response."""
    return structs.replace(
        record,
        status=exchange.status,
        content_type=media_type(exchange.header("Content-Type") or ""),
        etag="" if exchange.is_partial else exchange.header("ETag") or "",
        last_modified="" if exchange.is_partial else exchange.header("Last-Modified") or "",
        decoded_bytes=exchange.file_bytes,
        truncated=bool(exchange.content_cut),
        truncated_reason=exchange.content_cut,
        response_time=exchange.first_byte_after,
        elapsed=exchange.elapsed,
        fetched_at=exchange.started_at,
    )
