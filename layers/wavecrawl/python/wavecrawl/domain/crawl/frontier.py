"""The frontier: all discovered URLs of a crawl with their states, and the pending ones in crawl order.

Crawl order is depth, then order of discovery; or with strategy `best_first` lane, score, then order of discovery.
URLs that match the focus terms come before all lanes.
"""

from itertools import islice
from math import inf

from wavecrawl.domain.crawl.frontier_rows import (
    DEFERRED,
    EVICTED,
    FOUND_BY_CODE,
    MAX_BATCHES,
    PENDING,
    PHASE_CODE,
    PLANNED,
    REASON_CODE,
    STATE_CODE,
    FoundUrl,
)
from wavecrawl.domain.crawl.ledger import FoundBy
from wavecrawl.domain.crawl.record import TRAPS, Reason, unrequested_state
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.crawl.url_queues import UrlQueues, entry_of, rank_and_index
from wavecrawl.domain.crawl.url_table import UrlTable
from wavecrawl.domain.fetching.cookies import Cookies
from wavecrawl.domain.focus.score import rank_of
from wavecrawl.domain.focus.settings import Strategy
from wavecrawl.domain.urls.url import host_of

MOST_COOKIE_BYTES = 16 * 1024 * 1024
"""Bytes of the cookies of all waiting URLs. Beyond it, chains of redirects go on without cookies."""

_REDIRECTED = STATE_CODE[UrlState.REDIRECTED]
_SKIPPED = STATE_CODE[UrlState.SKIPPED]
_DENIED = STATE_CODE[UrlState.ROBOTS_DENIED]
_OUTSIDE = (_SKIPPED, _DENIED)  # not in the frontier
_NOT_FOLLOWED_YET = (DEFERRED, PLANNED, EVICTED)

# Reasons that depend on how the URL was found: another link may still add it to the frontier.
_REVOCABLE = frozenset(
    REASON_CODE[reason]
    for reason in (
        Reason.ASSET,  # a sitemap or evidence may add it
        Reason.NOFOLLOW,
        Reason.MAX_DEPTH,
        Reason.REDIRECT_LIMIT,
        Reason.LINKS_NOT_FOLLOWED,
        Reason.REDIRECTS_NOT_FOLLOWED,
        Reason.FEED,
        Reason.DATA,
        *TRAPS,
    )
)
NOT_RENDERED = "it was fetched, but the crawl ended before it was rendered"
"""Detail of a page that is skipped although its response is stored: its record is not final."""

SITE_FEED = "several pages declare it"
"""Detail of a feed that more than one page declares."""

_FEED = REASON_CODE[Reason.FEED]
_ROOT = 0  # the index of the first URL

_ALL = ""  # the name of the only queue of evicted URLs


class Frontier(UrlTable):
    """The URLs of one crawl, and the order in which they are crawled."""

    __slots__ = ("_best_first", "_cookie_bytes", "_evicted", "_pending", "relaxed")

    def __init__(self, strategy: Strategy = Strategy.BFS, *, keeps_outside: bool = False) -> None:
        super().__init__(keeps_outside=keeps_outside)
        self._best_first = strategy is Strategy.BEST_FIRST
        self._cookie_bytes = 0
        self._pending = UrlQueues(self._is_pending)  # by host
        self._evicted = UrlQueues(lambda worth: self._state[rank_and_index(worth)[1]] == EVICTED)  # best first
        self.relaxed: list[int] = []
        """Finished pages to which a shorter path was found afterwards; their links must be followed again."""

    def ignores_link(self, key: str, depth: int) -> bool:
        """Return whether a link to `key` at `depth` changes nothing, as nearly all links do (a fast path)."""
        index = self._keys.find(key)
        return index is not None and self._depth[index] <= depth and self._state[index] != _SKIPPED

    def lacks(self, key: str) -> bool:
        """Return whether a URL is not in the frontier: unknown, skipped or denied."""
        index = self._keys.find(key)
        return index is None or self._state[index] in _OUTSIDE

    def add(self, found: FoundUrl) -> None:
        """Add a reference to a URL: the URL joins the frontier, moves nearer to the root, or stays as it is."""
        index = self._keys.find(found.key)
        if index is None:
            self._append(found)
        elif found.skip:
            if found.skip is Reason.FEED and self.may_be_site_feed(found.key) and found.parent != self._parent[index]:
                self._set_state(index, _SKIPPED, Reason.FEED, SITE_FEED)
        elif self._state[index] in _OUTSIDE:
            if self._reason[index] in _REVOCABLE:
                self._move(index, found)
                self._score[index] = found.score
                self._set_state(index, PENDING, Reason.NONE)
                self._push(index)
        elif found.depth < self._depth[index]:
            self._move(index, found)
            if self._state[index] == PENDING:
                self._push(index)
            elif self._state[index] not in _NOT_FOLLOWED_YET:
                self.relaxed.append(index)

    def may_be_site_feed(self, key: str) -> bool:
        """Return whether a URL was skipped as the feed of one page, which another page may declare too."""
        index = self._keys.find(key)
        return index is not None and self._is_feed(index) and index not in self._detail

    def site_feeds(self, most: int) -> tuple[str, ...]:
        """Return the URLs of the first feeds that the root or several pages declare."""
        feeds = self.skipped_for(Reason.FEED)
        shared = (index for index in feeds if index in self._detail or self._parent[index] == _ROOT)
        return tuple(self._urls[index] for index in islice(shared, most))

    @property
    def by_depth(self) -> bool:
        """Whether URLs are crawled strictly by depth."""
        return not self._best_first

    def entry(self, index: int) -> int:
        """Return the place of a URL in crawl order, as one number."""
        return entry_of(self._rank(index), index)

    def hosts(self) -> list[str]:
        """Return the hosts (host[:port]) of pending URLs, in the crawl order of their first ones."""
        return self._pending.names()

    def first_by_host(self, most: int) -> list[int]:
        """Return the next pending URL of each host, in crawl order, of the first `most` hosts."""
        entries = (self._pending.first(host) for host in self.hosts()[:most])
        return [rank_and_index(entry)[1] for entry in entries if entry is not None]

    def pop(self, host: str) -> int | None:
        """Remove and return the next pending URL of a host in crawl order, or None."""
        entry = self._pending.pop(host)
        return None if entry is None else rank_and_index(entry)[1]

    def put_back(self, index: int) -> None:
        """Return a popped URL to the queue of its host."""
        self._push(index)

    def plan(self, index: int, *, wave: int, batch: int) -> None:
        """Assign a URL to a batch of the current wave."""
        self._due.pop(index, None)
        self._set_state(index, PLANNED, Reason.NONE)
        self._batch[index] = wave * MAX_BATCHES + batch

    def plan_beside(self, index: int, key: str) -> None:
        """Assign the URL of a url key, if it is known, to the batch of another URL."""
        other = self._keys.find(key)
        if other is not None:
            wave, batch = self.batch(index)
            self.plan(other, wave=wave, batch=batch)

    def settle(self, index: int, state: UrlState, *, reason: Reason, detail: str, tries: int) -> None:
        """Record the terminal state of a URL."""
        self._tries[index] = min(tries, 255)
        self._set_state(index, STATE_CODE[state], reason, detail)
        self._documents.pop(index, None)
        self._failed_renders.pop(index, None)
        self._not_before.pop(index, None)
        self._due.pop(index, None)
        if index in self._cookies:
            self._carry(index, ())

    def defer(self, index: int, *, reason: Reason, detail: str, tries: int, due: float, not_before: float) -> None:
        """Defer a URL to a retry: `due` on the plan's clock, `not_before` in Unix seconds."""
        self._tries[index] = min(tries, 255)
        self._set_state(index, DEFERRED, reason, detail)
        self._due[index] = due
        self._not_before[index] = not_before

    def await_rendering(self, index: int, *, document: str, tries: int, reason: Reason = Reason.RENDER) -> None:
        """Let a fetched page wait to be rendered; `document` is the place of its record."""
        self._tries[index] = min(tries, 255)
        self._documents[index] = document
        self._not_before.pop(index, None)
        self._set_state(index, PENDING, reason)

    def render_again(self, index: int, *, detail: str, due: float, not_before: float) -> None:
        """Defer a page to another rendering, after one that failed: see `defer`."""
        self._failed_renders[index] = self.failed_renders(index) + 1
        self.defer(
            index,
            reason=Reason.RENDER_FAILED,
            detail=detail,
            tries=self._tries[index],
            due=due,
            not_before=not_before,
        )

    def fetch_again(self, index: int) -> None:
        """Forget that a page was fetched, as its record is lost."""
        self._documents.pop(index, None)
        self._failed_renders.pop(index, None)

    def fetched(self) -> list[int]:
        """Return the fetched pages that wait to be rendered, in crawl order."""
        waiting = [index for index in self._documents if self._state[index] == PENDING]
        return sorted(waiting, key=self.entry)

    def lead_to(self, index: int, cookies: Cookies, *, chain: int) -> bool:
        """Let a URL to which a chain of redirects leads be requested with the cookies of the chain.

        A URL that ended as redirected, perhaps as it had lacked these cookies, is requested once more: then return
        True. `chain`: redirects in a row that led here.
        """
        if self._state[index] == PENDING and index not in self._cookies and index not in self._documents:
            self._carry(index, cookies)
        elif self.may_return(index) and self._carry(index, cookies):
            self._returned[index] = True
            self._chain[index] = min(chain, 255)
            self._set_state(index, PENDING, Reason.NONE)
            self._push(index)
            return True
        return False

    def may_return(self, index: int) -> bool:
        """Return whether a URL ended as redirected, and no chain has led back to it with cookies."""
        return self._state[index] == _REDIRECTED and index not in self._returned

    def end_in_loop(self, index: int, detail: str) -> None:
        """Say of a URL that ended as redirected that chains with cookies lead back to it again and again."""
        if self._state[index] == _REDIRECTED:
            self._set_state(index, _REDIRECTED, Reason.REDIRECT_LOOP, detail)

    def count_loss(self, index: int) -> int:
        """Count a lost record of a URL; return how many were lost."""
        self._losses[index] = self._losses.get(index, 0) + 1
        self._touched.add(index)
        return self._losses[index]

    def hold(self, index: int, *, reason: Reason, detail: str) -> None:
        """Defer a URL until `release` or `settle`, at no time of the plan's clock."""
        self._set_state(index, DEFERRED, reason, detail)
        self._due[index] = inf

    def held(self) -> list[int]:
        """Return the URLs that were deferred by `hold`."""
        return [index for index, due in self._due.items() if due == inf]

    def release(self, index: int) -> None:
        """Make a deferred URL pending."""
        del self._due[index]
        self._set_state(index, PENDING, Reason.NONE)
        self._push(index)

    def wake(self, clock: float) -> None:
        """Make deferred URLs pending if they are due at `clock`, a time of the plan's clock."""
        for index in [i for i, due in self._due.items() if due <= clock]:
            self.release(index)

    def next_due(self) -> float | None:
        """Return when the next deferred URL is due on the plan's clock; None if none is, held URLs aside."""
        return min((due for due in self._due.values() if due < inf), default=None)

    def limit_waiting(self, most: int) -> None:
        """Limit the waiting URLs to `most`: the deferred ones, and of the others the best with any strategy.

        The rest is evicted (reason FRONTIER_CAP): the lowest scores of the last lane first, and of equal ones those
        that were found last. Evicted URLs come back, the best first, if there is room.
        """
        if self.waiting <= most and self._evicted.first(_ALL) is None:
            return
        pending = sorted(self._worth(rank_and_index(entry)[1]) for entry in self._pending.drain())
        room = most - (self.waiting - len(pending))
        first = 0
        while room > 0:
            back = self._evicted.first(_ALL)
            if first < len(pending) and (back is None or pending[first] < back):
                self._push(rank_and_index(pending[first])[1])
                first += 1
            elif back is not None:
                index = rank_and_index(back)[1]
                self._evicted.pop(_ALL)
                self._set_state(index, PENDING, Reason.NONE)
                self._push(index)
            else:
                break
            room -= 1
        for worth in pending[first:]:
            self._set_state(rank_and_index(worth)[1], EVICTED, Reason.FRONTIER_CAP)
            self._evicted.push(_ALL, worth)

    def unplanned(self) -> list[int]:
        """Return the URLs that wait to be requested for the first time, evicted ones included."""
        tried = self._documents.keys() | self._returned.keys()
        pending = [index for index in self._indices_in(PENDING) if index not in tried]
        return [*pending, *self._indices_in(EVICTED)]

    def suppress(self, index: int, reason: Reason, evidence: str) -> None:
        """Skip a URL that waits for its first plan."""
        self._set_state(index, _SKIPPED, reason, evidence)

    def evicted(self) -> int:
        """Return the number of evicted URLs."""
        return self._state.count(EVICTED)

    def skip_waiting(self, reason: Reason) -> None:
        """Skip all unfinished URLs that were not evicted, as the crawl ends. `detail` names those that were fetched."""
        for code in (PENDING, DEFERRED, PLANNED):
            for index in self._indices_in(code):
                if index in self._returned:
                    self._set_state(index, _REDIRECTED, Reason.STATUS)  # as it ended without cookies
                    continue
                self._set_state(index, _SKIPPED, reason, NOT_RENDERED if index in self._documents else "")
        self._due.clear()
        self._pending.drain()

    def rename(self, index: int, way: FoundBy) -> None:
        """Note another way as that in which a URL was found."""
        self._found_by[index] = FOUND_BY_CODE[way]
        self._touched.add(index)

    def skip_found_by(self, way: FoundBy, reason: Reason) -> None:
        """Skip the URLs that wait, and were found in this way."""
        for code in (PENDING, DEFERRED):
            for index in self._indices_in(code):
                if self.found_by(index) is way:
                    self._due.pop(index, None)
                    self._set_state(index, _SKIPPED, reason)

    def skipped_for(self, reason: Reason) -> list[int]:
        """Return the URLs that were skipped for a reason, in order of discovery."""
        code = REASON_CODE[reason]
        return [index for index in self._indices_in(_SKIPPED) if self._reason[index] == code]

    def unskip(self, reason: Reason) -> list[int]:
        """Make the URLs pending again that were skipped for a reason; return them."""
        skipped = self.skipped_for(reason)
        for index in skipped:
            self._set_state(index, PENDING, Reason.NONE)
            self._push(index)
        return skipped

    def restore_queues(self) -> None:
        """Restore the queues after the last `apply`."""
        self._count_waiting()
        self._cookie_bytes = sum(cookie.size for cookies in self._cookies.values() for cookie in cookies)
        for index in self._indices_in(PENDING):
            self._push(index)
        for index in self._indices_in(EVICTED):
            self._evicted.push(_ALL, self._worth(index))

    def _is_feed(self, index: int) -> bool:
        return self._state[index] == _SKIPPED and self._reason[index] == _FEED

    def _append(self, found: FoundUrl) -> None:
        reason = REASON_CODE[found.skip]
        index = self._grow(found.url, found.key, found.depth, found.parent, found.wave, reason=reason)
        self._score[index] = found.score
        self._chain[index] = min(found.chain, 255)
        self._found_by[index] = FOUND_BY_CODE[found.found_by]
        self._phase[index] = PHASE_CODE[found.phase]
        state = STATE_CODE[unrequested_state(found.skip)] if found.skip else PENDING
        self._set_state(index, state, found.skip, found.detail)
        if not found.skip:
            self._pending.push(host_of(found.url), self.entry(index))

    def _carry(self, index: int, cookies: Cookies) -> bool:
        """Keep the cookies for a request of a URL. Return False if there is no room for them."""
        for cookie in self._cookies.pop(index, ()):
            self._cookie_bytes -= cookie.size
        size = sum(cookie.size for cookie in cookies)
        if not cookies or self._cookie_bytes + size > MOST_COOKIE_BYTES:
            return False
        self._cookies[index] = cookies
        self._cookie_bytes += size
        self._touched.add(index)
        return True

    def _move(self, index: int, found: FoundUrl) -> None:
        self._depth[index] = found.depth
        self._parent[index] = found.parent
        self._chain[index] = min(found.chain, 255)
        self._touched.add(index)

    def _push(self, index: int) -> None:
        """Add a pending URL to the queue of its host, unless it is fetched already."""
        if index not in self._documents:
            self._pending.push(host_of(self._urls[index]), self.entry(index))

    def _rank(self, index: int) -> int:
        return rank_of(self._score[index]) if self._best_first else self._depth[index]

    def _worth(self, index: int) -> int:
        """Return the place of a URL among all by lane, score and order of discovery, as one number."""
        return entry_of(rank_of(self._score[index]), index)

    def _is_pending(self, entry: int) -> bool:
        rank, index = rank_and_index(entry)
        return self._state[index] == PENDING and self._rank(index) == rank
