"""What comes after a wave that planned nothing: the decisions of the sequence that design 7 draws."""

from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.settings import Discovery

SITEMAPS_FIRST = (Discovery.SITEMAP_FIRST, Discovery.SITEMAP_ONLY)
"""Discoveries that read the sitemaps before the first wave."""

_TIME_IS_LEFT = (Reason.NONE, Reason.MAX_PAGES, Reason.MAX_TRIES)


def following_phase(phase: Phase, discovery: Discovery, stopped: Reason) -> Phase | None:
    """Return the phase after one that is over: sitemaps follow links, where both are wanted and time is left."""
    if phase is Phase.BFS and discovery is Discovery.LINKS_FIRST and stopped in _TIME_IS_LEFT:
        return Phase.SITEMAP
    return None
