"""`wavecrawl list`, `wavecrawl show URL`, `wavecrawl export`."""

import json
import shutil
from contextlib import nullcontext
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from wavecrawl.adapters.markdown_files import write_markdown
from wavecrawl.api_models.types import rfc3339
from wavecrawl.application.explain_url import Explanation
from wavecrawl.application.wacz_package import MOST_MB
from wavecrawl.bootstrap.local import finish_local_crawl
from wavecrawl.bootstrap.local_settings import LOCAL_TENANT
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.cli.console import Exit, err, errors_explained, out, plain, write_line
from wavecrawl.cli.crawl import WaczOption
from wavecrawl.cli.crawl_choice import CrawlOption, KnowingOption, explained
from wavecrawl.cli.data_folder import DATA, DataOption, open_existing
from wavecrawl.cli.private_files import users_files
from wavecrawl.errors import ConflictError, InvalidInputError, NotFoundError
from wavecrawl.ports.crawls import CrawlRow


class Format(StrEnum):
    """The formats of `wavecrawl export`."""

    ALL = "all"
    PARQUET = "parquet"
    CSV = "csv"
    JSONL = "jsonl"
    EDGES = "edges"
    LEDGER = "ledger"
    GRAPH = "graph"
    SITEMAP = "sitemap"
    LLMS = "llms"
    BRAND = "brand"
    ISSUES = "issues"
    DUPLICATES = "duplicates"
    MEDIA = "media"
    CHECKS = "checks"
    HISTORY = "history"
    ORPHANS = "orphans"
    SUMMARY = "summary"
    REPORT = "report"
    WARC = "warc"
    WACZ = "wacz"
    MARKDOWN = "markdown"
    CHUNKS = "chunks"
    XLSX = "xlsx"
    INLINKS = "inlinks"


_FORMATS = (
    f"Which files to export. One of: {', '.join(Format)}. edges: links and redirects. "
    "ledger: every URL found, and why it is or is not in the crawl. "
    "duplicates: pages with the same or a similar text. history: how often pages changed, and when they are due. "
    "graph: the link graph as JSON. llms: llms.txt, a list of the pages for language models. brand: colours, fonts and "
    "logo. markdown: the main text of each page as a file, and all in one file. chunks: the indexed "
    "passages. issues: all issues, and a CSV file for each kind in the folder issues. xlsx: a workbook with an "
    "overview, the pages and a sheet for each kind of issue. inlinks: all links with the status of "
    "their targets. all: all files except warc, markdown, xlsx and inlinks."
)

_FILES = {
    Format.ALL: ("*",),
    Format.PARQUET: (
        "pages.parquet",
        "edges.parquet",
        "sitemap_entries.parquet",
        "media.parquet",
        "media_uses.parquet",
        "checks.parquet",
    ),
    Format.CSV: (
        "pages.csv",
        "ledger.csv",
        "suppressed.csv",
        "issues.csv",
        "duplicates.csv",
        "history.csv",
        "orphans.csv",
        "blockers.csv",
        "media.csv",
        "checks.csv",
    ),
    Format.JSONL: ("pages.jsonl.gz", "issues.jsonl.gz"),
    Format.EDGES: ("edges.parquet", "compact_edges.parquet", "urls.parquet"),
    Format.LEDGER: ("ledger.csv", "suppressed.csv"),
    Format.GRAPH: ("graph.json", "graph.bin.gz"),
    Format.SITEMAP: ("sitemap*.xml", "sitemap*.xml.gz"),
    Format.LLMS: ("llms.txt",),
    Format.BRAND: ("brand.json",),
    Format.ISSUES: ("issues.csv", "issues.jsonl.gz"),
    Format.DUPLICATES: ("duplicates.csv",),
    Format.MEDIA: ("media.csv", "media.parquet", "media_uses.parquet"),
    Format.CHECKS: ("checks.csv", "checks.parquet"),
    Format.HISTORY: ("history.csv",),
    Format.ORPHANS: ("orphans.csv", "blockers.csv"),
    Format.SUMMARY: ("summary.json",),
    Format.REPORT: ("report.html",),
    Format.WACZ: ("crawl.wacz",),
    Format.MARKDOWN: ("pages.jsonl.gz",),
    Format.CHUNKS: ("chunks.jsonl.gz",),
    Format.XLSX: ("summary.json",),
    Format.INLINKS: ("edges.parquet",),
}


def list_crawls(
    *,
    data: DataOption = DATA,
    as_json: Annotated[bool, typer.Option("--json", help="Print each crawl as one line of JSON.")] = False,
) -> None:
    """List the crawls of a data folder with their number of pages and duration, newest first."""
    with errors_explained():
        store = open_existing(data)
        try:
            rows = store.crawls.newest_first()
            statuses = ["interrupted" if store.is_interrupted(row) else row.status.value for row in rows]
            pages = [progress.fetched for progress in store.waves.progress_of_each([row.id for row in rows])]
            seconds = [round(row.seconds(store.clock.now()), 3) for row in rows]
        finally:
            store.close()
    if as_json:
        for row, status, fetched, duration in zip(rows, statuses, pages, seconds, strict=True):
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
                "error": row.error,
            }
            write_line(json.dumps(values))
        return
    from rich.table import Table  # noqa: PLC0415 - rich is slow to load

    others = {row.id.tenant for row in rows} - {LOCAL_TENANT}
    table = Table("crawl", "status", "pages", "started", "seconds", "URL", box=None, header_style="bold")
    if others:
        table.add_column("tenant")
    for row, status, fetched, duration in zip(rows, statuses, pages, seconds, strict=True):
        started = datetime.fromtimestamp(row.started_at, tz=UTC).strftime("%Y-%m-%d %H:%M:%S")
        owner = (row.id.tenant,) if others else ()
        table.add_row(row.id.crawl, status, f"{fetched:,}", started, f"{duration:,.0f}", row.start_url, *owner)
    out.print(table)


def show(
    url: Annotated[str, typer.Argument(help="URL to look up.")],
    *,
    crawl: KnowingOption = None,
    data: DataOption = DATA,
    as_json: Annotated[bool, typer.Option("--json", help="Print one line of JSON.")] = False,
) -> None:
    """Show why a URL is or is not in a crawl, by default in the newest crawl that found it.

    Prints its state and the reason, its depth, the page where it was first found, its lane and score
    with all parts, its response, whether it was rendered and why, the file of its screenshot in the data
    folder, the page that it duplicates, up to 20 media that it uses, and up to 10 links to it.

    The exit code is 4 if no such crawl found the URL.
    """
    with errors_explained():
        store = open_existing(data)
        try:
            row, found = explained(url, crawl, store)
        finally:
            store.close()
    if as_json:
        write_line(json.dumps({"crawl": row.id.crawl, **msgspec.to_builtins(found)}, ensure_ascii=False))
    else:
        _print_explanation(row, found)
    if found.ledger is None:
        raise typer.Exit(Exit.NOT_FOUND)


def export(
    format_: Annotated[Format, typer.Argument(metavar="FORMAT", help=_FORMATS)] = Format.ALL,
    *,
    to: Annotated[
        Path | None,
        typer.Option(
            "--to", help="Folder to copy the files to. Without it, the files are not copied; their paths are printed."
        ),
    ] = None,
    crawl: CrawlOption = None,
    data: DataOption = DATA,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="First create all results again, from the stored records of the pages.")
    ] = False,
    wacz_mb: WaczOption = MOST_MB,
) -> None:
    """Copy the results of a crawl to a folder, or print the paths of their files."""
    with errors_explained():
        store = open_existing(data)
        try:
            row = store.find(crawl)
            files = _files_of(store, row, format_, rebuild=rebuild, wacz_mb=wacz_mb)
        finally:
            store.close()
        if format_ is Format.MARKDOWN:
            files = _as_markdown(files[0].parent, to)
        elif format_ in (Format.XLSX, Format.INLINKS):
            files = _for_spreadsheets(format_, files[0].parent, to)
        else:
            made = _for_spreadsheets(format_, files[0].parent, to) if format_ is Format.ISSUES else []
            files = [*(_copied(files, to) if to else files), *made]
        for path in files:
            write_line(str(path))


def _files_of(store: LocalStore, row: CrawlRow, format_: Format, *, rebuild: bool, wacz_mb: int) -> list[Path]:
    if not row.status.has_ended:
        which = row.id.crawl
        raise ConflictError(
            f"crawl {which} is not finished; continue it with `wavecrawl resume {which}`, "
            f"or end it with the results so far: `wavecrawl cancel {which}`"
        )
    folder = store.results_folder(row.id)
    if rebuild:
        err.print("rebuilding the results from the records ...")
        finish_local_crawl(store, row, rebuild=True, wacz_mb=wacz_mb)
    if format_ is Format.WARC:
        files = sorted((store.folder(row.id) / "warc").glob("*.warc.gz"))
    else:
        files = sorted(path for pattern in _FILES[format_] for path in folder.glob(pattern))
    if not files:
        remedy = "run `wavecrawl index`" if format_ is Format.CHUNKS else "try --rebuild"
        raise NotFoundError(f"crawl {row.id.crawl} has no {format_.value} results in {folder}; {remedy}")
    return files


def _copied(files: list[Path], to: Path) -> list[Path]:
    try:
        with users_files():
            to.mkdir(parents=True, exist_ok=True)
            return [Path(shutil.copyfile(path, to / path.name)) for path in files]
    except OSError as error:
        raise InvalidInputError(f"--to {to} cannot be written: {error.strerror or error}") from error


def _as_markdown(exports: Path, to: Path | None) -> list[Path]:
    """Write the Markdown files into `to`, or beside the exports."""
    try:
        with users_files() if to else nullcontext():
            return write_markdown(exports, to or exports.parent)
    except OSError as error:
        raise InvalidInputError(f"{to or exports.parent} cannot be written: {error.strerror or error}") from error


def _for_spreadsheets(format_: Format, exports: Path, to: Path | None) -> list[Path]:
    """Write the workbook, the table of links or the tables of issues into `to`, or beside the exports."""
    from wavecrawl.adapters.spreadsheets.inlinks import write_inlinks  # noqa: PLC0415 - few exports need it
    from wavecrawl.adapters.spreadsheets.issue_tables import write_issue_tables  # noqa: PLC0415 - the same
    from wavecrawl.adapters.spreadsheets.workbook import write_workbook  # noqa: PLC0415 - the same

    folder = to or exports.parent
    try:
        with users_files() if to else nullcontext():
            if format_ is Format.ISSUES:
                return write_issue_tables(exports, folder)
            return [write_workbook(exports, folder) if format_ is Format.XLSX else write_inlinks(exports, folder)]
    except OSError as error:
        raise InvalidInputError(f"{folder} cannot be written: {error.strerror or error}") from error


def _print_explanation(row: CrawlRow, found: Explanation) -> None:
    from rich.table import Table  # noqa: PLC0415 - the same

    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    started = datetime.fromtimestamp(row.started_at, tz=UTC)
    table.add_row("[bold]crawl[/]", plain(f"{row.id.crawl} of {row.start_url}, {started:%Y-%m-%d %H:%M} UTC"))
    for name, value in found.lines():
        table.add_row(f"[bold]{name}[/]", plain(value))
    for position, source in enumerate(found.linked_from):
        label = "[bold]linked from[/]" if position == 0 else ""
        text = f"{source.url}  ({source.text})" if source.text else source.url
        table.add_row(label, plain(text))
    out.print(table)
