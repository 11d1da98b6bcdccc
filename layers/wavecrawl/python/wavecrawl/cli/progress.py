"""Live progress: one line on a terminal, or a line every ten seconds where there is none."""

import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from math import inf
from threading import Event, RLock, Thread
from types import TracebackType
from typing import TYPE_CHECKING, Self

from wavecrawl.adapters.embedded.state_machine import Progress
from wavecrawl.adapters.embedded.worker import Tally
from wavecrawl.cli.console import err, one_line
from wavecrawl.domain.counts import counted
from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.politeness.waits import Wait

if TYPE_CHECKING:
    from rich.live import Live
    from rich.text import Text

    from wavecrawl.application.index_site import IndexCounts

_RATE_WINDOW = 5.0  # seconds over which rates are averaged
_REFRESH = 4  # per second
_LINE_EVERY = 10.0  # seconds between lines if standard error is not a terminal
_SITEMAPS = "sitemaps"  # the name of the phase in which the crawl waits to read them
_POLL_EVERY = 1.0  # seconds; the planner does not call `poll` while it waits for robots.txt files


class LiveProgress:
    """The progress of a crawl; silent if `quiet`. Safe to share between threads."""

    def __init__(
        self,
        settings: CrawlSettings,
        *,
        quiet: bool,
        fetched: int = 0,
        seconds: float = 0.0,
        now: Callable[[], float] = time.monotonic,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`fetched` and `seconds`: the pages that an interrupted crawl has fetched, and how long it has run."""
        self._settings = settings
        self._quiet = quiet
        self._now = now
        self._clock = clock
        self._wait: Wait | None = None
        self._since = self._printed_at = now()
        self._seconds = seconds
        self._fetched = fetched
        self._tries = self._media = self._checks = 0
        self._errors: Counter[UrlState] = Counter()
        self._wave = 0
        self._phase = "opening"
        self._recent: deque[tuple[float, int, int]] = deque([(self._since, 0, fetched)])
        self._live = None if quiet else self._display()
        self._lock = RLock()
        self._ended = Event()
        self._poller: Thread | None = None

    def __enter__(self) -> Self:
        if self._live:
            self._live.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._ended.set()
        if self._poller:
            self._poller.join()
        if self._live:
            self._live.__exit__(kind, error, at)

    def on_progress(self, progress: Progress) -> None:
        """Record a new wave. From the first one on, a thread calls `poll`, too."""
        self._phase = self._label(progress.phase)
        self._wave = progress.result.wave
        self._wait = progress.result.wait
        self.poll()
        if self._poller is None and not self._quiet:
            self._poller = Thread(target=self._poll_until_the_end, name="progress", daemon=True)
            self._poller.start()  # not earlier: a process with threads cannot fork its workers

    def on_sitemap_wait(self, wait: Wait) -> None:
        """Show for what the crawl waits before it reads further sitemaps. Nothing else calls `poll` meanwhile."""
        with self._lock:
            self._phase = _SITEMAPS
            if self._wait is None or self._wait.text != wait.text:
                self._printed_at = -inf
            self._wait = wait
            self.poll()

    def on_tally(self, tally: Tally) -> None:
        """Add the counts of finished pages."""
        self._tries += tally.tries
        self._fetched += tally.fetched
        self._errors.update(tally.errors)
        self._media += tally.media
        self._checks += tally.checks

    def poll(self) -> None:
        """Redraw the line, or print one if it is time."""
        with self._lock:
            now = self._now()
            self._recent.append((now, self._tries, self._fetched))
            while len(self._recent) > 2 and self._recent[1][0] < now - _RATE_WINDOW:  # noqa: PLR2004 - keep two points
                self._recent.popleft()
            if self._live:
                self._live.refresh()
            elif not self._quiet and now - self._printed_at >= _LINE_EVERY:
                self._printed_at = now
                err.print(self.line())

    def _poll_until_the_end(self) -> None:
        while not self._ended.wait(_POLL_EVERY):
            self.poll()

    def _label(self, phase: Phase) -> str:
        """Return the name of a phase in the line: `media` has the checks, too."""
        if phase is not Phase.MEDIA or not self._settings.checks.enabled:
            return phase.value
        return "checks and media" if self._settings.lists_media else "checks"

    def line(self) -> str:
        """Return the progress in one line, the most important figures first."""
        (since, tries, fetched), (now, tries_now, fetched_now) = self._recent[0], self._recent[-1]
        seconds = max(now - since, 1e-9)
        left = self._seconds_left((fetched_now - fetched) / seconds, now)
        parts = [
            f"{self._phase} {self._wave}",
            f"{self._fetched:,}/{self._settings.max_pages:,} pages",
        ]
        waiting = self._waiting() or ("reading" if self._phase == _SITEMAPS else "")
        parts.append(waiting or f"{(tries_now - tries) / seconds:.1f} URLs/s")
        if left is not None and not waiting:
            parts.append(f"at most {timedelta(seconds=round(left))} left")
        if self._errors:
            parts.append(", ".join(f"{n:,} {state.value.replace('_', ' ')}" for state, n in self._errors.most_common()))
        if self._checks:
            parts.append(f"{counted(self._checks, 'URL')} checked")
        if self._media:
            parts.append(counted(self._media, "media file"))
        return " | ".join(parts)

    def _waiting(self) -> str:
        """Return until when the crawl is paused and why, or why it is slow; "" if it is neither."""
        wait = self._wait
        if wait is None or wait.is_over(self._clock()):
            return ""
        if not wait.until:
            return f"slow: {one_line(wait.text)}"
        return f"paused until {datetime.fromtimestamp(wait.until).astimezone():%H:%M:%S}: {one_line(wait.text)}"

    def _seconds_left(self, pages_per_second: float, now: float) -> float | None:
        """Return after how many seconds a limit ends the crawl at this rate, None if none will."""
        limits: list[float] = []
        if pages_per_second > 0:
            limits.append((self._settings.max_pages - self._fetched) / pages_per_second)
        if self._settings.max_seconds:
            limits.append(self._settings.max_seconds - self._seconds - (now - self._since))
        return max(0.0, min(limits)) if limits else None

    def _display(self) -> "Live | None":
        """Return the display, or None if standard error is not a terminal."""
        if not err.is_terminal:
            return None
        from rich.live import Live  # noqa: PLC0415 - rich is slow to load

        console = err.console
        return Live(get_renderable=self._text, console=console, refresh_per_second=_REFRESH, transient=True)

    def _text(self) -> "Text":
        """Return the line, cut off at the width of the terminal."""
        from rich.text import Text  # noqa: PLC0415 - the same

        text = Text(self.line(), no_wrap=True, overflow="ellipsis")
        text.truncate(err.console.width, overflow="ellipsis")
        return text


@contextmanager
def index_progress(*, quiet: bool, pages: int) -> Iterator["Callable[[IndexCounts], None]"]:
    """Show on a terminal how many of the `pages` are done, while the yielded function is called with the numbers."""
    if quiet or not err.is_terminal:
        yield lambda _: None
        return
    with err.console.status("indexing ...") as status:
        yield lambda counts: status.update(
            f"indexing: {counts.indexed + counts.unchanged:,} of {counted(pages, 'page')}, "
            f"{counted(counts.passages, 'new passage')}"
        )
