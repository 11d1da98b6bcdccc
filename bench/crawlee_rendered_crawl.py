"""Crawlee with a browser: `python bench/crawlee_rendered_crawl.py URL OUT_DIR PAGES CHROMIUM` uses a PlaywrightCrawler.

Two pages at a time, each in a context of its own, wait for an idle network, as in `playwright_crawl.py`.
"""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

from crawlee import ConcurrencySettings, service_locator
from crawlee.crawlers import PlaywrightCrawler, PlaywrightCrawlingContext
from crawlee.storage_clients import MemoryStorageClient

IN_FLIGHT = 2
LINKS = "[...document.querySelectorAll('a[href]')].map((one) => one.href)"


async def crawl(root: str, out: Path, most: int, chromium: str) -> dict[str, Any]:
    """Crawl `root`, write its pages into `out` and return the counts."""
    service_locator.set_storage_client(MemoryStorageClient())
    crawler = PlaywrightCrawler(
        concurrency_settings=ConcurrencySettings(
            min_concurrency=IN_FLIGHT, desired_concurrency=IN_FLIGHT, max_concurrency=IN_FLIGHT
        ),
        configure_logging=False,
        max_requests_per_crawl=most,
        headless=True,
        use_incognito_pages=True,
        browser_launch_options={"executable_path": chromium, "chromium_sandbox": os.geteuid() != 0},
        goto_options={"wait_until": "networkidle"},
    )
    pages = links = 0

    @crawler.router.default_handler  # type: ignore[untyped-decorator]  # Crawlee is in its own environment only
    async def take(context: PlaywrightCrawlingContext) -> None:
        nonlocal pages, links
        html, found = await context.page.content(), await context.page.evaluate(LINKS)
        links += len(set(found))
        pages += 1
        (out / f"{pages}.html").write_text(html, encoding="utf-8")
        await context.enqueue_links(strategy="same-origin")

    counted = await crawler.run([root])
    return {"pages": pages, "links": links, "errors": counted.requests_failed}


if __name__ == "__main__":
    root, out, most, chromium = sys.argv[1:]
    print(json.dumps(asyncio.run(crawl(root, Path(out), int(most), chromium))))
