"""Reserved windows: when a crawl may start its requests to a host."""

from dataclasses import dataclass, replace

from wavecrawl.domain.politeness.host_state import HostState


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A stretch of time in which one crawl may start requests to one host."""

    opens_at: float  # Unix seconds
    interval: float  # seconds between request starts

    def start_of(self, position: int) -> float:
        """Return when the request at `position` (from 0) may start."""
        return self.opens_at + position * self.interval


def opening(host: HostState, *, holder: str, interval: float, now: float) -> float:
    """Return when a new reservation would start, in Unix seconds.

    If the holder made the last reservation itself, it gives back the unused rest: it reserves again only when its wave
    is over or is dispatched again. One interval is kept, as its last request may have just started.
    """
    free = host.next_free
    if host.holder == holder:
        free = min(free, max(host.held_from, now + interval))
    return max(now, free, host.paused_until)


def reserve(host: HostState, *, holder: str, count: int, interval: float, now: float) -> tuple[HostState, Window]:
    """Reserve `count` starts by GCRA without burst (ATM Forum TM 4.0); `next_free` advances by `count` intervals."""
    opens_at = opening(host, holder=holder, interval=interval, now=now)
    taken = replace(host, next_free=opens_at + count * interval, holder=holder, held_from=opens_at)
    return taken, Window(opens_at=opens_at, interval=interval)
