"""The launcher: sets the state machine of a crawl going."""

from typing import Protocol

from wavecrawl.domain.crawl.job import CrawlId


class Launcher(Protocol):
    """Starts crawls. Contract: tests/contract/test_launcher.py."""

    def launch(self, crawl: CrawlId) -> None:
        """Start the crawl's state machine; for a crawl that was started before, nothing happens."""
        ...
