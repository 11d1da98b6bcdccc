"""robots.txt by RFC 9309. Protego matches its patterns."""

from math import isfinite
from typing import Final

import msgspec
from protego import Protego

from wavecrawl.domain.fetching.exchange import TransportFault
from wavecrawl.domain.fetching.limits import FetchLimits
from wavecrawl.domain.politeness.robots_groups import RobotsGroups, bounded, robots_groups

MAX_BYTES: Final = 500 * 1024
"""Bytes of a file that are parsed; RFC 9309 2.5 requires at least 500 KiB."""

LIMITS: Final = FetchLimits(timeout=10.0, max_bytes=MAX_BYTES + 1, max_decoded_bytes=MAX_BYTES + 1)
"""Limits of a request for robots.txt. They are no setting, because all crawls share the result.

One byte more than is parsed shows whether the last line is complete.
"""

FRESH_SECONDS: Final = 12 * 3600.0
"""How long a file is used without a new request; RFC 9309 2.4 allows 24 hours."""

KEPT_SECONDS: Final = 7 * 86_400.0
"""How long a file is used, from its fetch, while a newer one cannot be had (RFC 9309 2.3.1.4 allows a cached copy)."""

_TOO_MANY_REQUESTS: Final = 429
_ALL: Final = "all"  # the only product that Protego gets
_LASTING: Final = (
    TransportFault.DNS,
    TransportFault.TLS,
    TransportFault.BLOCKED_ADDRESS,
    TransportFault.URL,
    TransportFault.DENIED_HOST,
)
_OF_HOST: Final = (TransportFault.DNS, TransportFault.TLS, TransportFault.URL, TransportFault.CONNECT)
_REFUSED: Final = (TransportFault.BLOCKED_ADDRESS, TransportFault.DENIED_HOST)


class RobotsFile(msgspec.Struct, frozen=True, kw_only=True):
    """A robots.txt that decides which URLs may be requested, after redirects."""

    origin: str  # scheme://host[:port]
    fetched_at: float  # Unix seconds
    status: int  # 2xx: `body` has the rules; others: there are no rules
    body: bytes

    @property
    def has_rules(self) -> bool:
        """Whether the body has the rules."""
        return 200 <= self.status < 300  # noqa: PLR2004 - the 2xx class

    @property
    def fresh_until(self) -> float:
        """When the file must be requested again, in Unix seconds."""
        return self.fetched_at + FRESH_SECONDS

    @property
    def kept_until(self) -> float:
        """Until when the file is used if no newer one can be had, in Unix seconds."""
        return self.fetched_at + KEPT_SECONDS


class Unreachable(msgspec.Struct, frozen=True, kw_only=True):
    """The reason why a robots.txt could not be fetched. No URL of its origin may be requested (RFC 9309 2.3.1.4)."""

    problem: str  # one line of text
    fault: TransportFault | None = None  # None = an error status
    part: RobotsFile | None = None  # what arrived of it, in whole lines; its rules apply if no earlier copy is usable
    own: bool = True  # the request to the origin failed, not one to another origin that its robots.txt redirects to

    @property
    def refused(self) -> bool:
        """Whether the origin may not be requested, so that no request is made at all."""
        return self.own and self.fault in _REFUSED

    @property
    def host_fault(self) -> TransportFault | None:
        """Why no URL of the origin can be requested; None if only its robots.txt cannot be read."""
        return self.fault if self.own and self.fault in _OF_HOST else None

    @property
    def lasting(self) -> bool:
        """Whether waiting does not help: no page of the origin could be requested either."""
        return self.fault in _LASTING


class RobotsRules:
    """The rules of one robots.txt. Safe to share between threads."""

    __slots__ = ("_groups", "_parsed", "_verdict")

    def __init__(self, groups: RobotsGroups, *, verdict: bool = True) -> None:
        self._groups = groups
        self._verdict = verdict  # for URLs to which no rule applies
        self._parsed: dict[str, Protego | None] = {}

    def allows(self, url: str, product: str) -> bool:
        """Return whether the crawler with the product token `product` may request the absolute URL."""
        parsed = self._of(product)
        if parsed is None:
            return self._verdict
        return _is_robots_txt(url) or bool(parsed.can_fetch(url, _ALL))

    def crawl_delay(self, product: str) -> float | None:
        """Return the required seconds between requests (Crawl-delay or Request-rate), or None."""
        parsed = self._of(product)
        if parsed is None:
            return None
        delay = parsed.crawl_delay(_ALL)
        if delay is None:
            rate = parsed.request_rate(_ALL)
            try:
                delay = rate.seconds / rate.requests if rate else None
            except OverflowError:  # hundreds of digits
                return None
        return float(delay) if delay is not None and isfinite(delay) and delay > 0 else None

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """The sitemaps in the file, as written, without repeats."""
        return self._groups.sitemaps

    def _of(self, product: str) -> Protego | None:
        """Return the rules for a product, None if no group applies to it."""
        if product not in self._parsed:
            lines = self._groups.lines_for(product)
            self._parsed[product] = None if lines is None else _parsed(lines)
        return self._parsed[product]


def _parsed(lines: list[str]) -> Protego:
    return Protego.parse("\n".join((f"User-agent: {_ALL}", *bounded(lines))))


_NOTHING: Final = RobotsGroups((), ())
ALLOW_ALL: Final = RobotsRules(_NOTHING, verdict=True)
DISALLOW_ALL: Final = RobotsRules(_NOTHING, verdict=False)


def whole_lines(body: bytes) -> bytes:
    """Return the complete lines of a file that was cut, at most MAX_BYTES: a rule cut short would match other URLs."""
    body = body[: MAX_BYTES + 1]
    return body[: max(body.rfind(b"\n"), body.rfind(b"\r"), 0)]


def parse_robots(body: bytes) -> RobotsRules:
    """Parse a robots.txt. Invalid lines are ignored. Never raises."""
    return RobotsRules(robots_groups(body))


def rules_of(file: RobotsFile) -> RobotsRules:
    """Return the rules for a response (RFC 9309 2.3.1).

    2xx: the rules of the file. 4xx or an unresolved redirect: "unavailable", all URLs are allowed.
    """
    return parse_robots(file.body) if file.has_rules else ALLOW_ALL


def is_server_error(status: int) -> bool:
    """Return whether a status counts as "unreachable" (RFC 9309 2.3.1.4): 5xx, or 429, which limits requests."""
    return status >= 500 or status == _TOO_MANY_REQUESTS  # noqa: PLR2004 - the 5xx class


def _is_robots_txt(url: str) -> bool:
    """Return whether the URL is the robots.txt itself, which is always allowed (RFC 9309 2.2.2)."""
    path_at = url.find("/", url.find("//") + 2)
    return url[path_at:] == "/robots.txt"
