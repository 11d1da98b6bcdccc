"""The parser of pages. Contract: tests/contract/test_page_parser.py."""

from collections.abc import Callable
from typing import Protocol

from wavecrawl.domain.pages.extraction.reading import Reading, read_page
from wavecrawl.domain.pages.page import Extraction


def never() -> bool:
    """Return False: the work goes on."""
    return False


class PageParser(Protocol):
    """Reads pages. Safe to share between threads."""

    def read(self, html: bytes | str, how: Reading, *, is_stopped: Callable[[], bool] = never) -> Extraction:
        """Return the content of a page, as `read_page` does.

        Raise TooExpensiveError if the page needs more processor time than its budget, or too much memory. Raise
        ReadingStoppedError if the work takes long and `is_stopped` returns True.
        """
        ...

    def cpu_seconds(self) -> float:
        """Return the seconds of processor time that other processes took for pages that the calling thread read.

        The time of pages whose reading was stopped is not part of it.
        """
        ...

    def close(self) -> None:
        """Release what the parser holds. It can be used again."""


class UnlimitedParser:
    """`PageParser` within the calling process. Nothing but the size of a page bounds the work."""

    def read(self, html: bytes | str, how: Reading, *, is_stopped: Callable[[], bool] = never) -> Extraction:  # noqa: ARG002 - see above
        """Return the content of a page."""
        return read_page(html, how)

    def cpu_seconds(self) -> float:
        """Return 0: there are no other processes."""
        return 0.0

    def close(self) -> None:
        """Do nothing."""
