"""The data folder of the command line."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.cli.console import plain
from wavecrawl.errors import InvalidInputError
from wavecrawl.ports.crawls import CrawlRow

DATA = Path("wavecrawl-data")
VARIABLE = "WAVECRAWL_DATA"
DataOption = Annotated[Path, typer.Option("--data", help="Folder for the data and results of crawls.", envvar=VARIABLE)]


def open_folder(data: Path) -> LocalStore:
    """Return the store in a folder, which is created if it does not exist; raise InvalidInputError if it cannot be."""
    _check_no_file(data)
    try:
        return LocalStore(data)
    except OSError as error:
        raise InvalidInputError(f"--data {data} cannot be used: {error.strerror or error}") from error


def open_existing(data: Path) -> LocalStore:
    """Return the store in a folder; raise InvalidInputError if it does not exist."""
    return open_folder(existing(data))


def shown_folder(data: Path) -> str:
    """Return what messages call a data folder."""
    return plain(f"data folder {data.absolute()}")


def options_of(row: CrawlRow, store: LocalStore) -> str:
    """Return what a command needs to find a crawl: its ID and the option of the data folder."""
    return f"{row.id.crawl} --data {shlex.quote(str(store.root))}"


def existing(data: Path) -> Path:
    """Return the folder; raise InvalidInputError if it does not exist, or is a file."""
    if not data.exists():
        raise InvalidInputError(
            f"data folder {data.absolute()} does not exist; set --data to the folder with the crawls, or to that of "
            "`wavecrawl serve`"
        )
    _check_no_file(data)
    return data


def _check_no_file(data: Path) -> None:
    if data.exists() and not data.is_dir():
        raise InvalidInputError(f"--data {data} is a file; name a folder")
