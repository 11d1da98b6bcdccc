"""Reports of the crawls' processes to their launcher: whether a crawl is paused, and what was measured.

All processes write to one pipe, which is their standard output. A report is one line: the process ID, and `paused`,
`active` or `measures` with what `measure_reports` writes.
"""

import os
from collections.abc import Callable
from contextlib import suppress
from threading import Thread

SHORTEST_PAUSE = 5.0
"""Seconds. A crawl is paused while it starts at most one request in that time."""

_PAUSED, _ACTIVE = b"paused", b"active"
_END = b"end\n"
MEASURES = b"measures"
STDOUT = 1


class PauseReporter:
    """The end of a crawl's process."""

    def __init__(self) -> None:
        self._is_paused = False

    def report(self, is_paused: bool) -> None:  # noqa: FBT001 - a callback's only argument
        """Report whether the crawl is paused, if that has changed."""
        if is_paused == self._is_paused:
            return
        self._is_paused = is_paused
        state = _PAUSED if is_paused else _ACTIVE
        with suppress(OSError):  # the launcher's process has ended, and this one will
            os.write(STDOUT, b"\n%d %b\n" % (os.getpid(), state))  # the first line break ends what others printed


class PauseReports:
    """The launcher's end.

    `on_report(pid, is_paused)` and `on_measures(pid, text)` are called for each report, in a thread, until `stop`.
    """

    def __init__(
        self, on_report: Callable[[int, bool], None], on_measures: Callable[[int, bytes], None] = lambda _, __: None
    ) -> None:
        self._on_report = on_report
        self._on_measures = on_measures
        end, self.pipe = os.pipe()
        self._lines = os.fdopen(end, "rb")
        self._thread = Thread(target=self._listen, name="pause reports", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop listening. A process that outlives this cannot report any more."""
        os.write(self.pipe, b"\n" + _END)
        self._thread.join()
        self._lines.close()
        os.close(self.pipe)

    def _listen(self) -> None:
        for line in self._lines:
            if line == _END:
                return
            pid, _, report = line.strip().partition(b" ")
            state, _, text = report.partition(b" ")
            if not pid.isdigit():  # other lines were printed by libraries
                continue
            if state in (_PAUSED, _ACTIVE) and not text:
                self._on_report(int(pid), state == _PAUSED)
            elif state == MEASURES:
                self._on_measures(int(pid), text)
