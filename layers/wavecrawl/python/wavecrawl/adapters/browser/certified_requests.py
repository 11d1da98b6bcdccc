"""Requests of a rendered page to its site, if that asks for a client certificate.

Chromium shows a certificate only if a person or the administrator of the machine chose it. So the page client sends
these requests, which shows it to the hosts of the site only, and verifies theirs as always.
"""

import asyncio
from typing import Final

from playwright.async_api import BrowserContext, Request, Route

from wavecrawl.adapters.browser.page_gate import GateClosedError, PageGate
from wavecrawl.adapters.http.client import RequestsPageClient
from wavecrawl.domain.fetching.exchange import Exchange, FetchRequest
from wavecrawl.domain.fetching.limits import FetchLimits
from wavecrawl.domain.sites.authentication import Authentication
from wavecrawl.domain.urls.url import origin_of
from wavecrawl.errors import InvalidUrlError

_METHODS: Final = frozenset({"GET", "HEAD"})
_STREAMS: Final = frozenset({"eventsource", "websocket"})  # they do not end
_OF_CLIENT: Final = frozenset({"accept-encoding", "connection", "cookie", "host"})  # set here or by the page client
_OF_TRANSFER: Final = frozenset({"connection", "content-encoding", "content-length", "transfer-encoding"})
_COOKIES: Final = "set-cookie"


class CertifiedRequests:
    """Responds to requests of one page with what the page client receives."""

    def __init__(
        self,
        client: RequestsPageClient,
        authentication: Authentication,
        *,
        context: BrowserContext,
        gate: PageGate,
        max_bytes: int,
    ) -> None:
        """`context`: that of the page, for its cookies. `max_bytes`: of a body."""
        self._client = client
        self._authentication = authentication
        self._context = context
        self._gate = gate
        self._limits = FetchLimits(max_bytes=max_bytes, max_decoded_bytes=max_bytes)

    def are_for(self, request: Request) -> bool:
        """Return whether a request goes to a host that gets the certificate, and has no body and an end."""
        if request.method not in _METHODS or request.resource_type in _STREAMS:
            return False
        try:
            return bool(self._authentication.certificate_for(origin_of(request.url)))
        except InvalidUrlError:
            return False

    async def respond(self, route: Route) -> None:
        """Send the request and give the page the response. Raise Playwright's Error if the page is being closed."""
        request = route.request
        headers = [(name, value) for name, value in request.headers.items() if name.lower() not in _OF_CLIENT]
        cookies = await self._context.cookies(request.url)
        if cookies:
            headers.append(("Cookie", "; ".join(f"{one.get('name')}={one.get('value')}" for one in cookies)))
        wanted = FetchRequest(
            url=request.url.partition("#")[0],
            method=request.method,
            headers=tuple(headers),
            limits=self._limits,
        )
        exchange = await asyncio.to_thread(self._client.fetch, wanted)
        if exchange.status is None or exchange.fault is not None or exchange.truncated:
            await route.abort("connectionfailed")
        elif self._is_within(len(exchange.raw_body)):
            await route.fulfill(status=exchange.status, headers=_headers_of(exchange), body=exchange.body)
        else:
            await route.abort("blockedbyclient")

    def _is_within(self, size: int) -> bool:
        """Count bytes for the page; return whether it may have them."""
        try:
            self._gate.count_received(size)
        except GateClosedError:
            return False
        return True


def _headers_of(exchange: Exchange) -> dict[str, str]:
    """Return the headers of a response without those of its transfer, as Playwright expects repeated ones."""
    found: dict[str, str] = {}
    for name, value in exchange.headers:
        key = name.lower()
        if key not in _OF_TRANSFER:
            separator = "\n" if key == _COOKIES else ", "
            found[key] = f"{found[key]}{separator}{value}" if key in found else value
    return found
