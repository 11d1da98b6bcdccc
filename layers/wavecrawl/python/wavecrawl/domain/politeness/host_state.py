"""What is known of a host, and the feedback of one wave."""

import msgspec

from wavecrawl.domain.politeness.strain import Strain


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """A reserved window: turns at the host that one crawl holds."""

    holder: str  # id of the crawl
    part: str  # of the crawl: a late batch, or batches that are sent again; "" for all batches of a wave
    opens_at: float  # Unix seconds; start of its first turn
    closes_at: float  # Unix seconds; end of its last turn
    interval: float  # seconds per turn
    starts_at: float  # Unix seconds; the holder's first request, not before `opens_at`
    spacing: float  # seconds between the holder's own requests, not less than `interval`
    next_start: float  # Unix seconds; the holder's next request after those of this window
    sender: str = ""  # id of the sender (`politeness.sender`)
    sender_interval: float = 0.0  # seconds between all requests of the sender; 0 = no limit
    sender_next: float = 0.0  # Unix seconds; the sender's next request after those of this window


class SenderState(msgspec.Struct, frozen=True, kw_only=True):
    """What a host said to one sender (`politeness.sender`): all its responses to the sender's requests."""

    strain: Strain = msgspec.field(default_factory=Strain)
    strikes: int = 0  # times in a row that the circuit breaker opened without a success in between
    struck_at: float = 0.0  # Unix seconds; when the circuit breaker opened last
    retry_after: float = 0.0  # seconds; the `Retry-After` that ends last
    retry_from: float = 0.0  # Unix seconds; when it was received
    reported: str = ""  # id of the last feedback, which is not counted twice

    @property
    def is_calm(self) -> bool:
        """Whether further good responses change nothing."""
        return not self.strikes and self.strain.is_calm


class HostState(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a host, as one sender sees it.

    What the host shows to all is shared by all crawls and tenants: 5xx without `Retry-After`, missing responses,
    response times, reservations. What it said to one sender binds that sender alone: 429, 403, `Retry-After`.
    Both depend on the host's responses and on reservations. No setting of a crawl is in them.
    """

    host: str
    windows: tuple[Held, ...] = ()  # reserved, in the order of their opening
    strain: Strain = msgspec.field(default_factory=Strain)
    latency: float = 0.0  # seconds; EWMA of the time to the end of the headers; 0 = unknown
    occupied: float | None = None  # seconds a request is open, including faults; rises at once, falls slowly
    strikes: int = 0  # times in a row that the circuit breaker opened without a success in between
    struck_at: float = 0.0  # Unix seconds; when the circuit breaker opened last
    retry_after: float = 0.0  # seconds; of a row of an earlier version, which bound all senders
    retry_from: float = 0.0  # Unix seconds; of a row of an earlier version
    reported: str = ""  # id of the last feedback, which is not counted twice
    own: SenderState = msgspec.field(default_factory=SenderState)  # stored in this row: that of `sender.PRODUCT`

    @property
    def interval(self) -> float:
        """The interval in seconds that follows from the host's responses; 0 = the sender is not slowed down."""
        return max(self.strain.interval, self.own.strain.interval)

    @property
    def last_strike(self) -> float:
        """When the circuit breaker opened last for the sender, in Unix seconds."""
        return max(self.struck_at, self.own.struck_at)


class Feedback(msgspec.Struct, frozen=True, kw_only=True):
    """The responses of a host to one sender over one wave."""

    outcomes: str = ""  # one `strain.Outcome` per request
    latency: float = 0.0  # seconds; mean time to the end of the headers
    adapts: bool = True  # whether a rise of the latency slows the host down
    occupied: float = 0.0  # seconds; mean duration of all exchanges
    retry_after: float = 0.0  # seconds; the `Retry-After` that ends last
    retry_from: float = 0.0  # Unix seconds; when it was received
    ended_at: float = 0.0  # Unix seconds; end of the last exchange
    of: str = ""  # id of the wave; feedback of the same wave is not counted twice
