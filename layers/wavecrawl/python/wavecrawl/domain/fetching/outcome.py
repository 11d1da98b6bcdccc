"""Classification of exchanges: the state of the URL, and if and when it is retried."""

from msgspec import Struct

from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.fetching.exchange import Exchange, TransportFault
from wavecrawl.domain.fetching.retries import RETRIED_STATUSES, retry_after

REDIRECTS = frozenset((301, 302, 303, 307, 308))
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
    if status in RETRIED_STATUSES or status >= 500:  # noqa: PLR2004 - the 5xx class
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


def media_type(content_type: str) -> str:
    """Return the media type of a Content-Type header, lower-cased, without parameters."""
    return content_type.partition(";")[0].strip().lower()
