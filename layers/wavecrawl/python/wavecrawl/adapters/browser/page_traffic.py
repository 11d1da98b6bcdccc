"""The requests of a page: which are sent, and which of them it waits for."""

from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from urllib.parse import urlsplit

from playwright.async_api import Error, Request, Response, Route

from wavecrawl.adapters.browser.certified_requests import CertifiedRequests
from wavecrawl.adapters.browser.page_troubles import PageTroubles, is_stream
from wavecrawl.domain.rendering.page_site import is_host_of
from wavecrawl.domain.rendering.settings import RenderSettings
from wavecrawl.ports.browser import RenderRequest

_NEEDED_TO_SEE = frozenset({"font", "image"})  # a screenshot shows them
_STREAMS = frozenset({"eventsource", "websocket", "media", "ping"})  # no page waits for their end
_READS = frozenset({"GET", "HEAD"})
_DROPPED = frozenset({"content-disposition"})  # the response is a page, not a download


class PageTraffic:
    """Responds to a page's own request with the stored response, and filters all others."""

    def __init__(
        self,
        request: RenderRequest,
        settings: RenderSettings,
        *,
        certified: CertifiedRequests | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """`certified`: responds to requests to hosts that get a client certificate; None if there is none."""
        self._certified = certified
        self.sent = 0
        self.problem = ""
        self.away = ""  # where the page wanted to go first
        self.troubles = PageTroubles(request.url)
        self._request = request
        self._settings = settings
        self._clock = clock
        self._requested: set[str] = set()
        self._served = False
        self._only_reads = False
        self._is_loaded = False
        self._later: set[Request] = set()  # of those that are open, the ones that the loaded page sent
        self._changed_at = clock()
        self._open: dict[Request, float] = {}
        self._types = set(settings.block.types) - (_NEEDED_TO_SEE if request.screenshot else frozenset())

    async def route(self, route: Route) -> None:
        """Decide on one request."""
        with suppress(Error):  # the page is being closed
            await self._decide(route)

    @property
    def requested(self) -> tuple[str, ...]:
        """The URLs of the page's GET requests, sorted, as their order is random; without streams and blocked hosts."""
        return tuple(sorted(self._requested))

    def refuse_writes(self) -> None:
        """Refuse requests other than GET and HEAD from now on: those of safe methods (RFC 9110 9.2.1)."""
        self._only_reads = True

    def loaded(self) -> None:
        """Note that the network has become idle: the page may keep requests open from now on, to wait for events."""
        self._is_loaded = True

    @property
    def failure(self) -> tuple[str, bool]:
        """A request that failed, or that is not awaited any longer: a sentence, and whether that may pass."""
        settle, now = self._settings.settle, self._clock()
        given_up = [one for one, at in self._open.items() if now - at >= settle and one not in self._later]
        return self.troubles.failure_with(given_up, settle)

    def responded(self, response: Response) -> None:
        """Note the response to a request."""
        self.troubles.responded(response)
        if is_stream(response):
            self.ended(response.request)

    def ended(self, request: Request) -> None:
        """Note that a request has ended."""
        self._later.discard(request)
        if self._open.pop(request, None) is not None:
            self._changed_at = self._clock()

    def failed(self, request: Request) -> None:
        """Note that a request has ended without a complete response."""
        if request in self._open:
            self.troubles.failed(request, after=self._clock() - self._open[request])
        self.ended(request)

    def quiet_for(self) -> float:
        """Return for how many seconds nothing was requested; 0 while a response is awaited.

        A response that takes longer than `settle` is awaited no longer.
        """
        now = self._clock()
        if any(now - started < self._settings.settle for started in self._open.values()):
            return 0.0
        return now - self._changed_at

    async def _decide(self, route: Route) -> None:
        request = route.request
        self._note(request)
        if _is_main(request):
            if self._served:
                self._refuse(request)
                await route.abort("aborted")
            else:
                self._served = True
                await self._fulfill(route)
        elif self._blocks(request):
            await route.abort("blockedbyclient")
        else:
            self.sent += 1
            if request.resource_type not in _STREAMS:
                self._open[request] = self._changed_at = self._clock()
                if self._is_loaded:
                    self._later.add(request)
            if self._certified is not None and self._certified.are_for(request):
                await self._certified.respond(route)
            else:
                await route.continue_()

    def _note(self, request: Request) -> None:
        """Note the URL of a request whose response a browser needs to show the page."""
        is_read = request.method == "GET" and not request.is_navigation_request()
        if not is_read or request.resource_type in _STREAMS or len(self._requested) >= self._settings.max_requests:
            return
        if not is_host_of(urlsplit(request.url).hostname or "", self._settings.block.hosts):
            self._requested.add(request.url.partition("#")[0])

    def _refuse(self, request: Request) -> None:
        target = request.url.partition("#")[0]
        if target == self._request.url.partition("#")[0]:
            return
        if request.method == "GET":
            self.away = self.away or target
        else:
            self.problem = self.problem or f"the page navigates to {target} by {request.method}"

    async def _fulfill(self, route: Route) -> None:
        headers: dict[str, str] = {}
        for name, value in self._request.headers:
            key = name.lower()
            if key not in _DROPPED:
                headers[key] = f"{headers[key]}\n{value}" if key == "set-cookie" and key in headers else value
        await route.fulfill(status=self._request.status, headers=headers, body=self._request.body)

    def _blocks(self, request: Request) -> bool:
        if request.resource_type in self._types or (self._only_reads and request.method not in _READS):
            return True
        if is_host_of(urlsplit(request.url).hostname or "", self._settings.block.hosts):
            self.troubles.has_blocked = True
            return True
        if self.sent >= self._settings.max_requests:
            self.problem = f"the page sent more than {self._settings.max_requests:,} requests"
            return True
        return False


def _is_main(request: Request) -> bool:
    if not request.is_navigation_request():
        return False
    try:
        return request.frame.parent_frame is None
    except Error:  # a window that does not exist yet
        return True
