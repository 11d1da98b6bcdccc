"""Settings of the archive: what a crawl stores so that a browser can show its pages again."""

from enum import StrEnum
from typing import Annotated

import msgspec

_MB = 1_000_000  # bytes


class ArchiveContent(StrEnum):
    """What a crawl archives.

    - `pages`: pages and their HTTP exchanges
    - `full`: also what a browser needs to show the pages: stylesheets, scripts, fonts, images, icons, and what rendered
      pages requested
    """

    PAGES = "pages"
    FULL = "full"


class ArchiveSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The archive: WARC files, and the package `crawl.wacz` that is made from them."""

    content: ArchiveContent = ArchiveContent.PAGES
    max_resources: Annotated[int, "Maximum number of resources that a full archive requests."] = 10_000
    max_resource_mb: Annotated[
        float, "Maximum size of a resource in MB (1,000,000 bytes). Larger ones are skipped (reason `too_large`)."
    ] = 10.0
    max_mb: Annotated[
        float,
        "Maximum size of all resources that a crawl receives in MB; unchanged ones do not count. When they have as "
        "much, those left are skipped (reason `archive_full`). 0: no limit.",
    ] = 400.0

    @property
    def is_full(self) -> bool:
        """Whether what a browser needs to show the pages is archived."""
        return self.content is ArchiveContent.FULL

    @property
    def most_resource_bytes(self) -> int:
        """The maximum size of a resource in bytes."""
        return int(_MB * self.max_resource_mb)

    def has_room(self, received: int) -> bool:
        """Return whether more resources may be requested when `received` bytes of them are stored."""
        return not self.max_mb or received < _MB * self.max_mb
