"""Classification of exchanges: the state of the URL, and if and when it is retried."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from hashlib import blake2b

from msgspec import Struct

from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.fetching.exchange import Exchange, TransportFault

REDIRECTS = frozenset((301, 302, 303, 307, 308))
RETRIED = frozenset((408, 421, 425, 429))  # and every 5xx
HTML_TYPES = frozenset(("text/html", "application/xhtml+xml"))

_STATES = {
    304: UrlState.UNCHANGED,
    401: UrlState.FORBIDDEN,
    403: UrlState.FORBIDDEN,
    404: UrlState.NOT_FOUND,
    410: UrlState.NOT_FOUND,
}
_FINAL_FAULTS = frozenset((TransportFault.BLOCKED_ADDRESS, TransportFault.URL))


class Outcome(Struct, frozen=True, kw_only=True, gc=False):
    """The meaning of an exchange for its URL."""

    state: UrlState
    reason: Reason
    detail: str
    retry: bool = False  # a retry may help
    wait: float = 0.0  # seconds; the server's Retry-After


def classify(exchange: Exchange) -> Outcome:
    """Return the outcome of an exchange. The caller decides whether a REDIRECTED one is followed."""
    fault, status = exchange.fault, exchange.status
    if fault is not None and not _usable(exchange):
        retry = fault not in _FINAL_FAULTS
        return Outcome(state=UrlState.FAILED, reason=Reason(fault.value), detail=exchange.fault_detail, retry=retry)
    if status is None:
        raise ValueError(f"an exchange without status needs a fault: {exchange.url}")
    if 200 <= status < 300:  # noqa: PLR2004 - the 2xx class
        return Outcome(state=UrlState.FETCHED, reason=Reason.NONE, detail=exchange.fault_detail)
    if status in REDIRECTS and exchange.header("Location"):
        return Outcome(state=UrlState.REDIRECTED, reason=Reason.STATUS, detail=_status_line(exchange))
    if status in RETRIED or status >= 500:  # noqa: PLR2004 - the 5xx class
        wait = retry_after(exchange) if status in (429, 503) else 0.0
        return Outcome(
            state=UrlState.HTTP_ERROR, reason=Reason.STATUS, detail=_status_line(exchange), retry=True, wait=wait
        )
    return Outcome(state=_STATES.get(status, UrlState.HTTP_ERROR), reason=Reason.STATUS, detail=_status_line(exchange))


def _usable(exchange: Exchange) -> bool:
    """Return whether the response is usable in spite of its fault, as a body that is only partly decodable."""
    if exchange.status is None:
        return False
    if exchange.fault is TransportFault.DECODING:
        return bool(exchange.body) or not 200 <= exchange.status < 300  # noqa: PLR2004 - the 2xx class
    return False


def _status_line(exchange: Exchange) -> str:
    return f"HTTP {exchange.status} {exchange.reason}".rstrip()


def retry_after(exchange: Exchange) -> float:
    """Return the Retry-After header in seconds (RFC 9110 10.2.3: seconds or a date); 0 if there is none.

    A date is compared with the response's Date header, so differences between clocks do not matter.
    """
    value = (exchange.header("Retry-After") or "").strip()
    if value.isascii() and value.isdigit():
        return float(value[:9])
    until = _http_date(value)
    if until is None:
        return 0.0
    now = _http_date(exchange.header("Date") or "")
    return max(0.0, until - (now if now is not None else exchange.started_at))


def _http_date(value: str) -> float | None:
    try:
        parsed = parsedate_to_datetime(value)
    except (ValueError, IndexError, OverflowError):
        return None
    aware = parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
    return (aware - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()


def back_off(*, tries: int, base: float, cap: float, chance: float) -> float:
    """Return the delay in seconds after `tries` failed tries: uniform in 0 .. min(cap, base * 2^(tries-1)).

    `chance` (0..1) is the random number. Source: "full jitter" in "Timeouts, retries and backoff with jitter",
    AWS Builders' Library.
    """
    return chance * min(cap, base * 2.0 ** min(tries - 1, 60))


def chance_of(key: str, tries: int) -> float:
    """Return a pseudo-random number in 0..1 for a url key and a try; it is the same in every run."""
    return int.from_bytes(blake2b(f"{key} {tries}".encode(), digest_size=6).digest()) / (1 << 48)


def media_type(content_type: str) -> str:
    """Return the media type of a Content-Type header, lower-cased, without parameters."""
    return content_type.partition(";")[0].strip().lower()
