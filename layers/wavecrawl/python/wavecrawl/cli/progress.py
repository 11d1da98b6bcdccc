"""Live progress on the terminal: phase, wave, pages, rate, errors."""

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Self

from wavecrawl.adapters.embedded.state_machine import Progress
from wavecrawl.adapters.embedded.worker import Tally
from wavecrawl.cli.console import err

if TYPE_CHECKING:
    from rich.live import Live
    from rich.table import Table

    from wavecrawl.application.index_site import IndexCounts

_RATE_WINDOW = 5.0  # seconds over which pages/s is averaged
_REFRESH = 4  # per second


class LiveProgress:
    """The progress of a crawl; silent if `quiet` or if standard error is not a terminal."""

    def __init__(self, *, quiet: bool, interval: float, max_pages: int, fetched: int = 0) -> None:
        self._interval = interval
        self._max_pages = max_pages
        self._fetched = fetched
        self._tries = self._errors = self._bytes = self._media = 0
        self._wave = self._urls = self._tries_at_wave = 0
        self._phase = "opening"
        self._recent: deque[tuple[float, int]] = deque([(time.monotonic(), fetched)])
        self._live = None if quiet else self._display()

    def __enter__(self) -> Self:
        if self._live:
            self._live.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._live:
            self._live.__exit__(kind, error, at)

    def on_progress(self, progress: Progress) -> None:
        """Record a new wave."""
        self._phase = progress.phase.value
        self._wave, self._urls = progress.result.wave, progress.result.urls
        self._tries_at_wave = self._tries
        self.poll()

    def on_tally(self, tally: Tally) -> None:
        """Add the counts of finished pages."""
        self._tries += tally.tries
        self._fetched += tally.fetched
        self._errors += tally.errors
        self._bytes += tally.bytes
        self._media += tally.media

    def poll(self) -> None:
        """Redraw the display."""
        now = time.monotonic()
        self._recent.append((now, self._fetched))
        while len(self._recent) > 2 and self._recent[1][0] < now - _RATE_WINDOW:  # noqa: PLR2004 - keep two points
            self._recent.popleft()
        if self._live:
            self._live.update(self._view())

    def _display(self) -> "Live | None":
        """Return the display, or None if standard error is not a terminal."""
        from rich.live import Live  # noqa: PLC0415 - rich is slow to load

        if not err.console.is_terminal:
            return None
        return Live(self._view(), console=err.console, refresh_per_second=_REFRESH, transient=True)

    def _view(self) -> "Table":
        from rich.table import Table  # noqa: PLC0415 - the same
        from rich.text import Text  # noqa: PLC0415 - the same

        (since, before), (now, fetched) = self._recent[0], self._recent[-1]
        rate = (fetched - before) / (now - since) if now > since else 0.0
        left = max(0, self._urls - (self._tries - self._tries_at_wave))
        pace = f"{self._interval * 1000:.0f} ms interval" if self._interval else "no interval"
        media = f", {self._media:,} media files" if self._media else ""
        table = Table.grid(padding=(0, 2))
        table.add_row(
            Text(f"{self._phase} · wave {self._wave}", style="bold cyan"),
            Text(f"Crawled {self._fetched:,}/{self._max_pages:,} pages{media}", style="bold"),
            Text(f"{left:,} left in this wave"),
            Text(f"{rate:.1f} pages/s"),
            Text(f"{self._errors:,} errors", style="red" if self._errors else "dim"),
            Text(f"{self._bytes / 1e6:.1f} MB", style="dim"),
            Text(pace, style="dim"),
        )
        return table


@contextmanager
def index_progress(*, quiet: bool) -> Iterator["Callable[[IndexCounts], None]"]:
    """Show on a terminal how many pages are indexed, while the yielded function is called with the numbers."""
    if quiet or not err.console.is_terminal:
        yield lambda _: None
        return
    with err.console.status("indexing ...") as status:
        yield lambda counts: status.update(f"indexing: {counts.indexed:,} pages, {counts.passages:,} passages")
