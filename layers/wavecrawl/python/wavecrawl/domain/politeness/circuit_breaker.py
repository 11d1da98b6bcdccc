"""The circuit breaker: a host that does not respond is paused, longer each time, and given up in the end."""

from wavecrawl.domain.crawl.settings import PoliteSettings
from wavecrawl.domain.politeness.host_state import Feedback, HostState

MIN_FAULTS = 3  # faults in a wave without a response that open the circuit


def strikes_after(host: HostState, feedback: Feedback) -> int:
    """Return how often in a row the circuit has opened. A response closes it."""
    if feedback.responses:
        return 0
    return host.strikes + (feedback.faults >= MIN_FAULTS)


def paused_until(host: HostState, feedback: Feedback, settings: PoliteSettings) -> float:
    """Return the end of the host's pause, in Unix seconds. The cool-down doubles with each strike."""
    strikes = strikes_after(host, feedback)
    if strikes > host.strikes:
        return max(host.paused_until, feedback.ended_at + settings.cooldown * 2.0**host.strikes)
    return host.paused_until


def given_up(host: HostState, settings: PoliteSettings) -> bool:
    """Return whether the host had more pauses in a row without a response than the settings allow."""
    return host.strikes > settings.max_cooldowns
