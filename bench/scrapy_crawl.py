"""Scrapy in the comparison: `python bench/scrapy_crawl.py URL OUT_DIR` crawls a site with a Spider.

The configuration is a usual one: robots.txt obeyed, 16 requests in flight, no delay, items to JSON Lines. Features that
the crawl does not need (cookies, telnet console, logging below errors) are disabled.
"""

import json
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request, Spider
from scrapy.crawler import CrawlerProcess
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor

IN_FLIGHT = 16


class SiteSpider(Spider):  # type: ignore[misc]  # Scrapy is in its own environment only
    """A spider that fetches all pages of one host and yields one item per page."""

    name = "site"

    def __init__(self, *, root: str, **options: Any) -> None:
        super().__init__(**options)
        parts = urlsplit(root)
        self.root = root
        self.allowed_domains = [parts.hostname or ""]
        self.links = LinkExtractor(allow_domains=[parts.netloc])

    async def start(self) -> AsyncIterator[Request]:
        """Yield the root. Unlike `start_urls`, it is subject to the duplicate filter."""
        yield Request(self.root)

    def parse(self, response: Response) -> Iterator[dict[str, Any] | Request]:
        """Yield the page's item, then a request per link of the same host (Scrapy drops known URLs)."""
        if not isinstance(response, HtmlResponse):
            yield {"url": response.url, "status": response.status, "title": None, "links": 0}
            return
        links = self.links.extract_links(response)
        title = response.css("title::text").get()
        yield {"url": response.url, "status": response.status, "title": title, "links": len(links)}
        yield from (Request(link.url) for link in links)


def crawl(root: str, out: Path) -> dict[str, Any]:
    """Crawl `root`, write `items.jsonl` into `out` and return Scrapy's counts."""
    process = CrawlerProcess(
        {
            "AUTOTHROTTLE_ENABLED": False,
            "CONCURRENT_REQUESTS": IN_FLIGHT,
            "CONCURRENT_REQUESTS_PER_DOMAIN": IN_FLIGHT,
            "COOKIES_ENABLED": False,
            "DOWNLOAD_DELAY": 0,
            "FEEDS": {str(out / "items.jsonl"): {"format": "jsonlines", "overwrite": True}},
            "LOG_LEVEL": "ERROR",
            "ROBOTSTXT_OBEY": True,
            "TELNETCONSOLE_ENABLED": False,
            "USER_AGENT": "bench-scrapy (+https://example.com/bench)",
        }
    )
    crawler = process.create_crawler(SiteSpider)
    process.crawl(crawler, root=root)
    process.start()
    counted = crawler.stats.get_stats()
    return {
        "pages": counted.get("item_scraped_count", 0),
        "requests": counted.get("downloader/request_count", 0),
        "errors": counted.get("log_count/ERROR", 0),
    }


if __name__ == "__main__":
    print(json.dumps(crawl(sys.argv[1], Path(sys.argv[2]))))
