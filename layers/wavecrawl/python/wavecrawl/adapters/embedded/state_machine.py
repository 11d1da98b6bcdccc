"""The state machine of one machine: the steps of infra/state_machine/crawl.asl.json as a loop.

It can stop after any step, and resumes with the last wave that was planned.
"""

from collections.abc import Callable
from typing import Protocol
from uuid import uuid4

import msgspec

from wavecrawl.application.run_wave import LastWave, WaveResult
from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.ports.signals import NextStep


class Steps(Protocol):
    """The steps of one crawl."""

    def first_step(self) -> NextStep:
        """Return the step that follows the opening of the crawl."""
        ...

    def last_wave(self) -> LastWave:
        """Return the last planned wave."""
        ...

    def run_wave(self, phase: Phase, wave: int, token: str) -> WaveResult:
        """Plan and dispatch a wave. `token` is completed when its batches are done; at once if it has none."""
        ...

    def wait_for(self, token: str) -> NextStep:
        """Wait until `token` is completed; return what follows."""
        ...

    def read_sitemaps(self) -> NextStep:
        """Read the sitemaps, unless that was done before; return what follows."""
        ...


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """A wave that was just planned."""

    phase: Phase
    result: WaveResult


def run_state_machine(steps: Steps, on_progress: Callable[[Progress], None]) -> None:
    """Run a crawl until only its results are missing, from its beginning or from its last wave."""

    def run_wave() -> NextStep:
        token = uuid4().hex
        result = steps.run_wave(phase, wave, token)
        on_progress(Progress(phase=phase, result=result))
        return steps.wait_for(token)

    last = steps.last_wave()
    wave, phase = last.wave, last.phase
    following = NextStep.WAVE
    if not last.is_final:
        following = run_wave() if wave else steps.first_step()
    while following is not NextStep.FINISH:
        if following is NextStep.SITEMAPS:
            following = steps.read_sitemaps()
            continue
        if following is NextStep.MEDIA:
            phase = Phase.MEDIA
        elif following is NextStep.ORPHANS:
            phase = Phase.SITEMAP
        elif phase is Phase.SITEMAP:
            phase = Phase.ORPHAN
        wave += 1
        following = run_wave()
