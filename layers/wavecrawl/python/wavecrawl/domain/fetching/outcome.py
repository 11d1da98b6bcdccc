"""Classification of exchanges: the state of the URL, and if and when it is retried."""

from collections.abc import Sequence

from msgspec import Struct

from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.fetching.exchange import Exchange, TransportFault
from wavecrawl.domain.fetching.retries import RETRIED_STATUSES, retry_after
from wavecrawl.domain.fetching.walls import wall_of

REDIRECTS = frozenset((301, 302, 303, 307, 308))
HTML_TYPES = frozenset(("text/html", "application/xhtml+xml"))

_NOT_MODIFIED = 304
_STATES = {
    _NOT_MODIFIED: UrlState.UNCHANGED,
    401: UrlState.FORBIDDEN,
    403: UrlState.FORBIDDEN,
    404: UrlState.NOT_FOUND,
    410: UrlState.NOT_FOUND,
}
_FINAL_FAULTS = frozenset((TransportFault.BLOCKED_ADDRESS, TransportFault.URL, TransportFault.DENIED_HOST))


class Outcome(Struct, frozen=True, kw_only=True, gc=False):
    """The meaning of an exchange for its URL."""

    state: UrlState
    reason: Reason
    detail: str
    retry: bool = False  # a retry may help
    wait: float = 0.0  # seconds; the server's Retry-After


def classify(exchange: Exchange) -> Outcome:
    """Return the outcome of an exchange. The caller decides whether a REDIRECTED one is followed.

    The head of a response decides, whatever became of its body. A page that arrived in part is used, as in browsers; it
    is only requested again if nothing of it arrived.
    """
    fault, status = exchange.fault, exchange.status
    if status is None and fault is None:
        raise ValueError(f"an exchange without status needs a fault: {exchange.url}")
    if status is None or (fault is not None and _is_nothing(status, exchange)):
        retry = fault not in _FINAL_FAULTS
        reason = Reason(fault.value) if fault is not None else Reason.NONE
        return Outcome(state=UrlState.FAILED, reason=reason, detail=exchange.fault_detail, retry=retry)
    if wall := wall_of(exchange):
        return Outcome(
            state=UrlState.BLOCKED,
            reason=Reason.CHALLENGE,
            detail=f"{wall}, {_status_line(exchange)}",
            wait=retry_after(exchange),
        )
    if is_redirect(status, exchange.headers):
        return Outcome(state=UrlState.REDIRECTED, reason=Reason.STATUS, detail=_status_line(exchange))
    if 200 <= status < 400 and status != _NOT_MODIFIED:  # noqa: PLR2004 - 2xx, and 3xx that browsers show as a page
        nothing = bool(exchange.cut) and not exchange.raw_body and may_be_html(exchange)
        detail = "a stream, whose body was not read" if exchange.is_stream else exchange.fault_detail
        return Outcome(state=UrlState.FETCHED, reason=Reason.NONE, detail=detail, retry=nothing)
    return Outcome(
        state=_STATES.get(status, UrlState.HTTP_ERROR),
        reason=Reason.STATUS,
        detail=_status_line(exchange),
        retry=status in RETRIED_STATUSES or status >= 500,  # noqa: PLR2004 - the 5xx class
        wait=retry_after(exchange) if status >= 400 else 0.0,  # noqa: PLR2004 - errors
    )


def _is_nothing(status: int, exchange: Exchange) -> bool:
    """Return whether a response that broke off says nothing: neither where it redirects to, nor any content."""
    is_page = status >= 200 and not 300 <= status < 400  # noqa: PLR2004 - neither 1xx nor 3xx
    return not is_page and not exchange.raw_body and not is_redirect(status, exchange.headers)


def is_redirect(status: int | None, headers: Sequence[tuple[str, str]]) -> bool:
    """Return whether a response redirects, as browsers see it: no status but these five, and not without Location."""
    return status in REDIRECTS and bool(_location(headers))


def location_of(exchange: Exchange) -> str:
    """Return where a redirect leads to, as written; "" for a response that is no redirect."""
    return _location(exchange.headers) if is_redirect(exchange.status, exchange.headers) else ""


def _location(headers: Sequence[tuple[str, str]]) -> str:
    """Return the Location header. Browsers ignore an empty one."""
    return next((value for name, value in headers if name.lower() == "location" and value), "")


def may_be_html(exchange: Exchange) -> bool:
    """Return whether the content of a response is HTML, as far as its headers decide it."""
    return media_type(exchange.header("Content-Type") or "") in ("", *HTML_TYPES)


def _status_line(exchange: Exchange) -> str:
    return f"HTTP {exchange.status} {exchange.reason}".rstrip()


def media_type(content_type: str) -> str:
    """Return the media type of a Content-Type header, lower-cased, without parameters."""
    return content_type.partition(";")[0].strip().lower()
