"""What is known of a host, and the feedback of one wave."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class HostState:
    """The stored state of a host, shared by all crawls and tenants."""

    host: str
    next_free: float = 0.0  # Unix seconds; start of the next reservation
    interval: float = 0.0  # seconds; adapted interval, never shorter than configured
    latency: float = 0.0  # seconds; EWMA of the time to the end of the headers; 0 = unknown
    occupied: float | None = None  # seconds a request is open, including faults; rises at once, falls slowly
    strikes: int = 0  # times in a row that the circuit breaker opened without a response
    paused_until: float = 0.0  # Unix seconds; by Retry-After or an open circuit
    reported: str = ""  # id of the last feedback, which is not counted twice
    holder: str = ""  # holder of the last reservation
    held_from: float = 0.0  # Unix seconds; start of the last reservation


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """The responses of a host over one wave."""

    responses: int = 0  # exchanges with a status
    faults: int = 0  # exchanges without a status
    strained: int = 0  # responses with status 429 or 503
    latency: float = 0.0  # seconds; mean time to the end of the headers
    occupied: float = 0.0  # seconds; mean duration of all exchanges
    retry_after: float = 0.0  # seconds; the largest Retry-After
    ended_at: float = 0.0  # Unix seconds; end of the last exchange
    of: str = ""  # id of the wave; feedback of the same wave is not counted twice
