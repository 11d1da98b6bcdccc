"""The circuit breaker: a host that only fails is paused, longer each time, and given up in the end.

The stored states say how often the breaker opened, and when. How long a crawl pauses follows from its own settings.
"""

from wavecrawl.domain.politeness.host_state import Feedback, HostState, SenderState
from wavecrawl.domain.politeness.settings import PoliteSettings
from wavecrawl.domain.politeness.strain import Outcome

MIN_FAULTS = 3  # faults in a wave without a response that open the circuit breaker


def strikes_after(strikes: int, struck_at: float, feedback: Feedback, *, opened: bool) -> tuple[int, float]:
    """Return the strikes in a row after a wave, and when the last one was. `opened`: strain opened the breaker.

    A success ends the strikes. If the breaker opened in spite of one, it counts as the first strike.
    """
    faults = feedback.outcomes.count(Outcome.FAULT)
    silent = faults == len(feedback.outcomes)
    if opened or (silent and faults >= MIN_FAULTS):
        before = 0 if Outcome.GOOD in feedback.outcomes else strikes
        return before + 1, feedback.ended_at
    return strikes if silent else 0, struck_at


def last_retry(own: SenderState, feedback: Feedback) -> tuple[float, float]:
    """Return the `Retry-After` that ends last, in seconds, and when it was received."""
    if feedback.retry_from + feedback.retry_after > own.retry_from + own.retry_after:
        return feedback.retry_after, feedback.retry_from
    return own.retry_after, own.retry_from


def paused_until(host: HostState, settings: PoliteSettings) -> float:
    """Return until when a crawl of the sender with these settings pauses, in Unix seconds."""
    states = (host.own, host)
    return max(until(state, settings) for until in (asked_until, cooled_down_at) for state in states)


def given_up(host: HostState, settings: PoliteSettings) -> bool:
    """Return whether the host had more pauses in a row without a success than the settings allow."""
    return max(host.strikes, host.own.strikes) > settings.max_cooldowns


def asked_until(state: HostState | SenderState, settings: PoliteSettings) -> float:
    """Return until when `Retry-After` pauses a crawl, in Unix seconds; 0 if there was none."""
    return state.retry_from + min(state.retry_after, settings.max_retry_after) if state.retry_after else 0.0


def cooled_down_at(state: HostState | SenderState, settings: PoliteSettings) -> float:
    """Return until when the circuit breaker pauses a crawl, in Unix seconds; 0 if it is closed."""
    if not state.strikes:
        return 0.0
    doublings = max(0, min(state.strikes, settings.max_cooldowns) - 1)
    return state.struck_at + settings.cooldown * 2.0**doublings
