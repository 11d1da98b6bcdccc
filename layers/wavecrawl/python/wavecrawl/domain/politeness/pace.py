"""Politeness towards a host (design 8): pace, reserved windows, adapting, the circuit breaker. All pure."""

from dataclasses import dataclass, replace

from wavecrawl.domain.crawl.settings import PoliteSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How requests to one host may start: at most `in_flight` open, starts at least `interval` seconds apart."""

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
    """What is remembered of a host, shared by all crawls and tenants."""

    host: str
    next_free: float = 0.0  # Unix seconds; nothing may be reserved before
    interval: float = 0.0  # seconds; the adapted pace, never quicker than the settings ask
    latency: float = 0.0  # seconds, EWMA of the time to the end of the headers; 0 = not known
    occupied: float | None = None  # seconds a request is open, faults included: quick to rise, slow to fall
    strikes: int = 0  # circuit-breaker openings in a row without one answer
    paused_until: float = 0.0  # Unix seconds; Retry-After or an open circuit
    reported: str = ""  # whose feedback came last: the same again changes nothing
    holder: str = ""  # who reserved last
    held_from: float = 0.0  # Unix seconds; the start of that reservation


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """How a host answered over one wave."""

    answers: int = 0  # exchanges with a status
    faults: int = 0  # exchanges without one
    strained: int = 0  # 429 and 503 among the answers
    latency: float = 0.0  # seconds, mean time to the end of the headers over the answers
    occupied: float = 0.0  # seconds, mean time that an exchange was open, with an answer or without
    retry_after: float = 0.0  # seconds, the longest asked for
    ended_at: float = 0.0  # Unix seconds, the end of the last exchange
    of: str = ""  # names the wave, so that a wave that is gathered again is not counted twice


def pace_for(settings: PoliteSettings, *, crawl_delay: float | None, host: HostState) -> Pace:
    """Return the pace for a host: Crawl-delay wins over the settings and means one request at a time."""
    if crawl_delay:
        return Pace(interval=max(crawl_delay, host.interval), in_flight=1)
    return Pace(interval=max(settings.interval, host.interval), in_flight=settings.in_flight)


def interval_between_workers(pace: Pace, *, latency: float) -> float:
    """Return how far apart the starts of one host's batches have to be reserved, in seconds a request.

    One worker counts what it has open by itself. Workers that do not know of each other keep within `in_flight` by
    their times: where answers take longer than `in_flight` starts, the next batch starts as much later.
    """
    return max(pace.interval, latency / pace.in_flight) if pace.interval else 0.0


def seconds_a_page(pace: Pace, *, host: HostState, timeout: float) -> float:
    """Return how long a host takes a page, in seconds, where all that may be open is open all the time.

    A host that nobody has asked yet is expected to take the whole `timeout` of a request: its first wave is short.
    """
    occupied = timeout if host.occupied is None else host.occupied
    return max(pace.interval, occupied / pace.in_flight)


def opening(host: HostState, *, holder: str, interval: float, now: float) -> float:
    """Return when a reservation would open, in Unix seconds.

    A holder that asks again while nobody came after it gives its last reservation back: it asks when its wave is over
    or has to be dispatched once more, and what it did not use must hold nobody up. Its last start may have been just
    now, so one interval is kept even then.
    """
    free = host.next_free
    if host.holder == holder:
        free = min(free, max(host.held_from, now + interval))
    return max(now, free, host.paused_until)


def reserve(host: HostState, *, holder: str, count: int, interval: float, now: float) -> tuple[HostState, Window]:
    """Reserve `count` starts: GCRA with no burst (ATM Forum TM 4.0): the next free time moves on by count intervals."""
    opens_at = opening(host, holder=holder, interval=interval, now=now)
    taken = replace(host, next_free=opens_at + count * interval, holder=holder, held_from=opens_at)
    return taken, Window(opens_at=opens_at, interval=interval)


LATENCY_WEIGHT = 0.3  # of the newest wave in the EWMA
STRAIN_SHARE = 0.2  # of faults among all exchanges that counts as strain
LATENCY_RISE = 2.0  # times the EWMA that counts as strain
QUICK = 0.04  # seconds; an answer that takes no longer is no strain, whatever the host's usual
SLOW_DOWN = 2.0  # multiplicative decrease of the rate
SPEED_UP = 1.0  # additive increase of the rate, requests a second a wave
FIRST_INTERVAL = 0.1  # seconds; what an unlimited pace falls back to under strain
MIN_FAULTS_TO_PAUSE = 3  # a wave of nothing but faults opens the circuit from here on


def adapt(host: HostState, feedback: Feedback, settings: PoliteSettings) -> HostState:
    """Return the host as it is after one wave: additive increase, multiplicative decrease, the circuit breaker."""
    if feedback.answers + feedback.faults == 0 or (feedback.of and feedback.of == host.reported):
        return host
    paused_until = max(host.paused_until, feedback.ended_at + min(feedback.retry_after, settings.max_retry_after))
    if feedback.retry_after == 0:
        paused_until = host.paused_until
    strikes = 0 if feedback.answers else host.strikes
    if not feedback.answers and feedback.faults >= MIN_FAULTS_TO_PAUSE:
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
    """Tell whether the host has been paused in vain as often as the settings allow."""
    return host.strikes > settings.max_cooldowns


def _adapted_interval(host: HostState, feedback: Feedback, settings: PoliteSettings) -> float:
    current = max(host.interval, settings.interval)
    if not settings.adapt:
        return settings.interval
    share = feedback.faults / (feedback.answers + feedback.faults)
    bearable = max(LATENCY_RISE * host.latency, current, QUICK)
    rising = bool(host.latency) and feedback.latency > bearable
    if feedback.strained or share > STRAIN_SHARE or rising:
        return min(settings.max_interval, max(current * SLOW_DOWN, FIRST_INTERVAL))
    if current <= settings.interval:
        return current
    return max(settings.interval, 1.0 / (1.0 / current + SPEED_UP))


def _ewma(latency: float, feedback: Feedback) -> float:
    if not feedback.answers:
        return latency
    return feedback.latency if not latency else (1 - LATENCY_WEIGHT) * latency + LATENCY_WEIGHT * feedback.latency


def _occupied(known: float | None, newest: float) -> float:
    """A host that has become slow must not get another long wave; one that was quick once is not quick yet."""
    if known is None or newest > known:
        return newest
    return (1 - LATENCY_WEIGHT) * known + LATENCY_WEIGHT * newest
