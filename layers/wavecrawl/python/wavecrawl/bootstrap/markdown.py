"""The Markdown of many pages on one machine, over all cores."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from wavecrawl.adapters.pages.parsers import Parsers
from wavecrawl.application.page_markdown import MarkdownView
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.ports.crawls import CrawlRow


@contextmanager
def markdown_view(store: LocalStore, crawl: CrawlRow) -> Iterator[MarkdownView]:
    """Make the Markdown of pages of a crawl in a child process per core. They end with this context."""
    cores = len(os.sched_getaffinity(0))
    parsers = Parsers(cores)
    try:
        yield MarkdownView(store.archive, parsers, crawl.settings, hidden=store.hidden, at_once=cores)
    finally:
        parsers.close()
