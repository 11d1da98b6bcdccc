"""robots.txt by RFC 9309, parsed by Protego."""

from dataclasses import dataclass
from math import isfinite

from protego import Protego

MAX_BYTES = 500 * 1024
"""Bytes of a file that are parsed; RFC 9309 2.5 requires at least 500 KiB."""

FRESH_SECONDS = 12 * 3600.0
"""How long a readable file is cached; RFC 9309 2.4 allows 24 hours."""

UNREACHABLE_SECONDS = 600.0
"""How long an unreachable file is cached before it is requested again."""

_TOO_MANY_REQUESTS = 429


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotsFile:
    """A fetched robots.txt, after redirects."""

    origin: str  # scheme://host[:port]
    fetched_at: float  # Unix seconds
    status: int | None  # None = no response
    body: bytes
    problem: str = ""  # why it could not be read; "" if it could


class RobotsRules:
    """The rules of one robots.txt. Immutable and safe to share between threads."""

    __slots__ = ("_parsed", "_verdict")

    def __init__(self, parsed: Protego | None, *, verdict: bool | None) -> None:
        self._parsed = parsed
        self._verdict = verdict  # the same for every URL; None = apply the rules

    def allows(self, url: str, product: str) -> bool:
        """Return whether the crawler with the product token `product` may request the absolute URL."""
        if self._verdict is not None or self._parsed is None:
            return bool(self._verdict)
        return _is_robots_txt(url) or bool(self._parsed.can_fetch(url, product))

    def crawl_delay(self, product: str) -> float | None:
        """Return the required seconds between requests (Crawl-delay or Request-rate), or None."""
        if self._parsed is None:
            return None
        delay = self._parsed.crawl_delay(product)
        if delay is None:
            rate = self._parsed.request_rate(product)
            try:
                delay = rate.seconds / rate.requests if rate else None
            except OverflowError:  # hundreds of digits
                return None
        return float(delay) if delay is not None and isfinite(delay) and delay > 0 else None

    @property
    def sitemaps(self) -> tuple[str, ...]:
        """The sitemaps in the file, as written, without repeats."""
        return () if self._parsed is None else tuple(dict.fromkeys(self._parsed.sitemaps))


ALLOW_ALL = RobotsRules(None, verdict=True)
DISALLOW_ALL = RobotsRules(None, verdict=False)


def parse_robots(body: bytes) -> RobotsRules:
    """Parse a robots.txt. Invalid lines are ignored. Never raises."""
    text = body[:MAX_BYTES].decode("utf-8-sig", errors="replace").replace("\x00", "")
    parsed = Protego.parse(text)
    bare = not any(line.lstrip().lower().startswith("disallow") for line in text.splitlines())
    return RobotsRules(parsed, verdict=True if bare else None)


def rules_of(file: RobotsFile) -> RobotsRules:
    """Return the rules for a response (RFC 9309 2.3.1).

    2xx: the rules of the file. 4xx or an unresolved redirect: "unavailable", all URLs are allowed. 5xx, 429 or no
    response: "unreachable", all URLs are denied.
    """
    if is_unreachable(file):
        return DISALLOW_ALL
    if file.status is not None and 200 <= file.status < 300:  # noqa: PLR2004 - the 2xx class
        return parse_robots(file.body)
    return ALLOW_ALL


def is_unreachable(file: RobotsFile) -> bool:
    """Return whether the file could not be reached, so that all URLs are denied for now."""
    return file.status is None or file.status >= 500 or file.status == _TOO_MANY_REQUESTS  # noqa: PLR2004 - the 5xx class


def expires_at(file: RobotsFile) -> float:
    """Return the Unix time at which the file must be requested again."""
    return file.fetched_at + (UNREACHABLE_SECONDS if is_unreachable(file) else FRESH_SECONDS)


def _is_robots_txt(url: str) -> bool:
    """Return whether the URL is the robots.txt itself, which is always allowed (RFC 9309 2.2.2)."""
    path_at = url.find("/", url.find("//") + 2)
    return url[path_at:] == "/robots.txt"
