"""Asking the results of crawls on one machine, where they lie."""

from collections.abc import Sequence
from pathlib import Path

from wavecrawl.adapters.analytics.opened_exports import OpenedExports
from wavecrawl.adapters.analytics.results import DuckDbResults
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.job import CrawlId


def local_results(store: LocalStore) -> DuckDbResults:
    """Return what answers questions about the crawls of a data folder."""

    def copies(wanted: Sequence[tuple[CrawlId, str]]) -> list[Path | None]:
        paths = [store.exports(crawl) / name for crawl, name in wanted]
        return [path if path.is_file() else None for path in paths]

    return DuckDbResults(OpenedExports(copies, store.hidden.of))
