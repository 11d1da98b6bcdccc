"""robots.txt by RFC 9309, through Protego behind our own words."""

from dataclasses import dataclass
from math import isfinite

from protego import Protego

MAX_BYTES = 500 * 1024
"""How much of a file is read: RFC 9309 2.5 asks for at least 500 kibibytes."""

FRESH_SECONDS = 12 * 3600.0
"""How long a definite answer is kept: design 8, and within the 24 hours of RFC 9309 2.4."""

UNREACHABLE_SECONDS = 600.0
"""How long "cannot be reached" is believed before the file is asked for again."""

_TOO_MANY_REQUESTS = 429


@dataclass(frozen=True, slots=True, kw_only=True)
class RobotsFile:
    """A robots.txt as it was answered, after its redirects."""

    origin: str  # scheme://host[:port]
    fetched_at: float  # Unix seconds
    status: int | None  # None: no answer came
    body: bytes
    problem: str = ""  # why it could not be read, in words; empty where it could


class RobotsRules:
    """What one robots.txt allows. Not changed after it is made; safe to share between threads."""

    __slots__ = ("_parsed", "_verdict")

    def __init__(self, parsed: Protego | None, *, verdict: bool | None) -> None:
        self._parsed = parsed
        self._verdict = verdict  # the same for every URL; None: ask the rules

    def allows(self, url: str, product: str) -> bool:
        """Tell whether the crawler whose product token is `product` may request the absolute URL."""
        if self._verdict is not None or self._parsed is None:
            return bool(self._verdict)
        return _is_robots_txt(url) or bool(self._parsed.can_fetch(url, product))

    def crawl_delay(self, product: str) -> float | None:
        """Return the seconds between requests that are asked for (Crawl-delay, or Request-rate), None for none."""
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
        """The sitemaps the file names, as written, each once."""
        return () if self._parsed is None else tuple(dict.fromkeys(self._parsed.sitemaps))


ALLOW_ALL = RobotsRules(None, verdict=True)
DISALLOW_ALL = RobotsRules(None, verdict=False)


def parse_robots(body: bytes) -> RobotsRules:
    """Read a robots.txt. Whatever cannot be read is no rule; nothing raises."""
    text = body[:MAX_BYTES].decode("utf-8-sig", errors="replace").replace("\x00", "")
    parsed = Protego.parse(text)
    bare = not any(line.lstrip().lower().startswith("disallow") for line in text.splitlines())
    return RobotsRules(parsed, verdict=True if bare else None)


def rules_of(file: RobotsFile) -> RobotsRules:
    """Return the rules that follow from an answer: RFC 9309 2.3.1.

    2xx: the file's. 4xx, and a redirect that leads nowhere: "unavailable", everything is allowed. 5xx and no answer:
    "unreachable", everything is denied; so is 429, which says that we ask too much already.
    """
    if is_unreachable(file):
        return DISALLOW_ALL
    if file.status is not None and 200 <= file.status < 300:  # noqa: PLR2004 - the 2xx class
        return parse_robots(file.body)
    return ALLOW_ALL


def is_unreachable(file: RobotsFile) -> bool:
    """Tell whether the file could not be reached, so that everything is denied for now."""
    return file.status is None or file.status >= 500 or file.status == _TOO_MANY_REQUESTS  # noqa: PLR2004 - the 5xx class


def expires_at(file: RobotsFile) -> float:
    """Return the Unix time from which the file must be asked for again."""
    return file.fetched_at + (UNREACHABLE_SECONDS if is_unreachable(file) else FRESH_SECONDS)


def _is_robots_txt(url: str) -> bool:
    """The file itself may always be read (RFC 9309 2.2.2)."""
    path_at = url.find("/", url.find("//") + 2)
    return url[path_at:] == "/robots.txt"
