"""The client: every operation of the API, and what takes several of them."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from wavecrawl.client.errors import StillRunningError
from wavecrawl.client.events import CrawlEvent, followed
from wavecrawl.client.models import CrawlInFull, CrawlStatus
from wavecrawl.client.operations import Operations
from wavecrawl.client.transport import TIMEOUT, Retrying, Transport

_CHUNK = 1024 * 1024  # bytes


class Client(Operations):
    """The API at `url`, asked with an API key. One thread at a time; close it, or use it as a context manager."""

    def __init__(self, url: str, key: str, *, timeout: float = TIMEOUT, retrying: Retrying | None = None) -> None:
        super().__init__(Transport(url, key, timeout=timeout, retrying=retrying))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def events(self, crawl: str, *, last_event_id: str = "") -> Iterator[CrawlEvent]:
        """Yield what happens in a crawl until it has ended, from the event after `last_event_id`.

        Connections that end or break are resumed, so that each event comes once. Events of kind `crawl.progress` may
        come in between that have no id of their own: they say how far the crawl is right now.
        """
        return followed(self._transport, crawl, last_event_id=last_event_id)

    def wait_until_ended(
        self,
        crawl: str,
        *,
        timeout: float | None = None,
        every: float = 2.0,
        now: Callable[[], float] = time.monotonic,
    ) -> CrawlInFull:
        """Return a crawl once it has ended, however it did, asking for it `every` so many seconds.

        Raise StillRunningError where it has not within `timeout` seconds.
        """
        started = now()
        while True:
            found = self.read_crawl(crawl)
            if found.status is not CrawlStatus.RUNNING:
                return found
            if timeout is not None and now() - started + every > timeout:
                raise StillRunningError(f"crawl {crawl} is still running after {timeout:g} seconds")
            self._transport.retrying.sleep(every)

    def download(self, url: str, file: Path) -> int:
        """Write what a download URL holds to a file; return its bytes. The key is not shown there."""
        with self._transport.fetch(url) as response, file.open("wb") as target:
            return sum(map(target.write, response.iter_content(chunk_size=_CHUNK)))
