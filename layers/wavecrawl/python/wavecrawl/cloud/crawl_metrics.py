"""What is measured of waves and whole crawls (spec [41])."""

from typing import TYPE_CHECKING

from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.telemetry import count

if TYPE_CHECKING:  # who measures one of them needs nothing of the other
    from wavecrawl.application.run_wave import WaveResult
    from wavecrawl.domain.crawl.frontier import Frontier
    from wavecrawl.ports.analytics import CrawlSummary


def measure_wave(result: "WaveResult", frontier: "Frontier", *, again: bool) -> None:
    """Say how much was planned, and how much waits; `again`: the wave was planned before, and dispatched again."""
    count("UrlsPlanned", 0 if again else result.urls)
    count("FrontierDepth", len(frontier.waiting_indices()))
    count("Redispatches", int(again))


def measure_crawl(summary: "CrawlSummary") -> None:
    """Say what a crawl brought and what it cost."""
    count("CrawlsFinished")
    count("CrawlPages", summary.pages)
    count(
        "PagesUnchanged", summary.states.get(UrlState.UNCHANGED, 0)
    )  # the rest of CrawlPages is what the crawl yields
    count("NearDuplicates", summary.near_duplicates)
    count(
        "RobotsDenials", summary.states.get(UrlState.ROBOTS_DENIED, 0)
    )  # most URLs are denied before any worker is asked
    if summary.bill is not None:
        count("CrawlUsd", summary.bill.total_usd)
        count("CrawlUsdPerMillionPages", summary.bill.per_million_pages_usd)
