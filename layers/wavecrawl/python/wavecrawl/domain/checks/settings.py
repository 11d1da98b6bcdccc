"""Settings of the checks of URLs that are not crawled as pages."""

from typing import Annotated

import msgspec


class CheckSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Checks of URLs that are not crawled as pages: whether they can be fetched, after the last page."""

    external: Annotated[bool, "Whether to check links to other sites."] = False
    resources: Annotated[
        bool,
        "Whether to check what pages load, on any host: images, scripts, stylesheets, fonts, videos and others; and "
        "the files of the site that pages link to, such as PDFs, archives and images. What the crawl stores "
        "(`media.include`) is not requested again.",
    ] = False
    max_urls: Annotated[int, "Maximum number of URLs that are checked."] = 10_000
    timeout: Annotated[float, "Maximum duration of a request for a check in seconds."] = 10.0

    @property
    def enabled(self) -> bool:
        """Whether any URLs are checked."""
        return self.external or self.resources

    @property
    def longest(self) -> float:
        """The seconds of a check without redirects at most: HEAD, then GET."""
        return 2 * self.timeout
