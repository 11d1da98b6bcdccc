"""The browsers of a process: one for all pages, and one of its own for a page whose browser was lost."""

import asyncio
from time import monotonic

from msgspec import structs

from wavecrawl.adapters.browser.instance import BrowserInstance, BrowserLostError
from wavecrawl.adapters.browser.page_gate import PageGate
from wavecrawl.adapters.browser.proxy import GuardedProxy
from wavecrawl.adapters.browser.visit import Visit
from wavecrawl.adapters.http.client import RequestsPageClient
from wavecrawl.adapters.http.connections import Dialer
from wavecrawl.domain.rendering.settings import RenderSettings
from wavecrawl.domain.sites.authentication import Authentication
from wavecrawl.ports.browser import RenderedPage, RenderRequest

_ATTEMPTS = 3  # of a page; all but the first in a browser of its own, so that no other page can disturb it


class BrowserPool:
    """Renders pages, and replaces browsers that are lost or old. Use it in one event loop."""

    def __init__(
        self,
        *,
        settings: RenderSettings,
        user_agent: str,
        executable: str,
        dialer: Dialer,
        ca_file: str | None = None,
        accept_language: str = "",
        authentication: Authentication | None = None,
        client: RequestsPageClient | None = None,
    ) -> None:
        self._settings = settings
        self._user_agent = user_agent
        self._accept_language = accept_language
        self._authentication = authentication
        self._client = client
        self._executable = executable
        self._ca_file = ca_file
        self._proxy = GuardedProxy(dialer)
        self._slots = asyncio.Semaphore(settings.in_flight)
        self._starting = asyncio.Lock()
        self._shared: BrowserInstance | None = None
        self._instances: set[BrowserInstance] = set()
        self.version = ""  # of the browser that was started last

    async def render(self, request: RenderRequest) -> RenderedPage:
        """Render a page. Raise what `BrowserInstance.start` raises."""
        async with self._slots:
            start, why, received = monotonic(), "", 0
            for attempt in range(_ATTEMPTS):
                instance = await (self._own() if attempt else self._borrow())
                gate = PageGate(max_bytes=self._settings.page_bytes)
                try:
                    page = await self._visit(instance, request, gate)
                    return structs.replace(page, bytes=received + gate.received)
                except BrowserLostError as error:
                    why = str(error)
                    received += gate.received
                finally:
                    await self._give_back(instance)
            return RenderedPage(url=request.url, problem=why, bytes=received, seconds=monotonic() - start)

    async def close(self) -> None:
        """End the browsers and the proxy."""
        for instance in tuple(self._instances):
            await self._end(instance)
        await self._proxy.close()

    async def _visit(self, instance: BrowserInstance, request: RenderRequest, gate: PageGate) -> RenderedPage:
        self._proxy.open(gate)
        try:
            return await Visit(
                instance,
                request,
                gate=gate,
                proxy=self._proxy.url,
                settings=self._settings,
                user_agent=self._user_agent,
                accept_language=self._accept_language,
                authentication=self._authentication,
                client=self._client,
            ).render()
        finally:
            self._proxy.shut(gate)

    async def _borrow(self) -> BrowserInstance:
        """Return the browser that pages share, a new one if there is none that can be used."""
        async with self._starting:
            shared = self._shared
            if shared is None or shared.lost.done() or shared.pages >= self._settings.pages_per_browser:
                self._shared = None
                if shared is not None and not shared.open_pages:
                    await self._end(shared)
                shared = self._shared = await self._start()
            shared.pages += 1
            shared.open_pages += 1
        return shared

    async def _own(self) -> BrowserInstance:
        """Return a new browser that no other page uses."""
        instance = await self._start()
        instance.open_pages += 1
        return instance

    async def _start(self) -> BrowserInstance:
        await self._proxy.start()
        made = await BrowserInstance.start(
            self._executable, self._proxy.url, max_mb=self._settings.max_browser_mb, ca_file=self._ca_file
        )
        self._instances.add(made)
        self.version = made.browser.version
        return made

    async def _give_back(self, instance: BrowserInstance) -> None:
        instance.open_pages -= 1
        if instance is not self._shared and not instance.open_pages:
            await self._end(instance)

    async def _end(self, instance: BrowserInstance) -> None:
        if instance in self._instances:
            self._instances.discard(instance)
            await instance.close()
