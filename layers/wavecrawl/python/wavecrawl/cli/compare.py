"""`wavecrawl compare A B`: compare URLs, states, depths and parents of two crawls."""

from pathlib import Path
from typing import Annotated

import typer

from wavecrawl.adapters.results import PageLine, read_edges, read_pages
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.cli.console import Exit, errors_explained, out, write_line
from wavecrawl.cli.data_folder import DATA, DataOption
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.errors import NotFoundError

SHOWN = 20  # differences of each kind


def compare(
    first: Annotated[Path, typer.Argument(help="A crawl: its ID, its folder, or the folder of its results.")],
    second: Annotated[Path, typer.Argument(help="The other crawl, in the same forms.")],
    *,
    data: DataOption = DATA,
    edges: Annotated[bool, typer.Option("--edges", help="Also compare the links between pages.")] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print no differences. The exit code reports the result.")
    ] = False,
) -> None:
    """Test whether two crawls of an unchanged site agree (exit code 1 if not). For changes, use diff.

    URLs, states, depths and parents are compared. States fetched and unchanged are equal: a recrawl of an unchanged
    site agrees.
    """
    with errors_explained():
        one, other = _results_of(first, data), _results_of(second, data)
        differences = _page_differences(read_pages(one), read_pages(other))
        if edges:
            differences |= _edge_differences(read_edges(one), read_edges(other))
    for title, lines in differences.items():
        if lines and not quiet:
            out.print(f"[bold]{title}[/]: {len(lines):,}")
            for line in lines[:SHOWN]:
                write_line(f"  {line}")
            if len(lines) > SHOWN:
                write_line(f"  ... and {len(lines) - SHOWN:,} more")
    if any(differences.values()):
        raise typer.Exit(Exit.NEGATIVE)
    if not quiet:
        out.print("the two crawls agree")


def _results_of(crawl: Path, data: Path) -> Path:
    if crawl.exists() or not data.is_dir():
        return exports_folder(crawl)
    store = LocalStore(data)
    try:
        return exports_folder(store.results_folder(store.find(str(crawl)).id))
    finally:
        store.close()


def exports_folder(path: Path) -> Path:
    """Return the folder that holds the exports; raise NotFoundError if there are none."""
    for folder in (path, path / "exports"):
        if (folder / "pages.jsonl.gz").is_file():
            return folder
    raise NotFoundError(f"{path} has no results: neither it nor its folder 'exports' contains pages.jsonl.gz")


def _page_differences(one: dict[str, PageLine], other: dict[str, PageLine]) -> dict[str, list[str]]:
    shared = sorted(one.keys() & other.keys())
    return {
        "only in the first": sorted(one.keys() - other.keys()),
        "only in the second": sorted(other.keys() - one.keys()),
        "different state": [
            f"{u}: {one[u].state} / {other[u].state}"
            for u in shared
            if _content_state(one[u]) != _content_state(other[u])
        ],
        "different depth": [
            f"{u}: {one[u].depth} / {other[u].depth}" for u in shared if one[u].depth != other[u].depth
        ],
        "different parent": [
            f"{u}: {one[u].parent or '-'} / {other[u].parent or '-'}"
            for u in shared
            if one[u].parent != other[u].parent
        ],
    }


def _content_state(page: PageLine) -> str:
    """Return the state of a page; a page that has not changed is as good as fetched."""
    return UrlState.FETCHED if page.state == UrlState.UNCHANGED else page.state


def _edge_differences(one: set[tuple[str, str]], other: set[tuple[str, str]]) -> dict[str, list[str]]:
    return {
        "links only in the first": [f"{source} -> {target}" for source, target in sorted(one - other)],
        "links only in the second": [f"{source} -> {target}" for source, target in sorted(other - one)],
    }
