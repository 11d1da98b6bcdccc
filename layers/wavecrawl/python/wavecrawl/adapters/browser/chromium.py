"""Chromium through Playwright. Contract: `ports/browser.py`."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterable
from threading import Lock, Thread
from typing import Any, TypeVar

from wavecrawl.adapters.browser.executable import find_chromium
from wavecrawl.adapters.browser.pool import BrowserPool
from wavecrawl.adapters.http.addresses import AddressPolicy
from wavecrawl.adapters.http.client import RequestsPageClient
from wavecrawl.adapters.http.connections import Dialer
from wavecrawl.adapters.http.outbound_proxies import DIRECT, OutboundProxies
from wavecrawl.adapters.http.resolver import Lookup, Resolver, system_lookup
from wavecrawl.domain.rendering.settings import RenderSettings
from wavecrawl.domain.sites.authentication import Authentication
from wavecrawl.ports.browser import RenderedPage, RenderRequest

_LOG = logging.getLogger(__name__)
T = TypeVar("T")


class ChromiumBrowser:
    """A `ports.browser.Browser`. It starts Chromium with the first page.

    Playwright and the proxy run in one event loop, in a thread of its own. Create it in the process that uses it.
    """

    def __init__(
        self,
        *,
        settings: RenderSettings,
        user_agent: str,
        authentication: Authentication | None = None,
        allowed: Iterable[str] = (),
        executable: str = "",
        ca_file: str | None = None,
        accept_language: str = "",
        lookup: Lookup = system_lookup,
        denies: Callable[[str], bool] = lambda _: False,
        proxies: OutboundProxies = DIRECT,
    ) -> None:
        """Start nothing yet. Raise BrowserMissingError if Chromium is not installed.

        Args:
            settings: limits of a page and of the browser.
            user_agent: product, version and contact of the crawler, for the User-Agent of the page's requests.
            authentication: what the page's requests to the hosts of its site carry.
            allowed: networks outside the public internet that pages may request, as CIDR or address and port.
            executable: path of Chromium; "" to find it.
            ca_file: certificate authorities to trust besides the public ones, as a PEM file.
            accept_language: languages that the page's requests ask for; "" for en-US.
            lookup: resolves host names to addresses.
            denies: whether the operator forbids requests to a host or an address.
            proxies: through which hosts are reached.
        """
        self.executable = executable or find_chromium()
        self._client = (  # sends what needs a client certificate, which Chromium does not show
            RequestsPageClient(
                user_agent=user_agent,
                allowed=allowed,
                accept_language=accept_language,
                ca_file=ca_file,
                authentication=authentication,
                lookup=lookup,
                denies=denies,
                proxies=proxies,
            )
            if authentication is not None and authentication.credentials.client_certificate
            else None
        )
        self._pool = BrowserPool(
            settings=settings,
            user_agent=user_agent,
            authentication=authentication,
            client=self._client,
            executable=self.executable,
            ca_file=ca_file,
            accept_language=accept_language,
            dialer=Dialer(
                resolver=Resolver(lookup=lookup), policy=AddressPolicy(allowed), denies=denies, proxies=proxies
            ),
        )
        self._lock = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: Thread | None = None

    def render(self, request: RenderRequest) -> RenderedPage:
        """Render a page. Raise BrowserMissingError or TransientError if the browser does not start."""
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._loop.set_exception_handler(_note)
                self._thread = Thread(target=self._loop.run_forever, name="browser", daemon=True)
                self._thread.start()
            loop = self._loop
        return _run(self._pool.render(request), loop)

    @property
    def version(self) -> str:
        """The version of the browser that was started last, "" before the first."""
        return self._pool.version

    def close(self) -> None:
        """End the browser and its thread."""
        with self._lock:
            loop, self._loop = self._loop, None
        if loop is None or self._thread is None:
            return
        _run(self._pool.close(), loop)
        if self._client is not None:
            self._client.close()
        loop.call_soon_threadsafe(loop.stop)
        self._thread.join()
        loop.close()


def _note(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log the failure of a task whose result is not used: Playwright leaves such tasks behind if its driver ends."""
    _LOG.debug(context["message"], exc_info=context.get("exception"))


def _run(work: Coroutine[Any, Any, T], loop: asyncio.AbstractEventLoop) -> T:
    return asyncio.run_coroutine_threadsafe(work, loop).result()
