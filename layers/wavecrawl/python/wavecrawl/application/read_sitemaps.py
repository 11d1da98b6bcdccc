"""Read the sitemaps of a site: those in robots.txt, or else the well-known ones, and the sitemaps they list."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

import msgspec

from wavecrawl.application.site_rules import SiteRules
from wavecrawl.application.sitemap_listing import ListedUrl, SitemapListing, load_listing, store_listing
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.ledger import Notice
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.fetching.exchange import FetchRequest
from wavecrawl.domain.fetching.limits import FetchLimits
from wavecrawl.domain.fetching.outcome import REDIRECTS, classify
from wavecrawl.domain.politeness.pace import pace_for
from wavecrawl.domain.sitemaps.discovery import SitemapFile, SitemapWalk, WalkState
from wavecrawl.domain.sitemaps.parser import SitemapContent, parse_sitemap
from wavecrawl.domain.urls.url import host_of, origin_of, resolve
from wavecrawl.errors import CorruptDataError
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.host_gate import HostGate
from wavecrawl.ports.objects import Objects
from wavecrawl.ports.page_client import PageClient


@dataclass(frozen=True, slots=True, kw_only=True)
class _ReadFile:
    """One sitemap file as it was read: stored at once, so that a crash does not ask for it twice."""

    content: SitemapContent | None
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long reading may take here and now."""

    seconds: float = inf  # of waiting for the host's pace, all in all; a longer wait ends in `Later`
    until: float = inf  # Unix seconds; no request starts that could outlast it
    ends_at: float = inf  # Unix seconds; the crawl's own end: what is not read by then never is


ENDLESS = Patience()


@dataclass(frozen=True, slots=True, kw_only=True)
class Later:
    """Not everything is read yet; what was read is kept."""

    at: float  # Unix seconds, when to go on


@dataclass(frozen=True, slots=True, kw_only=True)
class _Turn:
    """A request that waits for its start, which is reserved."""

    file: str  # URL of the file it belongs to
    url: str  # of the request: the file's, or where that redirects to
    hops: int  # redirects followed so far
    opens_at: float  # Unix seconds
    expires_at: float  # when the start belongs to somebody else


class _LaterError(Exception):
    """It is too early for a request; never leaves this module."""

    def __init__(self, at: float) -> None:
        super().__init__()
        self.at = at


_NO_TURN = _Turn(file="", url="", hops=0, opens_at=0.0, expires_at=0.0)
_TURN = "sitemaps/turn.msgpack"
_STAND = "sitemaps/stand.msgpack"
_READ_AGAIN = 0.008  # seconds for a file that is stored: some 30 ms each in S3, eight at a time; reckoned, not measured
_TOO_LATE = 5.0  # seconds after which a start that was reserved is lost

TIME_IS_OVER = "not read: the crawl's time or budget was over"


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
    ) -> None:
        self._crawl = crawl
        self._rules = rules
        self._client = client
        self._objects = objects
        self._hosts = hosts
        self._clock = clock
        self._patience = ENDLESS
        self._waited = 0.0  # seconds
        self._turn = _NO_TURN

    def read(self, patience: Patience = ENDLESS) -> SitemapListing | Later:
        """Return the listing; read the files unless that was done before. What is broken becomes a notice.

        Where `patience` ends first, return when to go on: by whoever asks again then, this reader or another.
        """
        known = load_listing(self._objects, self._crawl)
        if known is not None:
            return known
        self._patience, self._waited = patience, 0.0
        data = self._objects.get(self._crawl, _TURN)
        self._turn = _NO_TURN if data is None else msgspec.msgpack.decode(data, type=_Turn)
        try:
            listing = self._read_all()
        except _LaterError as later:
            return Later(at=later.at)
        store_listing(self._objects, self._crawl, listing)
        return listing

    def finds_none(self, patience: Patience) -> bool:
        """Return whether the site has no sitemaps: robots.txt names none, and none lie where they usually do.

        The first that is found is kept for `read`. Where `patience` ends first, nobody knows.
        """
        self._patience, self._waited, self._turn = patience, 0.0, _NO_TURN
        walk = self._walk()
        try:
            while (file := walk.next()) is not None:
                if not file.guessed or self._is_there(file):
                    return False
                walk.was_read(None)
        except _LaterError:
            return False
        return True

    def _is_there(self, file: SitemapFile) -> bool:
        read = self._fetch(file.url)
        if read.content is not None:
            self._store(file, read)
        return read.content is not None

    def _read_all(self) -> SitemapListing:
        walk = self._walk()
        before = len(walk.state.read)
        try:
            unread = self._read_on(walk)
        except _LaterError:
            if len(walk.state.read) > before:
                self._objects.put(self._crawl, _STAND, msgspec.msgpack.encode(walk.state))
            raise
        read = walk.state.read
        listed: dict[str, ListedUrl] = {}
        notices: list[Notice] = []
        files: list[str] = []
        for file, data in zip(read, self._objects.get_many(self._crawl, list(map(self._name, read))), strict=True):
            if data is None:
                raise CorruptDataError(f"what was read of sitemap {file.url} for crawl {self._crawl} is missing")
            stored = msgspec.msgpack.decode(data, type=_ReadFile)
            if stored.problem and not (file.guessed and stored.content is None):
                notices.append(Notice(subject=file.url, message=stored.problem))
            if stored.content is None:
                continue
            files.append(file.url)
            notices += [Notice(subject=file.url, message=problem) for problem in stored.content.problems]
            for entry in self._listed(file, stored.content):
                listed.setdefault(entry.key, entry)
        return SitemapListing(
            entries=tuple(listed.values()),
            notices=(*notices, *unread),
            files=tuple(files),
            cut_short=bool(unread),
        )

    def _walk(self) -> SitemapWalk:
        """Return the walk from where an earlier round left it."""
        data = self._objects.get(self._crawl, _STAND)
        stand = None if data is None else msgspec.msgpack.decode(data, type=WalkState)
        origin = self._rules.root.origin
        return SitemapWalk(self._rules.robots.sitemaps(origin), origin, self._rules.settings.sitemaps, state=stand)

    def _read_on(self, walk: SitemapWalk) -> list[Notice]:
        """Read until all is read or the crawl's time is over, which is noted; raise where it is too late to list it."""
        while (file := walk.next()) is not None:
            if self._clock.now() >= self._patience.ends_at:
                return [Notice(subject=file.url, message=TIME_IS_OVER)]
            walk.was_read(self._read(file).content)
        if self._clock.now() + len(walk.state.read) * _READ_AGAIN > self._patience.until:
            raise _LaterError(self._clock.now())
        return []

    def _listed(self, file: SitemapFile, content: SitemapContent) -> Iterator[ListedUrl]:
        for entry in content.entries:
            target = self._rules.links.target(entry.loc)
            if target is not None:
                page = target.page
                yield ListedUrl(url=page.url, key=page.key, sitemap=file.url, lastmod=entry.lastmod, skip=target.skip)

    def _name(self, file: SitemapFile) -> str:
        return f"sitemaps/{self._rules.identity.page_url(file.url).key}.msgpack"

    def _read(self, file: SitemapFile) -> _ReadFile:
        data = self._objects.get(self._crawl, self._name(file))
        if data is not None:
            return msgspec.msgpack.decode(data, type=_ReadFile)
        read = self._fetch(file.url)
        self._store(file, read)
        return read

    def _store(self, file: SitemapFile, read: _ReadFile) -> None:
        self._objects.put(self._crawl, self._name(file), msgspec.msgpack.encode(read))

    def _fetch(self, file: str) -> _ReadFile:
        settings = self._rules.settings
        bounds = settings.sitemaps
        limits = FetchLimits(timeout=bounds.timeout, max_bytes=bounds.max_bytes, max_decoded_bytes=bounds.max_bytes)
        url, first = (self._turn.url, self._turn.hops) if self._turn.file == file else (file, 0)
        for hops in range(first, settings.max_redirects + 1):
            against = self._rules.robots.reason_against(url)
            if against:
                return _ReadFile(content=None, problem=f"not read: {against.value}")
            self._wait_for_turn(file, url, hops)
            exchange = self._client.fetch(FetchRequest(url=url, limits=limits))
            location = exchange.header("Location")
            if exchange.status in REDIRECTS and location:
                url = resolve(location, url) or url
                continue
            outcome = classify(exchange)
            if outcome.state is not UrlState.FETCHED:
                return _ReadFile(content=None, problem=f"not read: {outcome.detail or outcome.reason.value}")
            return _ReadFile(content=parse_sitemap(exchange.body, url=url, limits=bounds))
        return _ReadFile(content=None, problem="not read: too many redirects")

    def _wait_for_turn(self, file: str, url: str, hops: int) -> None:
        """Sitemaps keep the host's pace, too. Raise where the turn comes too late to wait for it here."""
        now, turn = self._clock.now(), self._turn
        if now + self._rules.settings.sitemaps.timeout > self._patience.until:
            raise _LaterError(now)
        if (turn.file, turn.url, turn.hops) != (file, url, hops) or now > turn.expires_at:
            turn = self._reserved(file, url, hops, now)
        wait = max(0.0, turn.opens_at - now)
        if self._waited + wait > self._patience.seconds:
            self._objects.put(self._crawl, _TURN, msgspec.msgpack.encode(turn))
            raise _LaterError(turn.opens_at)
        self._waited += wait
        self._turn = _NO_TURN
        self._clock.sleep(wait)

    def _reserved(self, file: str, url: str, hops: int, now: float) -> _Turn:
        host = host_of(url)
        delay = self._rules.robots.crawl_delay(origin_of(url))
        pace = pace_for(self._rules.settings.polite, crawl_delay=delay, host=self._hosts.read(host))
        window = self._hosts.reserve(host, holder=str(self._crawl), count=1, interval=pace.interval, now=now)
        expires_at = window.opens_at + max(pace.interval, _TOO_LATE)
        return _Turn(file=file, url=url, hops=hops, opens_at=window.opens_at, expires_at=expires_at)
