"""URLs that wait because the robots.txt of their host cannot be fetched."""

from collections.abc import Mapping, Sequence

from wavecrawl.application.robots_gate import RobotsGate, reason_without
from wavecrawl.domain.crawl.frontier import Frontier
from wavecrawl.domain.crawl.record import Reason, unrequested_state
from wavecrawl.domain.politeness.robots_wait import RobotsWait, is_given_up, next_wait
from wavecrawl.domain.politeness.settings import PoliteSettings
from wavecrawl.domain.urls.url import host_of, origin_of


class RobotsWaits:
    """The waits of one crawl's origins while a wave is planned. They are stored with the wave's snapshot."""

    def __init__(
        self, robots: RobotsGate, settings: PoliteSettings, before: Mapping[str, RobotsWait], *, now: float
    ) -> None:
        """`before` are the waits after the previous wave, by origin; `now` is in Unix seconds."""
        self._robots = robots
        self._settings = settings
        self._now = now
        self.waits = dict(before)
        """The waits by origin. That of an origin that was given up stays, so that its URLs do not wait again."""
        self.unreached: dict[str, int] = {}
        """The number of URLs that failed without a request, as their host cannot be reached, by host."""

    def problem(self, url: str) -> str:
        """Return why the robots.txt of the URL cannot be fetched, in words; "" if it can."""
        trouble = self._robots.trouble(url)
        return "" if trouble is None else trouble.problem

    def may_wait(self, url: str) -> bool:
        """Return whether a URL whose robots.txt cannot be fetched waits for it; begin its origin's first wait."""
        trouble = self._robots.trouble(url)
        if trouble is not None and trouble.lasting:
            return False
        origin = origin_of(url)
        if origin not in self.waits:
            self.waits[origin] = next_wait(None, self._settings, now=self._now)
        return not is_given_up(self.waits[origin], self._settings)

    def give_up(self, url: str) -> Reason:
        """Return why a URL ends whose robots.txt cannot be fetched, and which does not wait for it."""
        reason = reason_without(self._robots.trouble(url))
        if reason is not Reason.ROBOTS_UNREACHABLE:
            host = host_of(url)
            self.unreached[host] = self.unreached.get(host, 0) + 1
        return reason

    def request_again(self, frontier: Frontier) -> None:
        """Request each robots.txt whose wait is over, and decide about the URLs that wait for it."""
        held = {index: origin_of(frontier.url(index)) for index in frontier.held()}
        due = {origin for origin in held.values() if self.waits[origin].until <= self._now}
        self._robots.forget_troubles(due)
        self._robots.read_ahead(due)
        for origin in due:
            if self._robots.trouble(origin) is None:
                del self.waits[origin]
            else:
                self.waits[origin] = next_wait(self.waits[origin], self._settings, now=self._now)
        for index, origin in held.items():
            if origin in due:
                self._decide(frontier, index)

    def check(self, frontier: Frontier, indices: Sequence[int]) -> None:
        """Check pending URLs against robots.txt, as when they were found."""
        self._robots.read_ahead(frontier.url(index) for index in indices)
        for index in indices:
            if self._robots.reason_against(frontier.url(index)):
                frontier.hold(index, reason=Reason.ROBOTS_UNREACHABLE, detail=self.problem(frontier.url(index)))
                self._decide(frontier, index)

    def next_request(self, frontier: Frontier) -> float | None:
        """Return when the next robots.txt is requested again, in Unix seconds; None if no URL waits for one."""
        return min((self.waits[origin_of(frontier.url(index))].until for index in frontier.held()), default=None)

    def _decide(self, frontier: Frontier, index: int) -> None:
        url = frontier.url(index)
        reason = self._robots.reason_against(url)
        if not reason:
            frontier.release(index)
        elif reason is not Reason.ROBOTS_UNREACHABLE or not self.may_wait(url):
            if reason is Reason.ROBOTS_UNREACHABLE:
                reason = self.give_up(url)
            detail = self.problem(url)
            state = unrequested_state(reason)
            frontier.settle(index, state, reason=reason, detail=detail, tries=frontier.tries(index))
