"""The launcher: starts the state machines of crawls."""

from collections.abc import Collection
from typing import Protocol

from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.result_files import ResultFile


class Launcher(Protocol):
    """Starts crawls. Contract: tests/contract/test_launcher.py."""

    def launch(self, crawl: CrawlId) -> None:
        """Start the crawl's state machine, unless it was already started, or as soon as the limits allow."""
        ...

    def make_results(self, crawl: CrawlId) -> None:
        """Make the results of an ended crawl again, in the background. Its status does not change."""
        ...

    def make_files(self, crawl: CrawlId, files: Collection[ResultFile]) -> None:
        """Make result files of an ended crawl in the background, unless these are being made."""
        ...
