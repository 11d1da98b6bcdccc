"""robots.txt of the hosts of a crawl: fetched once, cached, checked before each request."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.fetching.exchange import Exchange, FetchRequest, TransportFault
from wavecrawl.domain.fetching.outcome import REDIRECTS, classify
from wavecrawl.domain.politeness.robots import RobotsFile, RobotsRules, expires_at, is_unreachable, rules_of
from wavecrawl.domain.urls.url import origin_of, resolve
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.page_client import PageClient
from wavecrawl.ports.robots_cache import RobotsCache

MAX_HOPS = 5  # redirects per robots.txt (RFC 9309 2.3.1.2)
TRIES = 3  # requests for a robots.txt that cannot be reached
RETRY_AFTER = 0.5  # seconds after the first try; twice that after the second
AT_ONCE = 32  # hosts whose robots.txt is requested in parallel


class RobotsGate:
    """The robots.txt rules of a crawl's hosts. Safe to share between threads: at worst a file is fetched twice."""

    def __init__(self, *, client: PageClient, cache: RobotsCache, clock: Clock, settings: CrawlSettings) -> None:
        self._client = client
        self._cache = cache
        self._clock = clock
        self._settings = settings
        self._known: dict[str, tuple[RobotsFile, RobotsRules]] = {}

    def read_ahead(self, urls: Iterable[str]) -> None:
        """Fetch the robots.txt files of these URLs that are not cached, in parallel.

        A host that does not respond takes half a minute. One after the other, a few dozen such hosts would exceed the
        planner's time limit.
        """
        if not self._settings.polite.obey_robots:
            return
        missing = {origin for origin in map(origin_of, urls) if self._known_rules(origin) is None}
        if len(missing) > 1:
            with ThreadPoolExecutor(min(AT_ONCE, len(missing))) as pool:
                list(pool.map(self._rules, missing))

    def reason_against(self, url: str) -> Reason:
        """Return why the URL must not be requested, Reason.NONE if it may be."""
        if not self._settings.polite.obey_robots:
            return Reason.NONE
        file, rules = self._rules(origin_of(url))
        if rules.allows(url, self._settings.robots_product):
            return Reason.NONE
        return Reason.ROBOTS_UNREACHABLE if is_unreachable(file) else Reason.ROBOTS_RULE

    def problem(self, url: str) -> str:
        """Return why the robots.txt of the URL could not be read, in words; "" if it could."""
        return self._rules(origin_of(url))[0].problem if self._settings.polite.obey_robots else ""

    def crawl_delay(self, origin: str) -> float | None:
        """Return the Crawl-delay of robots.txt in seconds, None if it has none or is not obeyed."""
        if not self._settings.polite.obey_robots:
            return None
        return self._rules(origin)[1].crawl_delay(self._settings.robots_product)

    def sitemaps(self, origin: str) -> tuple[str, ...]:
        """Return the sitemaps listed in robots.txt, whether it is obeyed or not."""
        return self._rules(origin)[1].sitemaps

    def file(self, origin: str) -> RobotsFile:
        """Return the robots.txt of `origin` (scheme://host[:port]); fetch it if it is not cached or has expired."""
        return self._rules(origin)[0]

    def _rules(self, origin: str) -> tuple[RobotsFile, RobotsRules]:
        known = self._known_rules(origin)
        if known is None:
            file = self._cache.read(origin)
            if file is None or expires_at(file) <= self._clock.now():
                file = self._fetch(origin)
                self._cache.write(file)
            known = self._known[origin] = (file, rules_of(file))
        return known

    def _known_rules(self, origin: str) -> tuple[RobotsFile, RobotsRules] | None:
        known = self._known.get(origin)
        return known if known and expires_at(known[0]) > self._clock.now() else None

    def _fetch(self, origin: str) -> RobotsFile:
        for tries in range(1, TRIES + 1):
            file, retry = self._fetch_once(origin)
            if not retry or tries == TRIES:
                break
            self._clock.sleep(RETRY_AFTER * tries)
        return file

    def _fetch_once(self, origin: str) -> tuple[RobotsFile, bool]:
        """Return the file, and whether a retry may help."""
        url = f"{origin}/robots.txt"
        for _ in range(MAX_HOPS + 1):
            exchange = self._client.fetch(FetchRequest(url=url, limits=self._settings.limits))
            target = _target(exchange)
            if target is None:
                file = self._file(origin, exchange)
                return file, is_unreachable(file) and classify(exchange).retry
            url = target
        # More redirects count as "unavailable", which allows everything (RFC 9309 2.3.1.2).
        return RobotsFile(origin=origin, fetched_at=self._clock.now(), status=404, body=b""), False

    def _file(self, origin: str, exchange: Exchange) -> RobotsFile:
        broken = exchange.fault not in (None, TransportFault.DECODING)
        file = RobotsFile(
            origin=origin,
            fetched_at=self._clock.now(),
            status=None if broken else exchange.status,
            body=exchange.body,
        )
        return replace(file, problem=classify(exchange).detail) if is_unreachable(file) else file


def _target(exchange: Exchange) -> str | None:
    location = exchange.header("Location")
    if exchange.status in REDIRECTS and location:
        return resolve(location, exchange.url)
    return None
