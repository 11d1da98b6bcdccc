"""Plan the waves after the last page: first the checked URLs, then the media URLs.

They have the same rules of pace and retries as pages.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from wavecrawl.application.crawl_limits import CrawlLimits
from wavecrawl.application.crawl_state import CrawlState
from wavecrawl.application.host_speeds import HostSpeeds
from wavecrawl.application.planner_ports import PlannerPorts
from wavecrawl.application.site_rules import SiteRules
from wavecrawl.domain.crawl.batching import no_validators
from wavecrawl.domain.crawl.gather import Gatherer
from wavecrawl.domain.crawl.job import BatchKind, CrawlId, Validators
from wavecrawl.domain.crawl.later_urls import LaterUrls, batch_kind
from wavecrawl.domain.crawl.plan import MayJoin, Plan, any_may_join, plan_again, plan_wave
from wavecrawl.domain.crawl.record import Reason

CHECKS_A_WAVE: Final = 250
"""Maximum number of URLs in a wave of checks. They may be on as many hosts, whose robots.txt the planner requests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LaterPlanner:
    """Plans the URLs of one crawl that are requested after its last page."""

    crawl: CrawlId
    rules: SiteRules
    ports: PlannerPorts
    speeds: HostSpeeds
    limits: CrawlLimits

    def gatherer(self, state: CrawlState) -> Gatherer:
        """Return the fold of the records of these URLs, which have no links and teach nothing about pages."""
        return Gatherer(
            frontier=state.media,
            settings=self.rules.settings,
            allowed=lambda _: Reason.NONE,  # workers look at the robots.txt of each host
            robots_problem=lambda _: "",
            counters=state.media_counters,
        )

    def add_links(self, state: CrawlState, wave: int) -> None:
        """Add the links to other sites, if the settings say so. Call this if no page is left to plan."""
        if self.rules.settings.checks.external:
            later = LaterUrls(state.media, self.rules.settings)
            later.add_links(state.frontier, self.rules.media.may_check, wave=wave)

    def plan(self, state: CrawlState, paused: list[int], wave: int, *, stop: Reason) -> Plan:
        """Plan a wave: `paused` are the URLs that the wave before postponed. If the crawl must `stop`, skip all."""
        settings = self.rules.settings
        if stop:
            state.media.skip_waiting(stop)
        elif paused:
            return plan_again(
                state.media,
                paused,
                wave=wave,
                waves=settings.waves,
                clock=state.clock,
                speed_of=self.speeds.speed_of,
                validators_of=self._validators_of,
            )
        waves = settings.waves
        may_join: MayJoin = any_may_join
        if not stop and self._checks_are_next(state):
            waves = replace(waves, max_urls=min(waves.max_urls, CHECKS_A_WAVE))
            may_join = self._is_check(state)
        return plan_wave(
            state.media,
            wave=wave,
            waves=waves,
            room=self.limits.later_room(state.counters),
            clock=state.clock,
            interval=settings.polite.interval,
            speed_of=self.speeds.speed_of,
            validators_of=self._validators_of,
            may_join=may_join,
        )

    def _checks_are_next(self, state: CrawlState) -> bool:
        """Return whether a check is next in crawl order; then fetch the robots.txt files of the next hosts together."""
        state.media.wake(state.clock)
        first = state.media.first_by_host(CHECKS_A_WAVE)
        if not first or not self._is_check(state)(first[0]):
            return False
        self.rules.robots.read_ahead(state.media.url(index) for index in first)
        return True

    def _is_check(self, state: CrawlState) -> MayJoin:
        return lambda index: batch_kind(state.media.found_by(index)) is BatchKind.CHECK

    def _validators_of(self, keys: Sequence[str]) -> Mapping[str, Validators]:
        """Return the validators of the media URLs that an earlier crawl fetched, unless the settings disable them."""
        memories = self.ports.media_memories
        if not (keys and self.rules.settings.revalidate and memories.any(self.crawl)):
            return no_validators(keys)
        return memories.validators(self.crawl, keys)
