"""`wavecrawl open`, `wavecrawl delete`, `wavecrawl prune`."""

import webbrowser
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from typing import Annotated

import typer

from wavecrawl.application.crawls import delete_crawl
from wavecrawl.bootstrap.latest import link_latest
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.cli.console import err, errors_explained, write_line
from wavecrawl.cli.crawl_choice import CrawlArgument, NamedArgument, NamedOption, crawl_with_results, named
from wavecrawl.cli.data_folder import DATA, DataOption, open_existing
from wavecrawl.errors import NotFoundError
from wavecrawl.ports.crawls import CrawlRow


def open_report(crawl_id: CrawlArgument = None, *, crawl: NamedOption = None, data: DataOption = DATA) -> None:
    """Open the report of a crawl in the browser, by default of the newest crawl with results. Prints its path."""
    with errors_explained(), closing(open_existing(data)) as store:
        row = crawl_with_results(store, named(crawl_id, crawl))
        report = store.results_folder(row.id) / "report.html"
        if not report.is_file():
            raise NotFoundError(f"crawl {row.id.crawl} has no report; try `wavecrawl export report --rebuild`")
        write_line(str(report))
        if not webbrowser.open(report.resolve().as_uri()):
            err.print("no browser was found; open this file in one")


def delete(
    crawl_id: NamedArgument,
    *,
    data: DataOption = DATA,
) -> None:
    """Delete a crawl that has ended, with its results, its stored pages, and the passages that were indexed from it.

    Later crawls of the site request the pages that only this crawl has stored without conditions.
    """
    with errors_explained(), closing(open_existing(data)) as store:
        _delete(store, store.find(crawl_id))
        link_latest(store)


def prune(
    *,
    keep: Annotated[int, typer.Option("--keep", min=1, help="Number of crawls with results to keep of each site.")],
    data: DataOption = DATA,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the IDs of the crawls that would be deleted, and delete nothing.")
    ] = False,
) -> None:
    """Delete old crawls: of each site of each tenant, all that ended before the newest N with results. Prints IDs."""
    with errors_explained(), closing(open_existing(data)) as store:
        for row in list(_old(store.crawls.newest_first(), keep)):
            if dry_run:
                write_line(row.id.crawl)
            else:
                _delete(store, row)
        if not dry_run:
            link_latest(store)


def _old(newest_first: list[CrawlRow], keep: int) -> Iterator[CrawlRow]:
    """Yield the ended crawls of each site of each tenant that come after `keep` crawls with results."""
    kept: Counter[tuple[str, str]] = Counter()
    for row in newest_first:
        if kept[row.id.owned_site] < keep:
            kept[row.id.owned_site] += row.has_results
        elif row.status.has_ended:
            yield row


def _delete(store: LocalStore, row: CrawlRow) -> None:
    delete_crawl(row, crawls=store.crawls, erasure=store.erasure, index=store.index_removals)
    write_line(row.id.crawl)
