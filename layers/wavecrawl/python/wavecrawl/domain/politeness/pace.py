"""Politeness towards a host: pace, reserved windows, adaptation and the circuit breaker."""

from dataclasses import dataclass, replace

from wavecrawl.domain.crawl.settings import PoliteSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Limits for requests to one host: at most `in_flight` open, starts at least `interval` seconds apart."""

    interval: float
    in_flight: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A stretch of time in which one crawl may start requests to one host."""

    opens_at: float  # Unix seconds
    interval: float  # seconds between request starts

    def start_of(self, position: int) -> float:
        """Return when the request at `position` (from 0) may start."""
        return self.opens_at + position * self.interval


@dataclass(frozen=True, slots=True, kw_only=True)
class HostState:
    """The stored state of a host, shared by all crawls and tenants."""

    host: str
    next_free: float = 0.0  # Unix seconds; start of the next reservation
    interval: float = 0.0  # seconds; adapted interval, never shorter than configured
    latency: float = 0.0  # seconds; EWMA of the time to the end of the headers; 0 = unknown
    occupied: float | None = None  # seconds a request is open, including faults; rises at once, falls slowly
    strikes: int = 0  # times in a row that the circuit breaker opened without a response
    paused_until: float = 0.0  # Unix seconds; by Retry-After or an open circuit
    reported: str = ""  # id of the last feedback, which is not counted twice
    holder: str = ""  # holder of the last reservation
    held_from: float = 0.0  # Unix seconds; start of the last reservation


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """The responses of a host over one wave."""

    responses: int = 0  # exchanges with a status
    faults: int = 0  # exchanges without a status
    strained: int = 0  # responses with status 429 or 503
    latency: float = 0.0  # seconds; mean time to the end of the headers
    occupied: float = 0.0  # seconds; mean duration of all exchanges
    retry_after: float = 0.0  # seconds; the largest Retry-After
    ended_at: float = 0.0  # Unix seconds; end of the last exchange
    of: str = ""  # id of the wave; feedback of the same wave is not counted twice


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


LATENCY_WEIGHT = 0.3  # of the newest wave in the EWMA
STRAIN_SHARE = 0.2  # share of faults from which a host counts as overloaded
LATENCY_RISE = 2.0  # multiple of the EWMA from which a host counts as overloaded
QUICK = 0.04  # seconds; a lower latency never counts as overload
SLOW_DOWN = 2.0  # divisor of the rate on overload
SPEED_UP = 1.0  # additive increase of the rate, requests per second per wave
FIRST_INTERVAL = 0.1  # seconds; minimum interval after an overload
MIN_FAULTS_TO_PAUSE = 3  # faults in a wave without a response that open the circuit


def adapt(host: HostState, feedback: Feedback, settings: PoliteSettings) -> HostState:
    """Return the host after one wave: additive increase, multiplicative decrease, circuit breaker."""
    if feedback.responses + feedback.faults == 0 or (feedback.of and feedback.of == host.reported):
        return host
    paused_until = max(host.paused_until, feedback.ended_at + min(feedback.retry_after, settings.max_retry_after))
    if feedback.retry_after == 0:
        paused_until = host.paused_until
    strikes = 0 if feedback.responses else host.strikes
    if not feedback.responses and feedback.faults >= MIN_FAULTS_TO_PAUSE:
        paused_until = max(paused_until, feedback.ended_at + settings.cooldown * 2.0**strikes)
        strikes += 1
    return replace(
        host,
        reported=feedback.of,
        interval=_adapted_interval(host, feedback, settings),
        latency=_ewma(host.latency, feedback),
        occupied=_occupied(host.occupied, feedback.occupied),
        strikes=strikes,
        paused_until=paused_until,
    )


def given_up(host: HostState, settings: PoliteSettings) -> bool:
    """Return whether the host had more pauses in a row without a response than the settings allow."""
    return host.strikes > settings.max_cooldowns


def _adapted_interval(host: HostState, feedback: Feedback, settings: PoliteSettings) -> float:
    current = max(host.interval, settings.interval)
    if not settings.adapt:
        return settings.interval
    share = feedback.faults / (feedback.responses + feedback.faults)
    bearable = max(LATENCY_RISE * host.latency, current, QUICK)
    rising = bool(host.latency) and feedback.latency > bearable
    if feedback.strained or share > STRAIN_SHARE or rising:
        return min(settings.max_interval, max(current * SLOW_DOWN, FIRST_INTERVAL))
    if current <= settings.interval:
        return current
    return max(settings.interval, 1.0 / (1.0 / current + SPEED_UP))


def _ewma(latency: float, feedback: Feedback) -> float:
    if not feedback.responses:
        return latency
    return feedback.latency if not latency else (1 - LATENCY_WEIGHT) * latency + LATENCY_WEIGHT * feedback.latency


def _occupied(known: float | None, newest: float) -> float:
    """Return the new estimate: a slower host counts at once, a faster one gradually."""
    if known is None or newest > known:
        return newest
    return (1 - LATENCY_WEIGHT) * known + LATENCY_WEIGHT * newest
