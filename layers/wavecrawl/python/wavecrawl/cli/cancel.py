"""`wavecrawl cancel`: end a crawl early, and keep what it has."""

from typing import Annotated

import typer

from wavecrawl.application.packing import MOST_MB
from wavecrawl.cli.console import err, errors_explained
from wavecrawl.cli.crawl import (
    DATA,
    DataOption,
    JsonOption,
    QuietOption,
    WaczOption,
    Way,
    open_existing,
    run_to_end,
)
from wavecrawl.errors import ConflictError


def cancel(
    crawl_id: Annotated[str | None, typer.Argument(help="Which crawl; left out: the newest.")] = None,
    *,
    data: DataOption = DATA,
    wacz_mb: WaczOption = MOST_MB,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """End a crawl that was interrupted, or that another process runs, with the results it has so far."""
    with errors_explained():
        store = open_existing(data)
        try:
            row = store.find(crawl_id)
            if not store.crawls.ask_to_cancel(row.id):
                raise ConflictError(f"crawl {row.id.crawl} has ended: it is {row.status.value}")
            try:
                run_to_end(store, row, Way(workers=1, wacz_mb=wacz_mb, as_json=as_json, quiet=quiet))
            except ConflictError:
                err.print("asked: the process that runs the crawl ends it before its next wave, with its results")
        finally:
            store.close()
