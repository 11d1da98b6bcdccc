"""Settings of sitemap reading."""

from typing import Annotated

import msgspec


class SitemapSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of sitemap reading."""

    max_urls: Annotated[
        int, "Maximum number of URLs per sitemap file. Further URLs are ignored. The protocol allows 50,000."
    ] = 50_000
    timeout: Annotated[float, "Maximum number of seconds to fetch a sitemap file."] = 5.0
    max_depth: Annotated[int, "Maximum number of levels of nested sitemap indexes."] = 3
    max_files: Annotated[int, "Maximum number of sitemap files."] = 1_000
    max_listed: Annotated[
        int, "Number of URLs in the sitemap files of a crawl, all together, after which no further file is read."
    ] = 1_000_000
    max_bytes: Annotated[
        int, "Maximum size of a sitemap file in bytes, both as transferred and after decompression."
    ] = 50 * 1024 * 1024
    min_compared: Annotated[
        int, "Minimum number of dates or priorities that are an issue if all of them are the same."
    ] = 10
