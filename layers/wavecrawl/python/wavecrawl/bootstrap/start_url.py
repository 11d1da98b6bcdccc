"""The start URL of a crawl on this machine, for an address that may have no scheme."""

from collections.abc import Callable, Sequence
from contextlib import closing

from wavecrawl.application.start_address import first_reachable, trouble_of
from wavecrawl.bootstrap.http_clients import page_client
from wavecrawl.domain.crawl.settings import CrawlSettings


def reachable_url(urls: Sequence[str], settings_of: Callable[[str], CrawlSettings]) -> str:
    """Return the first URL whose server responds; raise RootFailedError if none does. One URL needs no check.

    `settings_of` returns the settings of a crawl that starts at a URL.
    """

    def trouble(url: str) -> str:
        settings = settings_of(url)
        with closing(page_client(settings)) as client:
            return trouble_of(url, settings, client)

    return first_reachable(urls, trouble)
