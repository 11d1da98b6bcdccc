"""robots.txt of the hosts of a crawl: fetched once, cached, checked before each request."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from msgspec import Struct, structs
from msgspec.structs import replace

from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.fetching.cookies import Cookies, cookie_headers, cookies_after
from wavecrawl.domain.fetching.exchange import Exchange, FetchRequest
from wavecrawl.domain.fetching.outcome import classify, location_of
from wavecrawl.domain.politeness.robots import (
    ALLOW_ALL,
    DISALLOW_ALL,
    LIMITS,
    RobotsFile,
    RobotsRules,
    Unreachable,
    is_server_error,
    rules_of,
    whole_lines,
)
from wavecrawl.domain.urls.url import origin_of, resolve
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.page_client import PageClient
from wavecrawl.ports.robots_cache import RobotsCache

MAX_HOPS = 5  # redirects per robots.txt (RFC 9309 2.3.1.2)
TRIES = 3  # requests for a robots.txt that cannot be reached
RETRY_AFTER = 0.5  # seconds after the first try; twice that after the second
AT_ONCE = 64  # hosts whose robots.txt is requested in parallel

ASK_AGAIN = 30.0
"""Seconds until a robots.txt that could not be fetched is requested again, so that not every URL requests it."""


class _Known(Struct, frozen=True, kw_only=True):
    """What this process knows of one robots.txt."""

    rules: RobotsRules
    until: float  # Unix seconds
    kept_until: float = 0.0  # Unix seconds; until when the rules are used if no newer file can be had
    trouble: Unreachable | None = None  # why there are no rules
    delay: float = 0.0  # seconds; the required delay between requests, 0 = none


def reason_without(trouble: Unreachable | None) -> Reason:
    """Return why a URL ends whose robots.txt cannot be fetched. It fails if its host cannot be reached."""
    fault = None if trouble is None else trouble.host_fault
    return Reason.ROBOTS_UNREACHABLE if fault is None else Reason(fault.value)


class RobotsGate:
    """The robots.txt rules of a crawl's hosts. Safe to share between threads: at worst a file is fetched twice.

    Files are cached for all crawls. A file that could not be fetched is never cached: this process alone remembers it,
    for a short time.
    """

    def __init__(self, *, client: PageClient | None, cache: RobotsCache, clock: Clock, settings: CrawlSettings) -> None:
        """Without a client, a cached file never expires, and a host without one is not restricted."""
        self._client = client
        self._cache = cache
        self._clock = clock
        self._obeys = settings.polite.obey_robots
        self._max_delay = settings.polite.max_delay
        self._products = (settings.robots_product, *settings.also_obey)
        self._known: dict[str, _Known] = {}

    def read_ahead(self, urls: Iterable[str]) -> None:
        """Fetch the robots.txt files of these URLs that are not cached, in parallel.

        A host that does not respond takes half a minute. One after the other, a few dozen such hosts would exceed the
        planner's time limit.
        """
        if not self._obeys:
            return
        missing = {origin for origin in map(origin_of, urls) if self._still_known(origin) is None}
        if len(missing) > 1:
            with ThreadPoolExecutor(min(AT_ONCE, len(missing))) as pool:
                list(pool.map(self._look_up, missing))
            self._remember_troubles(missing)

    def reason_against(self, url: str) -> Reason:
        """Return why the URL must not be requested, Reason.NONE if it may be."""
        if not self._obeys:
            return Reason.NONE
        known = self._look_up(origin_of(url))
        for product in self._products:
            if not known.rules.allows(url, product):
                return Reason.ROBOTS_UNREACHABLE if known.trouble else Reason.ROBOTS_RULE
        return Reason.DELAY_TOO_LONG if known.delay > self._max_delay else Reason.NONE

    def trouble(self, url: str) -> Unreachable | None:
        """Return why the robots.txt of the URL could not be fetched, None if it could or is not obeyed."""
        return self._look_up(origin_of(url)).trouble if self._obeys else None

    def forget_troubles(self, origins: Iterable[str]) -> None:
        """Forget that the robots.txt files of these origins could not be fetched, so that they are requested again."""
        for origin in origins:
            known = self._known.get(origin)
            if known is not None and known.trouble is not None:
                del self._known[origin]

    def crawl_delay(self, origin: str) -> float | None:
        """Return the longest Crawl-delay for the obeyed products in seconds, None if there is none."""
        return (self._look_up(origin).delay or None) if self._obeys else None

    def sitemaps(self, origin: str) -> tuple[str, ...]:
        """Return the sitemaps listed in robots.txt, whether it is obeyed or not."""
        return self._look_up(origin).rules.sitemaps

    def _remember_troubles(self, origins: Iterable[str]) -> None:
        """Let the time for which troubles are remembered begin now: reading many files can take longer than that."""
        until = self._clock.now() + ASK_AGAIN
        for origin in origins:
            known = self._known[origin]
            if known.trouble is not None:
                self._known[origin] = structs.replace(known, until=until)

    def _look_up(self, origin: str) -> _Known:
        known = self._still_known(origin)
        if known is None:
            known = self._known[origin] = self._read(origin)
        return known

    def _still_known(self, origin: str) -> _Known | None:
        known = self._known.get(origin)
        return known if known and known.until > self._clock.now() else None

    def _read(self, origin: str) -> _Known:
        """Return the cached file if it is fresh, else a new one; if that cannot be had, the cached one."""
        file = self._cache.read(origin)
        if self._client is None:
            return self._known_file(file or RobotsFile(origin=origin, fetched_at=0.0, status=404, body=b""))
        if file is not None and file.fresh_until > self._clock.now():
            return self._known_file(file)
        fetched = self._fetch(origin, self._client)
        if isinstance(fetched, RobotsFile):
            self._cache.write(fetched)
            return self._known_file(fetched)
        now = self._clock.now()
        last = (
            self._known_file(file) if file is not None else self._known.get(origin)
        )  # a file may be too large for the cache
        if last is not None and last.kept_until > now:
            return structs.replace(last, until=now + ASK_AGAIN)
        if fetched.part is not None:
            self._cache.write(fetched.part)
            return self._known_file(fetched.part)
        # If all requests to the host are refused, robots.txt denies none of its URLs: each request says why it fails.
        rules = ALLOW_ALL if fetched.refused else DISALLOW_ALL
        return _Known(rules=rules, until=now + ASK_AGAIN, trouble=fetched)

    def _known_file(self, file: RobotsFile) -> _Known:
        rules = rules_of(file)
        delay = max(filter(None, map(rules.crawl_delay, self._products)), default=0.0)
        return _Known(rules=rules, until=file.fresh_until, kept_until=file.kept_until, delay=delay)

    def _fetch(self, origin: str, client: PageClient) -> RobotsFile | Unreachable:
        fetched, retry = self._fetch_once(origin, client)
        for tries in range(1, TRIES):
            if retry:
                self._clock.sleep(RETRY_AFTER * tries)
                fetched, retry = self._fetch_once(origin, client)
        return fetched

    def _fetch_once(self, origin: str, client: PageClient) -> tuple[RobotsFile | Unreachable, bool]:
        """Return the file or the reason why it could not be fetched, and whether a retry may help."""
        url = f"{origin}/robots.txt"
        cookies: Cookies = ()
        for _ in range(MAX_HOPS + 1):
            # The file is cached for the crawls of all tenants.
            exchange = client.fetch(
                FetchRequest(url=url, headers=cookie_headers(cookies, url), limits=LIMITS, anonymous=True)
            )
            target = _target(exchange)
            if target is None:
                file = self._file(origin, exchange)
                trouble = _trouble(exchange, file)
                if trouble:
                    trouble = replace(trouble, own=url.startswith(f"{origin}/"))
                return trouble or file, trouble is not None and (classify(exchange).retry or file.has_rules)
            url, cookies = target, cookies_after(cookies, exchange)
        # More redirects count as "unavailable", which allows everything (RFC 9309 2.3.1.2).
        return RobotsFile(origin=origin, fetched_at=self._clock.now(), status=404, body=b""), False

    def _file(self, origin: str, exchange: Exchange) -> RobotsFile:
        body = whole_lines(exchange.body) if exchange.content_cut else exchange.body  # ignored unless the status is 2xx
        return RobotsFile(origin=origin, fetched_at=self._clock.now(), status=exchange.status or 404, body=body)


def _trouble(exchange: Exchange, file: RobotsFile) -> Unreachable | None:
    """Return why a response is no usable robots.txt. What became of its body matters only if it has rules."""
    fault, status = exchange.fault, exchange.status
    if status is None:
        return Unreachable(problem=exchange.fault_detail or "no response", fault=fault)
    if is_server_error(status):
        return Unreachable(problem=classify(exchange).detail)
    if file.has_rules and (fault is not None or exchange.is_stream):
        part = file if exchange.content_cut and file.body else None
        return Unreachable(problem=exchange.fault_detail or "its body cannot be read", fault=fault, part=part)
    return None


def _target(exchange: Exchange) -> str | None:
    location = location_of(exchange)
    return resolve(location, exchange.url) if location else None
