"""Reports of a crawl's process to its launcher: what was measured. They use the pipe of `pause_reports`.

A report is one line: the process ID, `measures`, and JSON. It is shorter than `PIPE_BUF`, so lines of processes that
write at the same time are not mixed (https://man7.org/linux/man-pages/man7/pipe.7.html).
"""

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from time import monotonic
from typing import Final

import msgspec

from wavecrawl.adapters.embedded.pause_reports import MEASURES, STDOUT
from wavecrawl.adapters.embedded.state_machine import Progress
from wavecrawl.adapters.embedded.worker import Tally
from wavecrawl.domain.crawl.measures import Measures, time_of
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.ports.analytics import CrawlSummary

REPORT_EVERY: Final = 1.0
"""Seconds between two reports."""


class MeasureReport(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured at one host since the last report. `host` is "" for the crawl itself."""

    host: str = ""
    measures: Measures = msgspec.field(default_factory=Measures)
    duplicates: Mapping[str, int] | None = None  # of an ended crawl, by kind
    objectives: Mapping[str, float] | None = None  # of an ended crawl, by name
    denied: int | None = None  # URLs of the crawl so far that robots.txt denies


class MeasureReporter:
    """The end of a crawl's process. Used from one thread."""

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self._now = now
        self._reported_at = now()
        self._hosts: dict[str, Measures] = {}
        self._denied = 0

    def on_tally(self, tally: Tally) -> None:
        """Add what a worker measured."""
        for host, measures in tally.measures.items():
            self._add(host, measures)

    def on_progress(self, progress: Progress) -> None:
        """Report what the plan of a wave shows and how long it took, and count a wave that was sent again."""
        if progress.result.denied != self._denied:
            self._denied = progress.result.denied
            _write(MeasureReport(denied=self._denied))
        if progress.result.planning is not None:
            self._add("", Measures(planning=time_of(progress.result.planning)))
        if progress.result.again:
            self._add("", Measures(redispatches=1))
        else:
            for host, urls in progress.result.unreached.items():
                self._add(host, Measures(failed=urls))

    def poll(self) -> None:
        """Report if it is time."""
        if self._now() - self._reported_at >= REPORT_EVERY:
            self.flush()

    def end(self, summary: CrawlSummary | None) -> None:
        """Report the rest, and the figures of the results."""
        self.flush()
        if summary is not None:
            figures = {one.name.value: one.value for one in summary.objectives if one.value is not None}
            duplicates = {str(kind): number for kind, number in summary.duplicates.items()}
            denied = summary.states.get(UrlState.ROBOTS_DENIED, 0)
            _write(MeasureReport(duplicates=duplicates, objectives=figures, denied=denied))

    def flush(self) -> None:
        """Report what was measured since the last report."""
        self._reported_at = self._now()
        for host, measures in self._hosts.items():
            _write(MeasureReport(host=host, measures=measures))
        self._hosts.clear()

    def _add(self, host: str, measures: Measures) -> None:
        self._hosts[host] = self._hosts.get(host, Measures()) + measures


def _write(report: MeasureReport) -> None:
    with suppress(OSError):  # the launcher's process has ended, and this one will
        os.write(STDOUT, b"\n%d %b %b\n" % (os.getpid(), MEASURES, msgspec.json.encode(report)))
