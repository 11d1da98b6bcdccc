"""A visit of one page: a context of its own in the browser, which ends with it."""

import asyncio
from asyncio import Future, wait_for
from contextlib import suppress
from typing import Any

from playwright.async_api import BrowserContext, Error

from wavecrawl.adapters.browser.certified_requests import CertifiedRequests
from wavecrawl.adapters.browser.context import open_context
from wavecrawl.adapters.browser.dom_script import QUIET, WATCH
from wavecrawl.adapters.browser.instance import BrowserInstance, BrowserLostError
from wavecrawl.adapters.browser.page_authentication import authenticate
from wavecrawl.adapters.browser.page_gate import PageGate
from wavecrawl.adapters.browser.page_load import PageLoad
from wavecrawl.adapters.browser.page_traffic import PageTraffic
from wavecrawl.adapters.browser.proxy import GREETING
from wavecrawl.adapters.http.client import RequestsPageClient
from wavecrawl.adapters.http.transfer_errors import one_line
from wavecrawl.domain.fetching.cookies import Cookie
from wavecrawl.domain.rendering.settings import RenderSettings
from wavecrawl.domain.sites.authentication import Authentication
from wavecrawl.ports.browser import RenderedPage, RenderRequest

_CLOSE_SECONDS = 20.0  # until a page that does not close takes its browser with it
_GRACE = 40.0  # seconds over `timeout`, to open a page and to read it
_NEWS_SECONDS = 1.0  # until the end of a browser is noticed after a page fails
_LATE_NEWS_SECONDS = 20.0  # after a page fails because it is closed, which only the end of its browser does


class Visit:
    """One page in one browser. Make a new one for each try."""

    def __init__(
        self,
        instance: BrowserInstance,
        request: RenderRequest,
        *,
        gate: PageGate,
        proxy: str,
        settings: RenderSettings,
        user_agent: str,
        accept_language: str = "",
        authentication: Authentication | None = None,
        client: RequestsPageClient | None = None,
    ) -> None:
        self._instance = instance
        self._request = request
        self._gate = gate
        self._proxy = proxy
        self._settings = settings
        self._user_agent = user_agent
        self._accept_language = accept_language
        self._authentication = authentication
        self._client = client
        self._page: RenderedPage | None = None  # once it is read; what becomes of the browser no longer matters
        self._crashed: Future[str] = asyncio.get_running_loop().create_future()

    async def render(self) -> RenderedPage:
        """Render the page. Raise BrowserLostError if the browser or the page's process ends before the page is read."""
        work = asyncio.create_task(self._render())
        ends = (self._instance.lost, self._crashed)
        waited: set[Future[Any]] = {work, *ends}
        try:
            await asyncio.wait(waited, timeout=self._settings.timeout + _GRACE, return_when="FIRST_COMPLETED")
            if not work.done() and not any(end.done() for end in ends):
                self._instance.lose("the browser did not respond")
            return await self._result(work)
        finally:
            work.cancel()
            with suppress(asyncio.CancelledError, Exception):  # Playwright raises plain ones if its driver ends
                await work

    async def _result(self, work: "asyncio.Task[RenderedPage]") -> RenderedPage:
        if self._page is not None:
            return self._page
        ends = {self._instance.lost, self._crashed}
        error = work.exception() if work.done() else None
        if error is not None:  # it may be the first sign that the browser has ended
            seconds = _LATE_NEWS_SECONDS if "closed" in str(error) else _NEWS_SECONDS
            await asyncio.wait(ends, timeout=seconds, return_when="FIRST_COMPLETED")
        for end in ends:
            if end.done():
                raise BrowserLostError(end.result())
        if isinstance(error, Error):
            return RenderedPage(url=self._request.url, problem=f"the page cannot be loaded: {one_line(error.message)}")
        return work.result()

    async def _render(self) -> RenderedPage:
        context = await self._context()
        try:
            self._page = await self._load(context)
            return self._page
        finally:
            if not self._instance.lost.done():
                await self._close(context)

    async def _close(self, context: BrowserContext) -> None:
        try:
            await wait_for(context.close(), _CLOSE_SECONDS)
        except TimeoutError:
            self._instance.lose("a page could not be closed")
        except Error:
            pass  # the browser has ended

    async def _context(self) -> BrowserContext:
        return await open_context(
            self._instance.browser,
            self._gate,
            proxy=self._proxy,
            user_agent=self._user_agent,
            accept_language=self._accept_language,
            size=(self._settings.viewport_width, self._settings.viewport_height),
        )

    async def _load(self, context: BrowserContext) -> RenderedPage:
        traffic = PageTraffic(self._request, self._settings, certified=self._certified(context))
        context.on("requestfinished", traffic.ended)
        context.on("requestfailed", traffic.failed)
        context.on("response", traffic.responded)
        await context.add_init_script(QUIET + WATCH)
        page = await context.new_page()
        with suppress(Error):  # a response without content ends a navigation
            await page.goto(GREETING)
        await context.route("**/*", traffic.route)
        page.on("crash", lambda _: self._crash())
        context.on("page", lambda other: other.close())
        session = await context.new_cdp_session(page)
        session.on("Runtime.exceptionThrown", traffic.troubles.threw)
        await session.send("Runtime.enable")
        for cookie in self._request.cookies:
            with suppress(Error):  # a cookie that the browser does not accept
                await context.add_cookies([_browser_cookie(cookie)])
        if self._authentication is not None:
            await authenticate(context, session, self._authentication)
        return await PageLoad(page, session, traffic=traffic, gate=self._gate, settings=self._settings).render(
            self._request
        )

    def _certified(self, context: BrowserContext) -> CertifiedRequests | None:
        if self._client is None or self._authentication is None:
            return None
        return CertifiedRequests(
            self._client,
            self._authentication,
            context=context,
            gate=self._gate,
            max_bytes=self._settings.page_bytes,
        )

    def _crash(self) -> None:
        if not self._crashed.done():
            self._crashed.set_result("the page's process crashed")


def _browser_cookie(cookie: Cookie) -> Any:
    return {
        "name": cookie.name,
        "value": cookie.value,
        "domain": f".{cookie.host}" if cookie.subdomains else cookie.host,
        "path": cookie.path,
        "secure": cookie.secure,
    }
