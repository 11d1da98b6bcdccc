"""Folding on one machine: a process of low priority, so that the crawl does not get slower."""

import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Self

from wavecrawl.domain.crawl.job import CrawlId

END = ""
"""The line that ends the process. The end of its input is not enough: workers are forks, which keep the pipe open."""


class FoldProcess:
    """`ports.parts.Folds` within a `with` block: a process that is started with the first part.

    It reads the numbers of parts from its standard input. If it dies, the end of the crawl makes the missing parts.
    """

    def __init__(self, command: Callable[[], Sequence[str]]) -> None:
        self._command = command
        self._process: subprocess.Popen[str] | None = None

    def request(self, crawl: CrawlId, number: int) -> None:  # noqa: ARG002 - the process has one crawl
        """Send the number of a part to the process."""
        if self._process is None:
            self._process = subprocess.Popen(  # noqa: S603 - our own command, without a shell
                list(self._command()),
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                text=True,
                start_new_session=True,  # Ctrl+C in a terminal is for the crawl, which stops this process
            )
        self._write(str(number))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Wait until the process has folded what was requested; if the block failed, stop it."""
        process = self._process
        if process is None:
            return
        if error is not None:
            process.terminate()
        self._write(END)
        with suppress(BrokenPipeError):
            process.communicate()

    def _write(self, line: str) -> None:
        process = self._process
        if process is not None and process.stdin is not None:
            with suppress(BrokenPipeError):  # the process died
                process.stdin.write(f"{line}\n")
                process.stdin.flush()
