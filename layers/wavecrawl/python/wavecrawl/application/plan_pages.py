"""Plan the waves of pages."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import partial

import msgspec

from wavecrawl.application.crawl_limits import CrawlLimits
from wavecrawl.application.crawl_state import CrawlState
from wavecrawl.application.host_speeds import HostSpeeds
from wavecrawl.application.planner_ports import PlannerPorts
from wavecrawl.application.request_budget import RequestBudget
from wavecrawl.application.robots_waits import RobotsWaits
from wavecrawl.application.site_rules import SiteRules
from wavecrawl.domain.crawl.batching import no_validators
from wavecrawl.domain.crawl.gather import Gatherer
from wavecrawl.domain.crawl.gradual import GradualWave
from wavecrawl.domain.crawl.job import Validators
from wavecrawl.domain.crawl.plan import Plan, best_first_waves, plan_again, plan_wave
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.rendering_plan import RenderingPlan
from wavecrawl.domain.crawl.request_budget import A_PAGE
from wavecrawl.domain.focus.scorer import Scorer
from wavecrawl.domain.focus.settings import Strategy
from wavecrawl.domain.traps.rules import TrapRules, risks_of
from wavecrawl.ports.crawls import CrawlRow

_EPOCH = date(1970, 1, 1).toordinal()
_DAY = 86_400  # seconds


class PagePlanner(msgspec.Struct, frozen=True, kw_only=True):
    """Plans the pages of one crawl."""

    crawl: CrawlRow
    rules: SiteRules
    ports: PlannerPorts
    speeds: HostSpeeds
    limits: CrawlLimits

    def gatherer(self, state: CrawlState, waits: RobotsWaits, budget: RequestBudget) -> Gatherer:
        """Return the fold of the records of pages."""
        return Gatherer(
            frontier=state.frontier,
            media=state.media,
            settings=self.rules.settings,
            allowed=self._allowed(budget),
            robots_problem=waits.problem,
            may_wait=waits.may_wait,
            give_up=waits.give_up,
            counters=state.counters,
            scorer=self._scorer(state),
            lessons=state.lessons,
            traps=TrapRules(self.rules.settings.traps, state.families),
            key_of=self._key_of,
        )

    def plan_again(self, state: CrawlState, paused: list[int], wave: int) -> Plan:
        """Plan the URLs again that were not tried, because their hosts asked for a pause."""
        return plan_again(
            state.frontier,
            paused,
            wave=wave,
            waves=self.rules.settings.waves,
            clock=state.clock,
            speed_of=self.speeds.speed_of,
            validators_of=partial(self._validators_of, state),
            rendering=self._rendering(state),
        )

    def plan(self, state: CrawlState, wave: int, traps: TrapRules, budget: RequestBudget) -> Plan:
        """Plan the next pages in crawl order."""
        settings = self.rules.settings
        best_first = settings.strategy is Strategy.BEST_FIRST
        rendering, gradual = self._rendering(state), GradualWave(state.frontier, traps)
        return plan_wave(
            state.frontier,
            wave=wave,
            waves=best_first_waves(settings.waves, state.counters.done) if best_first else settings.waves,
            room=min(self.limits.room(state.counters), budget.room(A_PAGE)),
            clock=state.clock,
            interval=settings.polite.interval,
            speed_of=self.speeds.speed_of,
            validators_of=partial(self._validators_of, state),
            may_join=lambda index: rendering.may_request(index) and gradual.may_join(index),
            rendering=rendering,
        )

    def _allowed(self, budget: RequestBudget) -> Callable[[str], Reason]:
        """Return why a URL may not be requested, by its robots.txt. If no request is left for that, the crawl ends."""
        against = self.rules.robots.reason_against
        if not budget.limit:
            return against
        return lambda url: against(url) if budget.may_look(url) else Reason.MAX_REQUESTS

    def _key_of(self, url: str) -> str:
        page = self.rules.identity.page_url_of(url)
        return page.key if page is not None else ""

    def _scorer(self, state: CrawlState) -> Scorer:
        return Scorer(
            self.rules.settings.focus,
            state.vocabulary,
            today=_EPOCH + int(self.crawl.started_at // _DAY),
            risks_of=partial(risks_of, families=state.families),
        )

    def _rendering(self, state: CrawlState) -> RenderingPlan:
        """Return what the next wave renders."""
        return RenderingPlan(
            state.frontier,
            state.lessons,
            self.rules.settings.render,
            root=self.rules.root.key,
            is_available=self.ports.renders,
            room=self.rules.settings.render.pages_within(state.counters.render_bytes),
        )

    def _validators_of(self, state: CrawlState, keys: Sequence[str]) -> Mapping[str, Validators]:
        """Return the validators of the pages that an earlier crawl fetched, unless the settings disable them."""
        if not (state.remembers and self.rules.settings.revalidate):
            return no_validators(keys)
        return self.ports.memories.validators(self.crawl.id, keys)
