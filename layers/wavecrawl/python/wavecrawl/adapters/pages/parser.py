"""The parser of a worker process. Contract: `ports/page_parser.py`.

Most pages are read in the process itself, as their size bounds what they cost. A child process reads the others: large
pages, and all pages of crawls with extraction rules whose cost cannot be bounded. It starts with the first such page,
and ends with a page that exceeds its budget. Pipes are all it needs: Lambda has no shared memory for semaphores.
"""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from threading import Lock, local
from typing import IO, cast
from weakref import finalize

from wavecrawl.adapters.pages.child import OUT_OF_MEMORY
from wavecrawl.adapters.pages.messages import Reply, encoded_job, receive_reply
from wavecrawl.domain.pages.extraction.reading import Reading, read_page
from wavecrawl.domain.pages.page import Extraction
from wavecrawl.errors import PermanentError, ReadingStoppedError, TooExpensiveError
from wavecrawl.ports.page_parser import never

_MODULE = "wavecrawl.adapters.pages.child"
_INHERITED = ("LD_LIBRARY_PATH", "SYSTEMROOT")  # without which Python may not start
_LOOK_EVERY = 1.0  # seconds between two looks whether the work is still wanted
_PIECE = 2**20  # bytes that are read at once
_MOST_PAGES = 1_000  # per child process, which bounds what libraries leak
_MIB = 2**20

MEMORY = 640 * _MIB
"""Bytes of address space that a child process may take. Python and its libraries take 40 MB of it."""

LEAST_MEMORY = 128 * _MIB
"""The smallest limit: enough for a page of some MB."""


class BudgetedParser:
    """`ports.page_parser.PageParser` over at most one child process, which reads one page at a time."""

    def __init__(self, *, always_apart: bool = False) -> None:
        """`always_apart`: read every page in the child process."""
        self._always_apart = always_apart
        self._lock = Lock()
        self._child: _Child | None = None
        self._memory = MEMORY
        self._of_thread = local()

    def read(self, html: bytes | str, how: Reading, *, is_stopped: Callable[[], bool] = never) -> Extraction:
        """Return the content of a page."""
        if not self._always_apart and how.is_bounded(html):
            return read_page(html, how)

        def look() -> None:
            if is_stopped():
                raise ReadingStoppedError(f"reading {how.url} ended early, as its crawl or its worker ends")

        with self._lock:
            reply = self._asked(html, how, look)
        self._count(reply.cpu_seconds)
        if reply.content is None:
            raise PermanentError(f"reading {how.url} failed: {reply.failure}")
        return reply.content

    def cpu_seconds(self) -> float:
        """Return the processor time of the child processes for pages that the calling thread read."""
        return getattr(self._of_thread, "seconds", 0.0)

    def limit_memory(self, size: int) -> None:
        """Let further child processes take at most `size` bytes, within `LEAST_MEMORY` and `MEMORY`."""
        self._memory = max(LEAST_MEMORY, min(size, MEMORY))

    def close(self) -> None:
        """End the child process."""
        with self._lock:
            self._end_child()

    def _asked(self, html: bytes | str, how: Reading, look: Callable[[], None]) -> Reply:
        """Ask the child process; ask a new one if it was lost, as pages before this one may be the cause."""
        while True:
            if self._child is None or self._child.pages >= _MOST_PAGES:
                self._end_child()
                self._child = _Child(self._memory)
            child = self._child
            try:
                reply = child.ask(html, how, look)
            except BaseException:
                self._end_child()
                raise
            if reply is not None:
                return reply
            status = self._end_child()
            if status == -signal.SIGPROF:
                self._count(how.cpu_seconds)
                raise TooExpensiveError(f"reading it takes more than {how.cpu_seconds:g} s of processor time")
            if child.pages == 1:
                if status == OUT_OF_MEMORY:
                    raise TooExpensiveError(f"reading it takes more than {child.memory // _MIB} MiB of memory")
                raise TooExpensiveError(f"the process that read it ended with exit status {status}")

    def _count(self, seconds: float) -> None:
        self._of_thread.seconds = self.cpu_seconds() + seconds

    def _end_child(self) -> int | None:
        child, self._child = self._child, None
        return None if child is None else child.close()


class _Child:
    """A running child process. Not for several threads at a time."""

    def __init__(self, memory: int) -> None:
        self.memory = memory
        environment = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-P", "-m", _MODULE, str(memory)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            env=environment | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        self._end = finalize(self, _end, self._process)  # also if it is dropped, or Python ends
        self._jobs = cast("IO[bytes]", self._process.stdin).fileno()
        self._replies = cast("IO[bytes]", self._process.stdout).fileno()
        os.set_blocking(self._jobs, False)  # a pipe takes a part of a job, and the process may not read the rest
        self.pages = 0  # that it was asked about

    def ask(self, html: bytes | str, how: Reading, look: Callable[[], None]) -> Reply | None:
        """Return the reply to a job; None if the process ended before it. `look` is called while it takes long."""
        self.pages += 1
        try:
            for data in encoded_job(html, how):
                self._write(memoryview(data), look)
        except BrokenPipeError:
            return None
        return receive_reply(partial(self._read, look))

    def _write(self, data: memoryview, look: Callable[[], None]) -> None:
        while data:
            _await(self._jobs, select.POLLOUT, look)
            data = data[os.write(self._jobs, data) :]

    def _read(self, look: Callable[[], None], size: int) -> bytes:
        """Return the next bytes of replies, fewer than `size` if the process has ended."""
        found = bytearray()
        while len(found) < size:
            _await(self._replies, select.POLLIN, look)
            piece = os.read(self._replies, min(size - len(found), _PIECE))
            if not piece:
                break
            found += piece
        return bytes(found)

    def close(self) -> int:
        """End the process; return its exit status, negative for the signal that ended it."""
        return self._end() or 0


def _await(pipe: int, event: int, look: Callable[[], None]) -> None:
    """Wait until a pipe is ready, or has no other end."""
    waiting = select.poll()
    waiting.register(pipe, event)
    while not waiting.poll(_LOOK_EVERY * 1_000):
        look()


def _end(process: "subprocess.Popen[bytes]") -> int:
    process.kill()
    process.communicate()
    return process.returncode
