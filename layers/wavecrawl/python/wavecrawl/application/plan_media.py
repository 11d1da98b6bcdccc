"""Plan the waves of media URLs: after the last page, with the same rules of pace and retries as pages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wavecrawl.application.crawl_limits import CrawlLimits
from wavecrawl.application.crawl_state import CrawlState
from wavecrawl.application.host_speeds import HostSpeeds
from wavecrawl.application.planner_ports import PlannerPorts
from wavecrawl.application.site_rules import SiteRules
from wavecrawl.domain.crawl.batching import no_validators
from wavecrawl.domain.crawl.gather import Gatherer
from wavecrawl.domain.crawl.job import BatchKind, CrawlId, Validators
from wavecrawl.domain.crawl.plan import Plan, plan_again, plan_wave
from wavecrawl.domain.crawl.record import Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaPlanner:
    """Plans the media URLs of one crawl, in the order in which pages name them."""

    crawl: CrawlId
    rules: SiteRules
    ports: PlannerPorts
    speeds: HostSpeeds
    limits: CrawlLimits

    def gatherer(self, state: CrawlState) -> Gatherer:
        """Return the fold of the records of media URLs, which have no links and teach nothing about pages."""
        return Gatherer(
            frontier=state.media,
            settings=self.rules.settings,
            allowed=lambda _: Reason.NONE,  # workers look at the robots.txt of each host
            robots_problem=lambda _: "",
            counters=state.media_counters,
        )

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
                kind=BatchKind.MEDIA,
            )
        return plan_wave(
            state.media,
            wave=wave,
            waves=settings.waves,
            room=self.limits.media_room(state.counters),
            clock=state.clock,
            interval=settings.polite.interval,
            speed_of=self.speeds.speed_of,
            validators_of=self._validators_of,
            kind=BatchKind.MEDIA,
        )

    def _validators_of(self, keys: Sequence[str]) -> Mapping[str, Validators]:
        """Return the validators of the media URLs that an earlier crawl fetched, unless the settings disable them."""
        memories = self.ports.media_memories
        if not (keys and self.rules.settings.revalidate and memories.any(self.crawl)):
            return no_validators(keys)
        return memories.validators(self.crawl, keys)
