"""`wavecrawl list`, `wavecrawl show URL`."""

from datetime import UTC, datetime
from typing import Annotated

import msgspec
import typer

from wavecrawl.api_models.types import rfc3339
from wavecrawl.bootstrap.local_settings import LOCAL_TENANT
from wavecrawl.cli.console import Exit, errors_explained, one_line, out, write_json
from wavecrawl.cli.crawl_choice import KnowingOption
from wavecrawl.cli.data_folder import DATA, DataOption, open_existing
from wavecrawl.cli.explained_url import Explained, explained
from wavecrawl.domain.focus.settings import Strategy


def list_crawls(
    *,
    data: DataOption = DATA,
    as_json: Annotated[bool, typer.Option("--json", help="Print each crawl as one line of JSON.")] = False,
) -> None:
    """List the crawls of a data folder with their number of pages, duration and errors, newest first."""
    with errors_explained():
        store = open_existing(data)
        try:
            rows = store.crawls.newest_first()
            statuses = ["interrupted" if store.is_interrupted(row) else row.status.value for row in rows]
            progress = store.waves.progress_of_each([row.id for row in rows])
            pages = [
                one.fetched if row.outcome is None else row.outcome.pages
                for row, one in zip(rows, progress, strict=True)
            ]
            seconds = [round(row.seconds(store.clock.now()), 3) for row in rows]
            causes = [store.cause(row) for row in rows]
        finally:
            store.close()
    if as_json:
        for row, status, fetched, duration, cause in zip(rows, statuses, pages, seconds, causes, strict=True):
            values: dict[str, object] = {
                "crawl": row.id.crawl,
                "tenant": row.id.tenant,
                "site": row.id.site,
                "url": row.start_url,
                "status": status,
            }
            values |= {
                "pages": fetched,
                "started_at": rfc3339(datetime.fromtimestamp(row.started_at, tz=UTC)),
                "seconds": duration,
                "error": cause,
            }
            write_json(values)
        return
    from rich.table import Table  # noqa: PLC0415 - rich is slow to load

    others = {row.id.tenant for row in rows} - {LOCAL_TENANT}
    table = Table("crawl", "status", "pages", "started", "seconds", "URL", box=None, header_style="bold")
    if others:
        table.add_column("tenant")
    if any(causes):
        table.add_column("error")
    for row, status, fetched, duration, cause in zip(rows, statuses, pages, seconds, causes, strict=True):
        started = datetime.fromtimestamp(row.started_at, tz=UTC).strftime("%Y-%m-%d %H:%M:%S")
        cells = [row.id.crawl, status, f"{fetched:,}", started, f"{duration:,.0f}", one_line(row.start_url)]
        cells += [row.id.tenant] if others else []
        cells += [one_line(cause)] if any(causes) else []
        table.add_row(*cells)
    out.print(table)


def show(
    url: Annotated[str, typer.Argument(help="URL to look up.")],
    *,
    crawl: KnowingOption = None,
    data: DataOption = DATA,
    as_json: Annotated[bool, typer.Option("--json", help="Print one line of JSON.")] = False,
) -> None:
    """Show why a URL is or is not in a crawl, by default in the newest crawl that found it.

    Prints its state and the reason, its response, its title and description, whether it was rendered and why, the
    file of its screenshot in the data folder, its canonical URL and robots directives, up to 20 media that it uses,
    whether search engines may index it, the page that it duplicates, up to 10 links to it, its depth,
    the page where it was first found and, with --strategy best_first, its lane and score with all parts.

    The exit code is 4 if no such crawl found the URL.
    """
    with errors_explained():
        store = open_existing(data)
        try:
            shown = explained(url, crawl, store)
        finally:
            store.close()
    if as_json:
        later = shown.found.later
        why = {"not_in": later.crawl if later else "", "not_in_because": later.absence if later else ""}
        values = {"crawl": shown.crawl.id.crawl, **why, **msgspec.to_builtins(shown.found)}
        write_json(values)
    else:
        _print_explanation(shown)
    if shown.found.ledger is None:
        raise typer.Exit(Exit.NOT_FOUND)


def _print_explanation(shown: Explained) -> None:
    from rich.table import Table  # noqa: PLC0415 - the same

    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    row = shown.crawl
    table.add_row("[bold]crawl[/]", one_line(f"{row.id.crawl} of {row.start_url}, {_started(row.started_at)}"))
    if (later := shown.found.later) is not None:
        why = later.absence or "this newer crawl of the site did not find the URL"
        text = f"{later.crawl}, {_started(later.started_at)}: {why}"
        table.add_row("[bold]not in[/]", one_line(text))
    for name, value in shown.found.lines(scored=row.settings.strategy is Strategy.BEST_FIRST):
        table.add_row(f"[bold]{name}[/]", one_line(value))
    out.print(table)


def _started(at: float) -> str:
    return f"{datetime.fromtimestamp(at, tz=UTC):%Y-%m-%d %H:%M} UTC"
