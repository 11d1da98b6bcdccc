"""Host name lookup with a deadline and a short cache."""

import socket
from collections.abc import Callable
from concurrent.futures import Future
from ipaddress import ip_address
from threading import Lock, Thread
from time import monotonic

from wavecrawl.adapters.http.transfer_errors import TransferError, one_line, timed_out
from wavecrawl.domain.fetching.exchange import TransportFault

Lookup = Callable[[str], tuple[str, ...]]
"""Returns the addresses of a host, best first. Raises OSError if it has none."""

CACHE_SECONDS = 60.0
MAX_CACHED = 1024  # hosts
MAX_WAITING = 32  # lookups at a time, each in its own thread
MAX_ADDRESSES = 16  # of one host


def system_lookup(host: str) -> tuple[str, ...]:
    """Look up with the system. Old forms of IPv4 addresses (127.1, 0x7f.1, 2130706433) are normalised."""
    found = socket.getaddrinfo(host.encode("ascii"), None, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(entry[4][0]) for entry in found))[:MAX_ADDRESSES]


class Resolver:
    """Looks up each host at most once a minute. Safe to share between threads.

    A lookup cannot be interrupted. It runs in its own thread, which is abandoned when the deadline passes.
    """

    def __init__(self, *, lookup: Lookup = system_lookup, clock: Callable[[], float] = monotonic) -> None:
        self._lookup = lookup
        self._clock = clock
        self._lock = Lock()
        self._known: dict[str, tuple[float, tuple[str, ...]]] = {}  # host -> (until, addresses), oldest first
        self._waiting: dict[str, Future[tuple[str, ...]]] = {}

    def addresses(self, host: str, *, deadline: float) -> tuple[str, ...]:
        """Return the addresses of a host. Raise TransferError (DNS, TIMEOUT). `deadline`: in monotonic seconds."""
        if _is_literal(host):
            return (host,)
        with self._lock:
            known = self._known.get(host)
            if known is not None and known[0] > self._clock():
                return known[1]
            future = self._waiting.get(host) or self._start(host)
        try:
            return future.result(timeout=max(0.0, deadline - monotonic()))
        except TimeoutError as error:
            raise timed_out(f"looking up {host}") from error
        except OSError as error:
            raise TransferError(TransportFault.DNS, f"no address for {host}: {one_line(error)}") from error

    def _start(self, host: str) -> Future[tuple[str, ...]]:
        if len(self._waiting) >= MAX_WAITING:
            raise TransferError(TransportFault.DNS, f"{MAX_WAITING} lookups are waiting; {host} was not looked up")
        future: Future[tuple[str, ...]] = Future()
        self._waiting[host] = future
        Thread(target=self._run, args=(host, future), name="lookup", daemon=True).start()
        return future

    def _run(self, host: str, future: Future[tuple[str, ...]]) -> None:
        try:
            found = self._lookup(host)
            if not found:
                raise OSError("the name exists, but has no address")  # noqa: TRY301 - one path for every failure
        except TimeoutError as error:
            self._settle(host)
            future.set_exception(OSError(f"the name server did not respond: {error}"))
        except (OSError, UnicodeError) as error:
            self._settle(host)
            future.set_exception(error if isinstance(error, OSError) else OSError(str(error)))
        else:
            self._settle(host, found)
            future.set_result(found)

    def _settle(self, host: str, found: tuple[str, ...] = ()) -> None:
        with self._lock:
            del self._waiting[host]
            self._known.pop(host, None)
            if found:
                self._known[host] = (self._clock() + CACHE_SECONDS, found)
            while len(self._known) > MAX_CACHED:
                del self._known[next(iter(self._known))]


def _is_literal(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
