"""Adaptation of the pace to the responses of a host: additive increase, multiplicative decrease."""

from msgspec.structs import replace

from wavecrawl.domain.politeness.circuit_breaker import last_retry, strikes_after
from wavecrawl.domain.politeness.host_state import Feedback, HostState, SenderState
from wavecrawl.domain.politeness.strain import SHARED, Outcome, Strain, half_open, observe, slower

LATENCY_WEIGHT = 0.3  # of the newest wave in the EWMA
LATENCY_RISE = 2.0  # multiple of the EWMA from which a host counts as overloaded
QUICK = 0.04  # seconds; a lower latency never counts as overload

_TO_ONE = str.maketrans("", "", Outcome.FORBIDDEN + Outcome.REFUSED)
"""Removes the outcomes that concern one sender."""


def adapt(host: HostState, feedback: Feedback, *, own: bool = True) -> HostState:
    """Return the host after one wave of a sender. Feedback of the wave that was counted last changes nothing.

    `own`: whether the state has that of this sender, too. It follows from all responses to the sender, the shared state
    from those that a host shows to all.
    """
    if own and (said := after_own(host.own, feedback)) is not host.own:
        host = replace(host, own=said)
    return host if _changes_nothing(host.reported, feedback) else _shared_after(host, feedback)


def after_own(own: SenderState, feedback: Feedback) -> SenderState:
    """Return what a host said to a sender, after a wave; `own` itself if there is nothing to remember."""
    is_good = not (feedback.outcomes.strip(Outcome.GOOD) or feedback.retry_after)
    if _changes_nothing(own.reported, feedback) or (own.is_calm and is_good):
        return own
    strain = _observed(own.strain, feedback.outcomes)
    strikes, struck_at = strikes_after(own.strikes, own.struck_at, feedback, opened=strain.is_open)
    retry_after, retry_from = last_retry(own, feedback)
    return SenderState(
        strain=half_open(strain),
        strikes=strikes,
        struck_at=struck_at,
        retry_after=retry_after,
        retry_from=retry_from,
        reported=feedback.of,
    )


def _changes_nothing(reported: str, feedback: Feedback) -> bool:
    return not feedback.outcomes or (bool(feedback.of) and feedback.of == reported)


def _shared_after(host: HostState, feedback: Feedback) -> HostState:
    strain = _observed(host.strain, feedback.outcomes.translate(_TO_ONE))
    bearable = max(LATENCY_RISE * host.latency, strain.interval, SHARED.interval, QUICK)
    risen = feedback.adapts and host.latency and feedback.latency > bearable
    if risen and strain.interval <= host.strain.interval and not strain.is_open:
        strain = slower(strain)
    strikes, struck_at = strikes_after(host.strikes, host.struck_at, feedback, opened=strain.is_open)
    return replace(
        host,
        strain=half_open(strain),
        strikes=strikes,
        struck_at=struck_at,
        reported=feedback.of,
        latency=_ewma(host.latency, feedback.latency),
        occupied=_occupied(host.occupied, feedback.occupied),
    )


def _observed(strain: Strain, outcomes: str) -> Strain:
    """Return the strain after a wave, or when the circuit breaker opens: the requests then were already on their way.

    Many workers fetch a wave, at the same interval. Responses beyond that point would slow the host down again and
    again for the same reason.
    """
    for outcome in outcomes:
        strain = observe(strain, outcome)
        if strain.is_open:
            return strain
    return strain


def _ewma(known: float, newest: float) -> float:
    if not known or not newest:
        return newest or known
    return (1 - LATENCY_WEIGHT) * known + LATENCY_WEIGHT * newest


def _occupied(known: float | None, newest: float) -> float:
    """Return the new estimate: a slower host counts at once, a faster one gradually."""
    if known is None or newest > known:
        return newest
    return (1 - LATENCY_WEIGHT) * known + LATENCY_WEIGHT * newest
