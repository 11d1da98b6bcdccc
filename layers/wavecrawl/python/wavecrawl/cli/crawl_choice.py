"""How commands take a crawl: by its ID, the beginning of its ID, or a default."""

import os
from contextlib import closing, suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from wavecrawl.bootstrap.store import DATABASE, LocalStore
from wavecrawl.cli.data_folder import DATA, VARIABLE
from wavecrawl.errors import InvalidInputError, WavecrawlError
from wavecrawl.ports.crawls import CrawlRow

_ID = "ID of the crawl, or its beginning."


def crawl_ids(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Return the crawls whose ids begin so, with their start URLs, for the completion of the shell."""
    folder = Path(ctx.params.get("data") or os.environ.get(VARIABLE) or DATA)
    if not (folder / DATABASE).is_file():
        return []
    with suppress(WavecrawlError), closing(LocalStore(folder)) as store:
        rows = store.crawls.newest_first()
        return [(row.id.crawl, row.start_url) for row in rows if row.id.crawl.startswith(incomplete)]
    return []


def _option(text: str) -> Any:
    return typer.Option("--crawl", help=text, autocompletion=crawl_ids)


def _argument(text: str) -> Any:
    return typer.Argument(metavar="[CRAWL]", help=text, autocompletion=crawl_ids)


CrawlOption = Annotated[str | None, _option(f"{_ID} Default: the newest.")]
UnfailedOption = Annotated[str | None, _option(f"{_ID} Default: the newest that has not failed.")]
KnowingOption = Annotated[str | None, _option(f"{_ID} Default: the newest crawl that found the URL.")]
NamedOption = Annotated[str | None, _option("The same as the argument.")]
CrawlArgument = Annotated[str | None, _argument(f"{_ID} Default: the newest.")]
InterruptedArgument = Annotated[
    str | None, _argument(f"{_ID} Default: the newest interrupted crawl, or else the newest.")
]
NamedArgument = Annotated[str, typer.Argument(metavar="CRAWL", help=_ID, autocompletion=crawl_ids)]


def named(argument: str | None, option: str | None) -> str | None:
    """Return the crawl that the argument or `--crawl` names; raise InvalidInputError if both do."""
    if argument and option and argument != option:
        raise InvalidInputError(f"two crawls are named: {argument} and --crawl {option}; name one")
    return argument or option


def crawl_to_resume(store: LocalStore, name: str | None) -> CrawlRow:
    """Return the named crawl; without a name the newest interrupted one, or else the newest."""
    if name is None:
        for row in store.crawls.newest_first():
            if store.is_interrupted(row):
                return row
    return store.find(name)


def crawl_with_results(store: LocalStore, name: str | None) -> CrawlRow:
    """Return the named crawl; without a name the newest one with results, or else the newest."""
    if name is None:
        for row in store.crawls.newest_first():
            if row.has_results:
                return row
    return store.find(name)
