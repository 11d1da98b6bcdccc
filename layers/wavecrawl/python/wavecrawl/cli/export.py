"""`wavecrawl export`: results of a crawl as files in a folder of the user's."""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from enum import StrEnum
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, TypeAlias

import typer

from wavecrawl.adapters.markdown_files import MarkdownFiles, write_lines, write_markdown
from wavecrawl.application.file_problems import file_problem
from wavecrawl.application.wacz_package import MOST_MB
from wavecrawl.bootstrap.local import finish_local_crawl, make_local_files
from wavecrawl.bootstrap.markdown import markdown_view
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.cli.console import err, errors_explained, one_line, write_line
from wavecrawl.cli.crawl import WaczOption
from wavecrawl.cli.crawl_choice import UnfailedOption, crawl_with_results
from wavecrawl.cli.data_folder import DATA, DataOption, open_existing, options_of
from wavecrawl.cli.placed_files import Placed, place
from wavecrawl.cli.private_files import users_files
from wavecrawl.domain.counts import counted
from wavecrawl.domain.crawl.result_files import FILES, ResultFile
from wavecrawl.domain.crawl.states import CrawlStatus
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
    "logo. markdown: the main text of each page as a file, and all in one file, without pages "
    "that repeat the text of another page; jsonl has the plain texts of all pages. chunks: the indexed "
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


_Make: TypeAlias = Callable[[Path, Path], list[Path]]
"""Writes files into a folder, given that of the results; returns these files and folders."""

_MADE = (Format.MARKDOWN, Format.XLSX, Format.INLINKS)
"""Formats whose files are made of the results by the export itself."""


def export(
    format_: Annotated[Format, typer.Argument(metavar="FORMAT", help=_FORMATS)] = Format.ALL,
    *,
    to: Annotated[
        Path | None,
        typer.Option(
            "--to", help="Folder to copy the files to. Without it, the files are not copied; their paths are printed."
        ),
    ] = None,
    crawl: UnfailedOption = None,
    data: DataOption = DATA,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="First create all results again, from the stored records of the pages.")
    ] = False,
    overwrite: Annotated[
        bool,
        typer.Option(
            "--overwrite",
            help="Replace files that exist with another content, such as those of an earlier crawl, or a workbook that "
            "was edited. Without it, the export stops and changes nothing.",
        ),
    ] = False,
    markdown: Annotated[
        bool,
        typer.Option("--markdown", help="With format jsonl: add the main text of each page as Markdown."),
    ] = False,
    wacz_mb: WaczOption = MOST_MB,
) -> None:
    """Copy the results of a crawl to a folder, or print the paths of their files."""
    with errors_explained():
        if markdown and format_ is not Format.JSONL:
            raise InvalidInputError(f"--markdown is an option of format jsonl, not of {format_.value}")
        if markdown and to is None:
            raise InvalidInputError("--markdown needs --to FOLDER: pages.jsonl.gz of the results stays as it is")
        store = open_existing(data)
        try:
            row = _chosen(store, crawl)
            files = _files_of(store, row, format_, rebuild=rebuild, wacz_mb=wacz_mb)
            has_markdown = markdown or format_ is Format.MARKDOWN
            make = _markdown_of(store, row, format_) if has_markdown else partial(_made, format_)
            for path in _exported(format_, files, to, make, overwrite=overwrite):
                write_line(str(path))
        finally:
            store.close()


def _chosen(store: LocalStore, name: str | None) -> CrawlRow:
    """Return the named crawl; without a name the newest one, or if that one failed, the newest with results."""
    newest = store.find(name)
    if name is not None or newest.status is not CrawlStatus.FAILED:
        return newest
    row = crawl_with_results(store, None)
    if row.id != newest.id:
        err.print(
            f"[yellow]note:[/] the newest crawl, {newest.id.crawl} of {one_line(newest.start_url)}, failed: these are "
            f"the results of crawl {row.id.crawl} of {one_line(row.start_url)}"
        )
    return row


def wacz_of(store: LocalStore, row: CrawlRow, *, wacz_mb: int) -> Path:
    """Return the WACZ package of a crawl. Create it if it does not exist; raise NotFoundError if it cannot be."""
    return _files_of(store, row, Format.WACZ, rebuild=False, wacz_mb=wacz_mb)[0]


def _files_of(store: LocalStore, row: CrawlRow, format_: Format, *, rebuild: bool, wacz_mb: int) -> list[Path]:
    if not row.status.has_ended:
        which = options_of(row, store)
        raise ConflictError(
            f"crawl {row.id.crawl} is not finished; continue it with `wavecrawl resume {which}`, "
            f"or end it with the results so far: `wavecrawl cancel {which}`"
        )
    folder = store.results_folder(row.id)
    _create(store, row, format_, rebuild=rebuild, wacz_mb=wacz_mb)
    if format_ is Format.WARC:
        files = sorted((store.folder(row.id) / "warc").glob("*.warc.gz"))
    else:
        files = sorted(path for pattern in _FILES[format_] for path in folder.glob(pattern))
    if not files:
        remedy = (
            f"run `wavecrawl index --crawl {options_of(row, store)}`" if format_ is Format.CHUNKS else "try --rebuild"
        )
        raise NotFoundError(f"crawl {row.id.crawl} has no {format_.value} results in {folder}; {remedy}")
    return files


def _create(store: LocalStore, row: CrawlRow, format_: Format, *, rebuild: bool, wacz_mb: int) -> None:
    """Create the results again if `rebuild`, and the files of a format that do not exist yet."""
    if rebuild:
        err.print("rebuilding the results from the records ...")
        finish_local_crawl(store, row, rebuild=True, wacz_mb=wacz_mb)
    files = _made_for(format_)
    if format_ is Format.ALL:  # without those that could not be created
        files = {one for one in files if not any(file_problem(row, name, store.objects) for name in FILES[one])}
    for notice in make_local_files(store, row, files, wacz_mb=wacz_mb):
        err.print(f"[yellow]note:[/] {one_line(f'{notice.subject}: {notice.message}')}")


def _made_for(format_: Format) -> set[ResultFile]:
    """Return the result files of a format that are created when they are first needed."""
    return {
        file
        for file, names in FILES.items()
        if any(fnmatch(name, pattern) for name in names for pattern in _FILES.get(format_, ()))
    }


def _exported(format_: Format, files: list[Path], to: Path | None, make: _Make, *, overwrite: bool) -> list[Path]:
    """Write the files of a format into `to`, or beside the results; return the paths to print.

    `make` adds files to the results, or replaces some of them.
    """
    copies = [] if to is None or format_ in _MADE else files
    if not copies and format_ not in (*_MADE, Format.ISSUES):
        return files
    exports = files[0].parent
    folder = to or exports.parent
    try:
        with users_files() if to else nullcontext():
            folder.mkdir(parents=True, exist_ok=True)
            with TemporaryDirectory(prefix=".export-", dir=folder) as scratch:
                made = make(exports, Path(scratch))
                copies = [path for path in copies if Path(scratch, path.name) not in made]
                placed = [*_copied(copies, folder), *_moved(made, Path(scratch), folder)]
                place(placed, stale=_stale(format_, folder, placed), overwrite=overwrite)
    except OSError as error:
        raise InvalidInputError(
            f"{'--to ' if to else ''}{folder} cannot be written: {error.strerror or error}"
        ) from error
    kept = [] if copies or format_ in _MADE else files
    return [*kept, *(folder / path.name for path in copies), *(folder / path.relative_to(scratch) for path in made)]


def _made(format_: Format, exports: Path, folder: Path) -> list[Path]:
    """Write what a format adds to the results into a folder; return its files and folders."""
    from wavecrawl.adapters.spreadsheets.inlinks import write_inlinks  # noqa: PLC0415 - few exports need it
    from wavecrawl.adapters.spreadsheets.issue_tables import write_issue_tables  # noqa: PLC0415 - the same
    from wavecrawl.adapters.spreadsheets.workbook import write_workbook  # noqa: PLC0415 - the same

    match format_:
        case Format.XLSX:
            return [write_workbook(exports, folder)]
        case Format.INLINKS:
            return [write_inlinks(exports, folder)]
        case Format.ISSUES:
            return write_issue_tables(exports, folder)
        case _:
            return []


def _markdown_of(store: LocalStore, row: CrawlRow, format_: Format) -> _Make:
    """Return the function that writes the Markdown of a crawl, and prints which pages have none."""

    def make(exports: Path, folder: Path) -> list[Path]:
        with markdown_view(store, row) as view:
            write = write_markdown if format_ is Format.MARKDOWN else write_lines
            written = write(exports, folder, row.id, view)
        _explain(written)
        return list(written.paths)

    return make


def _explain(written: MarkdownFiles) -> None:
    """Print how many pages have no Markdown, because they repeat another one, or cannot be read any more."""
    if written.duplicates:
        left_out = counted(
            written.duplicates, "page is left out, as its text is", "pages are left out, as their text is"
        )
        err.print(
            f"[yellow]note:[/] {left_out} the same or nearly the same as that of another page; duplicates.csv names "
            "both, and pages.jsonl.gz has all texts (wavecrawl export jsonl). A crawl with --set duplicates.same=0.99 "
            "keeps pages with nearly the same text"
        )
    missing = written.missing
    if missing.pages:
        have_none = counted(missing.pages, "page has no Markdown", "pages have no Markdown")
        err.print(
            f"[yellow]note:[/] {have_none}; pages.jsonl.gz has their plain text. "
            f"{one_line(missing.url)}: {one_line(missing.problem)}"
        )


def _copied(files: list[Path], folder: Path) -> Iterator[Placed]:
    for path in files:
        yield Placed(source=path, target=folder / path.name)


def _moved(made: list[Path], scratch: Path, folder: Path) -> Iterator[Placed]:
    for path in made:
        for file in path.iterdir() if path.is_dir() else (path,):
            yield Placed(source=file, target=folder / file.relative_to(scratch), is_moved=True)


def _stale(format_: Format, folder: Path, placed: list[Placed]) -> list[Path]:
    """Return the tables of issues of an earlier export whose kinds have no issues now."""
    if format_ is not Format.ISSUES:
        return []
    from wavecrawl.adapters.spreadsheets.issue_tables import table_files  # noqa: PLC0415 - few exports need it

    return sorted(set(table_files(folder)) - {one.target for one in placed})
