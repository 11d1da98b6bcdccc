"""Plan the waves after the last page: first the checked URLs, then the media URLs and the resources of the archive.

They have the same rules of pace and retries as pages.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import msgspec
from msgspec.structs import replace

from wavecrawl.application.crawl_limits import CrawlLimits
from wavecrawl.application.crawl_state import CrawlState
from wavecrawl.application.host_speeds import HostSpeeds
from wavecrawl.application.planner_ports import PlannerPorts
from wavecrawl.application.request_budget import RequestBudget
from wavecrawl.application.robots_gate import AT_ONCE
from wavecrawl.application.site_rules import SiteRules
from wavecrawl.domain.crawl.batching import no_validators
from wavecrawl.domain.crawl.gather import Gatherer
from wavecrawl.domain.crawl.job import BatchKind, CrawlId, Validators
from wavecrawl.domain.crawl.later_urls import LaterUrls, batch_kind
from wavecrawl.domain.crawl.ledger import FoundBy
from wavecrawl.domain.crawl.plan import MayJoin, Plan, any_may_join, plan_again, plan_wave
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.request_budget import A_CHECK
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.urls.url import host_of, origin_of

CHECKS_A_WAVE: Final = 250
"""Maximum number of URLs in a wave of checks."""

RESOURCES_A_WAVE: Final = 500
"""Maximum number of URLs in a wave after the last page, if the crawl archives resources."""

HOSTS_A_WAVE: Final = AT_ONCE
"""Maximum number of hosts in a wave of checks. If none of them responds, their robots.txt take half a minute."""


class LaterPlanner(msgspec.Struct, frozen=True, kw_only=True):
    """Plans the URLs of one crawl that are requested after its last page."""

    crawl: CrawlId
    rules: SiteRules
    ports: PlannerPorts
    speeds: HostSpeeds
    limits: CrawlLimits

    def gatherer(self, state: CrawlState) -> Gatherer:
        """Return the fold of the records of these URLs, which have no links and teach nothing about pages.

        Stylesheets lead to further resources, to be archived or checked.
        """
        return Gatherer(
            frontier=state.media,
            media=state.media,
            settings=self.rules.settings,
            allowed=lambda _: Reason.NONE,  # workers look at the robots.txt of each host
            robots_problem=lambda _: "",
            counters=state.media_counters,
        )

    def add_links(self, state: CrawlState, wave: int) -> None:
        """Add the links that are checked: to other sites and to files. Call this if no page is left to plan."""
        if self.rules.settings.checks.enabled:
            later = LaterUrls(state.media, self.rules.settings)
            later.add_links(state.frontier, self.rules.media.may_check, wave=wave)

    def plan(self, state: CrawlState, paused: list[int], wave: int, *, stop: Reason, budget: RequestBudget) -> Plan:
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
        if not settings.archive.has_room(state.media_counters.resource_bytes):
            state.media.skip_found_by(FoundBy.RESOURCE, Reason.ARCHIVE_FULL)
        waves = settings.waves
        if settings.archive.is_full:  # so that a wave does not exceed `archive.max_mb` by much
            waves = replace(waves, max_urls=min(waves.max_urls, RESOURCES_A_WAVE))
        may_join: MayJoin = any_may_join
        if not stop and (first := self._first_checks(state)[: budget.room(A_CHECK)]):
            self.rules.robots.read_ahead(budget.lookable(first))
            responding = frozenset(host_of(url) for url in first if not self._fails(state, url))
            if not responding:
                return Plan(batches=(), clock=state.clock, another_follows=True)
            waves = replace(waves, max_urls=min(waves.max_urls, CHECKS_A_WAVE))
            may_join = self._is_check_of(state, responding)
        return plan_wave(
            state.media,
            wave=wave,
            waves=waves,
            room=min(self.limits.later_room(state.counters), budget.room(A_CHECK)),
            clock=state.clock,
            interval=settings.polite.interval,
            speed_of=self.speeds.speed_of,
            validators_of=self._validators_of,
            may_join=may_join,
        )

    def _first_checks(self, state: CrawlState) -> list[str]:
        """Return the next URL of each of the next hosts, in crawl order; none if the next URL is not to be checked."""
        state.media.wake(state.clock)
        first = state.media.first_by_host(HOSTS_A_WAVE)
        if not first or not self._is_check(state, first[0]):
            return []
        return [state.media.url(index) for index in first if self._is_check(state, index)]

    def _fails(self, state: CrawlState, url: str) -> bool:
        """Return whether a host did not respond to any request for its robots.txt; then end all checks of its origin.

        Workers would wait for the same time-outs again, for each URL.
        """
        trouble = self.rules.robots.trouble(url)
        if trouble is None or trouble.fault is None or trouble.lasting:
            return False
        while (index := state.media.pop(host_of(url))) is not None:
            if not self._is_check(state, index) or origin_of(state.media.url(index)) != origin_of(url):
                state.media.put_back(index)
                break
            reason = Reason(trouble.fault)
            state.media.settle(index, UrlState.FAILED, reason=reason, detail=trouble.problem, tries=1)
        return True

    def _is_check_of(self, state: CrawlState, hosts: frozenset[str]) -> MayJoin:
        return lambda index: self._is_check(state, index) and host_of(state.media.url(index)) in hosts

    def _is_check(self, state: CrawlState, index: int) -> bool:
        return batch_kind(state.media.found_by(index)) is BatchKind.CHECK

    def _validators_of(self, keys: Sequence[str]) -> Mapping[str, Validators]:
        """Return the validators of the media URLs that an earlier crawl fetched, unless the settings disable them."""
        memories = self.ports.media_memories
        if not (keys and self.rules.settings.revalidate and memories.any(self.crawl)):
            return no_validators(keys)
        return memories.validators(self.crawl, keys)
