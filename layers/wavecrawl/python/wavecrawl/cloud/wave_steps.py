"""A wave as the state machine asks for it, and what follows it there."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from math import ceil
from typing import TypeAlias

from wavecrawl.application.next_step import SITEMAPS_FIRST, following_phase
from wavecrawl.application.run_wave import WaveResult
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.domain.crawl.settings import Discovery
from wavecrawl.ports.batches import Waves


class Step(StrEnum):
    """Where a crawl stands when it comes to a wave found by links."""

    OPEN = "open"  # at its beginning
    BFS = "bfs"
    SITEMAPS_FIRST = "sitemaps_first"  # this and those below: its last execution ended there
    SITEMAPS = "sitemaps"
    ORPHAN = "orphan"


@dataclass(frozen=True, slots=True, kw_only=True)
class WaveTask:
    """A wave to run; `token` is told what comes next. Without one, the wave is only looked at."""

    crawl: CrawlId
    phase: Phase
    wave: int
    token: str = ""
    entered: str = ""  # when the state machine came to the wave, this time: ISO 8601
    retry: int = 0  # how often the task was tried again since
    full: bool = False  # whether this execution's history has room for no further wave
    step: Step = Step.BFS

    @property
    def order(self) -> float:
        """Return where the token stands among those of its wave: who asked last waits for it."""
        entered = datetime.fromisoformat(self.entered).timestamp() if self.entered else 0.0
        return entered + self.retry / 1000


Following: TypeAlias = Mapping[str, object]
"""What the state machine does where the next thing is no wave: `next`, and when where that is a pause."""

ANEW: Following = {"next": "anew"}
SITEMAPS: Following = {"next": "sitemaps"}
FINISH: Following = {"next": "finish"}
_LOOPS: Mapping[Step, Following] = {
    Step.SITEMAPS_FIRST: {"next": "sitemaps_first"},
    Step.SITEMAPS: {"next": "sitemaps_on"},
    Step.ORPHAN: {"next": "orphans"},
}


def what_comes_first(task: WaveTask, discovery: Discovery) -> Following | None:
    """Return what has to be done instead of the wave, if anything: this is not its execution, or not its time."""
    if task.full:
        return ANEW
    if task.step is Step.OPEN and discovery in SITEMAPS_FIRST:
        return _LOOPS[Step.SITEMAPS_FIRST]
    return _LOOPS.get(task.step)


def what_follows(result: WaveResult, phase: Phase, discovery: Discovery) -> Following | None:
    """Return what follows a planned wave at once; None where another wave does, when its batches are done."""
    if result.pause_until:
        return paused(result.pause_until)
    if result.batches:
        return None
    return SITEMAPS if following_phase(phase, discovery, result.stopped) is Phase.SITEMAP else FINISH


def paused(until: float) -> dict[str, object]:
    """Return what has the state machine wait until a time, in Unix seconds; it counts whole ones."""
    return {"next": "pause", "until": f"{datetime.fromtimestamp(ceil(until), tz=UTC):%Y-%m-%dT%H:%M:%SZ}"}


def how_far(waves: Waves, task: WaveTask) -> dict[str, object]:
    """Return how many batches of a wave are done: one that took too long counts as stuck where none is."""
    wave = waves.read(task.crawl, task.wave)
    return {"done": wave.done if wave else 0}
