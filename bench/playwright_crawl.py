"""Playwright's own loop in the comparison: `python -m bench.playwright_crawl URL OUT_DIR PAGES CHROMIUM`.

Two pages at a time, each in a context of its own, wait for an idle network. Links of the DOM to the same origin are
followed. Fonts and media are not loaded, as wavecrawl does not load them either. The sandbox and the other switches of
Chromium are those of Playwright.
"""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag, urlsplit

from playwright.async_api import Browser, Error, async_playwright

IN_FLIGHT = 2
NOT_LOADED = frozenset({"font", "media"})
LINKS = "[...document.querySelectorAll('a[href]')].map((one) => one.href)"


class Loop:
    """One crawl."""

    def __init__(self, browser: Browser, root: str, out: Path, most: int) -> None:
        self._browser = browser
        self._origin = urlsplit(root)[:2]
        self._out = out
        self._most = most
        self._seen = {root}
        self._queue: asyncio.Queue[str] = asyncio.Queue()
        self._queue.put_nowait(root)
        self.pages = 0
        self.links = 0

    async def run(self) -> None:
        """Load every page that is found."""
        workers = [asyncio.create_task(self._work()) for _ in range(IN_FLIGHT)]
        await self._queue.join()
        for worker in workers:
            worker.cancel()

    async def _work(self) -> None:
        while True:
            url = await self._queue.get()
            try:
                await self._load(url)
            except Error as error:
                print(f"{url}: {error}", file=sys.stderr)
            finally:
                self._queue.task_done()

    async def _load(self, url: str) -> None:
        context = await self._browser.new_context(viewport={"width": 1280, "height": 800})
        try:
            page = await context.new_page()
            await page.route(
                "**/*", lambda route: route.abort() if route.request.resource_type in NOT_LOADED else route.continue_()
            )
            response = await page.goto(url, wait_until="networkidle")
            html, links = await page.content(), await page.evaluate(LINKS)
        finally:
            await context.close()
        if response is None or not response.ok or "html" not in response.headers.get("content-type", ""):
            return
        self.pages += 1
        self.links += len(set(links))
        (self._out / f"{self.pages}.html").write_text(html, encoding="utf-8")
        for link in links:
            self._add(urldefrag(link)[0])

    def _add(self, url: str) -> None:
        if urlsplit(url)[:2] == self._origin and url not in self._seen and len(self._seen) < self._most:
            self._seen.add(url)
            self._queue.put_nowait(url)


async def crawl(root: str, out: Path, most: int, chromium: str) -> dict[str, Any]:
    """Crawl a site and return the counts."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium, chromium_sandbox=os.geteuid() != 0)
        loop = Loop(browser, root, out, most)
        await loop.run()
        await browser.close()
    return {"pages": loop.pages, "links": loop.links}


if __name__ == "__main__":
    root, out, most, chromium = sys.argv[1:]
    print(json.dumps(asyncio.run(crawl(root, Path(out), int(most), chromium))))
