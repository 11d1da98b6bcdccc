"""Several parsers for work on many pages at the same time."""

from collections.abc import Callable
from queue import LifoQueue

from wavecrawl.adapters.pages.parser import BudgetedParser
from wavecrawl.domain.pages.extraction.reading import Reading
from wavecrawl.domain.pages.page import Extraction
from wavecrawl.ports.page_parser import never


class Parsers:
    """`ports.page_parser.PageParser` over `size` child processes. Each starts when the others are busy."""

    def __init__(self, size: int) -> None:
        self._parsers = [BudgetedParser(always_apart=True) for _ in range(size)]
        self._free: LifoQueue[BudgetedParser] = LifoQueue()
        for parser in self._parsers:
            self._free.put(parser)

    def read(self, html: bytes | str, how: Reading, *, is_stopped: Callable[[], bool] = never) -> Extraction:
        """Return the content of a page. Waits until a child process is free."""
        parser = self._free.get()
        try:
            return parser.read(html, how, is_stopped=is_stopped)
        finally:
            self._free.put(parser)

    def cpu_seconds(self) -> float:
        """Return the processor time of the child processes for pages that the calling thread read."""
        return sum(parser.cpu_seconds() for parser in self._parsers)

    def close(self) -> None:
        """End the child processes."""
        for parser in self._parsers:
            parser.close()
