"""Strain: the signs of overload in a host's newest responses, and the interval that follows from them.

Workers fold the responses of a batch, and the planner those of a wave. Both use `observe`.
"""

from enum import StrEnum

from msgspec import Struct, structs

from wavecrawl.domain.politeness.settings import PoliteSettings

SHARED = PoliteSettings()
"""The settings that apply to the state of a host, which all crawls share: the defaults, whatever a crawl's own are."""

FIRST_INTERVAL = 0.1  # seconds; minimum interval after a slow-down
NEWEST = 50  # responses that are looked at
STRAIN_SHARE = 0.2  # share of them that may be bad
SLOW_DOWN = 2.0  # divisor of the rate
SPEED_UP = 0.2  # requests per second by which the rate rises after `CALM` good responses; at most it doubles
CALM = 10  # good responses in a row
SLOW_DOWNS = 3  # slow-downs in a row that open the circuit breaker

_ERRORS = 400
_FORBIDDEN = 403
_TOO_MANY_REQUESTS = 429
_SERVER_ERRORS = 500


class Outcome(StrEnum):
    """What a response says about the load of its host. One letter each, as they are stored as text."""

    GOOD = "g"  # 2xx, 3xx, and other 4xx
    FORBIDDEN = "f"  # 403
    STRAINED = "s"  # 5xx without Retry-After
    FAULT = "t"  # no response
    REFUSED = "r"  # 429, errors with Retry-After, and challenges: the host limits who sent the request


_BAD = (Outcome.STRAINED, Outcome.FAULT, Outcome.REFUSED)


class Strain(Struct, frozen=True, kw_only=True):
    """The newest responses of a host, and its interval."""

    newest: str = ""  # outcomes since the last slow-down, at most `NEWEST`
    calm: int = 0  # good responses in a row since the interval changed
    interval: float = 0.0  # seconds; 0 = not slowed down
    slowed: int = 0  # slow-downs in a row, without `CALM` good responses in between

    @property
    def is_calm(self) -> bool:
        """Return whether further good responses change nothing that matters."""
        return not (self.interval or self.slowed or self.newest.strip(Outcome.GOOD))

    @property
    def is_open(self) -> bool:
        """Return whether the circuit breaker opens."""
        return self.slowed >= SLOW_DOWNS


def half_open(strain: Strain) -> Strain:
    """Return the strain after the circuit breaker opened: another slow-down opens it again."""
    return structs.replace(strain, slowed=min(strain.slowed, SLOW_DOWNS - 1))


def outcome_of(status: int | None, *, retry_after: float = 0.0, is_blocked: bool = False) -> Outcome:
    """Return the outcome of a response; a status of None is a transport fault.

    `retry_after`: seconds, 0 = none. `is_blocked`: the response is the challenge of a bot protection.
    """
    if status is None:
        return Outcome.FAULT
    if is_blocked or status == _TOO_MANY_REQUESTS or (status >= _ERRORS and retry_after):
        return Outcome.REFUSED
    if status == _FORBIDDEN:
        return Outcome.FORBIDDEN
    return Outcome.STRAINED if status >= _SERVER_ERRORS else Outcome.GOOD


def observe(strain: Strain, outcome: str) -> Strain:
    """Return the strain after one more response.

    If more than a fifth of the newest 50 responses are bad, the rate is halved, and the count starts again. Bad are
    429, challenges of bot protections, 5xx and faults. 403 is bad if no good response followed: a site may have
    forbidden pages among others.
    """
    newest = (strain.newest + outcome)[-NEWEST:]
    if _bad(newest) > STRAIN_SHARE * NEWEST:
        return structs.replace(slower(strain), newest="", slowed=strain.slowed + 1)
    if outcome != Outcome.GOOD:
        calm = strain.calm if outcome == Outcome.FORBIDDEN else 0
        return structs.replace(strain, newest=newest, calm=calm)
    if strain.calm + 1 < CALM:
        return structs.replace(strain, newest=newest, calm=strain.calm + 1)
    return Strain(newest=newest, interval=_shorter(strain.interval))


def slower(strain: Strain) -> Strain:
    """Return the strain with half the rate."""
    interval = max(SLOW_DOWN * max(strain.interval, SHARED.interval), FIRST_INTERVAL)
    return structs.replace(strain, interval=min(SHARED.max_interval, interval), calm=0)


def _bad(newest: str) -> int:
    forbidden = newest[newest.rfind(Outcome.GOOD) + 1 :].count(Outcome.FORBIDDEN)
    return sum(map(newest.count, _BAD)) + forbidden


def _shorter(interval: float) -> float:
    """Return the interval of a slightly higher rate, 0 if that is the base rate."""
    if not interval:
        return 0.0
    rate = 1.0 / interval
    raised = 1.0 / min(SLOW_DOWN * rate, rate + SPEED_UP)
    return raised if raised > SHARED.interval else 0.0
