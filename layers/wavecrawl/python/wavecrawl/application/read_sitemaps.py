"""Read the sitemaps of a site: those robots.txt names, then the well-known ones, nested ones below them (spec [8])."""

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from wavecrawl.application.site_rules import SiteRules
from wavecrawl.application.sitemap_listing import ListedUrl, SitemapListing, load_listing, store_listing
from wavecrawl.domain.exchange import FetchLimits, FetchRequest
from wavecrawl.domain.job import CrawlId
from wavecrawl.domain.ledger import Notice
from wavecrawl.domain.outcome import REDIRECTS, classify
from wavecrawl.domain.politeness import pace_for
from wavecrawl.domain.record import UrlState
from wavecrawl.domain.sitemap import SitemapContent, parse_sitemap
from wavecrawl.domain.sitemap_walk import SitemapFile, SitemapWalk
from wavecrawl.domain.url import host_of, origin_of, resolve
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.host_gate import HostGate
from wavecrawl.ports.objects import Objects
from wavecrawl.ports.page_client import PageClient


@dataclass(frozen=True, slots=True, kw_only=True)
class _ReadFile:
    """One sitemap file as it was read: stored at once, so that a crash does not ask for it twice."""

    content: SitemapContent | None
    problem: str = ""


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

    def read(self) -> SitemapListing:
        """Return the listing; read the files unless that was done before. What is broken becomes a notice."""
        known = load_listing(self._objects, self._crawl)
        if known is not None:
            return known
        origin = self._rules.root.origin
        walk = SitemapWalk(self._rules.robots.sitemaps(origin), origin, self._rules.settings.sitemaps)
        listed: dict[str, ListedUrl] = {}
        notices: list[Notice] = []
        files: list[str] = []
        while (file := walk.pop()) is not None:
            read = self._read(file)
            if read.problem and not (file.guessed and read.content is None):
                notices.append(Notice(subject=file.url, message=read.problem))
            if read.content is None:
                continue
            files.append(file.url)
            notices += [Notice(subject=file.url, message=problem) for problem in read.content.problems]
            walk.add(file, read.content)
            for entry in self._listed(file, read.content):
                listed.setdefault(entry.key, entry)
        listing = SitemapListing(entries=tuple(listed.values()), notices=tuple(notices), files=tuple(files))
        store_listing(self._objects, self._crawl, listing)
        return listing

    def _listed(self, file: SitemapFile, content: SitemapContent) -> Iterator[ListedUrl]:
        for entry in content.entries:
            target = self._rules.links.target(entry.loc)
            if target is not None:
                page = target.page
                yield ListedUrl(url=page.url, key=page.key, sitemap=file.url, lastmod=entry.lastmod, skip=target.skip)

    def _read(self, file: SitemapFile) -> _ReadFile:
        name = f"sitemaps/{self._rules.identity.page_url(file.url).key}.msgpack"
        data = self._objects.get(self._crawl, name)
        if data is not None:
            return msgspec.msgpack.decode(data, type=_ReadFile)
        read = self._fetch(file.url)
        self._objects.put(self._crawl, name, msgspec.msgpack.encode(read))
        return read

    def _fetch(self, url: str) -> _ReadFile:
        settings = self._rules.settings
        bounds = settings.sitemaps
        limits = FetchLimits(timeout=bounds.timeout, max_bytes=bounds.max_bytes, max_decoded_bytes=bounds.max_bytes)
        for _ in range(settings.max_redirects + 1):
            against = self._rules.robots.reason_against(url)
            if against:
                return _ReadFile(content=None, problem=f"not read: {against.value}")
            self._wait_for_turn(url)
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

    def _wait_for_turn(self, url: str) -> None:
        """Sitemaps keep the host's pace, too."""
        host = host_of(url)
        delay = self._rules.robots.crawl_delay(origin_of(url))
        pace = pace_for(self._rules.settings.polite, crawl_delay=delay, host=self._hosts.read(host))
        now = self._clock.now()
        window = self._hosts.reserve(host, holder=str(self._crawl), count=1, interval=pace.interval, now=now)
        self._clock.sleep(window.opens_at - now)
