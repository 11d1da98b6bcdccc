"""From host names to addresses, within a deadline and with a short memory."""

import socket
from collections.abc import Callable
from concurrent.futures import Future
from ipaddress import ip_address
from threading import Lock, Thread
from time import monotonic

from wavecrawl.adapters.http.transfer_errors import TransferError, one_line, timed_out
from wavecrawl.domain.fetching.exchange import TransportFault

Lookup = Callable[[str], tuple[str, ...]]
"""Gives the addresses of a host, best first; raises OSError where it has none."""

REMEMBERED_FOR = 60.0  # seconds
MOST_REMEMBERED = 1024  # hosts
MOST_WAITING = 32  # lookups that hang at once; a thread each
MOST_ADDRESSES = 16  # of one host


def system_lookup(host: str) -> tuple[str, ...]:
    """Ask the system. Old spellings of IPv4 addresses (127.1, 0x7f.1, 2130706433) come back as what they mean."""
    found = socket.getaddrinfo(host.encode("ascii"), None, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(entry[4][0]) for entry in found))[:MOST_ADDRESSES]


class Resolver:
    """Looks hosts up, each at most once a minute. Safe to share between threads.

    A lookup cannot be interrupted, so it runs in a thread of its own that is left behind when the deadline passes.
    """

    def __init__(self, *, lookup: Lookup = system_lookup, clock: Callable[[], float] = monotonic) -> None:
        self._lookup = lookup
        self._clock = clock
        self._lock = Lock()
        self._known: dict[str, tuple[float, tuple[str, ...]]] = {}  # host -> (until, addresses), oldest first
        self._waiting: dict[str, Future[tuple[str, ...]]] = {}

    def addresses(self, host: str, *, deadline: float) -> tuple[str, ...]:
        """Return the addresses of a host; raise TransferError (DNS, TIMEOUT). `deadline` is in monotonic seconds."""
        if _is_literal(host):
            return (host,)
        with self._lock:
            known = self._known.get(host)
            if known is not None and known[0] > self._clock():
                return known[1]
            answer = self._waiting.get(host) or self._start(host)
        try:
            return answer.result(timeout=max(0.0, deadline - monotonic()))
        except TimeoutError as error:
            raise timed_out(f"looking up {host}") from error
        except OSError as error:
            raise TransferError(TransportFault.DNS, f"no address for {host}: {one_line(error)}") from error

    def _start(self, host: str) -> Future[tuple[str, ...]]:
        if len(self._waiting) >= MOST_WAITING:
            raise TransferError(TransportFault.DNS, f"{MOST_WAITING} lookups hang already; {host} was not looked up")
        answer: Future[tuple[str, ...]] = Future()
        self._waiting[host] = answer
        Thread(target=self._run, args=(host, answer), name="lookup", daemon=True).start()
        return answer

    def _run(self, host: str, answer: Future[tuple[str, ...]]) -> None:
        try:
            found = self._lookup(host)
            if not found:
                raise OSError("the name exists, but has no address")  # noqa: TRY301 - one path for every failure
        except TimeoutError as error:
            self._settle(host)
            answer.set_exception(OSError(f"the name server did not answer: {error}"))
        except (OSError, UnicodeError) as error:
            self._settle(host)
            answer.set_exception(error if isinstance(error, OSError) else OSError(str(error)))
        else:
            self._settle(host, found)
            answer.set_result(found)

    def _settle(self, host: str, found: tuple[str, ...] = ()) -> None:
        with self._lock:
            del self._waiting[host]
            self._known.pop(host, None)
            if found:
                self._known[host] = (self._clock() + REMEMBERED_FOR, found)
            while len(self._known) > MOST_REMEMBERED:
                del self._known[next(iter(self._known))]


def _is_literal(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
