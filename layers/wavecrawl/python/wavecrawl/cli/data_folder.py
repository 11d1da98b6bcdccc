"""The data folder of the command line."""

from pathlib import Path
from typing import Annotated

import typer

from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.errors import InvalidInputError

DATA = Path("wavecrawl-data")
VARIABLE = "WAVECRAWL_DATA"
DataOption = Annotated[Path, typer.Option("--data", help="Folder for the data and results of crawls.", envvar=VARIABLE)]


def open_folder(data: Path) -> LocalStore:
    """Return the store in a folder, which is created if it does not exist; raise InvalidInputError if it cannot be."""
    if data.exists() and not data.is_dir():
        raise InvalidInputError(f"--data {data} is a file; name a folder")
    try:
        return LocalStore(data)
    except OSError as error:
        raise InvalidInputError(f"--data {data} cannot be used: {error.strerror or error}") from error


def open_existing(data: Path) -> LocalStore:
    """Return the store in a folder; raise InvalidInputError if the folder does not exist."""
    if not data.is_dir():
        raise InvalidInputError(f"folder {data} does not exist; set --data to the folder of the crawl")
    return open_folder(data)
