"""One running Chromium, with the check that it is alive, not stopped and not too large."""

import asyncio
import os
from asyncio import Future, Task, shield, wait_for
from asyncio.subprocess import Process
from contextlib import suppress
from operator import attrgetter
from time import monotonic
from typing import Any

from playwright._impl.out_of_process import PlaywrightClient
from playwright.async_api import Browser, CDPSession, Error, Playwright

from wavecrawl.adapters.browser.home import BrowserHome
from wavecrawl.adapters.browser.processes import end_group, profile_of, read_processes, zygotes_of
from wavecrawl.adapters.browser.start_errors import BrowserCrashError, start_error
from wavecrawl.adapters.browser.switches import (
    IN_LAMBDA,
    REMOVED,
    SWITCHES,
    browser_environment,
    has_sandbox,
    is_in_lambda,
)
from wavecrawl.adapters.browser.trusted_authorities import trust_authorities
from wavecrawl.errors import TransientError

START_SECONDS = 60.0
_STARTS = 3  # of a browser that crashes while it starts
_STOP_SECONDS = 30.0  # until a driver that does not stop is killed; on a busy machine it may take some
_LOST_SECONDS = 1.0
_ENDING = 0.05  # seconds until the pipes of an ended process are closed
_CHECK = 0.25  # seconds between two checks
_SILENCE = 20.0  # seconds without a response after which a browser hangs
_MB = 1_000_000

# What Playwright does not show of its client: the future with its objects, and what has the process of the driver.
_PLAYWRIGHT = attrgetter("_playwright")
_TRANSPORT = attrgetter("_transport")


class BrowserLostError(Exception):
    """The browser or the page's process is gone; the message says why."""


class BrowserInstance:
    """Playwright's driver and one Chromium. `lost` is done when pages of this browser cannot be finished any more."""

    def __init__(self, home: BrowserHome, client: PlaywrightClient, browser: Browser, session: CDPSession) -> None:
        """`client` is that of the driver."""
        self.browser = browser
        self.pages = 0  # that were begun
        self.open_pages = 0
        self.peak = 0  # bytes of memory
        self._started = monotonic()
        self.lost: Future[str] = asyncio.get_running_loop().create_future()
        self._home = home
        self._client = client
        self._session = session
        self._pids: tuple[int, ...] = ()
        self._drivers: tuple[int, ...] = ()  # the id of the driver's process, if it is known
        self._zygotes: tuple[int, ...] = ()  # the ids of the processes that those of pages are forked from
        self._checks: Task[None] | None = None
        self._asked: Task[None] | None = None  # for the processes
        browser.on("disconnected", lambda _: self.lose("the browser ended"))

    @classmethod
    async def start(cls, executable: str, proxy: str, *, max_mb: int, ca_file: str | None = None) -> "BrowserInstance":
        """Start Chromium, and again if it crashes: it does so now and then.

        Raise BrowserMissingError if it does not start, TransientError if it may at another time. `ca_file`: further
        certificate authorities to trust, as a PEM file or a folder.
        """
        for _ in range(_STARTS - 1):
            with suppress(BrowserCrashError):
                return await cls._start_once(executable, proxy, max_mb, ca_file)
        return await cls._start_once(executable, proxy, max_mb, ca_file)

    @classmethod
    async def _start_once(cls, executable: str, proxy: str, max_mb: int, ca_file: str | None) -> "BrowserInstance":
        try:
            home = BrowserHome()
        except OSError as error:
            raise TransientError(f"no folder for the browser can be created: {error.strerror}") from error
        if ca_file is not None:
            await asyncio.to_thread(trust_authorities, home.path, ca_file)
        client = PlaywrightClient()  # `async_playwright` forgets its client, and so the process, of a lost driver
        try:
            async with asyncio.timeout(START_SECONDS):
                driver = Playwright(await _PLAYWRIGHT(client))
                browser = await _launch(driver, executable, proxy, home)
                session = await browser.new_browser_cdp_session()
                made = cls(home, client, browser, session)
                await made._watch(max_mb)
        except Exception as error:  # Playwright raises plain ones if its driver ends
            with suppress(Exception):
                await wait_for(client.stop(), _STOP_SECONDS)
            await _ended(client)
            home.remove()
            raise start_error(executable, error) from error
        return made

    def lose(self, why: str) -> None:
        """Kill the browser: its pages are lost."""
        if not self.lost.done():
            self.lost.set_result(why)
        for pid in self._pids[:1]:
            end_group(pid)

    async def close(self) -> None:
        """End Chromium and the driver, and remove what they left."""
        checks = [task for task in (self._checks, self._asked) if task is not None]
        for task in checks:
            task.cancel()
        await asyncio.gather(*checks, return_exceptions=True)
        was_lost = self.lost.done()
        if not was_lost:
            self.lost.set_result("the browser was closed")
        for pid in self._pids:
            end_group(pid)
        stopping = asyncio.create_task(self._client.stop())
        try:  # a driver whose browser was lost may be lost too
            await wait_for(shield(stopping), _LOST_SECONDS if was_lost else _STOP_SECONDS)
        except (Error, TimeoutError):
            for pid in self._drivers:
                end_group(pid)
            with suppress(Error, TimeoutError):  # it reads the end of its pipe
                await wait_for(stopping, _STOP_SECONDS)
        await _ended(self._client)
        self._home.remove()

    async def _watch(self, max_mb: int) -> None:
        self._pids = await self._ask()
        self._home.note_profile(profile_of(self._pids[0]) if self._pids else None)
        parents = {found.parent for found in read_processes(self._pids[:1])}
        self._drivers = tuple(parents - {os.getpid(), 1})
        self._zygotes = zygotes_of(self._pids[0]) if self._pids else ()
        self._checks = asyncio.create_task(self._check_always(max_mb))

    async def _check_always(self, max_mb: int) -> None:
        """Check until the browser is lost: it does not respond, a process of it is stopped, or it is too large."""
        asked_at, stopped = 0.0, 0
        while not self.lost.done():
            await asyncio.sleep(_CHECK)
            if self._asked is None or self._asked.done():
                self._asked, asked_at = asyncio.create_task(self._ask_again()), monotonic()
            elif monotonic() - asked_at > _SILENCE:
                return self.lose("the browser did not respond")
            zygotes = read_processes(self._zygotes)
            if len(zygotes) < len(self._zygotes):
                return self.lose("a process of the browser ended")
            processes = [*read_processes((*self._pids, *self._drivers)), *zygotes]
            stopped = stopped + 1 if any(one.stopped for one in processes) else 0
            if stopped > 1:
                return self.lose("the browser was stopped")
            memory = sum(one.memory for one in processes)
            self.peak = max(self.peak, memory)
            if memory > max_mb * _MB:
                return self.lose(f"the browser needed more than {max_mb:,} MB of memory")
        return None

    async def _ask_again(self) -> None:
        try:
            self._pids = await self._ask()
        except Error:
            self.lose("the browser ended")

    async def _ask(self) -> tuple[int, ...]:
        """Return the ids of the processes, that of the browser itself first."""
        found: dict[str, Any] = await self._session.send("SystemInfo.getProcessInfo")
        processes = sorted(found["processInfo"], key=lambda one: one["type"] != "browser")
        return tuple(one["id"] for one in processes)


async def _ended(client: PlaywrightClient) -> None:
    """Wait until asyncio knows that the driver has ended: the loop may be closed next. Kill it if it does not end."""
    process = getattr(_TRANSPORT(client), "_proc", None)
    if not isinstance(process, Process):  # it did not start
        return
    try:
        await wait_for(process.wait(), _STOP_SECONDS)
    except TimeoutError:
        end_group(process.pid)
        await process.wait()
    await asyncio.sleep(_ENDING)  # its pipes are closed next


async def _launch(driver: Playwright, executable: str, proxy: str, home: BrowserHome) -> Browser:
    return await driver.chromium.launch(
        executable_path=executable,
        headless=True,
        args=[*SWITCHES, *(IN_LAMBDA if is_in_lambda() else ())],
        ignore_default_args=list(REMOVED),
        chromium_sandbox=has_sandbox(),
        env=dict(browser_environment(os.environ, home.path)),
        proxy={
            "server": proxy,
            "bypass": "<-loopback>",
        },  # for what the browser itself might request: without credential
        handle_sigint=False,
        handle_sigterm=False,
        handle_sighup=False,
        timeout=START_SECONDS * 1_000,
    )
