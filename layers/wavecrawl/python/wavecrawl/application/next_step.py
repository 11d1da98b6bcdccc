"""The order of a crawl's steps: what follows each of them."""

import msgspec

from wavecrawl.application.crawl_state import CrawlStates, StateSummary
from wavecrawl.application.run_wave import WaveResult
from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.settings import CrawlSettings, Discovery
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.objects import Objects
from wavecrawl.ports.signals import ANOTHER_WAVE, Following, NextStep

_FROM_SITEMAPS = (Discovery.SITEMAP_FIRST, Discovery.SITEMAP_ONLY)

_ENTRIES = {Phase.BFS: NextStep.BFS, Phase.MEDIA: NextStep.MEDIA}
"""Where a resumed crawl enters a phase, if not among the orphans."""

_SITEMAPS_MAY_FOLLOW = (Reason.NONE, Reason.MAX_PAGES, Reason.MAX_TRIES)
"""Reasons to stop that leave time and money to read sitemaps, for a report of the pages only they name."""


def first_step(discovery: Discovery) -> NextStep:
    """Return what follows once the crawl's root is resolved."""
    return NextStep.SITEMAPS if discovery in _FROM_SITEMAPS else NextStep.BFS


class Start(msgspec.Struct, frozen=True, kw_only=True):
    """Where the state machine of a crawl starts."""

    next: NextStep
    phase: Phase = Phase.BFS
    wave: int = 1  # the next wave to run


def start_of(crawl: CrawlRow, objects: Objects) -> Start:
    """Return where a crawl starts: at its beginning, or after a resume at its last planned wave.

    The last wave of a cancelled crawl ended it. If the crawl is resumed, it continues with the next wave.
    """
    last = CrawlStates(objects).summary(crawl.id) if crawl.resumes else StateSummary()
    if not last.wave:
        return Start(next=first_step(crawl.settings.discovery))
    wave, phase = last.wave, last.phase
    if last.stopped is Reason.CANCELLED and not crawl.cancel_asked:
        wave, phase = wave + 1, Phase.ORPHAN if phase is Phase.SITEMAP else phase
    return Start(next=_ENTRIES.get(phase, NextStep.ORPHANS), phase=phase, wave=wave)


def after_wave(result: WaveResult, phase: Phase, discovery: Discovery) -> Following:
    """Return what follows a wave: if it has batches, another wave as soon as they are done."""
    if result.pause_until:
        return Following(next=NextStep.PAUSE, until=result.pause_until)
    if result.wait_until:
        return Following(next=NextStep.WAIT, until=result.wait_until)
    if result.batches:
        return ANOTHER_WAVE
    if phase is Phase.MEDIA:
        return Following(next=NextStep.FINISH)
    has_sitemaps_left = phase is Phase.BFS and discovery is Discovery.LINKS_FIRST
    if has_sitemaps_left and result.stopped in _SITEMAPS_MAY_FOLLOW:
        return Following(next=NextStep.SITEMAPS)
    return Following(next=NextStep.MEDIA if result.media else NextStep.FINISH)


def after_sitemaps(settings: CrawlSettings, *, leads_on: bool) -> NextStep:
    """Return what follows once the sitemaps are read; `leads_on` if they may name pages that no link led to.

    A wave of checks and media URLs ends its phase if there are none.
    """
    if settings.discovery in _FROM_SITEMAPS:
        return NextStep.BFS
    if leads_on:
        return NextStep.ORPHANS
    return NextStep.MEDIA if settings.lists_media or settings.checks.enabled else NextStep.FINISH
