"""Adaptation of the pace to the responses of a host: additive increase, multiplicative decrease."""

from dataclasses import replace

from wavecrawl.domain.crawl.settings import PoliteSettings
from wavecrawl.domain.politeness.circuit_breaker import after_wave
from wavecrawl.domain.politeness.host_state import Feedback, HostState

LATENCY_WEIGHT = 0.3  # of the newest wave in the EWMA
STRAIN_SHARE = 0.2  # share of faults from which a host counts as overloaded
LATENCY_RISE = 2.0  # multiple of the EWMA from which a host counts as overloaded
QUICK = 0.04  # seconds; a lower latency never counts as overload
SLOW_DOWN = 2.0  # divisor of the rate on overload
SPEED_UP = 1.0  # additive increase of the rate, requests per second per wave
FIRST_INTERVAL = 0.1  # seconds; minimum interval after an overload


def adapt(host: HostState, feedback: Feedback, settings: PoliteSettings) -> HostState:
    """Return the host after one wave. Feedback of the wave that was counted last changes nothing."""
    if feedback.responses + feedback.faults == 0 or (feedback.of and feedback.of == host.reported):
        return host
    strikes, paused_until = after_wave(host, feedback, settings)
    if feedback.retry_after:
        paused_until = max(paused_until, feedback.ended_at + min(feedback.retry_after, settings.max_retry_after))
    return replace(
        host,
        reported=feedback.of,
        interval=_adapted_interval(host, feedback, settings),
        latency=_ewma(host.latency, feedback),
        occupied=_occupied(host.occupied, feedback.occupied),
        strikes=strikes,
        paused_until=paused_until,
    )


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
