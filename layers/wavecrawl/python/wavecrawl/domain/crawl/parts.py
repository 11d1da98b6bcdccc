"""When a part of a crawl's results ends: parts are large enough to be cheap, and small enough to be read soon."""

from collections.abc import Sequence
from itertools import pairwise

import msgspec

from wavecrawl.domain.crawl.settings import WaveSettings

REMEMBERED_EVERY = 100
"""Waves after which the pages of a running crawl are added to the page memory of its site."""


def parts_to_remember(numbers: Sequence[int], *, every: int = REMEMBERED_EVERY) -> list[int]:
    """Return the parts whose pages are added to the page memory when the last of these parts is folded.

    They are those since the part that was the last one to reach a multiple of `every` waves; none if this one does not.
    """
    reached = [0, *(part for before, part in pairwise((0, *numbers)) if part // every > before // every)]
    if not numbers or reached[-1] != numbers[-1]:
        return []
    return [part for part in numbers if part > reached[-2]]


class PartEnds(msgspec.Struct, frozen=True, kw_only=True):
    """The parts that have ended so far. A part is named by the last wave that it covers."""

    numbers: tuple[int, ...] = ()
    settled: int = 0  # URLs with a terminal record when the last one ended
    at: float = 0.0  # Unix seconds: when the last one ended, or the crawl's first plan; 0 before that

    def after(
        self, wave: int, *, settled: int, now: float, waves: WaveSettings, goes_on: bool, must_end: bool
    ) -> "PartEnds":
        """Return the parts that have ended when the plan after `wave` is made.

        `settled`: URLs with a terminal record so far. `goes_on`: whether that plan has batches. If not, the crawl has
        probably ended, and what is left becomes a part when it is finished. `must_end`: whether the crawl stops at
        once. It may be resumed later, so its last part has to end now.
        """
        new, started_at = settled - self.settled, self.at or now
        is_due = new >= waves.part_pages or (new > 0 and now - started_at >= waves.part_seconds)
        if must_end or (goes_on and is_due):
            return PartEnds(numbers=(*self.numbers, wave), settled=settled, at=now)
        return PartEnds(numbers=self.numbers, settled=self.settled, at=started_at)
