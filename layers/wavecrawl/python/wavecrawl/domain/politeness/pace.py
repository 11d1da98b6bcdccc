"""The pace towards a host: open requests and the interval between request starts."""

from math import ceil

import msgspec
from msgspec.structs import replace

from wavecrawl.domain.politeness.host_state import HostState
from wavecrawl.domain.politeness.settings import PoliteSettings
from wavecrawl.domain.politeness.strain import SHARED

JITTER = 0.2  # maximum share of an interval by which a start is delayed at random
DRIFT = 0.05  # share of an interval by which the starts of a batch are delayed on average, at most


class Pace(msgspec.Struct, frozen=True, kw_only=True):
    """Limits for requests to one host: at most `in_flight` open, starts at least `interval` seconds apart."""

    interval: float
    in_flight: int
    crawl_delay: float = 0.0  # seconds that the host's robots.txt requires; `interval` is not shorter
    max_interval: float = 0.0  # seconds; longest interval that strain may lead to


def pace_for(settings: PoliteSettings, *, crawl_delay: float | None, host: HostState) -> Pace:
    """Return the pace of one crawl towards a host. With a Crawl-delay: one request at a time."""
    delay = min(crawl_delay or 0.0, settings.max_delay)
    pace = Pace(
        interval=max(delay, settings.interval),
        in_flight=1 if delay else settings.in_flight,
        crawl_delay=delay,
        max_interval=settings.max_interval,
    )
    return slowed_to(pace, host.interval)


def slowed_to(pace: Pace, interval: float) -> Pace:
    """Return the pace with a longer interval, and fewer open requests in the same proportion; at least one.

    If responses take long, the number of open requests limits the rate, and a longer interval alone changes nothing.
    """
    interval = min(interval, pace.max_interval)
    if interval <= pace.interval:
        return pace
    share = min(1.0, max(pace.interval, SHARED.interval) / interval)
    return replace(pace, interval=interval, in_flight=ceil(pace.in_flight * share))


def turn(pace: Pace, host: HostState) -> float:
    """Return the seconds of the host's time that one request takes from other crawls.

    A crawl that wants to be slower than the default takes no more of the host's time for it. The delays at random are
    included, so that the last request of a crawl does not meet the first one of the next.
    """
    if not pace.interval:
        return 0.0
    strained = min(host.strain.interval, pace.interval)
    latency = host.latency / max(pace.in_flight, SHARED.in_flight)
    return (1 + DRIFT) * max(min(pace.interval, SHARED.interval), pace.crawl_delay, strained, latency)


def sender_turn(pace: Pace, host: HostState) -> float:
    """Return the seconds between all requests of the sender; 0 if the host has not slowed the sender down.

    Crawls of other senders do not wait for it.
    """
    return (1 + DRIFT) * min(host.own.strain.interval, pace.interval)


def interval_between_workers(pace: Pace, *, latency: float) -> float:
    """Return the seconds per request between the starts of a crawl's batches for one host.

    A worker limits its own open requests, but does not know those of other workers. If responses take longer than
    `in_flight` intervals, batches are spaced further apart to keep the total within `in_flight`. The delays at random
    are included.
    """
    return (1 + DRIFT) * max(pace.interval, latency / pace.in_flight) if pace.interval else 0.0


def jittered(interval: float, chance: float, *, most: float) -> float:
    """Return the seconds to the next start: `interval` and up to a fifth of it, but at most `most` seconds more.

    `chance` is a random number from 0 to 1. Starts at random times do not coincide with those of other clients. They
    also reach the server some milliseconds late; the delay keeps it from seeing one request too many within a second.
    """
    return interval + min(interval * JITTER * chance**3, most)


def seconds_a_page(pace: Pace, *, host: HostState, timeout: float) -> float:
    """Return the expected seconds per page with `in_flight` requests always open.

    For an unknown host, assume that each request takes the whole `timeout`, so that its first wave is short.
    """
    occupied = timeout if host.occupied is None else host.occupied
    return max(pace.interval, occupied / pace.in_flight)
