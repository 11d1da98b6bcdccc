"""The state machine of one machine: the sequence that design 7 draws, as a loop. It stops and resumes between waves."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol
from uuid import uuid4

from wavecrawl.application.next_step import SITEMAPS_FIRST, following_phase
from wavecrawl.application.run_wave import WaveResult
from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.settings import Discovery


class Steps(Protocol):
    """The use cases that the state machine sequences, for one crawl."""

    def discovery(self) -> Discovery:
        """Return how URLs come into the frontier."""
        ...

    def last_wave(self) -> tuple[int, Phase, bool]:
        """Return number and phase of the last wave planned (0 before the first), and whether it has batches."""
        ...

    def run_wave(self, phase: Phase, wave: int, token: str) -> WaveResult:
        """Plan and dispatch a wave."""
        ...

    def wait_for(self, token: str) -> None:
        """Return when the wave's last batch is done."""
        ...

    def read_sitemaps(self) -> bool:
        """Read the sitemaps, unless that was done before; return whether they may name what links did not lead to."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Told before and after every wave."""

    phase: Phase
    result: WaveResult


def run_state_machine(steps: Steps, on_progress: Callable[[Progress], None]) -> Reason:
    """Bring a crawl to the end of its last phase, from wherever it stands; return why it stopped, if it did."""
    discovery = steps.discovery()
    if discovery in SITEMAPS_FIRST:
        steps.read_sitemaps()
    wave, phase, has_batches = steps.last_wave()
    stopped = Reason.NONE
    if has_batches:  # the wave a crash interrupted, or one that nobody gathered yet
        stopped = _one_wave(steps, phase, wave, on_progress).stopped
    over = wave > 0 and not has_batches
    while True:
        if over:
            following = following_phase(phase, discovery, stopped)
            if following is None:
                return stopped
            phase = following
            if phase is Phase.SITEMAP and not steps.read_sitemaps():
                return stopped
        elif phase is Phase.SITEMAP:
            phase = Phase.ORPHAN
        wave += 1
        result = _one_wave(steps, phase, wave, on_progress)
        stopped, over = result.stopped, result.batches == 0


def _one_wave(steps: Steps, phase: Phase, wave: int, on_progress: Callable[[Progress], None]) -> WaveResult:
    token = uuid4().hex
    result = steps.run_wave(phase, wave, token)
    on_progress(Progress(phase=phase, result=result))
    if result.batches and not result.given_up:
        steps.wait_for(token)
    return result
