"""The circuit breaker: a host that only fails is paused, longer each time, and given up in the end.

The host's state says how often the breaker opened, and when. How long a crawl pauses follows from its own settings.
"""

from dataclasses import replace

from wavecrawl.domain.politeness.host_state import Feedback, HostState
from wavecrawl.domain.politeness.settings import PoliteSettings
from wavecrawl.domain.politeness.strain import SHARED, Outcome

MIN_FAULTS = 3  # faults in a wave without a response that open the circuit breaker


def after_wave(host: HostState, feedback: Feedback, *, opened: bool) -> HostState:
    """Return the host with its strikes and its `Retry-After` after a wave. `opened`: strain opened the breaker.

    A success ends the strikes. If the breaker opened in spite of one, it counts as the first strike.
    """
    faults = feedback.outcomes.count(Outcome.FAULT)
    silent = faults == len(feedback.outcomes)
    if opened or (silent and faults >= MIN_FAULTS):
        before = 0 if Outcome.GOOD in feedback.outcomes else host.strikes
        host = replace(host, strikes=before + 1, struck_at=feedback.ended_at)
    elif not silent:
        host = replace(host, strikes=0)
    if feedback.ended_at + feedback.retry_after > host.retry_from + host.retry_after:
        host = replace(host, retry_after=feedback.retry_after, retry_from=feedback.ended_at)
    return host


def paused_until(host: HostState, settings: PoliteSettings) -> float:
    """Return until when a crawl with these settings pauses, in Unix seconds."""
    asked = host.retry_from + min(host.retry_after, settings.max_retry_after) if host.retry_after else 0.0
    if not host.strikes:
        return asked
    doublings = max(0, min(host.strikes, settings.max_cooldowns) - 1)
    return max(asked, host.struck_at + settings.cooldown * 2.0**doublings)


def shared_pause(host: HostState, *, not_before: float) -> float:
    """Return until when no turn of the host is given to a crawl that pauses until `not_before`, in Unix seconds.

    The pause is that of the shared settings. A crawl that pauses longer takes its turns, and uses them later.
    """
    return min(not_before, paused_until(host, SHARED))


def given_up(host: HostState, settings: PoliteSettings) -> bool:
    """Return whether the host had more pauses in a row without a success than the settings allow."""
    return host.strikes > settings.max_cooldowns
