"""A worker process: receives batches over a pipe, works on a few at a time, tells what happened.

The process ends when the pipe does, so that no worker outlives its pool.
"""

import ctypes
import gc
import os
import signal
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from threading import Lock
from time import monotonic
from traceback import format_exception

import msgspec

from wavecrawl.domain.crawl.job import BatchJob
from wavecrawl.domain.crawl.record import PageRecord
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.ports.signals import ANOTHER_WAVE, Following

BATCHES_AT_ONCE = 2  # the second fills the gaps in which the first waits for its last answers
_TELL_EVERY = 0.1  # seconds
_M_ARENA_MAX = -8  # malloc.h
_COLLECT_EVERY = (200_000, 20, 20)  # pages are trees without cycles: looking for garbage rarely finds any


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What happened since the last message."""

    tries: int = 0
    fetched: int = 0
    errors: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """From a worker to its pool."""

    finished: BatchJob | None = None
    failure: str = ""  # with `finished`: the traceback of what went wrong
    token: str = ""  # completed, with `following` as its output
    following: Following = ANOTHER_WAVE
    tally: Tally | None = None


class Reporter:
    """The worker's end of the pipe: signals, progress, finished batches. Safe to share between threads."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._lock = Lock()
        self._tally = Tally()
        self._told_at = monotonic()

    def succeed(self, token: str, following: Following = ANOTHER_WAVE) -> None:
        """Complete the wait for `token` in the pool: `ports.signals.Signals`."""
        self._send(Message(token=token, following=following))

    def watch(self, record: PageRecord) -> None:
        """Count a record, and tell the pool now and then."""
        with self._lock:
            tally = self._tally
            self._tally = Tally(
                tries=tally.tries + 1,
                fetched=tally.fetched + (record.state in (UrlState.FETCHED, UrlState.UNCHANGED)),
                errors=tally.errors + (record.state in (UrlState.FAILED, UrlState.HTTP_ERROR)),
                bytes=tally.bytes + record.bytes,
            )
            due = monotonic() - self._told_at > _TELL_EVERY
        if due:
            self._tell()

    def finished(self, job: BatchJob, failure: str) -> None:
        """Say that a batch is off our hands."""
        self._tell()
        self._send(Message(finished=job, failure=failure))

    def _tell(self) -> None:
        with self._lock:
            tally, self._tally = self._tally, Tally()
            self._told_at = monotonic()
        self._send(Message(tally=tally))

    def _send(self, message: Message) -> None:
        data = msgspec.msgpack.encode(message)
        with self._lock:
            self._pipe.send_bytes(data)


Work = Callable[[BatchJob], object]


def worker_main(pipe: Connection, build: Callable[..., Work], arguments: tuple[object, ...]) -> None:
    """Run a worker until its pipe closes. `build(reporter, *arguments)` makes what works on a batch."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the pool's business
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    _share_one_arena()
    gc.freeze()
    gc.set_threshold(*_COLLECT_EVERY)
    reporter = Reporter(pipe)
    work = build(reporter, *arguments)
    decode = msgspec.msgpack.Decoder(BatchJob).decode
    with ThreadPoolExecutor(BATCHES_AT_ONCE, thread_name_prefix="batch") as pool:
        while True:
            try:
                data = pipe.recv_bytes()
            except (EOFError, OSError):
                # Whatever is under way was written down page by page; nothing is left to tidy up.
                sys.stderr.flush()
                os._exit(0)
            pool.submit(_run, work, decode(data), reporter)


def _share_one_arena() -> None:
    """Let all threads allocate from one place: glibc gives each its own, and keeps what each has ever used at most."""
    with suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)


def _run(work: Work, job: BatchJob, reporter: Reporter) -> None:
    failure = ""
    try:
        work(job)
    except Exception as error:  # noqa: BLE001 - a batch that fails, however, must be told to the pool, which delivers it again
        failure = "".join(format_exception(error))
    reporter.finished(job, failure)
