"""Reserved windows: when a crawl may start its requests to a host.

Each request takes one turn of the host's time, which is the same for all crawls. A crawl with a longer interval than a
turn takes its turns at once, and makes its requests later, one interval apart. So does a crawl whose sender the host
has slowed down: only crawls of the same sender wait for it.
"""

from collections.abc import Iterable
from math import inf, nextafter

from msgspec import Struct
from msgspec.structs import replace

from wavecrawl.domain.politeness.circuit_breaker import paused_until
from wavecrawl.domain.politeness.host_state import Held, HostState, SenderState
from wavecrawl.domain.politeness.sender import PRODUCT
from wavecrawl.domain.politeness.strain import SHARED

_ROUNDING = 1e-6  # seconds


class Window(Struct, frozen=True, kw_only=True):
    """A stretch of time in which one crawl may start requests to one host."""

    opens_at: float  # Unix seconds
    interval: float  # seconds between request starts

    def start_of(self, position: int) -> float:
        """Return when the request at `position` (from 0) may start."""
        return self.opens_at + position * self.interval


class Turns(Struct, frozen=True, kw_only=True):
    """Turns at a host that a crawl wants to reserve."""

    holder: str  # id of the crawl
    part: str = ""  # of the crawl: a late batch, or batches that are sent again; "" for all batches of a wave
    count: int
    interval: float  # seconds per turn
    spacing: float = 0.0  # seconds between the crawl's own requests, if longer
    not_before: float = 0.0  # Unix seconds; end of the crawl's own pause
    sender: str = PRODUCT  # id of the crawl's sender at the host
    sender_interval: float = 0.0  # seconds between all requests of the sender; 0 = no limit
    apart: bool = False  # whether each turn is taken when it is used: the host has a `Crawl-delay`


def reserve(host: HostState, turns: Turns, *, now: float, own: SenderState | None = None) -> tuple[HostState, Window]:
    """Reserve the first free stretch of time that is long enough (GCRA without burst, ATM Forum TM 4.0).

    Turns that the holder reserved before and did not use are given back first; if the turns are for a part of the
    crawl, only those of the same part. No turn is in the pause that the shared settings require; a crawl that pauses
    longer takes its turns after that, and uses them later. `own`: what the host said to the sender, if that is not in
    the state.
    """
    host = give_back(host, holder=turns.holder, part=turns.part, now=now)
    windows = [held for held in host.windows if max(held.closes_at, held.next_start, held.sender_next) > now]
    opens_at = max(now, min(turns.not_before, paused_until(host if own is None else replace(host, own=own), SHARED)))
    if turns.apart:
        return _reserve_apart(host, windows, turns, opens_at)
    length = turns.count * turns.interval
    for held in windows:
        if held.opens_at > opens_at and held.opens_at >= opens_at + length:
            break
        opens_at = max(opens_at, held.closes_at)
    earliest = [held.next_start for held in windows if held.holder == turns.holder]
    if turns.sender_interval:
        earliest += [held.sender_next for held in windows if held.sender == turns.sender]
    starts_at = max(opens_at, turns.not_before, *earliest)
    spacing = max(turns.spacing, turns.interval)
    taken = Held(
        holder=turns.holder,
        part=turns.part,
        opens_at=opens_at,
        closes_at=opens_at + length,
        interval=turns.interval,
        starts_at=starts_at,
        spacing=spacing,
        next_start=starts_at + turns.count * spacing,
        sender=turns.sender,
        sender_interval=turns.sender_interval,
        sender_next=starts_at + turns.count * turns.sender_interval,
    )
    windows = sorted((*windows, taken), key=lambda held: held.opens_at)
    return replace(host, windows=tuple(windows)), Window(opens_at=starts_at, interval=spacing)


def _reserve_apart(host: HostState, windows: list[Held], turns: Turns, opens_at: float) -> tuple[HostState, Window]:
    """Reserve each turn where it is used, so that no request of another crawl is nearer than a turn to one of these.

    No request of the same sender is nearer than `sender_interval`.
    """
    own = [held.next_start for held in windows if held.holder == turns.holder]
    spacing = max(turns.spacing, turns.interval, turns.sender_interval)
    start = max(opens_at, turns.not_before, *own)
    while (later := _after_conflict(windows, turns, start, spacing)) > start:
        start = later
    taken = (
        Held(
            holder=turns.holder,
            part=turns.part,
            opens_at=start + position * spacing,
            closes_at=start + position * spacing + turns.interval,
            interval=turns.interval,
            starts_at=start + position * spacing,
            spacing=spacing,
            next_start=start + (position + 1) * spacing,
            sender=turns.sender,
            sender_interval=turns.sender_interval,
            sender_next=start + position * spacing + turns.sender_interval,
        )
        for position in range(turns.count)
    )
    ordered = sorted((*windows, *_joined(taken)), key=lambda held: held.opens_at)
    return replace(host, windows=tuple(ordered)), Window(opens_at=start, interval=spacing)


def _after_conflict(windows: list[Held], turns: Turns, start: float, spacing: float) -> float:
    """Return a later start without the first conflict of a turn with a window; `start` if there is none."""
    for position in range(turns.count):
        opens_at = start + position * spacing
        for held in windows:
            is_alike = turns.sender_interval > 0 and held.sender == turns.sender
            before = held.starts_at < opens_at + turns.sender_interval and opens_at < held.sender_next
            is_taken = held.opens_at < opens_at + turns.interval and opens_at < held.closes_at
            if is_taken or (is_alike and before):
                ends_at = max(held.closes_at, held.sender_next) if is_alike else held.closes_at
                return max(ends_at - position * spacing, nextafter(start, inf))
    return start


def _joined(turns: Iterable[Held]) -> list[Held]:
    """Return turns that follow each other without a gap as one window."""
    found: list[Held] = []
    for turn in turns:
        if found and turn.opens_at <= found[-1].closes_at + _ROUNDING:
            found[-1] = replace(
                found[-1], closes_at=turn.closes_at, next_start=turn.next_start, sender_next=turn.sender_next
            )
        else:
            found.append(turn)
    return found


def give_back(host: HostState, *, holder: str, part: str = "", now: float) -> HostState:
    """Return the host without the holder's unused turns; `host` itself if there are none.

    One turn is kept, as the holder's last request may have just started. If a part is given, the turns of the holder's
    other parts stay.
    """
    windows = tuple(
        _used(held, now) if held.holder == holder and part in ("", held.part) else held for held in host.windows
    )
    return host if windows == host.windows else replace(host, windows=windows)


def _used(held: Held, now: float) -> Held:
    """Return a window without the turns that are not used by now."""
    if held.starts_at > now:
        return replace(held, closes_at=0.0, next_start=0.0, sender_next=0.0)
    return replace(
        held,
        closes_at=min(held.closes_at, now + held.interval),
        next_start=min(held.next_start, now + held.spacing),
        sender_next=min(held.sender_next, now + held.sender_interval),
    )
