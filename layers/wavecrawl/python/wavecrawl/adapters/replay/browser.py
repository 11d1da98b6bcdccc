"""Replays archived pages in headless Chromium, and reads what they show.

A page that shows the archived page in a frame has the engine as its service worker. All requests go through the proxy
of the browser, which connects to nothing but the server of the replay.
"""

import asyncio
import json
from asyncio import wait_for
from base64 import b64decode
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from types import TracebackType
from typing import Any, Final, Self

from msgspec import Struct
from playwright.async_api import BrowserContext, CDPSession, Error, Frame, Page, Request, Response

from wavecrawl.adapters.browser.context import open_context
from wavecrawl.adapters.browser.dom_script import QUIET, serialise
from wavecrawl.adapters.browser.executable import find_chromium
from wavecrawl.adapters.browser.instance import BrowserInstance
from wavecrawl.adapters.browser.page_gate import PageGate
from wavecrawl.adapters.browser.page_load import JPEG_QUALITY
from wavecrawl.adapters.browser.proxy import GREETING, GuardedProxy
from wavecrawl.adapters.http.addresses import AddressPolicy
from wavecrawl.adapters.http.connections import Dialer
from wavecrawl.adapters.http.resolver import Resolver
from wavecrawl.adapters.http.transfer_errors import one_line
from wavecrawl.adapters.replay.server import HOST, ReplayServer
from wavecrawl.errors import PermanentError

_ATTEMPTS: Final = 2  # of a page whose browser is lost
_LOAD_SECONDS: Final = 60.0  # until a page has to be loaded
_READ_SECONDS: Final = 30.0
_LATE_SECONDS: Final = 5.0  # in which a loaded page may still become like the crawl's
_IDLE: Final = 0.5  # seconds without a request after which the network is idle
_POLL: Final = 0.1
_AGAIN: Final = 1.0  # seconds until a page that differs is read again
_MOST_BYTES: Final = 4_000_000_000  # of a page: the archive is read in ranges
_MOST_MB: Final = 3_000  # of the browser's memory
_MOST_HTML: Final = 50_000_000  # characters
_SIZE: Final = "JSON.stringify([document.readyState, document.getElementsByTagName('*').length])"
_NO_CONTENT: Final = 400


class Seen(Struct, frozen=True, kw_only=True, gc=False):
    """What a replay shows of a page."""

    html: str = ""
    screenshot: bytes = b""  # JPEG, of the requested size
    missing: tuple[str, ...] = ()  # URLs that the page requests and the archive does not have
    problem: str = ""  # one line if the page cannot be replayed


def replay_dialer(port: int) -> Dialer:
    """Return a dialer that connects to the server of the replay and to nothing else."""
    return Dialer(resolver=Resolver(), policy=AddressPolicy([f"{HOST}:{port}"]), denies=lambda host: host != HOST)


class ReplayBrowser:
    """A browser that shows the pages of one archive. An asynchronous context manager."""

    def __init__(self, server: ReplayServer, *, user_agent: str, executable: str = "") -> None:
        """Raise BrowserMissingError if Chromium is not installed. `executable`: path of Chromium; "" to find it."""
        self.version = ""  # of the browser, once it is started
        self._server = server
        self._user_agent = user_agent
        self._executable = executable or find_chromium()
        self._proxy = GuardedProxy(replay_dialer(server.port))
        self._instance: BrowserInstance | None = None

    async def __aenter__(self) -> Self:
        await self._proxy.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._instance is not None:
            await self._instance.close()
        await self._proxy.close()

    async def show(
        self, url: str, time: str, *, size: tuple[int, int], height: int, is_like: Callable[[Seen], bool]
    ) -> Seen:
        """Replay a page, and return what it shows.

        A page that is not like the crawl's is read again for some seconds, as its scripts may still run.

        Args:
            url: of the page.
            time: of its capture, 14 digits.
            size: width and height of the window in pixels.
            height: of the screenshot in pixels.
            is_like: whether the page is like the crawl's.
        """
        why = ""
        for _ in range(_ATTEMPTS):
            instance = await self._started()
            gate = PageGate(max_bytes=_MOST_BYTES)
            self._proxy.open(gate)
            try:
                context = await open_context(
                    instance.browser,
                    gate,
                    proxy=self._proxy.url,
                    user_agent=self._user_agent,
                    size=size,
                    service_workers="allow",
                )
                try:
                    return await _Replay(context, self._server).show(url, time, size, height, is_like)
                finally:
                    with suppress(Error):
                        await context.close()
            except (Error, TimeoutError) as error:
                why = f"the page cannot be replayed: {one_line(str(error)) or 'it took too long'}"
                if not instance.lost.done():
                    return Seen(problem=why)
            finally:
                self._proxy.shut(gate)
        return Seen(problem=why)

    async def _started(self) -> BrowserInstance:
        if self._instance is None or self._instance.lost.done():
            if self._instance is not None:
                await self._instance.close()
            self._instance = await BrowserInstance.start(self._executable, self._proxy.url, max_mb=_MOST_MB)
            self.version = self._instance.browser.version
        return self._instance


class _Replay:
    """The replay of one page in a context of its own."""

    def __init__(self, context: BrowserContext, server: ReplayServer) -> None:
        self._context = context
        self._server = server
        self._open: set[Request] = set()
        self._changed_at = monotonic()
        self._missing: dict[str, None] = {}
        context.on("request", self._began)
        context.on("requestfinished", self._ended)
        context.on("requestfailed", self._ended)
        context.on("response", self._responded)

    async def show(
        self, url: str, time: str, size: tuple[int, int], height: int, is_like: Callable[[Seen], bool]
    ) -> Seen:
        """Replay the page. Raise Error or TimeoutError if that fails."""
        await self._context.add_init_script(QUIET)
        page = await self._context.new_page()
        with suppress(Error):  # a response without content ends a navigation
            await page.goto(GREETING)
        self._context.on("page", lambda other: other.close())
        await wait_for(self._prepare(page), _LOAD_SECONDS)
        frame = page.frames[1]
        session = await self._context.new_cdp_session(page)
        with suppress(TimeoutError):  # a page that still loads is read as it is
            async with asyncio.timeout(_LOAD_SECONDS):
                await frame.goto(self._server.url_of(url, time), wait_until="commit", timeout=0)
                await frame.wait_for_load_state("load", timeout=0)
        until = monotonic() + _LATE_SECONDS
        while True:
            await self._rest(session, until)
            seen = await self._read(frame, session, size, height)
            if is_like(seen) or monotonic() > until:
                return seen
            await asyncio.sleep(_AGAIN)

    async def _prepare(self, page: Page) -> None:
        """Load the page with the frame, and wait until the engine has read the archive's index."""
        await page.goto(self._server.origin + "/")
        await page.evaluate("window.ready")
        if len(page.frames) != 2:  # noqa: PLR2004 - the page and its frame
            raise PermanentError("the page that shows archived pages has no frame")

    async def _rest(self, session: CDPSession, until: float) -> None:
        """Wait until the network is idle and the page does not change."""
        before = None
        while monotonic() < until:
            state = json.loads(await self._evaluate(session, _SIZE))
            idle = not self._open and monotonic() - self._changed_at >= _IDLE
            if idle and state == before and state[0] == "complete":
                return
            before = state
            await asyncio.sleep(_POLL)

    async def _read(self, frame: Frame, session: CDPSession, size: tuple[int, int], height: int) -> Seen:
        html, _ = json.loads(await self._evaluate(session, serialise(_MOST_HTML)))
        if height != size[1]:
            element = await frame.frame_element()
            await element.evaluate(f"(frame) => {{ frame.style.height = '{height}px'; }}")
            await self._rest(session, monotonic() + _LATE_SECONDS)
        clip = {"x": 0, "y": 0, "width": size[0], "height": height, "scale": 1}
        options = {"format": "jpeg", "quality": JPEG_QUALITY, "clip": clip, "captureBeyondViewport": True}
        made = await wait_for(session.send("Page.captureScreenshot", options), _READ_SECONDS)
        return Seen(html=html, screenshot=b64decode(made["data"]), missing=tuple(self._missing))

    async def _evaluate(self, session: CDPSession, expression: str) -> str:
        """Return the text of an expression, in a world of the frame that the scripts of the page cannot change."""
        tree = await wait_for(session.send("Page.getFrameTree"), _READ_SECONDS)
        world = {"frameId": tree["frameTree"]["childFrames"][0]["frame"]["id"], "worldName": "wavecrawl"}
        made = await wait_for(session.send("Page.createIsolatedWorld", world), _READ_SECONDS)
        options = {
            "expression": expression,
            "contextId": made["executionContextId"],
            "returnByValue": True,
            "awaitPromise": True,
        }
        result: dict[str, Any] = await wait_for(session.send("Runtime.evaluate", options), _READ_SECONDS)
        if "exceptionDetails" in result:
            raise Error(f"the page cannot be read: {result['exceptionDetails'].get('text', '')}")
        return str(result["result"]["value"])

    def _began(self, request: Request) -> None:
        self._open.add(request)
        self._changed_at = monotonic()

    def _ended(self, request: Request) -> None:
        self._open.discard(request)
        self._changed_at = monotonic()

    def _responded(self, response: Response) -> None:
        """Note a response of the engine that says that the archive does not have a URL."""
        path = response.url.removeprefix(self._server.origin)
        _, mark, url = path.partition("_/")
        if response.status >= _NO_CONTENT and path.startswith("/w/") and mark and response.from_service_worker:
            self._missing[url] = None
