"""`wavecrawl archive`: the web archive of a crawl."""

import json
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from wavecrawl.application.wacz_package import MOST_MB
from wavecrawl.bootstrap.replay import Verification, verify_archive
from wavecrawl.cli.console import Exit, err, errors_explained, one_line, out, write_json
from wavecrawl.cli.crawl import WaczOption
from wavecrawl.cli.crawl_choice import crawl_ids, crawl_with_results
from wavecrawl.cli.data_folder import DATA, DataOption, open_existing
from wavecrawl.cli.export import wacz_of
from wavecrawl.cli.private_files import users_files
from wavecrawl.domain.counts import counted
from wavecrawl.domain.replay.page_match import GOAL, PageMatch, mean

PAGES = 50
"""How many pages are compared by default."""

archive = typer.Typer(
    help="Verify that the archive of a crawl replays as the crawl saw the site.", no_args_is_help=True
)


@archive.callback()
def group() -> None:
    """Make `verify` a command of its own, also while there is no other."""


@archive.command("verify")
def verify(
    which: Annotated[
        str | None,
        typer.Argument(
            metavar="[CRAWL|FILE]",
            help="ID of the crawl, or its beginning, or a WACZ file. Default: the newest crawl with results.",
            autocompletion=crawl_ids,
        ),
    ] = None,
    *,
    data: DataOption = DATA,
    pages: Annotated[
        int, typer.Option(min=0, help="Maximum number of pages to compare, spread over all; 0 = all.")
    ] = PAGES,
    goal: Annotated[
        float,
        typer.Option(min=0.0, max=1.0, help="Share of equal pixels, and of equal text, that each page has at least."),
    ] = GOAL,
    report: Annotated[Path | None, typer.Option(help="File to write the result to, as JSON.")] = None,
    images: Annotated[
        Path | None,
        typer.Option(help="Folder for the screenshots of crawl and replay, and their differences, as PNG files."),
    ] = None,
    wacz_mb: WaczOption = MOST_MB,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as one line of JSON.")] = False,
) -> None:
    """Replay archived pages in a browser, and compare each with the crawl.

    Pixels are those of the crawl's screenshot (--screenshots), text is that of the page as the crawl read it. The
    exit code is 1 if a page cannot be replayed or is below the goal. The engine of ReplayWeb.page must be installed:
    docs/usage.md says how. The replay reaches nothing but the archive.
    """
    with errors_explained():
        result = verify_archive(
            _archive(which, data, wacz_mb), goal=goal, most=pages, images=images, on_start=_note_start
        )
        if report is not None:
            with users_files():
                report.write_text(json.dumps(result.report(), ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    if as_json:
        write_json(result.report())
    else:
        _print(result)
    if result.bad:
        raise typer.Exit(Exit.NEGATIVE)


def _archive(which: str | None, data: Path, wacz_mb: int) -> Path:
    """Return the package: the named file, else that of a crawl, which is created if it does not exist."""
    if which is not None and (which.endswith(".wacz") or Path(which).is_file()):
        return Path(which)
    with closing(open_existing(data)) as store:
        return wacz_of(store, crawl_with_results(store, which), wacz_mb=wacz_mb)


def _note_start(most: int, archived: int) -> None:
    of_all = "" if most == archived else f" of {archived:,}"
    err.print(f"replaying {counted(most, 'page') if not of_all else f'{most:,}{of_all} pages'} ...")


def _print(result: Verification) -> None:
    from rich.table import Table  # noqa: PLC0415 - rich is slow to load

    table = Table("pixels", "text", "missing", "page", box=None, header_style="bold")
    for page in result.pages:
        table.add_row(_share(page.pixels), _share(page.text), f"{len(page.missing):,}", _shown(page, result.goal))
    out.print(table)
    pixels, text = (mean([getattr(page, name) for page in result.pages]) for name in ("pixels", "text"))
    out.print(f"mean: {_share(pixels)} of pixels, {_share(text)} of text")
    if any(page.pixels is None for page in result.pages):
        out.print("pages without pixels have no screenshot: crawl with --screenshots all")
    colour = "red" if result.bad else "green"
    out.print(f"[{colour}]{counted(len(result.bad), 'page')} below {result.goal:g}[/]")


def _share(share: float | None) -> str:
    """Return a share with four digits, rounded down: 1.0000 is equal in everything."""
    return "-" if share is None else f"{int(share * 10_000) / 10_000:.4f}"


def _shown(page: PageMatch, goal: float) -> str:
    text = one_line(page.url if not page.problem else f"{page.url}: {page.problem}")
    return text if page.is_good(goal) else f"[red]{text}[/]"
