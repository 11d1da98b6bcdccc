"""Waits for a robots.txt that cannot be fetched: longer each time, and not for ever."""

from msgspec import Struct

from wavecrawl.domain.politeness.settings import PoliteSettings


class RobotsWait(Struct, frozen=True, kw_only=True):
    """A wait until the robots.txt of an origin is requested again."""

    number: int  # from 1
    until: float  # Unix seconds


def next_wait(before: RobotsWait | None, settings: PoliteSettings, *, now: float) -> RobotsWait:
    """Return the wait that begins `now`, in Unix seconds: the first one, or one twice as long as the one before."""
    number = before.number + 1 if before else 1
    return RobotsWait(number=number, until=now + seconds_of(number, settings))


def seconds_of(number: int, settings: PoliteSettings) -> float:
    """Return the length of a wait in seconds; the first one has number 1."""
    return settings.robots_wait * 2.0 ** (number - 1)


def is_given_up(wait: RobotsWait, settings: PoliteSettings) -> bool:
    """Return whether there were more waits in a row than the settings allow."""
    return wait.number > settings.max_robots_waits
