"""The requests for the sitemaps of a crawl: their pace, their number, and when they must end."""

from collections.abc import Callable
from contextlib import suppress
from math import inf
from sys import maxsize
from threading import RLock

import msgspec
from msgspec.structs import replace

from wavecrawl.application.crawl_state import CrawlStates
from wavecrawl.application.request_budget import SitemapRequests, load_sitemap_requests, store_sitemap_requests
from wavecrawl.application.site_rules import SiteRules
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.politeness.circuit_breaker import paused_until
from wavecrawl.domain.politeness.host_state import HostState
from wavecrawl.domain.politeness.pace import Pace, pace_for, sender_turn, turn
from wavecrawl.domain.politeness.settings import PoliteSettings
from wavecrawl.domain.politeness.waits import SHORTEST, Wait, WaitReason, pause_of, slowness_of
from wavecrawl.domain.politeness.windows import Turns
from wavecrawl.domain.urls.url import host_of, origin_of
from wavecrawl.errors import TransientError
from wavecrawl.ports.batches import Waves
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.host_gate import HostGate
from wavecrawl.ports.objects import Objects


class ReadingLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of one call of the reader."""

    max_wait: float = inf  # total seconds of waiting for the host's pace
    deadline: float = inf  # Unix seconds; no request starts that could take longer
    crawl_ends_at: float = inf  # Unix seconds; files not read by then are never read
    max_requests: int = maxsize  # for all sitemaps of the crawl, those of earlier calls included


NO_LIMITS = ReadingLimits()

TIME_IS_OVER = "not read: the crawl's time or budget was over"
REQUESTS_ARE_USED_UP = "not read: the crawl had sent max_requests requests"

MOST_AT_ONCE = 5
"""Maximum number of files that are requested at the same time."""


class LimitReachedError(Exception):
    """Reading must stop and resume later. Never leaves the reader."""

    def __init__(self, resume_at: float) -> None:
        super().__init__()
        self.resume_at = resume_at


class ReadingEndedError(Exception):
    """No further file is read, for the reason that is the message. Never leaves the reader."""


class _Reservation(msgspec.Struct, frozen=True, kw_only=True):
    """A reserved start of a request."""

    file: str  # URL of the file it belongs to
    url: str  # URL of the request: that of the file, or the target of a redirect
    hops: int  # redirects followed so far
    opens_at: float  # Unix seconds
    expires_at: float  # Unix seconds


_NO_RESERVATION = _Reservation(file="", url="", hops=0, opens_at=0.0, expires_at=0.0)
_RESERVATION = "sitemaps/reservation.msgpack"
_MAX_DELAY = 5.0  # seconds; a reserved start can be used this much later, or one interval later if that is longer
_LEAST_TIME = 1.0  # seconds of a request that starts just before the crawl's end


NoteWait = Callable[[Wait], None]
"""Notes for what the reader waits, for the people who watch the crawl."""


def wait_notes(crawl: CrawlId, waves: Waves, objects: Objects) -> NoteWait:
    """Return a function that stores a wait in the row of the last wave that was planned, or else of the first wave."""

    def note(wait: Wait) -> None:
        with suppress(TransientError):
            waves.note_wait(crawl, max(1, CrawlStates(objects).summary(crawl).wave), wait)

    return note


class SitemapStarts:
    """The starts of requests for sitemaps. Safe to share between threads: they wait for their starts one at a time."""

    def __init__(
        self,
        crawl: CrawlId,
        rules: SiteRules,
        *,
        objects: Objects,
        hosts: HostGate,
        clock: Clock,
        note_wait: NoteWait,
    ) -> None:
        self._note_wait = note_wait
        self._crawl = crawl
        self._rules = rules
        self._objects = objects
        self._hosts = hosts
        self._clock = clock
        self._limits = NO_LIMITS
        self._waited = 0.0  # seconds
        self._sent = SitemapRequests()
        self._reservation = _NO_RESERVATION
        self._lock = RLock()

    def begin(self, limits: ReadingLimits, *, resume: bool = True) -> None:
        """Begin a call of the reader. If it resumes another one, its reserved start may still be used."""
        self._limits, self._waited = limits, 0.0
        self._sent = load_sitemap_requests(self._objects, self._crawl)
        data = self._objects.get(self._crawl, _RESERVATION) if resume else None
        self._reservation = _NO_RESERVATION if data is None else msgspec.msgpack.decode(data, type=_Reservation)

    def end(self) -> None:
        """Store how many requests were sent, if the crawl has a limit of requests."""
        if self._rules.settings.max_requests:
            store_sitemap_requests(self._objects, self._crawl, self._sent)

    def at_once(self, url: str) -> int:
        """Return how many files may be requested at the same time, if the first one is at `url`."""
        settings, host = self._rules.settings, host_of(url)
        if self._limits.max_requests - self._sent.count < MOST_AT_ONCE * (2 * settings.max_redirects + 2):
            return 1  # so that the order of threads does not decide which file is the last
        delay = self._rules.robots.crawl_delay(origin_of(url))
        state = self._hosts.read(host, sender=self._rules.sender.at(host))
        return min(MOST_AT_ONCE, pace_for(settings.polite, crawl_delay=delay, host=state).in_flight)

    def resumed(self, file: str) -> tuple[str, int]:
        """Return the request of a file that has a reserved start: its URL, and the number of redirects before."""
        reserved = self._reservation
        return (reserved.url, reserved.hops) if reserved.file == file else (file, 0)

    def look(self, url: str) -> None:
        """Count the robots.txt of a URL, if its origin is new."""
        origin = origin_of(url)
        if origin == self._rules.root.origin:
            return
        with self._lock:
            if origin in self._sent.origins:
                return
            self._count()
            self._sent = SitemapRequests(count=self._sent.count, origins=(*self._sent.origins, origin))

    def timeout(self) -> float:
        """Return the seconds that a request may take. It ends with the time of the crawl."""
        left = self._limits.crawl_ends_at - self._clock.now()
        return min(self._rules.settings.sitemaps.timeout, max(left, _LEAST_TIME))

    def wait_until(self, time: float, file: str) -> None:
        """Wait until a file is requested again, in Unix seconds; raise LimitReachedError if that is too late."""
        with self._lock:
            now = self._clock.now()
            wait = max(0.0, min(time, self._limits.crawl_ends_at) - now)
            if wait >= SHORTEST:
                self._note_wait(Wait(reason=WaitReason.RETRY, host=host_of(file), until=now + wait, for_sitemaps=True))
            if self._waited + wait > self._limits.max_wait or now + wait > self._limits.deadline:
                raise LimitReachedError(now + wait)
            self._waited += wait
            self._clock.sleep(wait)

    def wait_for(self, file: str, url: str, hops: int) -> None:
        """Wait for the start of a request that the host's pace permits, and count the request.

        Raise LimitReachedError if it is too late for the worker, ReadingEndedError if it is too late for the crawl.
        """
        with self._lock:
            now, start = self._clock.now(), self._reservation
            self.check_time()
            if now + self._rules.settings.sitemaps.timeout > self._limits.deadline:
                raise LimitReachedError(now)
            if (start.file, start.url, start.hops) != (file, url, hops) or now > start.expires_at:
                start = self._reserve(file, url, hops, now)
            wait = max(0.0, start.opens_at - now)
            if self._waited + wait > self._limits.max_wait:
                self._objects.put(self._crawl, _RESERVATION, msgspec.msgpack.encode(start))
                raise LimitReachedError(start.opens_at)
            self._waited += wait
            self._reservation = _NO_RESERVATION
            self._clock.sleep(wait)
            self._count()

    def check_time(self) -> None:
        """Raise ReadingEndedError if the time of the crawl is over."""
        if self._clock.now() >= self._limits.crawl_ends_at:
            raise ReadingEndedError(TIME_IS_OVER)

    def _count(self) -> None:
        if self._sent.count >= self._limits.max_requests:
            raise ReadingEndedError(REQUESTS_ARE_USED_UP)
        self._sent = SitemapRequests(count=self._sent.count + 1, origins=self._sent.origins)

    def _reserve(self, file: str, url: str, hops: int, now: float) -> _Reservation:
        host = host_of(url)
        delay = self._rules.robots.crawl_delay(origin_of(url))
        sender, polite = self._rules.sender.at(host), self._rules.settings.polite
        state = self._hosts.read(host, sender=sender)
        pace = pace_for(polite, crawl_delay=delay, host=state)
        turns = Turns(
            holder=str(self._crawl),
            count=1,
            interval=turn(pace, state),
            spacing=pace.interval,
            not_before=paused_until(state, polite),
            sender=sender,
            sender_interval=sender_turn(pace, state),
            apart=pace.crawl_delay > 0,
        )
        window = self._hosts.reserve(host, turns, now=now)
        if window.opens_at - now >= SHORTEST:
            wait = _reason_to_wait(state, pace, polite, now)
            self._note_wait(replace(wait, until=window.opens_at, for_sitemaps=True))
        expires_at = window.opens_at + max(pace.interval, _MAX_DELAY)
        return _Reservation(file=file, url=url, hops=hops, opens_at=window.opens_at, expires_at=expires_at)


def _reason_to_wait(host: HostState, pace: Pace, polite: PoliteSettings, now: float) -> Wait:
    """Return why the next request to a host must wait."""
    pause = pause_of(host, polite)
    if pause is not None and pause.until > now:
        return pause
    return slowness_of(host.host, pace, polite) or Wait(reason=WaitReason.OTHER_CRAWLS, host=host.host)
