"""`wavecrawl open`, `wavecrawl delete`, `wavecrawl prune`."""

import webbrowser
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from typing import Annotated

import typer

from wavecrawl.application.crawls import delete_crawls
from wavecrawl.bootstrap.latest import link_latest
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.cli.console import err, errors_explained, write_line
from wavecrawl.cli.crawl_choice import CrawlArgument, NamedArgument, NamedOption, crawl_with_results, named
from wavecrawl.cli.data_folder import DATA, DataOption, open_existing
from wavecrawl.errors import CrawlRunningError, NotFoundError
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

    Later crawls of the site do not store unchanged pages again. What they need of this crawl is kept until they are
    deleted. While another crawl of the site runs, nothing is deleted.
    """
    with errors_explained(), closing(open_existing(data)) as store:
        _delete([store.find(crawl_id)], store)
        link_latest(store)


def prune(
    *,
    keep: Annotated[int, typer.Option("--keep", min=1, help="Number of crawls with results to keep of each site.")],
    data: DataOption = DATA,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the IDs of the crawls that would be deleted, and delete nothing.")
    ] = False,
) -> None:
    """Delete old crawls: of each site of each tenant, all that ended before the newest N with results. Prints IDs.

    What newer crawls need of the deleted ones is kept, as `wavecrawl delete` does. Crawls of a site that is being
    crawled are not deleted; the command then fails when it has deleted those of the other sites.
    """
    with errors_explained(), closing(open_existing(data)) as store:
        busy: list[CrawlRunningError] = []
        for rows in _by_site(_old(store.crawls.newest_first(), keep)):
            if dry_run:
                _print(rows)
                continue
            try:
                _delete(rows, store)
            except CrawlRunningError as error:
                busy.append(error)
        if not dry_run:
            link_latest(store)
        if busy:
            raise busy[0]


def _old(newest_first: list[CrawlRow], keep: int) -> Iterator[CrawlRow]:
    """Yield the ended crawls of each site of each tenant that come after `keep` crawls with results."""
    kept: Counter[tuple[str, str]] = Counter()
    for row in newest_first:
        if kept[row.id.owned_site] < keep:
            kept[row.id.owned_site] += row.has_results
        elif row.status.has_ended:
            yield row


def _by_site(rows: Iterator[CrawlRow]) -> list[list[CrawlRow]]:
    sites: dict[tuple[str, str], list[CrawlRow]] = {}
    for row in rows:
        sites.setdefault(row.id.owned_site, []).append(row)
    return list(sites.values())


def _delete(rows: list[CrawlRow], store: LocalStore) -> None:
    delete_crawls(rows, store)
    _print(rows)


def _print(rows: list[CrawlRow]) -> None:
    for row in rows:
        write_line(row.id.crawl)
