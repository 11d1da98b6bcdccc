"""Read the sitemaps of a site: those in robots.txt, or else the well-known ones, and the sitemaps they list."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from itertools import islice, takewhile

import msgspec

from wavecrawl.application.robots_gate import reason_without
from wavecrawl.application.site_feeds import load_feeds
from wavecrawl.application.site_rules import SiteRules
from wavecrawl.application.sitemap_files import ReadFile, decode_file, name_of_file
from wavecrawl.application.sitemap_listing import ListedUrl, SitemapListing, load_listing, store_listing
from wavecrawl.application.sitemap_requests import (
    MOST_AT_ONCE,
    NO_LIMITS,
    REQUESTS_ARE_USED_UP,
    TIME_IS_OVER,
    LimitReachedError,
    NoteWait,
    ReadingEndedError,
    ReadingLimits,
    SitemapStarts,
)
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.ledger import Notice
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.fetching.cookies import Cookies, cookie_headers, cookies_after
from wavecrawl.domain.fetching.exchange import Exchange, FetchRequest
from wavecrawl.domain.fetching.limits import FetchLimits
from wavecrawl.domain.fetching.outcome import classify, location_of
from wavecrawl.domain.fetching.retries import back_off, chance_of
from wavecrawl.domain.graph.completeness import SiteBlocker, cut_sitemap
from wavecrawl.domain.sitemaps.discovery import SitemapFile, SitemapWalk, WalkState
from wavecrawl.domain.sitemaps.parser import SitemapContent, SitemapKind, parse_sitemap
from wavecrawl.domain.sitemaps.unread import (
    Unread,
    disallowed,
    no_sitemap,
    nothing_arrived,
    too_many_redirects,
    unread_response,
)
from wavecrawl.domain.urls.url import origin_of, resolve
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.host_gate import HostGate
from wavecrawl.ports.objects import Objects
from wavecrawl.ports.page_client import PageClient


class Unfinished(msgspec.Struct, frozen=True, kw_only=True):
    """A reading that stopped at a limit. The files read so far are stored."""

    resume_at: float  # Unix seconds


EarlierFiles = Callable[[str], bool]
"""Returns whether an earlier crawl of the site has read the sitemap file at a URL."""

_NO_FILE = ReadFile(content=None)  # there is no such file
_LEAST_DELAY = 0.001  # seconds; 0 would mean that the file is not requested again
_WALK_STATE = "sitemaps/walk.msgpack"
_LOAD_TIME = 0.008  # seconds per stored file: about 30 ms each in S3, eight in parallel; an estimate, not measured


class SitemapReader:
    """Reads the sitemaps of one crawl into its listing."""

    def __init__(
        self,
        crawl: CrawlId,
        rules: SiteRules,
        *,
        client: PageClient,
        objects: Objects,
        hosts: HostGate,
        clock: Clock,
        earlier: EarlierFiles = lambda _: False,
        note_wait: NoteWait = lambda _: None,
    ) -> None:
        """`earlier`: whether an earlier crawl of the site has read the file at a URL."""
        self._crawl = crawl
        self._rules = rules
        self._client = client
        self._objects = objects
        self._clock = clock
        self._earlier = earlier
        self._limits = NO_LIMITS
        self._starts = SitemapStarts(crawl, rules, objects=objects, hosts=hosts, clock=clock, note_wait=note_wait)

    def read(self, limits: ReadingLimits = NO_LIMITS) -> SitemapListing | Unfinished:
        """Read the sitemaps, unless they were read before, and return their listing. Broken files become notices.

        Return Unfinished if a limit is reached. This reader or another can then continue.
        """
        known = load_listing(self._objects, self._crawl)
        if known is not None:
            return known
        self._limits = limits
        self._starts.begin(limits)
        try:
            listing = self._read_all()
        except LimitReachedError as error:
            return Unfinished(resume_at=error.resume_at)
        finally:
            self._starts.end()
        store_listing(self._objects, self._crawl, listing)
        return listing

    def finds_none(self, limits: ReadingLimits) -> bool:
        """Return True if robots.txt lists no sitemaps and there is none at the well-known paths: the listing is empty.

        Return False if a limit is reached first. A file that is found is stored for `read`.
        """
        self._limits = limits
        self._starts.begin(limits, resume=False)
        walk = self._walk()
        try:
            while (file := walk.next()) is not None:
                if not file.guessed or self._may_exist(file):
                    return False
                walk.was_read(None)
        except (LimitReachedError, ReadingEndedError):
            return False
        finally:
            self._starts.end()
        store_listing(self._objects, self._crawl, SitemapListing())
        return True

    def _may_exist(self, file: SitemapFile) -> bool:
        read = self._fetch(file, tries=1)
        if read is not _NO_FILE:
            self._store(file, read)
        return read is not _NO_FILE

    def _read_all(self) -> SitemapListing:
        walk = self._walk()
        before = walk.state
        try:
            unread = self._read_files(walk)
        except LimitReachedError:
            if walk.state != before:
                self._objects.put(self._crawl, _WALK_STATE, msgspec.msgpack.encode(walk.state))
            raise
        read = walk.state.read
        listed: dict[str, ListedUrl] = {}
        fed: dict[str, ListedUrl] = {}  # listed by feeds
        notices: list[Notice] = []
        files: list[str] = []
        limits = [] if unread else list(walk.notices())
        why = {TIME_IS_OVER: "time", REQUESTS_ARE_USED_UP: "max_requests"}
        blockers = list(walk.blockers(stopped=why[unread[0].message] if unread else ""))
        for file, data in zip(read, self._objects.get_many(self._crawl, list(map(self._name, read))), strict=True):
            stored = decode_file(data, url=file.url, crawl=self._crawl)
            if stored.problem:
                notices.append(Notice(subject=file.url, message=stored.problem))
            if stored.blocker is not None:
                blockers.append(SiteBlocker(subject=file.url, blocker=stored.blocker))
            if stored.content is None:
                continue
            if not file.feed:
                files.append(file.url)
            notices += [Notice(subject=file.url, message=problem) for problem in stored.content.problems]
            for entry in self._list_urls(file, stored.content):
                (fed if file.feed else listed).setdefault(entry.key, entry)
        return SitemapListing(
            entries=tuple(listed.values()),
            notices=(*notices, *unread, *limits),
            files=tuple(files),
            feeds=tuple(entry for key, entry in fed.items() if key not in listed),
            cut_short=bool(unread),
            blockers=tuple(blockers),
        )

    def _walk(self) -> SitemapWalk:
        """Return the walk over the sitemap files, resumed from the stored state if there is one."""
        data = self._objects.get(self._crawl, _WALK_STATE)
        state = None if data is None else msgspec.msgpack.decode(data, type=WalkState)
        origin = self._rules.root.origin
        named, settings = self._rules.robots.sitemaps(origin), self._rules.settings.sitemaps
        feeds = load_feeds(self._objects, self._crawl)
        return SitemapWalk(named, origin, settings, feeds=feeds, state=state)

    def _read_files(self, walk: SitemapWalk) -> list[Notice]:
        """Read the remaining files; return a notice if the crawl's time or requests end first.

        Files are read side by side, as far as the pace of the host permits. The results have the order of the walk.
        Raise LimitReachedError also if too little time is left to make the listing.
        """
        with ThreadPoolExecutor(MOST_AT_ONCE, thread_name_prefix="sitemap") as pool:
            while (file := walk.next()) is not None:
                found = [pool.submit(self._read, one) for one in self._together(walk, file)]
                wait(found)
                for future in found:
                    if (file := walk.next()) is None:  # as many URLs are listed as may be
                        break
                    try:
                        read = future.result()
                    except ReadingEndedError as error:
                        return [Notice(subject=file.url, message=str(error))]
                    if read.retry_at:
                        walk.postpone()
                    else:
                        walk.was_read(read.content)
        now = self._clock.now()
        if now + len(walk.state.read) * _LOAD_TIME > self._limits.deadline:
            raise LimitReachedError(now)
        return []

    def _together(self, walk: SitemapWalk, first: SitemapFile) -> list[SitemapFile]:
        """Return the next files to read side by side: of the same host, and no retries, which have to wait."""
        files = walk.next_files(MOST_AT_ONCE)
        alike = [one for one in files if not one.tried and origin_of(one.url) == origin_of(first.url)]
        if first.tried or len(alike) < 2:  # noqa: PLR2004 - one alone
            return [first]
        together = takewhile(lambda one: one in alike, files)
        return list(islice(together, self._starts.at_once(first.url)))

    def _list_urls(self, file: SitemapFile, content: SitemapContent) -> Iterator[ListedUrl]:
        for entry in content.entries:
            target = self._rules.links.target(entry.loc)
            if target is not None:
                page = target.page
                skip = Reason.NONE if target.skip is Reason.ASSET else target.skip  # the site says that it is a page
                yield ListedUrl(url=page.url, key=page.key, sitemap=file.url, lastmod=entry.lastmod, skip=skip)

    def _name(self, file: SitemapFile) -> str:
        return name_of_file(file.url, self._rules.identity)

    def _read(self, file: SitemapFile) -> ReadFile:
        data, tries = self._objects.get(self._crawl, self._name(file)), 0
        if data is not None:
            read = decode_file(data, url=file.url, crawl=self._crawl)
            if not read.retry_at:
                return read
            self._starts.wait_until(read.retry_at, file.url)
            tries = read.tries
        self._starts.check_time()
        read = self._fetch(file, tries=tries + 1)
        self._store(file, read)
        return read

    def _store(self, file: SitemapFile, read: ReadFile) -> None:
        self._objects.put(self._crawl, self._name(file), msgspec.msgpack.encode(read))

    def _fetch(self, file: SitemapFile, *, tries: int) -> ReadFile:
        """Request a file, the `tries`th time; return `_NO_FILE` if there is none."""
        found = self._request(file)
        if isinstance(found, ReadFile):
            return found
        settings = self._rules.settings
        if not found.retry or tries > settings.max_retries:
            return ReadFile(content=None, problem=found.problem, blocker=found.blocker, tries=tries)
        chance = chance_of(self._name(file), tries)
        delay = back_off(tries=tries, base=settings.retry_base, cap=settings.retry_cap, chance=chance)
        delay = max(delay, min(found.wait, settings.polite.max_retry_after), _LEAST_DELAY)
        return ReadFile(content=None, problem=found.problem, tries=tries, retry_at=self._clock.now() + delay)

    def _request(self, file: SitemapFile) -> ReadFile | Unread:
        settings = self._rules.settings
        bounds = settings.sitemaps
        url, first = self._starts.resumed(file.url)
        cookies: Cookies = ()
        for hops in range(first, settings.max_redirects + 1):
            self._starts.look(url)
            reason = self._rules.robots.reason_against(url)
            if reason:
                is_named = bool(self._rules.robots.sitemaps(self._rules.root.origin))
                may_exist = not file.feed and not (file.guessed and is_named)
                if reason is Reason.ROBOTS_UNREACHABLE:
                    reason = reason_without(self._rules.robots.trouble(url))
                return disallowed(reason, may_exist=may_exist, known=self._earlier(file.url)) or _NO_FILE
            self._starts.wait_for(file.url, url, hops)
            limits = FetchLimits(
                timeout=self._starts.timeout(), max_bytes=bounds.max_bytes, max_decoded_bytes=bounds.max_bytes
            )
            exchange = self._client.fetch(FetchRequest(url=url, headers=cookie_headers(cookies, url), limits=limits))
            location = location_of(exchange)
            if location:
                url, cookies = resolve(location, url) or url, cookies_after(cookies, exchange)
                continue
            return self._content(file, url, exchange)
        return too_many_redirects()

    def _content(self, file: SitemapFile, url: str, exchange: Exchange) -> ReadFile | Unread:
        """Return the content of a response that is no redirect. `url`: that of the response."""
        outcome, bounds = classify(exchange), self._rules.settings.sitemaps
        guessed = file.guessed or file.feed  # nothing but a page names a feed
        if outcome.state is not UrlState.FETCHED:
            known = outcome.state is not UrlState.NOT_FOUND and self._earlier(file.url)
            return unread_response(outcome, exchange.status, guessed=guessed, known=known) or _NO_FILE
        if exchange.content_cut and not exchange.body and not exchange.is_stream:
            return nothing_arrived(exchange.fault_detail)
        content = parse_sitemap(exchange.body, url=url, limits=bounds)
        if content.kind is SitemapKind.UNKNOWN:
            known = self._earlier(file.url)
            problem = content.problems[-1] if content.problems else "it is empty"
            return no_sitemap(url, problem, guessed=guessed, known=known) or _NO_FILE
        if not exchange.content_cut:
            why = "sitemaps.max_urls" if content.truncated else "damaged"
            blocker = cut_sitemap(why) if content.truncated or content.damaged else None
            return ReadFile(content=content, blocker=blocker)
        if exchange.truncated:
            problem, why = f"cut after {bounds.max_bytes:,} bytes; raise sitemaps.max_bytes", "sitemaps.max_bytes"
        else:
            detail = exchange.fault_detail or "a stream"
            problem, why = f"read in part: {detail}; start another crawl to read all of it", "cut"
        return ReadFile(content=content, problem=problem, blocker=cut_sitemap(why))
