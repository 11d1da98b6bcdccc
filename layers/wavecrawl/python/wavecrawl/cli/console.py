"""Output of the command line: results to standard output, messages to standard error; exit codes."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import IntEnum
from functools import cached_property
from os import environ
from typing import TYPE_CHECKING

import typer

from wavecrawl.adapters.unwritable import FULL, NO_ACCESS
from wavecrawl.domain.pages.control_characters import escaped_json, shown_line
from wavecrawl.errors import (
    ConflictError,
    InvalidInputError,
    InvalidSettingsError,
    NotFoundError,
    UnwritableError,
    WavecrawlError,
)

if TYPE_CHECKING:
    from rich.console import Console

_OF_TERMINALS = frozenset({"FORCE_COLOR", "TTY_COMPATIBLE"})
"""Environment variables for which rich takes a pipe for a terminal."""

_UNBOUNDED = 10_000  # columns; files and pipes get whole lines


class Stream:
    """Standard output or standard error. Its rich console is created at the first print, as rich is slow to load.

    No text that is printed contains control characters, which could command the terminal: only rich's own do.
    """

    def __init__(self, *, stderr: bool) -> None:
        self._stderr = stderr

    @cached_property
    def console(self) -> "Console":
        """The rich console that writes to the stream."""
        from wavecrawl.cli.safe_console import SafeConsole  # noqa: PLC0415 - rich is slow to load

        if self._stderr:
            return SafeConsole(stderr=True, soft_wrap=True, highlight=False)
        return SafeConsole(soft_wrap=True, highlight=False, width=None if sys.stdout.isatty() else _UNBOUNDED)

    @property
    def is_terminal(self) -> bool:
        """Whether rich takes the stream for a terminal. Rich is not loaded for files and pipes."""
        stream = sys.stderr if self._stderr else sys.stdout
        return (stream.isatty() or not _OF_TERMINALS.isdisjoint(environ)) and self.console.is_terminal

    def print(self, what: object) -> None:
        """Print text with rich markup, or any rich renderable."""
        self.console.print(what)


out = Stream(stderr=False)
err = Stream(stderr=True)


class Exit(IntEnum):
    """The exit codes of all commands."""

    OK = 0
    NEGATIVE = 1  # compare: the crawls differ; crawl: --enforce or --fail-on was not met; doctor: a check failed
    BAD_INPUT = 2  # invalid arguments, settings or URL
    EMPTY = 3  # the crawl ended without a page
    NOT_FOUND = 4
    CONFLICT = 5
    FAILED = 6  # the crawl failed
    UNWRITABLE = 7  # files cannot be written: the disk is full, a quota is used up, or the folder is read-only
    INTERRUPTED = 130  # Ctrl-C or a transient error; `wavecrawl resume` continues


@contextmanager
def errors_explained() -> Iterator[None]:
    """Turn a WavecrawlError, or a file that may not be accessed, into a message and an exit code."""
    try:
        yield
    except InvalidSettingsError as error:
        for problem in error.problems:
            err.print(f"[red]error:[/] {plain(problem)}")
        raise typer.Exit(Exit.BAD_INPUT) from error
    except WavecrawlError as error:
        err.print(f"[red]error:[/] {plain(str(error))}")
        raise typer.Exit(_code(error)) from error
    except OSError as error:
        if error.errno in FULL:
            where = f" {plain(str(error.filename))}" if error.filename else ""
            why = plain(error.strerror or "")
            err.print(f"[red]error:[/] cannot write{where}: {why}. Make room on the disk, then try again")
            raise typer.Exit(Exit.UNWRITABLE) from error
        if error.errno not in NO_ACCESS or error.filename is None:
            raise
        err.print(f"[red]error:[/] no access to {plain(str(error.filename))}: {plain(error.strerror or str(error))}")
        raise typer.Exit(Exit.BAD_INPUT) from error


def _code(error: WavecrawlError) -> Exit:
    if isinstance(error, InvalidInputError):
        return Exit.BAD_INPUT
    if isinstance(error, NotFoundError):
        return Exit.NOT_FOUND
    if isinstance(error, UnwritableError):
        return Exit.UNWRITABLE
    return Exit.CONFLICT if isinstance(error, ConflictError) else Exit.FAILED


def plain(text: str) -> str:
    """Return the text with rich's markup escaped. It may have several lines, such as an error of an SQL query."""
    return text.replace("[", r"\[")


def one_line(text: str) -> str:
    """Return the same in one line: for cells of tables, and for texts of sites within a message."""
    return plain(shown_line(text))


def write_line(text: str) -> None:
    """Write one line of a result, unformatted, without control characters."""
    sys.stdout.write(shown_line(text) + "\n")
    sys.stdout.flush()


def write_json(value: object) -> None:
    """Write a result as one line of JSON. Its texts are those of the site: control characters are escaped."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    sys.stdout.write(escaped_json(text) + "\n")
    sys.stdout.flush()
