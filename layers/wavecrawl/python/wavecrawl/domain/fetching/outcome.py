"""From the ending of a request to the state of its URL, and to when it may be tried again (spec [7])."""

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
# Faults that a second try cannot mend.
_FINAL_FAULTS = frozenset((TransportFault.BLOCKED_ADDRESS, TransportFault.URL))


class Outcome(Struct, frozen=True, kw_only=True, gc=False):
    """What one exchange means for its URL."""

    state: UrlState
    reason: Reason
    detail: str
    retry: bool = False  # another try may help, if any is left
    wait: float = 0.0  # seconds the server asked to wait (Retry-After)


def classify(exchange: Exchange) -> Outcome:
    """Return what the exchange means. A redirect is REDIRECTED; whether it is followed is the caller's business."""
    fault, status = exchange.fault, exchange.status
    if fault is not None and not _usable(exchange):
        retry = fault not in _FINAL_FAULTS
        return Outcome(state=UrlState.FAILED, reason=Reason(fault.value), detail=exchange.fault_detail, retry=retry)
    if status is None:
        raise ValueError(f"an exchange without status needs a fault: {exchange.url}")
    if 200 <= status < 300:  # noqa: PLR2004 - the 2xx class
        return Outcome(state=UrlState.FETCHED, reason=Reason.NONE, detail=exchange.fault_detail)
    if status in REDIRECTS and exchange.header("Location"):
        return Outcome(state=UrlState.REDIRECTED, reason=Reason.STATUS, detail=_said(exchange))
    if status in RETRIED or status >= 500:  # noqa: PLR2004 - the 5xx class
        wait = retry_after(exchange) if status in (429, 503) else 0.0
        return Outcome(state=UrlState.HTTP_ERROR, reason=Reason.STATUS, detail=_said(exchange), retry=True, wait=wait)
    return Outcome(state=_STATES.get(status, UrlState.HTTP_ERROR), reason=Reason.STATUS, detail=_said(exchange))


def _usable(exchange: Exchange) -> bool:
    """Tell whether the answer says enough in spite of its fault: a body that decodes badly still has a status."""
    if exchange.status is None:
        return False
    if exchange.fault is TransportFault.DECODING:
        return bool(exchange.body) or not 200 <= exchange.status < 300  # noqa: PLR2004 - the 2xx class
    return False


def _said(exchange: Exchange) -> str:
    return f"HTTP {exchange.status} {exchange.reason}".rstrip()


def retry_after(exchange: Exchange) -> float:
    """Return the seconds a Retry-After header asks for (RFC 9110 10.2.3: seconds or a date), 0 where there is none.

    A date is measured against the answer's own Date header, so that a wrong clock on either side does not matter.
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
    """Return the seconds to wait after `tries` failed tries: full jitter, uniform in 0 .. min(cap, base * 2^(tries-1)).

    `chance` in 0..1 is the injected randomness. Source: the "full jitter" of the AWS Builders' Library,
    "Timeouts, retries and backoff with jitter".
    """
    return chance * min(cap, base * 2.0 ** min(tries - 1, 60))


def chance_of(key: str, tries: int) -> float:
    """Return a number in 0..1 that looks random but depends on URL and try alone: the same crawl waits alike."""
    return int.from_bytes(blake2b(f"{key} {tries}".encode(), digest_size=6).digest()) / (1 << 48)


def media_type(content_type: str) -> str:
    """Return the type of a Content-Type header, lower-cased, without parameters."""
    return content_type.partition(";")[0].strip().lower()
