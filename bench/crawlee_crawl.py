"""Crawlee in the comparison: `python bench/crawlee_crawl.py URL OUT_DIR` crawls a site with a ParselCrawler.

The configuration is a usual one: robots.txt obeyed, `enqueue_links`, storage in memory, items to JSON Lines at the end.
Minimum, desired and maximum concurrency are 16, so that autoscaling does not throttle. Logging is disabled.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from crawlee import ConcurrencySettings, service_locator
from crawlee.crawlers import ParselCrawler, ParselCrawlingContext
from crawlee.storage_clients import MemoryStorageClient

IN_FLIGHT = 16


async def crawl(root: str, out: Path) -> dict[str, Any]:
    """Crawl `root`, write `items.jsonl` into `out` and return Crawlee's counts."""
    service_locator.set_storage_client(MemoryStorageClient())
    crawler = ParselCrawler(
        concurrency_settings=ConcurrencySettings(
            min_concurrency=IN_FLIGHT, desired_concurrency=IN_FLIGHT, max_concurrency=IN_FLIGHT
        ),
        configure_logging=False,
        respect_robots_txt_file=True,
    )

    @crawler.router.default_handler  # type: ignore[untyped-decorator]  # Crawlee is in its own environment only
    async def take(context: ParselCrawlingContext) -> None:
        selector = context.selector
        await context.push_data(
            {
                "url": context.request.loaded_url or context.request.url,
                "status": context.http_response.status_code,
                "title": selector.css("title::text").get(),
                "links": len(selector.css("a::attr(href)").getall()),
            }
        )
        await context.enqueue_links(strategy="same-origin")

    counted = await crawler.run([root])
    dataset = await crawler.get_dataset()
    with (out / "items.jsonl").open("w", encoding="utf-8") as lines:
        async for item in dataset.iterate_items():
            lines.write(json.dumps(item, ensure_ascii=False) + "\n")
    return {
        "pages": counted.requests_finished,
        "requests": counted.requests_total,
        "errors": counted.requests_failed,
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(crawl(sys.argv[1], Path(sys.argv[2])))))
