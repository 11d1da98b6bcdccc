"""One page in the browser: from the stored response to its DOM and screenshot."""

import asyncio
import json
from asyncio import sleep, wait_for
from base64 import b64decode
from contextlib import suppress
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct
from playwright.async_api import CDPSession, Error, Page

from wavecrawl.adapters.browser.controls import IDLE, POLL, Controls
from wavecrawl.adapters.browser.dom_script import (
    ANIMATES,
    SCROLL,
    SCROLLS,
    SIZE,
    STYLES,
    WAITS,
    next_timer,
    probe,
    serialise,
)
from wavecrawl.adapters.browser.page_gate import PageGate
from wavecrawl.adapters.browser.page_traffic import PageTraffic
from wavecrawl.domain.brand.computed import ComputedStyles
from wavecrawl.domain.rendering.active_content import is_active
from wavecrawl.domain.rendering.settings import READ, RenderSettings, ScreenshotArea
from wavecrawl.ports.browser import RenderedPage, RenderRequest

JPEG_QUALITY = 80

_BUSY = 0.5  # of `timeout`: a page whose network is not idle by then is read as it is
_UNKNOWN = 2  # of `WAITS`
_WORLD = "wavecrawl"
_LONGEST_TEXT = 80  # characters
_TIMERS = 3.0  # seconds within which a timer is due that the page is complete without
_HOPELESS = 1.5  # seconds without a request after which a page with a failed request or script is read as it is
_SCROLLED = 0.2  # of `settle`: a page that is not at rest by then after it was scrolled is read as it is


class Look(Struct, frozen=True, kw_only=True, gc=False):
    """How far a page is."""

    parsed: bool
    loaded: bool = False  # with all that its HTML refers to
    filled: bool  # it shows something, and has content in the root of an application if it has one
    links: bool = False
    frames: bool = False
    size: str  # numbers of elements and links
    loading: str  # text that says that it is loading


class PageLoad:
    """Loads one page. Make a new one for each."""

    def __init__(
        self, page: Page, session: CDPSession, *, traffic: PageTraffic, gate: PageGate, settings: RenderSettings
    ) -> None:
        self._page = page
        self._session = session
        self._traffic = traffic
        self._gate = gate
        self._settings = settings
        self._read_seconds = settings.timeout * READ
        self._start = monotonic()
        self._is_still = False  # whether no script can change the page
        self._context: int | None = None  # the world of our scripts in the document
        self._last = Look(parsed=False, filled=False, size="", loading="")

    async def render(self, request: RenderRequest) -> RenderedPage:
        """Load the page, wait until it is complete, and read it. Raise Error if the browser or the page is gone."""
        self._is_still = not is_active(request.body, request.headers)
        problem, is_late = "", False
        try:
            async with asyncio.timeout(self._settings.timeout):
                await self._page.goto(request.url, wait_until="commit", timeout=0)
                await self._complete()
        except TimeoutError:
            problem, is_late = f"the page was not complete after {self._settings.timeout:g} s", True
        html, url = "", ""
        with suppress(TimeoutError):
            html, url = await self._read(serialise(self._settings.max_html))
        picture, styles = b"", None
        if request.styles and html:
            with suppress(TimeoutError):
                styles = msgspec.convert(await self._read(STYLES), ComputedStyles)
        if request.screenshot and html:
            with suppress(TimeoutError):
                picture = await self._screenshot()
        away, elsewhere = self._traffic.away, ""
        if url and _origin(url) != _origin(request.url):  # a document without a request, such as about:blank
            html, url, elsewhere = "", request.url, f"the page navigates to {url}"
        problem = problem or self._gate.problem or self._traffic.problem or elsewhere
        troubles = self._traffic.troubles
        (failure, is_passing), error, loading = self._traffic.failure, troubles.error, self._last.loading
        scrolls = bool(html and not problem and not self._is_still) and await self._grows()
        return RenderedPage(
            html=html,
            is_late=is_late,
            failure=failure,
            is_passing=is_passing,
            retry_after=troubles.retry_after,
            error=error,
            loading=f"the page still says that it is loading ({loading[:_LONGEST_TEXT]})" if loading else "",
            scrolls=scrolls,
            opened=await self._opened() if html and not (problem or self._is_still) else "",
            url=url,
            away=away,
            problem=problem,
            screenshot=picture,
            styles=styles,
            requests=self._traffic.sent,
            requested=self._traffic.requested,
            bytes=self._gate.received,
            seconds=monotonic() - self._start,
        )

    async def _opened(self) -> str:
        """Open the page's controls in the time that it has left; return the links that they add, as HTML."""
        controls = Controls(self._read, self._has_rest, self._traffic, self._settings)
        try:
            async with asyncio.timeout(max(0.0, self._start + self._settings.timeout - monotonic())):
                await controls.open()
        except TimeoutError:
            pass  # a control takes the page's time: what was added before counts
        except Error:  # the document was replaced, or the browser is gone, which this raises again
            with suppress(TimeoutError):
                await self._read("'0'")
        return controls.links

    async def _grows(self) -> bool:
        """Scroll the page to its end, if its scripts notice that; return whether it then has links that are new."""
        until = monotonic() + self._settings.settle * _SCROLLED
        with suppress(TimeoutError, Error):
            if not await self._number(SCROLLS):
                return False
            before = None
            while monotonic() < until:
                added, size = await self._read(SCROLL)
                if added:
                    return True
                if size == before and self._traffic.quiet_for() >= IDLE:
                    break
                before = size
                await sleep(POLL)
        return False

    async def _complete(self) -> None:
        """Wait until the page is parsed and its network is idle, then until nothing shows that more will come.

        A page without scripts has then all that it will ever have. Of other pages, more will come if they show nothing,
        have an empty root, say that they are loading or change, and if a timer is due soon. A timer that changed
        nothing says nothing of the next ones.
        """
        busy_until = self._start + self._settings.timeout * _BUSY
        with suppress(TimeoutError):
            async with asyncio.timeout(self._settings.settle):
                await self._page.wait_for_load_state("load", timeout=0)
        while True:
            look = await self._look()
            if look.parsed and await self._is_quiet(look, busy_until):
                break
            await sleep(POLL)
        self._traffic.loaded()
        if self._is_still:
            return
        until = monotonic() + self._settings.settle
        before, awaited = look.size, ""  # sizes: at the last look, and when timers were awaited
        while monotonic() < until:
            await sleep(POLL)
            look = await self._look()
            is_at_rest = look.size == before and await self._is_quiet(look, busy_until)
            before = look.size
            if is_at_rest and (await self._is_filled(look) or self._is_hopeless()):
                timer = 0.0 if look.size == awaited else await self._number(next_timer(_TIMERS))
                if not timer:
                    return
                awaited = look.size
                await sleep(min(timer, max(0.0, until - monotonic())))

    async def _look(self) -> Look:
        detect = self._settings.detect
        expression = probe(detect.roots, detect.loading, waits=not self._is_still)
        self._last = msgspec.convert(await self._read(expression, seconds=self._settings.timeout), Look)
        return self._last

    async def _is_quiet(self, look: Look, busy_until: float) -> bool:
        """Return whether the network is idle, and no frame is due whose script may have only begun.

        Idle means for some time, unless it is known that no script waits for something.
        """
        quiet = self._traffic.quiet_for()
        if monotonic() > busy_until:
            return True
        if quiet >= IDLE:
            return self._is_still or not await self._number(ANIMATES)
        if not look.loaded or look.frames or not quiet:
            return False
        return self._is_still or await self._has_rest()

    async def _has_rest(self) -> bool:
        """Return whether neither the network nor a script has anything to do that is known."""
        quiet = self._traffic.quiet_for()
        return quiet >= IDLE or (quiet >= POLL and not await self._number(WAITS))

    async def _is_filled(self, look: Look) -> bool:
        """Return whether the page shows something. If it waits for events, these may bring its links."""
        return look.filled and not look.loading and (look.links or await self._number(WAITS) < _UNKNOWN)

    def _is_hopeless(self) -> bool:
        """Return whether something failed that the page seems to need, and it does nothing more."""
        return self._traffic.troubles.has_any and self._traffic.quiet_for() >= _HOPELESS

    async def _number(self, expression: str) -> float:
        """Return the value of an expression in the world of the page's scripts; 0 if these made it no number."""
        options = {"expression": expression, "returnByValue": True}
        result = await self._evaluate(options, self._settings.timeout)
        value = result["result"].get("value")
        return float(value) if isinstance(value, int | float) else 0.0

    async def _read(self, expression: str, *, seconds: float = 0.0) -> Any:
        """Return the value of an expression for JSON. Raise TimeoutError if the page is busy for so long."""
        seconds = seconds or self._read_seconds
        options = {"expression": expression, "returnByValue": True, "awaitPromise": True}
        try:
            context = self._context or await self._world(seconds)
            result = await self._evaluate({**options, "contextId": context}, seconds)
        except Error:  # the document was replaced
            result = await self._evaluate({**options, "contextId": await self._world(seconds)}, seconds)
        if "exceptionDetails" in result:
            raise Error(f"the page could not be read: {result['exceptionDetails'].get('text', '')}")
        return json.loads(result["result"]["value"])

    async def _world(self, seconds: float) -> int:
        """Return the world of our scripts in the document, which the scripts of the page cannot change."""
        tree = await wait_for(self._session.send("Page.getFrameTree"), seconds)
        world = {"frameId": tree["frameTree"]["frame"]["id"], "worldName": _WORLD}
        made = await wait_for(self._session.send("Page.createIsolatedWorld", world), seconds)
        self._context = int(made["executionContextId"])
        return self._context

    async def _evaluate(self, options: dict[str, Any], seconds: float) -> dict[str, Any]:
        return await wait_for(self._session.send("Runtime.evaluate", options), seconds)

    async def _screenshot(self) -> bytes:
        width, height = self._settings.viewport_width, self._settings.viewport_height
        if self._settings.screenshot_area is ScreenshotArea.FULL:
            _, whole = await self._read(SIZE)
            height = min(max(int(whole), height), self._settings.screenshot_height)
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        options = {"format": "jpeg", "quality": JPEG_QUALITY, "clip": clip, "captureBeyondViewport": True}
        made = await wait_for(self._session.send("Page.captureScreenshot", options), self._read_seconds)
        return b64decode(made["data"])


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc
