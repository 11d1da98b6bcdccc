"""The circuit breaker: a host that does not respond is paused, longer each time, and given up in the end."""

from wavecrawl.domain.crawl.settings import PoliteSettings
from wavecrawl.domain.politeness.host_state import Feedback, HostState

MIN_FAULTS = 3  # faults in a wave without a response that open the circuit


def after_wave(host: HostState, feedback: Feedback, settings: PoliteSettings) -> tuple[int, float]:
    """Return how often in a row the circuit has opened, and until when (Unix seconds). A response closes it."""
    if feedback.responses or feedback.faults < MIN_FAULTS:
        return 0 if feedback.responses else host.strikes, host.paused_until
    cooldown = settings.cooldown * 2.0**host.strikes
    return host.strikes + 1, max(host.paused_until, feedback.ended_at + cooldown)


def given_up(host: HostState, settings: PoliteSettings) -> bool:
    """Return whether the host had more pauses in a row without a response than the settings allow."""
    return host.strikes > settings.max_cooldowns
