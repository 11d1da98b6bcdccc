"""Gather: fold the page records of a wave into the frontier, in a fixed order."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import compress

import msgspec
from msgspec import structs

from wavecrawl.domain.crawl.asset_families import DENIED, EMBEDDED, NOT_FOLLOWED, due_members
from wavecrawl.domain.crawl.counters import Counters
from wavecrawl.domain.crawl.frontier import Frontier
from wavecrawl.domain.crawl.frontier_rows import NO_PARENT, FoundUrl
from wavecrawl.domain.crawl.later_urls import LaterUrls
from wavecrawl.domain.crawl.ledger import BY_PAGES, FoundBy, Phase
from wavecrawl.domain.crawl.record import AWAITS_BROWSER, Reason
from wavecrawl.domain.crawl.record_view import POSTPONED, LinkView, RecordView
from wavecrawl.domain.crawl.settings import CrawlSettings, Discovery
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.crawl.trap_judge import KeyOf, TrapJudge, no_key
from wavecrawl.domain.fetching.cookies import cookie_header
from wavecrawl.domain.fetching.retries import back_off, chance_of
from wavecrawl.domain.focus.scorer import Scorer
from wavecrawl.domain.focus.settings import FocusSettings
from wavecrawl.domain.focus.vocabulary import Vocabulary
from wavecrawl.domain.politeness.host_state import Feedback
from wavecrawl.domain.politeness.strain import outcome_of
from wavecrawl.domain.rendering.learning import RenderLessons
from wavecrawl.domain.traps.families import Families
from wavecrawl.domain.traps.rules import TrapRules
from wavecrawl.domain.traps.settings import TrapSettings
from wavecrawl.domain.urls.cut_urls import evidence_of_cut, is_cut
from wavecrawl.domain.urls.link_filter import is_asset
from wavecrawl.domain.urls.spellings import other_spelling

_RENDERED_LATER = (*AWAITS_BROWSER, Reason.RENDER_FAILED)
_UNLINKED = (FoundBy.SITEMAP, FoundBy.LIST, FoundBy.MEMORY)  # ways in which a URL was found without a link to it

_LOOP = "the site redirects back to this URL"
_ADVICE = "It may need other cookies: to send some, use the credentials of the site (--cookie NAME=VALUE)"


class FeedbackSum(msgspec.Struct, kw_only=True):
    """A sum of the responses and faults of one host."""

    patient: bool = True  # whether the crawl waits as long for a response as crawls do by default
    adapts: bool = True  # whether a rise of the latency slows the host down
    outcomes: list[str] = msgspec.field(default_factory=list)
    responses: int = 0
    latency: float = 0.0
    occupied: float = 0.0
    retry_after: float = 0.0
    retry_from: float = 0.0
    ended_at: float = 0.0

    def add(self, record: RecordView) -> None:
        """Add one record."""
        if not record.tried or (record.reason is Reason.TIMEOUT and not self.patient):
            return  # a timeout after less than the default time says nothing about the host
        is_blocked = record.state is UrlState.BLOCKED
        self.outcomes.append(outcome_of(record.status, retry_after=record.retry_after, is_blocked=is_blocked))
        self.occupied += record.elapsed
        if record.status is not None:
            self.responses += 1
            self.latency += record.response_time
        ended_at = record.fetched_at + record.elapsed
        if record.status is not None and ended_at + record.retry_after > self.retry_from + self.retry_after:
            self.retry_after, self.retry_from = record.retry_after, ended_at
        self.ended_at = max(self.ended_at, ended_at)

    def feedback(self, *, of: str) -> Feedback:
        """Return the sum as a `Feedback`; `of` is the id of the wave."""
        return Feedback(
            of=of,
            outcomes="".join(self.outcomes),
            latency=self.latency / self.responses if self.responses else 0.0,
            adapts=self.adapts,
            occupied=self.occupied / max(1, len(self.outcomes)),
            retry_after=self.retry_after,
            retry_from=self.retry_from,
            ended_at=self.ended_at,
        )


@dataclass(slots=True, kw_only=True)
class Gatherer:
    """The fold of records into one frontier."""

    frontier: Frontier
    settings: CrawlSettings
    allowed: Callable[[str], Reason]  # why robots.txt denies a URL; Reason.NONE = allowed
    robots_problem: Callable[[str], str]  # why the robots.txt of a URL could not be fetched
    may_wait: Callable[[str], bool] = lambda _: False  # whether the URL waits for that robots.txt
    give_up: Callable[[str], Reason] = lambda _: Reason.ROBOTS_UNREACHABLE  # why a URL ends that does not wait for it
    counters: Counters = field(default_factory=Counters)
    media: Frontier = field(default_factory=Frontier)  # of the URLs that are requested after the last page
    later: LaterUrls = field(init=False)  # what adds to it
    scorer: Scorer = field(default_factory=lambda: Scorer(FocusSettings(), Vocabulary(), today=0))
    lessons: RenderLessons = field(default_factory=RenderLessons)
    traps: TrapRules = field(default_factory=lambda: TrapRules(TrapSettings(), Families()))
    key_of: KeyOf = no_key  # of a URL
    judge: TrapJudge = field(init=False)

    def __post_init__(self) -> None:
        self.judge = TrapJudge(self.frontier, self.traps, self.key_of)
        self.later = LaterUrls(self.media, self.settings)

    def settle(self, records: Iterable[RecordView], *, tried_in: Phase, clock: float, wave: int = 0) -> list[int]:
        """Record the result of each try of a finished wave; return the URLs that were postponed without a try.

        `tried_in` is the phase of the wave, `clock` the time of the plan's clock, `wave` the number of the next wave.
        """
        postponed: list[int] = []
        for record in records:
            index = self.frontier.find(record.key)
            if index is None or not self.frontier.planned(index):
                continue  # not a URL of this wave
            self.counters.requests += record.requests
            self.counters.render_bytes += record.render_bytes
            if record.state is not UrlState.UNCHANGED and self.frontier.found_by(index) is FoundBy.RESOURCE:
                self.counters.resource_bytes += record.bytes
            self._settle(index, record, clock)
            if self.later.has_files and self._is_tried_file(index):
                self.later.add_result(record, wave=wave)
            if record.reason in POSTPONED:
                postponed.append(index)
                continue
            if record.reason in _RENDERED_LATER:
                continue
            self._learn_rendering(record)
            if not record.rendered:
                self.lessons.pass_by(record.url, self.settings.render)
            parent = self.frontier.parent(index)
            self.traps.count(record.url, parent="" if parent == NO_PARENT else self.frontier.url(parent))
            if record.state.has_content or record.state is UrlState.NOT_FOUND:
                self.traps.missing.count(record.url, is_missing=record.state is UrlState.NOT_FOUND)
            if tried_in is Phase.BFS:
                self.counters.max_bfs_depth = max(self.counters.max_bfs_depth, self.frontier.depth(index))
        return postponed

    def _is_tried_file(self, index: int) -> bool:
        """Return whether a URL is done that is named like a file and that pages link to."""
        frontier = self.frontier
        is_linked = frontier.state(index).terminal and frontier.found_by(index) in BY_PAGES
        return is_linked and is_asset(frontier.url(index).partition("?")[0])

    def add_followed(self, record: RecordView, *, phase: Phase, wave: int) -> None:
        """Add the other spelling of a planned URL that redirects to it and whose worker has requested both.

        It is settled like a URL of the same batch. `phase` and `wave` are when it is found.
        """
        frontier = self.frontier
        index = frontier.find(record.key)
        if index is None or not frontier.planned(index) or not frontier.lacks(record.redirect_key):
            return
        self._follow_redirect(index, record, phase, wave)
        frontier.plan_beside(index, record.redirect_key)

    def _learn_rendering(self, record: RecordView) -> None:
        """Learn what rendering added to a page. A rendering that failed shows at most that it can add something."""
        added = self._gained(record)
        if added or ((record.rendered or record.sampled) and not record.render_problem):
            self.lessons.learn(record.url, added=added, is_complete=not record.shell)
        elif record.render_failed:
            self.lessons.fail(record.url)

    def _gained(self, record: RecordView) -> bool:
        """Return whether rendering added something to a page.

        The pages of a site have the same menus, whether these open or scripts write them. So links of menus, and links
        that scripts add to complete pages, are a gain only if they lead where no link has led.
        """
        find = self.frontier.find
        if not record.rendered:
            return False
        if any(find(key) is None for key in record.opened):
            return True
        if record.shell:
            return record.render_added
        return record.text_added or any(
            link.dom and not link.skip and not self._is_linked(link.key) for link in record.links
        )

    def _is_linked(self, key: str) -> bool:
        index = self.frontier.find(key)
        return index is not None and self.frontier.found_by(index) not in _UNLINKED

    def follow_all(self, records: Iterable[RecordView], *, phase: Phase, wave: int) -> None:
        """Add the links and redirects of all records to the frontier; `phase` and `wave` are when they are found.

        The rules against traps learn each page with its `evidence` first. Afterwards the waiting URLs are suppressed
        against which there is new evidence. Links of copies come last, as these may be suppressed: a URL that another
        page links to, too, is found there. Once the pages and the missing URLs are as many as the crawl may have pages,
        URLs of folders without pages are suppressed.
        """
        copies: list[tuple[int, RecordView]] = []
        for record in records:
            index = self.frontier.find(record.key)
            if index is None:
                continue
            if record.evidence is not None and not self._has_earlier_spelling(index):
                self.traps.learn(record.evidence, ancestors=self.ancestors(index))
            if self.traps.is_copy(record.url):
                copies.append((index, record))
            else:
                self.follow(index, record, phase=phase, wave=wave)
        for index, record in copies:
            self.follow(index, record, phase=phase, wave=wave)
        if self.traps.has_new_evidence():
            self.judge.suppress_waiting()
        missing = self.traps.missing.total
        if missing and self.counters.fetched + missing >= self.settings.max_pages:
            self.judge.suppress_missing()

    def follow(self, index: int, record: RecordView, *, phase: Phase, wave: int) -> None:
        """Add the links and the redirect of the page at `index` to the frontier, and later URLs to theirs."""
        self.later.add_media(record.media or (), wave=wave)
        self.later.add_resources(record.resources or (), wave=wave)
        if record.redirect_key:
            self._follow_redirect(index, record, phase, wave)
        depth = self.frontier.depth(index) + 1
        title = record.facts.title if record.facts else ""
        found: list[FoundUrl] = []
        for link in record.links:
            if self.ignores(link, depth):
                continue
            skip, detail = link.skip, ""
            if not skip or skip is Reason.ASSET:
                reason = self.reason_not_to_follow(record, link, depth)
                skip, detail = skip or reason, NOT_FOLLOWED if skip and reason else ""
            one = FoundUrl(
                url=link.url,
                key=link.key,
                depth=depth,
                parent=index,
                found_by=FoundBy.LINK,
                phase=phase,
                wave=wave,
                skip=skip,
                detail=detail,
                text=link.text,
                title=title,
            )
            found.append(one)
        self.add_all(found)

    def add_pages_named_like_files(self, *, phase: Phase, wave: int) -> bool:
        """Add skipped URLs that evidence shows to be pages, and some that are to give evidence; return whether any."""
        frontier = self.frontier
        checks = self.later.check_room if self.settings.checks.resources else 0
        due = due_members(frontier, self._why_not_a_page, checks=checks)
        found = [
            FoundUrl(
                url=frontier.url(index),
                key=frontier.key(index),
                depth=frontier.depth(index),
                parent=frontier.parent(index),
                found_by=frontier.found_by(index),
                phase=phase,
                wave=wave,
            )
            for index in due
        ]
        self.add_all(found)
        return any(not frontier.lacks(one.key) for one in found)

    def _why_not_a_page(self, index: int) -> str:
        """Return why a URL that is named like a file must not be requested as a page; "" if it may be."""
        if self.later.embeds(self.frontier.key(index)):
            return EMBEDDED
        return DENIED if self.allowed(self.frontier.url(index)) is Reason.ROBOTS_RULE else ""

    def without_ignored_links(self, record: RecordView) -> RecordView:
        """Return the record of a known page without the links that change nothing."""
        index = self.frontier.find(record.key)
        if index is None:
            return record
        depth = self.frontier.depth(index) + 1
        return structs.replace(record, links=tuple(link for link in record.links if not self.ignores(link, depth)))

    def ignores(self, link: LinkView, depth: int) -> bool:
        """Return whether a link to a URL at `depth` changes nothing, now and after other links were followed."""
        if self.frontier.ignores_link(link.key, depth):
            return True
        if not link.skip or self.frontier.find(link.key) is None:
            return False
        return link.skip is not Reason.FEED or not self.frontier.may_be_site_feed(link.key)

    def add_all(self, found: Sequence[FoundUrl]) -> None:
        """Add URLs that were found together. The vocabulary of the site learns their words before they are scored."""
        may_join = [not one.skip and self.frontier.lacks(one.key) for one in found]
        for one in compress(found, may_join):
            self.scorer.learn(one.url, one.text)
        for one, may in zip(found, may_join, strict=True):
            self._add(one, may_join=may)

    def add(self, found: FoundUrl) -> None:
        """Add a found URL to the frontier with its score; robots.txt may mark it as skipped.

        A URL whose robots.txt cannot be fetched is held, as long as `may_wait` says so. Then `give_up` ends it.
        """
        self._add(found, may_join=not found.skip and self.frontier.lacks(found.key))

    def _add(self, found: FoundUrl, *, may_join: bool) -> None:
        waits = False
        if may_join:
            skip = self.allowed(found.url)
            detail = ""
            if skip is Reason.ROBOTS_UNREACHABLE:
                waits = self.may_wait(found.url)
                detail = self.robots_problem(found.url)
                skip = Reason.NONE if waits else self.give_up(found.url)
            found = structs.replace(found, skip=skip, detail=detail) if skip else self._judged(found)
        elif found.skip and is_cut(found.url):
            found = structs.replace(found, detail=evidence_of_cut(found.url))
        self.frontier.add(found)
        if waits:
            self._hold(found)

    def _judged(self, found: FoundUrl) -> FoundUrl:
        """Return a URL with its score; or as skipped, if a page led to it and a rule against traps suppresses it."""
        if found.parent != NO_PARENT and found.found_by in BY_PAGES:
            parent = self.frontier.url(found.parent)
            suppression = self.judge.suppression(found.url, found.key, parent=parent)
            if suppression is not None:
                return structs.replace(found, skip=suppression.reason, detail=suppression.evidence)
        is_root = found.found_by is FoundBy.ROOT
        score = self.scorer.score(found.url, found.text, title=found.title, lastmod=found.lastmod, is_root=is_root)
        return structs.replace(found, score=score)

    def _has_earlier_spelling(self, index: int) -> bool:
        """Return whether the other spelling of a URL was found before it and has content: it shows nothing new."""
        other = self.frontier.find(other_spelling(self.frontier.key(index)))
        return other is not None and other < index and self.frontier.state(other).has_content

    def ancestors(self, index: int) -> tuple[str, ...]:
        """Return the URLs of the page through which a page was found, and of the one through which that was found."""
        parent = self.frontier.parent(index)
        if parent == NO_PARENT:
            return ()
        before = self.frontier.parent(parent)
        url = self.frontier.url(parent)
        return (url,) if before == NO_PARENT else (url, self.frontier.url(before))

    def _hold(self, found: FoundUrl) -> None:
        """Hold a URL that was added, unless it was skipped."""
        index = self.frontier.find(found.key)
        if index is not None and not self.frontier.lacks(found.key):
            detail = self.robots_problem(found.url)
            self.frontier.hold(index, reason=Reason.ROBOTS_UNREACHABLE, detail=detail)

    def reason_not_to_follow(self, record: RecordView, link: LinkView, depth: int) -> Reason:
        """Return why a link to a URL that may be crawled must not be followed; Reason.NONE if it may be."""
        settings = self.settings
        if settings.discovery in (Discovery.LIST, Discovery.SITEMAP_ONLY):
            return Reason.LINKS_NOT_FOLLOWED
        if not settings.follow_nofollow and (link.nofollow or _is_nofollow(record)):
            return Reason.NOFOLLOW
        return Reason.MAX_DEPTH if depth > settings.max_depth else Reason.NONE

    def _follow_redirect(self, index: int, record: RecordView, phase: Phase, wave: int) -> None:
        """Add a redirect's target, with the depth and parent of the redirecting page."""
        frontier = self.frontier
        chain = frontier.chain(index) + 1
        skip = record.redirect_skip
        if not skip and not self.settings.follow_redirects:
            skip = Reason.REDIRECTS_NOT_FOLLOWED
        if not skip and chain > self.settings.max_redirects:
            skip = Reason.REDIRECT_LIMIT
        self.add(
            FoundUrl(
                url=record.redirect_to,
                key=record.redirect_key,
                depth=frontier.depth(index),
                parent=frontier.parent(index),
                found_by=FoundBy.REDIRECT,
                phase=phase,
                wave=wave,
                chain=chain,
                skip=skip,
            )
        )
        if record.cookies and not skip:
            self._lead_on(record, chain)

    def _lead_on(self, record: RecordView, chain: int) -> None:
        """Let the target of a redirect have the cookies of its chain, and be requested once more if it needs them."""
        frontier, target = self.frontier, self.frontier.find(record.redirect_key)
        sent = cookie_header(record.cookies, record.redirect_to)
        if target is None or (frontier.state(target) is UrlState.REDIRECTED and not sent):
            return
        returns = frontier.may_return(target)
        if not frontier.lead_to(target, record.cookies, chain=chain) and not returns:
            names = ", ".join(dict.fromkeys(cookie.name for cookie in record.cookies))
            frontier.end_in_loop(target, f"{_LOOP} (also with the cookies that it sets: {names[:200]}). {_ADVICE}")

    def _settle(self, index: int, record: RecordView, clock: float) -> None:
        state, counters = record.state, self.counters
        counters.tries += record.tries - self.frontier.tries(index)
        if record.reason in AWAITS_BROWSER:
            self.frontier.await_rendering(index, document=record.place, tries=record.tries, reason=record.reason)
            return
        if record.reason is Reason.RENDER_FAILED:
            self._render_again(index, record, clock)
            return
        if state is UrlState.DEFERRED:
            self._defer(index, record, clock)
            return
        self.frontier.settle(index, state, reason=record.reason, detail=record.detail, tries=record.tries)
        counters.done += not self.frontier.has_returned(index)  # it ended before as a redirect
        counters.fetched += state.has_content

    def _render_again(self, index: int, record: RecordView, clock: float) -> None:
        """Defer a page whose rendering failed. To render a page is no try of its URL."""
        failed = self.frontier.failed_renders(index) + 1
        wait = max(min(record.retry_after, self.settings.polite.max_retry_after), self._back_off(record.key, failed))
        not_before = record.fetched_at + record.elapsed + wait
        self.frontier.render_again(index, detail=record.detail, due=clock + wait, not_before=not_before)

    def _back_off(self, key: str, tries: int) -> float:
        settings = self.settings
        chance = chance_of(key, tries)
        return back_off(tries=tries, base=settings.retry_base, cap=settings.retry_cap, chance=chance)

    def _defer(self, index: int, record: RecordView, clock: float) -> None:
        settings = self.settings
        if record.reason is Reason.RECORDS_LOST:
            self.frontier.fetch_again(index)
        wait = min(record.retry_after, settings.polite.max_retry_after)
        if record.tried:
            self.counters.retries += 1
            wait = max(wait, self._back_off(record.key, record.tries))
        self.frontier.defer(
            index,
            reason=record.reason,
            detail=record.detail,
            tries=record.tries,
            due=clock + wait,
            not_before=record.fetched_at + record.elapsed + wait,
        )


def _is_nofollow(record: RecordView) -> bool:
    directives = record.header_robots + (record.facts.robots if record.facts else ())
    return "nofollow" in directives or "none" in directives
