"""Adaptation of the pace to the responses of a host: additive increase, multiplicative decrease."""

from dataclasses import replace

from wavecrawl.domain.politeness.circuit_breaker import after_wave
from wavecrawl.domain.politeness.host_state import Feedback, HostState
from wavecrawl.domain.politeness.strain import SHARED, Strain, half_open, observe, slower

LATENCY_WEIGHT = 0.3  # of the newest wave in the EWMA
LATENCY_RISE = 2.0  # multiple of the EWMA from which a host counts as overloaded
QUICK = 0.04  # seconds; a lower latency never counts as overload


def adapt(host: HostState, feedback: Feedback) -> HostState:
    """Return the host after one wave. Feedback of the wave that was counted last changes nothing."""
    if not feedback.outcomes or (feedback.of and feedback.of == host.reported):
        return host
    strain = _strain_after(host, feedback)
    host = after_wave(host, feedback, opened=strain.is_open)
    return replace(
        host,
        reported=feedback.of,
        strain=half_open(strain),
        latency=_ewma(host.latency, feedback.latency),
        occupied=_occupied(host.occupied, feedback.occupied),
    )


def _strain_after(host: HostState, feedback: Feedback) -> Strain:
    """Return the strain after a wave, or when the circuit breaker opens: the requests then were already on their way.

    Many workers fetch a wave, at the same interval. Responses beyond that point would slow the host down again and
    again for the same reason.
    """
    strain = host.strain
    for outcome in feedback.outcomes:
        strain = observe(strain, outcome)
        if strain.is_open:
            return strain
    bearable = max(LATENCY_RISE * host.latency, strain.interval, SHARED.interval, QUICK)
    risen = feedback.adapts and host.latency and feedback.latency > bearable
    return slower(strain) if risen and strain.interval <= host.strain.interval else strain


def _ewma(known: float, newest: float) -> float:
    if not known or not newest:
        return newest or known
    return (1 - LATENCY_WEIGHT) * known + LATENCY_WEIGHT * newest


def _occupied(known: float | None, newest: float) -> float:
    """Return the new estimate: a slower host counts at once, a faster one gradually."""
    if known is None or newest > known:
        return newest
    return (1 - LATENCY_WEIGHT) * known + LATENCY_WEIGHT * newest
