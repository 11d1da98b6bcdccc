"""Fetch one page: request its URL, follow redirects to the same page, make its record."""

from functools import partial

from msgspec import Struct, structs
from msgspec.structs import replace

from wavecrawl.application.body_room import BodyRoom, PageShare
from wavecrawl.application.fetched_page import Ending, FetchedPage, NextStart, no_end, unfetched_record
from wavecrawl.application.parse_lock import ParseLock
from wavecrawl.application.read_brand import read_brand
from wavecrawl.application.read_page import PageReader, rendered_next, why_unrendered
from wavecrawl.application.robots_gate import RobotsGate, reason_without
from wavecrawl.application.unchanged_pages import UnchangedPages, is_same
from wavecrawl.domain.crawl.job import JobItem, Validators
from wavecrawl.domain.crawl.record import Hop, PageRecord, Reason, unrequested_state
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.crawl.unchanged import NOT_MODIFIED, payload_of
from wavecrawl.domain.fetching.cookies import Cookies, cookie_headers, cookies_after
from wavecrawl.domain.fetching.exchange import Cut, Exchange, FetchRequest, StoredPayload, digest_of
from wavecrawl.domain.fetching.outcome import Outcome, classify, location_of, may_be_html, media_type
from wavecrawl.domain.media.references import MediaRules
from wavecrawl.domain.pages.charset import decode_html
from wavecrawl.domain.politeness.robots_wait import seconds_of
from wavecrawl.domain.rendering.settings import RenderMode
from wavecrawl.domain.urls.cut_urls import cut_url
from wavecrawl.domain.urls.link_filter import LinkFilter, is_asset
from wavecrawl.domain.urls.spellings import are_spellings
from wavecrawl.domain.urls.url import host_of, resolve
from wavecrawl.errors import ReadingStoppedError
from wavecrawl.ports.archive import Archive
from wavecrawl.ports.page_client import PageClient
from wavecrawl.ports.page_parser import PageParser, UnlimitedParser


def no_wait() -> bool:
    """Return True immediately."""
    return True


class _RedirectChain(Struct, frozen=True, kw_only=True, gc=False):
    """The exchanges of one try. All but the last are redirects to the same page."""

    exchanges: tuple[Exchange, ...]
    hops: tuple[Hop, ...] = ()
    target: str = ""  # absolute URL of another page; "" = the last response does not redirect to one
    cookies: Cookies = ()  # those that a request for the target may carry
    reason: Reason = Reason.NONE  # why no more redirects were followed; NONE = the last response decides

    @property
    def last(self) -> Exchange:
        return self.exchanges[-1]

    def without_body(self, known: StoredPayload) -> tuple[Exchange, ...]:
        """Return the exchanges of a page that has not changed since a stored response.

        The body is stored again if its content coding gave other bytes: a record may only refer to an identical payload
        (ISO 28500:2017, 6.7.2).
        """
        last = self.last
        if last.status != NOT_MODIFIED and known.digest not in ("", digest_of(last.raw_body)):
            return self.exchanges
        return (*self.exchanges[:-1], structs.replace(last, known=known))


class PageFetcher:
    """Fetches pages for one crawl. Safe to share between threads."""

    def __init__(
        self,
        *,
        client: PageClient,
        links: LinkFilter,
        media: MediaRules,
        robots: RobotsGate,
        archive: Archive,
        settings: CrawlSettings,
        root: str = "",
        parser: PageParser | None = None,
    ) -> None:
        """`root`: url key of the root, which shows the brand, and of which a screenshot may be made.

        `parser`: None = pages are read in this process without a budget.
        """
        self._client = client
        self._links = links
        self._robots = robots
        self._parser = parser = parser or UnlimitedParser()
        self._known = UnchangedPages(links=links, media=media, archive=archive, settings=settings, parser=parser)
        self._reader = PageReader(
            links=links, media=media, known=self._known, settings=settings, root=root, parser=parser
        )
        self._settings = settings
        self._root = root
        self._parsing = ParseLock()
        self.room = BodyRoom(settings.waves.max_bytes_in_flight)

    def cpu_seconds(self) -> float:
        """Return the processor time of other processes for pages that the calling thread read, in seconds."""
        return self._parser.cpu_seconds()

    def wait_for_room(self) -> None:
        """Wait while fetched pages wait to be parsed."""
        self._parsing.wait_until_idle()

    def fetch(
        self,
        item: JobItem,
        *,
        next_start: NextStart = no_wait,
        share: PageShare | None = None,
        ending: Ending = no_end,
    ) -> FetchedPage:
        """Fetch one page. A network error becomes part of the record; it is not raised.

        If the item has validators, the request is conditional. If the page has not changed, or the response is the one
        that the site remembers, the record refers to the earlier one. `next_start` is called before every request but
        the first; `ending`, before and while a page is read. `share` is the page's share of `room`; without it the
        memory for bodies is not limited. The record of the root has the brand of the site, for which its stylesheets
        are requested too.

        A redirect to the other spelling of the URL is followed at once, unless that is known: the result has both.
        """
        fetched = self._fetch(item, next_start, share, ending)
        other = self._other_spelling(item, fetched.record, next_start)
        if other is None:
            return self._branded(item, fetched, next_start)
        page = self._fetch(other, next_start, share, ending)
        return structs.replace(fetched, other=self._branded(other, page, next_start))

    def _other_spelling(self, item: JobItem, record: PageRecord, next_start: NextStart) -> JobItem | None:
        """Return the other spelling of a URL, if the record redirects to it and it can be requested now."""
        if item.other_known or record.redirect_skip or not are_spellings(item.key, record.redirect_key):
            return None
        if not self._settings.follow_redirects or self._robots.reason_against(record.redirect_to) or not next_start():
            return None
        cookies = record.cookies
        return replace(
            item, url=record.redirect_to, key=record.redirect_key, tries=1, cookies=cookies, other_known=True
        )

    def _branded(self, item: JobItem, fetched: FetchedPage, next_start: NextStart) -> FetchedPage:
        """Return a page; the root with the brand of the site."""
        has_brand = item.key == self._root and self._settings.brand.enabled and fetched.record.facts is not None
        if not has_brand or fetched.record.body_at:
            return fetched
        exchange = fetched.exchanges[-1]
        brand = read_brand(
            decode_html(exchange.body, exchange.header("Content-Type") or "", host=host_of(exchange.url)).html,
            url=exchange.url,
            client=self._client,
            robots=self._robots,
            settings=self._settings,
            next_start=next_start,
        )
        return structs.replace(fetched, record=structs.replace(fetched.record, brand=brand))

    def _fetch(self, item: JobItem, next_start: NextStart, share: PageShare | None, ending: Ending) -> FetchedPage:
        record_of = partial(self._record, item, ending=ending)
        validators = item.validators
        chain = self._follow(item, validators, next_start, share)
        if validators is None:
            return FetchedPage(record=_unconditional(record_of(chain)), exchanges=chain.exchanges)
        record = record_of(chain, known=validators.body_hash)
        if record.state is not UrlState.UNCHANGED:
            return FetchedPage(record=record, exchanges=chain.exchanges)
        before, place = self._known.content_at(validators.record)
        if before is not None and is_same(record, before) and self._reader.has_values(before):
            exchanges = chain.without_body(payload_of(before))
            unchanged = self._known.record(record, before, place)
            return FetchedPage(record=self._rendered_again(item, unchanged, before), exchanges=exchanges)
        if chain.last.status != NOT_MODIFIED:
            return FetchedPage(record=record_of(chain), exchanges=chain.exchanges)
        # The crawl that stored the content was deleted or had other rules: request the page without conditions.
        if not next_start():
            return FetchedPage(record=self._out_of_time_record(item, record), exchanges=chain.exchanges)
        second = self._follow(item, None, next_start, share)
        record = record_of(second)
        if record.state is UrlState.UNCHANGED:  # "not modified" has no meaning without conditions
            record = structs.replace(record, state=UrlState.HTTP_ERROR)
        return FetchedPage(record=record, exchanges=chain.exchanges + second.exchanges)

    def _follow(
        self, item: JobItem, validators: Validators | None, next_start: NextStart, share: PageShare | None
    ) -> _RedirectChain:
        """Request the URL, and follow redirects as long as they lead to another URL of the same identity."""
        url = item.url
        exchanges: tuple[Exchange, ...] = ()
        hops: tuple[Hop, ...] = ()
        cookies = item.cookies
        while True:
            exchange = self._send(self._request(url, cookies, validators, share), share)
            exchanges = (*exchanges, exchange)
            location = location_of(exchange)
            if not location:
                if _breaks_off(exchange) and next_start():
                    again = self._send(self._request(url, cookies, validators, share), share)
                    exchanges = (*exchanges[:-1], *_better_last(exchange, again))
                return _RedirectChain(exchanges=exchanges, hops=hops)
            url_after = resolve(location, url)
            target = self._links.target(url_after) if url_after else None
            before, cookies = cookies, cookies_after(cookies, exchange)
            hops = (*hops, Hop(url=url, status=exchange.status or 0, location=url_after or location))
            if url_after is None or target is None:
                return _RedirectChain(exchanges=exchanges, hops=hops, reason=Reason.REDIRECT_BAD_TARGET)
            if target.page.key != item.key or not self._settings.follow_redirects:
                return _RedirectChain(exchanges=exchanges, hops=hops, target=url_after, cookies=cookies)
            url = url_after.partition("#")[0]
            if any(hop.url == url for hop in hops) and cookies == before:
                return _RedirectChain(exchanges=exchanges, hops=hops, reason=Reason.REDIRECT_LOOP)
            if len(hops) > self._settings.max_redirects:
                return _RedirectChain(exchanges=exchanges, hops=hops, reason=Reason.REDIRECT_LIMIT)
            reason = self._robots.reason_against(url)
            if reason or not next_start():
                return _RedirectChain(exchanges=exchanges, hops=hops, reason=reason or Reason.WORKER_OUT_OF_TIME)

    def _send(self, request: FetchRequest, share: PageShare | None) -> Exchange:
        exchange = self._client.fetch(request)
        if share is not None:
            share.settle(_memory_of(exchange))
        return exchange

    def _request(
        self, url: str, cookies: Cookies, validators: Validators | None, share: PageShare | None
    ) -> FetchRequest:
        headers = [*cookie_headers(cookies, url)]
        if validators is not None:
            if validators.etag:
                headers.append(("If-None-Match", validators.etag))
            if validators.last_modified:
                headers.append(("If-Modified-Since", validators.last_modified))
        reserve = share.reserve if share is not None else None
        return FetchRequest(
            url=url,
            headers=tuple(headers),
            limits=self._settings.limits,
            only_html=is_asset(url.partition("?")[0]),
            reserve=reserve,
        )

    def _record(self, item: JobItem, chain: _RedirectChain, *, known: str = "", ending: Ending) -> PageRecord:
        """Return the record of a try. A response whose hash is `known` is not parsed: its page is unchanged."""
        with self._parsing:
            return self._parse(item, chain, known, ending)

    def _parse(self, item: JobItem, chain: _RedirectChain, known: str, ending: Ending) -> PageRecord:
        exchange = chain.last
        outcome = _outcome(chain)
        cut = exchange.content_cut if outcome.state is UrlState.FETCHED else Cut.NONE
        is_partial = exchange.is_partial
        longest = self._settings.max_url_length
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
            final_url=cut_url(exchange.url, most=longest) if exchange.url != item.url else "",
            hops=tuple(_cut_hop(hop, longest) for hop in chain.hops),
            etag="" if is_partial else exchange.header("ETag") or "",
            last_modified="" if is_partial else exchange.header("Last-Modified") or "",
            bytes=len(exchange.raw_body),
            decoded_bytes=len(exchange.body),
            truncated=bool(cut),
            truncated_reason=cut,
            response_time=exchange.first_byte_after,
            elapsed=exchange.elapsed,
            fetched_at=exchange.started_at,
            retry_after=outcome.wait,
        )
        if chain.reason is Reason.WORKER_OUT_OF_TIME:
            return self._out_of_time_record(item, record)
        if chain.reason is Reason.ROBOTS_UNREACHABLE:
            return self._waiting_record(item, record, chain.hops[-1].location)
        if outcome.retry and item.tries <= self._settings.max_retries:
            return structs.replace(record, state=UrlState.DEFERRED)
        if chain.target:
            return self._redirect_record(structs.replace(record, cookies=chain.cookies), chain.target)
        return self._read(item, record, exchange, known, ending) if outcome.state is UrlState.FETCHED else record

    def _read(self, item: JobItem, record: PageRecord, exchange: Exchange, known: str, ending: Ending) -> PageRecord:
        """Return the record with the content of the page, or of a page for which the worker or crawl has no time left.

        Expensive pages that were requested at the same time are read one after the other, which can take longer than
        the worker has.
        """
        if ending() is not Reason.WORKER_OUT_OF_TIME:
            try:
                return self._reader.read(item, record, exchange, known, lambda: ending() is not Reason.NONE)
            except ReadingStoppedError:
                reason = ending() or Reason.CANCELLED
                if reason is not Reason.WORKER_OUT_OF_TIME:
                    return unfetched_record(item, UrlState.DEFERRED, reason, record.fetched_at)
        return self._out_of_time_record(item, record)

    def _out_of_time_record(self, item: JobItem, record: PageRecord) -> PageRecord:
        """Return the record of a page whose worker ends before it is read, or between two requests. The try counts."""
        state = UrlState.DEFERRED if item.tries <= self._settings.max_retries else UrlState.FAILED
        return structs.replace(record, state=state, reason=Reason.WORKER_OUT_OF_TIME)

    def _waiting_record(self, item: JobItem, record: PageRecord, url: str) -> PageRecord:
        """Return the record of a page that redirects to a `url` whose robots.txt cannot be fetched: it waits for it."""
        trouble, polite = self._robots.trouble(url), self._settings.polite
        record = structs.replace(record, detail=trouble.problem if trouble else "")
        if item.tries > polite.max_robots_waits or (trouble and trouble.lasting):
            reason = reason_without(trouble)
            return structs.replace(record, state=unrequested_state(reason), reason=reason)
        return structs.replace(record, state=UrlState.DEFERRED, retry_after=seconds_of(item.tries, polite))

    def _redirect_record(self, record: PageRecord, url: str) -> PageRecord:
        target = self._links.target(url)
        if target is None:  # _follow checked it
            raise ValueError(f"not a target: {url}")
        reason = Reason.REDIRECT_OUT_OF_SCOPE if target.skip is Reason.OUT_OF_SCOPE else Reason.STATUS
        return structs.replace(
            record,
            reason=reason,
            redirect_to=target.page.url,
            redirect_key=target.page.key,
            redirect_skip=target.skip,
        )

    def _rendered_again(self, item: JobItem, record: PageRecord, before: PageRecord) -> PageRecord:
        """Return the record of an unchanged page, to be rendered next if that can change its content.

        The HTML of a shell does not change when its data does. A page with a screenshot needs no other one.
        """
        if not before.is_html:
            return record
        record = structs.replace(record, scripts_not_run=before.scripted and not (before.rendered or item.has_browser))
        render = self._settings.render
        needs = before.render_added or render.mode is RenderMode.ALWAYS
        needs = needs or (self._reader.is_certain(item) and not before.screenshot)
        if problem := why_unrendered(item, is_shell=bool(before.shell), is_certain=needs):
            return structs.replace(record, render_problem=problem)
        if item.sample and before.scripted and not (before.shell or before.render_added):
            return rendered_next(record, Reason.RENDER_SAMPLE)
        return rendered_next(record) if item.render and (before.shell or needs) else record


def _unconditional(record: PageRecord) -> PageRecord:
    """Return the record of a page that was requested without conditions. Browsers show "not modified" as no content."""
    if record.state is not UrlState.UNCHANGED:
        return record
    return structs.replace(record, state=UrlState.FETCHED, reason=Reason.EMPTY)


def _breaks_off(exchange: Exchange) -> bool:
    """Return whether the connection of a page ended inside its content: a second request may give all of it."""
    is_page = 200 <= (exchange.status or 0) < 300  # noqa: PLR2004 - the 2xx class
    return is_page and exchange.cut is Cut.DISCONNECT and bool(exchange.raw_body) and may_be_html(exchange)


def _better_last(first: Exchange, second: Exchange) -> tuple[Exchange, Exchange]:
    """Return two exchanges of a page that broke off, the one with more of it last."""
    is_better = second.status == first.status and (not second.cut or len(second.body) >= len(first.body))
    return (first, second) if is_better else (second, first)


def _outcome(chain: _RedirectChain) -> Outcome:
    outcome = classify(chain.last)
    if chain.reason in (Reason.ROBOTS_RULE, Reason.ROBOTS_UNREACHABLE):
        return structs.replace(outcome, state=UrlState.ROBOTS_DENIED, reason=chain.reason)
    if chain.reason is Reason.DELAY_TOO_LONG:
        return structs.replace(outcome, state=UrlState.SKIPPED, reason=chain.reason)
    if chain.reason:
        detail = f"{outcome.detail}, to {chain.hops[-1].location[:200]}"
        return structs.replace(outcome, reason=chain.reason, detail=detail)
    return outcome


def _cut_hop(hop: Hop, most: int) -> Hop:
    return structs.replace(hop, url=cut_url(hop.url, most=most), location=cut_url(hop.location, most=most))


def _memory_of(exchange: Exchange) -> int:
    """Return the bytes of memory that the bodies of an exchange take."""
    if exchange.body is exchange.raw_body:
        return len(exchange.body)
    return len(exchange.raw_body) + len(exchange.body)
