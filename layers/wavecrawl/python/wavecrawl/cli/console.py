"""How the command line talks: results on standard output, everything else on standard error; exit codes."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from functools import cached_property
from typing import TYPE_CHECKING

import typer

from wavecrawl.errors import (
    ConflictError,
    InvalidInputError,
    InvalidSettingsError,
    NotFoundError,
    WavecrawlError,
)

if TYPE_CHECKING:
    from rich.console import Console

_UNBOUNDED = 10_000  # columns, where no terminal says how many there are: files and pipes get whole lines


class Talk:
    """One of the two streams. Its console is made when somebody prints: a quiet crawl never pays for loading rich."""

    def __init__(self, *, stderr: bool) -> None:
        self._stderr = stderr

    @cached_property
    def console(self) -> "Console":
        """The console of rich behind it."""
        from rich.console import Console  # noqa: PLC0415 - slow to load, and often not needed

        if self._stderr:
            return Console(stderr=True, soft_wrap=True, highlight=False)
        return Console(soft_wrap=True, highlight=False, width=None if sys.stdout.isatty() else _UNBOUNDED)

    def print(self, what: object) -> None:
        """Print text with rich's markup, or anything else that rich can draw."""
        self.console.print(what)


out = Talk(stderr=False)
err = Talk(stderr=True)


class Exit(IntEnum):
    """What the exit code of every command means."""

    OK = 0
    DIFFERENT = 1  # compare: the two differ
    BAD_INPUT = 2  # arguments, settings, URL
    EMPTY = 3  # the crawl ended without a single page
    NOT_FOUND = 4
    CONFLICT = 5
    FAILED = 6  # the crawl failed
    INTERRUPTED = 130  # Ctrl-C, or something that may pass; `wavecrawl resume` goes on


@contextmanager
def errors_explained() -> Iterator[None]:
    """Turn our errors into a message and an exit code."""
    try:
        yield
    except InvalidSettingsError as error:
        for problem in error.problems:
            err.print(f"[red]error:[/] {plain(problem)}")
        raise typer.Exit(Exit.BAD_INPUT) from error
    except WavecrawlError as error:
        err.print(f"[red]error:[/] {plain(str(error))}")
        raise typer.Exit(_code(error)) from error


def _code(error: WavecrawlError) -> Exit:
    if isinstance(error, InvalidInputError):
        return Exit.BAD_INPUT
    if isinstance(error, NotFoundError):
        return Exit.NOT_FOUND
    return Exit.CONFLICT if isinstance(error, ConflictError) else Exit.FAILED


def plain(text: str) -> str:
    """Return text in which rich sees no markup."""
    return text.replace("[", r"\[")


def write_line(text: str) -> None:
    """Write one line of a result, whatever it holds, unformatted."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
