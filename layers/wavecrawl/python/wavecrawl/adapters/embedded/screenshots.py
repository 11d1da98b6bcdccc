"""Screenshots in a folder, under the same names as in S3."""

import os
from collections.abc import Callable
from pathlib import Path

from wavecrawl.adapters.batch_objects import screenshot_name, screenshot_of, screenshots_prefix
from wavecrawl.adapters.embedded.downloads import SCREENSHOTS, Downloads
from wavecrawl.domain.crawl.job import CrawlId


class FolderScreenshots:
    """`ports.screenshots.Screenshots`: one file each, moved into place when it is complete."""

    def __init__(self, root: Path, downloads: Callable[[], Downloads]) -> None:
        self._root = root
        self._downloads = downloads  # of the process that serves the folder; workers need no signing key

    def put(self, crawl: CrawlId, key: str, jpeg: bytes) -> str:
        """Store a screenshot; return its name."""
        name = screenshot_name(crawl, key)
        path = self._root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f"{path.name}.{os.getpid()}.part")
        part.write_bytes(jpeg)
        part.replace(path)
        return name

    def get(self, name: str) -> bytes | None:
        """Return a screenshot, None if it no longer exists."""
        try:
            return (self._root / name).read_bytes()
        except FileNotFoundError:
            return None

    def delete(self, crawl: CrawlId, key: str) -> None:
        """Delete the screenshot of a page, if there is one."""
        (self._root / screenshot_name(crawl, key)).unlink(missing_ok=True)

    def size(self, crawl: CrawlId, *, most: int) -> int:  # noqa: ARG002 - counting files is cheap
        """Return the bytes of all screenshots of a crawl."""
        return sum(path.stat().st_size for path in (self._root / screenshots_prefix(crawl)).glob("*.jpg"))

    def signed_url(self, crawl: CrawlId, name: str) -> str | None:
        """Return a URL of a screenshot, None if it no longer exists or is not one of the site."""
        made_in = screenshot_of(crawl, name)
        if made_in is None or not (self._root / name).is_file():
            return None
        return self._downloads().signed_url(made_in, name.rpartition("/")[2], folder=SCREENSHOTS)
