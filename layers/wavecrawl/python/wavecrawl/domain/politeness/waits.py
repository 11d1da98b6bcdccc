"""Why a crawl waits, or requests a host slowly: for the people who watch it."""

from enum import StrEnum

import msgspec

from wavecrawl.domain.politeness.circuit_breaker import asked_until, cooled_down_at, paused_until
from wavecrawl.domain.politeness.host_state import HostState
from wavecrawl.domain.politeness.pace import Pace
from wavecrawl.domain.politeness.settings import PoliteSettings

SHORTEST = 5.0
"""Seconds. Shorter waits and shorter intervals are not reported."""


class WaitReason(StrEnum):
    """Why a crawl waits."""

    RETRY_AFTER = "retry_after"
    BREAKER = "breaker"
    OTHER_CRAWLS = "other_crawls"
    CRAWL_DELAY = "crawl_delay"
    OVERLOADED = "overloaded"
    INTERVAL = "interval"
    RETRY = "retry"
    ROBOTS = "robots_unreachable"
    QUEUED = "queued"


class Wait(msgspec.Struct, frozen=True, kw_only=True):
    """A wait of a crawl, or the reason for its slow pace."""

    reason: WaitReason
    host: str = ""  # "" = the wait is for no host
    until: float = 0.0  # Unix seconds; 0 = the crawl goes on, slowly
    seconds: float = 0.0  # of `Retry-After`, or between two requests
    count: int = 0  # pauses in a row, or the place in the queue
    for_sitemaps: bool = False  # whether the crawl waits to read its sitemaps

    def is_over(self, now: float) -> bool:
        """Return whether the wait has ended."""
        return 0 < self.until <= now

    @property
    def text(self) -> str:
        """The reason in words, without the time."""
        host, seconds = self.host, f"{self.seconds:,.12g}"
        text = {
            WaitReason.RETRY_AFTER: f"{host} asked for it (Retry-After {seconds} s)",
            WaitReason.BREAKER: f"{host} failed too often (pause {self.count} in a row)",
            WaitReason.OTHER_CRAWLS: f"waits for other crawls at {host}",
            WaitReason.CRAWL_DELAY: f"Crawl-delay {seconds} s of {host}",
            WaitReason.OVERLOADED: f"{host} is overloaded, so {seconds} s between requests",
            WaitReason.INTERVAL: f"polite.interval {seconds} s",
            WaitReason.RETRY: f"URLs of {host} failed, and are requested again",
            WaitReason.ROBOTS: f"robots.txt of {host} cannot be read",
            WaitReason.QUEUED: f"queued behind your other crawls (place {self.count})",
        }[self.reason]
        return f"{text}; reads sitemaps" if self.for_sitemaps else text


def pause_of(host: HostState, settings: PoliteSettings) -> Wait | None:
    """Return why a crawl with these settings pauses; None if the host never required a pause."""
    until = paused_until(host, settings)
    if not until:
        return None
    for said in (host.own, host):
        if asked_until(said, settings) == until:
            return Wait(reason=WaitReason.RETRY_AFTER, host=host.host, until=until, seconds=said.retry_after)
    strikes = host.own.strikes if cooled_down_at(host.own, settings) == until else host.strikes
    return Wait(reason=WaitReason.BREAKER, host=host.host, until=until, count=strikes)


def slowness_of(host: str, pace: Pace, settings: PoliteSettings) -> Wait | None:
    """Return why requests to a host are far apart; None if they are not."""
    if pace.interval < SHORTEST:
        return None
    reason = WaitReason.OVERLOADED
    if pace.interval <= max(pace.crawl_delay, settings.interval):
        reason = WaitReason.INTERVAL if settings.interval > pace.crawl_delay else WaitReason.CRAWL_DELAY
    return Wait(reason=reason, host=host, seconds=pace.interval)
