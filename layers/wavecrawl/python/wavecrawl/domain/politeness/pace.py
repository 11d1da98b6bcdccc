"""The pace towards a host: open requests and the interval between request starts."""

from dataclasses import dataclass

from wavecrawl.domain.crawl.settings import PoliteSettings
from wavecrawl.domain.politeness.host_state import HostState


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Limits for requests to one host: at most `in_flight` open, starts at least `interval` seconds apart."""

    interval: float
    in_flight: int


def pace_for(settings: PoliteSettings, *, crawl_delay: float | None, host: HostState) -> Pace:
    """Return the pace for a host. Crawl-delay overrides the settings and allows one request at a time."""
    if crawl_delay:
        return Pace(interval=max(crawl_delay, host.interval), in_flight=1)
    return Pace(interval=max(settings.interval, host.interval), in_flight=settings.in_flight)


def interval_between_workers(pace: Pace, *, latency: float) -> float:
    """Return the seconds per request to reserve for a batch before the next batch of the host.

    A worker limits its own open requests, but does not know those of other workers. If responses take longer than
    `in_flight` intervals, batches are spaced further apart to keep the total within `in_flight`.
    """
    return max(pace.interval, latency / pace.in_flight) if pace.interval else 0.0


def seconds_a_page(pace: Pace, *, host: HostState, timeout: float) -> float:
    """Return the expected seconds per page with `in_flight` requests always open.

    For an unknown host, assume that each request takes the whole `timeout`, so that its first wave is short.
    """
    occupied = timeout if host.occupied is None else host.occupied
    return max(pace.interval, occupied / pace.in_flight)
