"""What goes wrong on a page: requests to its own site that fail, and errors of its own scripts."""

import re
from collections.abc import Iterable
from typing import Any, Final
from urllib.parse import urlsplit

from playwright.async_api import Request, Response

from wavecrawl.adapters.http.transfer_errors import one_line
from wavecrawl.domain.fetching.retries import RETRIED_STATUSES
from wavecrawl.domain.fetching.streams import is_endless
from wavecrawl.domain.rendering.page_site import is_same_site

_NEEDED: Final = frozenset({"script", "fetch", "xhr", "document"})
_BY_PAGE: Final = ("ERR_ABORTED", "ERR_BLOCKED_BY_CLIENT", "ERR_BLOCKED_BY_CSP", "csp", "ERR_CACHE_MISS")
"""Parts of the reasons of requests that the page itself cancelled or forbade: visitors see the same."""

_IMPATIENT: Final = 3.0  # seconds after which a page that cancels a request has waited for it in vain
_CANCELLED: Final = "ERR_ABORTED"
_WAITS: Final = re.compile(
    r"(?<![a-z])(?:poll(?:ing)?|longpoll(?:ing)?|socket\.io|sockjs|cometd?|signalr|message-bus|bayeux|faye|"
    r"subscri(?:be|ptions?)|stream(?:ing)?|listen|heartbeat|presence)(?![a-z])"
)
"""Parts of URLs whose response waits for an event (long polling): no content of the page depends on it."""

_SIGNED_OUT: Final = 401  # the usual response to a script that checks for a signed-in user
_ERRORS: Final = 400
_SERVER_ERRORS: Final = 500
_LONGEST: Final = 200  # characters
_MISSES_BLOCKED: Final = ("is not defined", "undefined", "null")
"""Parts of the errors of scripts that lack the script of a blocked host."""


class PageTroubles:
    """The troubles of one page until it is read."""

    def __init__(self, url: str) -> None:
        """`url`: of the page, which says what its own site is."""
        self.has_blocked = False  # whether a request was blocked because of its host
        self.retry_after = 0.0  # seconds
        self._host = urlsplit(url).hostname or ""
        self._failures: dict[tuple[str, str], tuple[str, bool]] = {}  # by method and URL: sentence, may it pass
        self._errors: list[str] = []

    @property
    def failure(self) -> tuple[str, bool]:
        """A request that failed and was not repeated with success: a sentence, and whether that may pass.

        Of several ones, it is one that may pass, and the first by its sentence: the order of the responses is random.
        """
        return _first(self._failures.values())

    def failure_with(self, unanswered: Iterable[Request], seconds: float) -> tuple[str, bool]:
        """Return the same, if these requests had no complete response within so many seconds."""
        late = [one for one in unanswered if self._is_needed(one) and not _WAITS.search(_address(one.url))]
        why = f"had no response within {seconds:g} s"
        return _first([*self._failures.values(), *((f"{_named(one)} {why}", True) for one in late)])

    @property
    def error(self) -> str:
        """The first error that no script caught, without those that the lack of a blocked script explains."""
        for error in self._errors:
            if not (self.has_blocked and any(part in error for part in _MISSES_BLOCKED)):
                return f"a script of the page failed: {error}"
        return ""

    @property
    def has_any(self) -> bool:
        """Whether something went wrong."""
        return bool(self._failures or self.error)

    def responded(self, response: Response) -> None:
        """Note the response to a request."""
        request = response.request
        if not self._is_needed(request):
            return
        status = response.status
        if status < _ERRORS or (status == _SIGNED_OUT and request.resource_type != "script"):
            self._failures.pop(_key(request), None)
            return
        may_pass = status >= _SERVER_ERRORS or status in RETRIED_STATUSES
        asked = response.headers.get("retry-after", "").strip()
        if may_pass and asked.isascii() and asked.isdigit():
            self.retry_after = max(self.retry_after, float(asked[:9]))
        self._failures[_key(request)] = f"{_named(request)} responded with {status}", may_pass

    def failed(self, request: Request, *, after: float) -> None:
        """Note a request that ended without a complete response `after` seconds."""
        why = request.failure or "it failed"
        gave_up = _CANCELLED in why and after >= _IMPATIENT and not _WAITS.search(_address(request.url))
        if self._is_needed(request) and (gave_up or not any(part in why for part in _BY_PAGE)):
            self._failures[_key(request)] = f"{_named(request)} failed ({one_line(why)})", True

    def threw(self, event: dict[str, Any]) -> None:
        """Note an error that no script caught: `Runtime.exceptionThrown` of the DevTools protocol."""
        details = event.get("exceptionDetails", {})
        frames = details.get("stackTrace", {}).get("callFrames", ())
        sources = [url for url in (details.get("url", ""), *(frame.get("url", "") for frame in frames)) if url]
        host = urlsplit(sources[0]).hostname if sources else self._host
        if host is not None and not is_same_site(host, self._host):
            return
        thrown = details.get("exception", {})
        text = thrown.get("description") or str(thrown.get("value", "")) or details.get("text", "")
        self._errors.append(one_line(text.splitlines()[0] if text else "an error without a message")[:_LONGEST])

    def _is_needed(self, request: Request) -> bool:
        if request.resource_type not in _NEEDED or (request.is_navigation_request() and not _is_frame(request)):
            return False
        return is_same_site(urlsplit(request.url).hostname or "", self._host)


def _is_frame(request: Request) -> bool:
    return request.frame.parent_frame is not None


def is_stream(response: Response) -> bool:
    """Return whether the body of a response comes as events happen, so that no page waits for its end."""
    content_type = response.headers.get("content-type", "").lower()
    return is_endless(content_type) or "ndjson" in content_type or content_type.startswith("application/grpc")


def _first(found: Iterable[tuple[str, bool]]) -> tuple[str, bool]:
    return min(found, key=lambda one: (not one[1], one[0]), default=("", False))


def _address(url: str) -> str:
    """Return the path and the query of a URL in lower case."""
    return url.partition("//")[2].partition("/")[2].lower()


def _key(request: Request) -> tuple[str, str]:
    return request.method, request.url.partition("#")[0]


def _named(request: Request) -> str:
    kind = {"script": "its script", "document": "its frame"}.get(request.resource_type, "its request for")
    return f"{kind} {request.url[:_LONGEST]}"
