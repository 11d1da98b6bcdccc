"""Screenshots in a folder, under the same names as in S3."""

import os
from pathlib import Path

from wavecrawl.adapters.batch_objects import screenshot_name
from wavecrawl.domain.crawl.job import CrawlId


class FolderScreenshots:
    """`ports.screenshots.Screenshots`: one file each, moved into place when it is complete."""

    def __init__(self, root: Path) -> None:
        self._root = root

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
