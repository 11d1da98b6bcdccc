"""Signals: how a wave's task in the state machine is completed."""

from enum import StrEnum
from typing import Protocol

from msgspec import Struct


class NextStep(StrEnum):
    """What follows a step of a crawl."""

    BFS = "bfs"  # the first wave of pages found by links
    WAVE = "wave"  # the next wave of the same phase
    PAUSE = "pause"  # a pause, then the same step again
    WAIT = "wait"  # a pause, then the next wave of the same phase
    PLAN = "plan"  # a task that plans the wave, as the function has too little memory; then the same step again
    SITEMAPS = "sitemaps"
    ORPHANS = "orphans"  # the first wave of pages found only in sitemaps
    MEDIA = "media"  # the first wave of media URLs
    FINISH = "finish"  # the results
    FINISH_LARGE = "finish_large"  # the results, by a task instead of a function
    END = "end"  # nothing: the crawl has failed, as its root cannot be crawled


class Following(Struct, frozen=True, kw_only=True):
    """The output of a step: what follows it."""

    next: NextStep
    until: float = 0.0  # Unix seconds; when a pause or wait ends
    pages: int = 0  # for FINISH_LARGE: URLs with a record


ANOTHER_WAVE = Following(next=NextStep.WAVE)


class Signals(Protocol):
    """Completes the tasks that wait for waves. Contract: tests/contract/test_signals.py."""

    def succeed(self, token: str, following: Following = ANOTHER_WAVE) -> None:
        """Complete the task that waits with `token`; `following` is its output.

        Only the first call for a token counts. A token that is used, expired or unknown is not an error.
        """
        ...
