"""The client: every operation of the API, and a few that combine several requests."""

import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from wavecrawl.api_models.crawls import CrawlDetail
from wavecrawl.client.account import AccountOperations, AdminOperations
from wavecrawl.client.analysis import AnalysisOperations
from wavecrawl.client.crawls import CrawlOperations
from wavecrawl.client.errors import StillRunningError
from wavecrawl.client.media import MediaOperations
from wavecrawl.client.pages import PageOperations
from wavecrawl.client.sites import SiteOperations
from wavecrawl.client.transport import TIMEOUT, RetryPolicy, Transport
from wavecrawl.client.url_lists import UrlListOperations
from wavecrawl.client.webhooks import WebhookOperations

_CHUNK = 1024 * 1024  # bytes


class Client(
    CrawlOperations,
    PageOperations,
    AnalysisOperations,
    MediaOperations,
    SiteOperations,
    UrlListOperations,
    WebhookOperations,
    AccountOperations,
    AdminOperations,
):
    """A client of the API at `url`, authenticated by an API key. Not thread-safe.

    Close it after use, or use it as a context manager. `timeout` is the maximum number of seconds without a byte.
    """

    def __init__(self, url: str, key: str, *, timeout: float = TIMEOUT, retries: RetryPolicy | None = None) -> None:
        super().__init__(Transport(url, key, timeout=timeout, retries=retries))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def wait_for_crawl(
        self,
        crawl: str,
        *,
        timeout: float | None = None,
        interval: float = 2.0,
        now: Callable[[], float] = time.monotonic,
    ) -> CrawlDetail:
        """Wait until a crawl has ended and return it. Get it every `interval` seconds.

        Raise StillRunningError if it is still running after `timeout` seconds.
        """
        started = now()
        while True:
            found = self.get_crawl(crawl)
            if found.status.has_ended:
                return found
            if timeout is not None and now() - started + interval > timeout:
                raise StillRunningError(f"crawl {crawl} is still running after {timeout:g} seconds")
            self._transport.retries.sleep(interval)

    def download(self, url: str, file: Path) -> int:
        """Download an export to a file and return its size in bytes. The API key is not sent."""
        with self._transport.download(url) as response, file.open("wb") as target:
            return sum(map(target.write, response.iter_content(chunk_size=_CHUNK)))
