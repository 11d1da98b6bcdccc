"""`wavecrawl cancel`: end a crawl early and keep its results."""

from wavecrawl.application.crawls import cancel_crawl
from wavecrawl.application.wacz_package import MOST_MB
from wavecrawl.cli.console import err, errors_explained
from wavecrawl.cli.crawl import JsonOption, QuietOption, WaczOption
from wavecrawl.cli.crawl_choice import CrawlArgument, NamedOption, named
from wavecrawl.cli.data_folder import DATA, DataOption, open_existing
from wavecrawl.cli.run_to_end import RunOptions, run_to_end
from wavecrawl.errors import ConflictError


def cancel(
    crawl_id: CrawlArgument = None,
    *,
    crawl: NamedOption = None,
    data: DataOption = DATA,
    wacz_mb: WaczOption = MOST_MB,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """End a running or interrupted crawl and keep the results so far."""
    with errors_explained():
        store = open_existing(data)
        try:
            row = store.find(named(crawl_id, crawl))
            cancelled = cancel_crawl(row.id, store)
            if cancelled is None:
                raise ConflictError(f"crawl {row.id.crawl} cannot be cancelled: it has ended as {row.status.value}")
            if cancelled.status.has_ended:
                err.print("cancelled: the crawl was queued, so it has no results")
                return
            try:
                run_to_end(store, row, RunOptions(workers=1, wacz_mb=wacz_mb, as_json=as_json, quiet=quiet))
            except ConflictError:
                err.print("cancel requested: the process that runs the crawl ends it within a few seconds")
        finally:
            store.close()
