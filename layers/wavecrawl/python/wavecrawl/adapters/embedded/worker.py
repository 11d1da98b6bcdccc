"""A worker process: receives batches over a pipe, processes a few at a time, and reports results.

The process ends when the pipe does, so that no worker outlives its pool.
"""

import gc
import os
import signal
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from multiprocessing.connection import Connection
from threading import Lock
from time import monotonic
from traceback import format_exception
from types import MappingProxyType

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from wavecrawl.adapters.memory_arena import share_one_arena
from wavecrawl.domain.crawl.job import BatchJob, BatchKind
from wavecrawl.domain.crawl.measures import Measures, sum_of
from wavecrawl.domain.crawl.record import PageRecord
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.ports.signals import ANOTHER_WAVE, Following

AT_ONCE: Mapping[BatchKind, int] = MappingProxyType(
    {BatchKind.FETCH: 2, BatchKind.RENDER: 1, BatchKind.MEDIA: 2, BatchKind.CHECK: 4, BatchKind.RESOURCE: 2}
)
"""Batches of a worker at the same time. The second batch runs while the first waits for its last responses.
Batches of checks are short and on many hosts, and nothing is parsed."""

_REPORT_EVERY = 0.1  # seconds
_COLLECT_EVERY = (200_000, 20, 20)  # pages have no reference cycles, so garbage collection rarely finds any


class Tally(Struct, frozen=True, kw_only=True, gc=False):
    """The counts since the last message."""

    tries: int = 0
    fetched: int = 0
    errors: Mapping[UrlState, int] = field(default_factory=dict)  # responses with an error and failures, by state
    bytes: int = 0
    media: int = 0  # assets that were fetched or are unchanged
    checks: int = 0  # URLs that were checked
    measures: Mapping[str, Measures] = field(default_factory=dict)  # by host


class Message(Struct, frozen=True, kw_only=True, gc=False):
    """A message from a worker to its pool."""

    finished: BatchJob | None = None
    failure: str = ""  # with `finished`: the traceback of the error
    token: str = ""  # completed, with `following` as its output
    following: Following = ANOTHER_WAVE
    tally: Tally | None = None
    ready: bool = False  # the worker has started and reads its jobs


def _with_error(errors: Mapping[UrlState, int], state: UrlState) -> Mapping[UrlState, int]:
    return {**errors, state: errors.get(state, 0) + 1} if state.is_error else errors


class Reporter:
    """The worker's end of the pipe: signals, progress, finished batches. Safe to share between threads."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._lock = Lock()
        self._tally = Tally()
        self._measures: dict[str, list[Measures]] = {}  # since the last message, by host; added up for the next one
        self._at_end: list[Callable[[], None]] = []
        self._reported_at = monotonic()

    def ready(self) -> None:
        """Report that the worker has started."""
        self._send(Message(ready=True))

    def succeed(self, token: str, following: Following = ANOTHER_WAVE) -> None:
        """Complete the wait for `token` in the pool: `ports.signals.Signals`."""
        self._send(Message(token=token, following=following))

    def watch(self, record: PageRecord) -> None:
        """Count a record; report the counts to the pool from time to time."""
        with self._lock:
            tally = self._tally
            self._tally = replace(
                tally,
                tries=tally.tries + 1,
                fetched=tally.fetched + record.state.has_content,
                errors=_with_error(tally.errors, record.state),
                bytes=tally.bytes + (0 if record.revalidated else record.bytes),
            )
        self._report_if_due()

    def watch_rendered(self, record: PageRecord) -> None:
        """Count a fetched page that was rendered: it was requested, and its bytes were counted, before."""
        with self._lock:
            self._tally = replace(self._tally, fetched=self._tally.fetched + record.state.has_content)

    def watch_media(self, record: PageRecord) -> None:
        """Count the record of a media URL; report the counts to the pool from time to time."""
        with self._lock:
            self._tally = replace(
                self._tally,
                tries=self._tally.tries + 1,
                media=self._tally.media + record.state.has_content,
                bytes=self._tally.bytes + record.bytes,
            )
        self._report_if_due()

    def watch_check(self, record: PageRecord) -> None:
        """Count the record of a checked URL; report the counts to the pool from time to time."""
        with self._lock:
            tally = self._tally
            checks = tally.checks + record.state.terminal
            self._tally = replace(tally, tries=tally.tries + 1, checks=checks, bytes=tally.bytes + record.bytes)
        self._report_if_due()

    def measure(self, host: str, measures: Measures) -> None:
        """Add measures; they are reported with the next counts."""
        with self._lock:
            self._measures.setdefault(host, []).append(measures)

    def at_end(self, action: Callable[[], None]) -> None:
        """Let `action` be called when the worker ends, unless it is killed."""
        self._at_end.append(action)

    def end(self) -> None:
        """Call the actions of `at_end`."""
        for action in self._at_end:
            action()

    def finished(self, job: BatchJob, failure: str) -> None:
        """Report that a batch has ended; `failure` is the traceback of its error, or ""."""
        self._report()
        self._send(Message(finished=job, failure=failure))

    def _report_if_due(self) -> None:
        if monotonic() - self._reported_at > _REPORT_EVERY:
            self._report()

    def _report(self) -> None:
        with self._lock:
            tally, self._tally = self._tally, Tally()
            measured, self._measures = self._measures, {}
            self._reported_at = monotonic()
        measures = {host: sum_of(parts) for host, parts in measured.items()}
        self._send(Message(tally=replace(tally, measures=measures)))

    def _send(self, message: Message) -> None:
        data = msgspec.msgpack.encode(message)
        with self._lock:
            self._pipe.send_bytes(data)


Work = Callable[[BatchJob], object]


def worker_main(pipe: Connection, build: Callable[..., Work], arguments: tuple[object, ...]) -> None:
    """Run a worker until its pipe closes. `build(reporter, *arguments)` returns the function that processes a batch."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the pool handles Ctrl-C
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    share_one_arena()
    gc.freeze()
    gc.set_threshold(*_COLLECT_EVERY)
    reporter = Reporter(pipe)
    work = build(reporter, *arguments)
    with suppress(BrokenPipeError):  # the crawl has ended already, which the first read notices
        reporter.ready()
    decode = msgspec.msgpack.Decoder(BatchJob).decode
    with ThreadPoolExecutor(sum(AT_ONCE.values()), thread_name_prefix="batch") as pool:
        while True:
            try:
                data = pipe.recv_bytes()
            except (EOFError, OSError):
                # Running batches have stored each finished page, so they need no cleanup.
                with suppress(Exception):  # the process ends
                    reporter.end()
                sys.stderr.flush()
                os._exit(0)
            pool.submit(_run, work, decode(data), reporter)


def _run(work: Work, job: BatchJob, reporter: Reporter) -> None:
    failure = ""
    try:
        work(job)
    except Exception as error:  # noqa: BLE001 - the pool retries any failed batch
        failure = "".join(format_exception(error))
    reporter.finished(job, failure)
