"""Batches: divide the URLs of a wave, so that each batch fits one worker and one message."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from math import ceil
from sys import maxsize

import msgspec

from wavecrawl.domain.crawl.frontier import Frontier
from wavecrawl.domain.crawl.job import BatchKind, JobItem, Validators
from wavecrawl.domain.crawl.later_urls import batch_kind
from wavecrawl.domain.crawl.ledger import FOUND_AS, FoundBy
from wavecrawl.domain.crawl.rendering_plan import NO_WISH, RenderingPlan, Wish
from wavecrawl.domain.crawl.settings import WaveSettings
from wavecrawl.domain.politeness.pace import Pace
from wavecrawl.domain.politeness.waits import Wait
from wavecrawl.domain.urls.spellings import other_spelling
from wavecrawl.domain.urls.url import host_of

LONGEST_SLEEP = 1.0  # seconds a worker may sleep between requests; longer intervals get batches of one URL
LONGEST_BATCH = 100.0  # expected seconds of a batch, so that a worker finishes it before its own time limit
LONGEST_SHARE = 10.0  # expected seconds of a host in a batch that several share, at most
SMALL_BATCH = 25  # URLs: minimum for rate-limited hosts, as each batch has a cost; maximum for others, to share work
LAST_BATCHES = 6  # minimum URLs of the last batches of a wave if several workers share it
LONGEST_ITEMS = 240 * 1024  # bytes of a batch's URLs as JSON; the whole job must fit in a message of 256 KiB
_ITEM = 323  # bytes of a job item without its URL, validators and document
_PART = 160  # bytes of a host's part of a batch without its name, which is shorter than a URL of it
_EXPECTED = {found_by: kind for kind, found_by in FOUND_AS.items()}

ValidatorsOf = Callable[[Sequence[str]], Mapping[str, Validators]]
"""Returns the validators of pages by url key, for those that have any."""


def no_validators(_keys: Sequence[str]) -> Mapping[str, Validators]:
    """Return no validators: all requests are unconditional."""
    return {}


class Speed(msgspec.Struct, frozen=True, kw_only=True):
    """How fast a host can be crawled: its permitted request rate and its measured response time."""

    pace: Pace
    seconds_a_page: float = 0.0  # at least the pace's interval; 0 = no limit
    turn: float = 0.0  # seconds of the host's time per request
    spacing: float = 0.0  # seconds between the starts of the crawl's own requests, over all workers
    paused_until: float = 0.0  # Unix seconds
    pause: Wait | None = None  # why it is paused
    slowness: Wait | None = None  # why requests are far apart
    sender: str = ""  # id of the crawl's sender at the host (`politeness.sender`)
    sender_turn: float = 0.0  # seconds between all requests of the sender; 0 = no limit

    def pages_within(self, seconds: float) -> int:
        """Return how many pages can be fetched in that time, at least one."""
        return max(1, int(seconds / self.seconds_a_page)) if self.seconds_a_page else maxsize


class PlannedBatch(msgspec.Struct, frozen=True, kw_only=True):
    """One batch without a start time."""

    number: int  # from 0
    host: str  # host[:port]; of several, the first
    items: tuple[JobItem, ...]
    not_before: float = 0.0  # Unix seconds; for retries
    kind: BatchKind = BatchKind.FETCH
    requests: int = 0  # that each URL may send; 0 = no limit
    shared: bool = False  # whether the URLs are of several hosts; those of one host follow one another

    def by_host(self) -> dict[str, list[JobItem]]:
        """Return the URLs of each host, in their order."""
        if not self.shared:
            return {self.host: [*self.items]}
        found: dict[str, list[JobItem]] = {}
        for item in self.items:
            found.setdefault(host_of(item.url), []).append(item)
        return found


def cut_batches(
    frontier: Frontier,
    chosen: dict[str, list[int]],
    *,
    wave: int,
    waves: WaveSettings,
    speed_of: Callable[[str], Speed],
    validators_of: ValidatorsOf = no_validators,
    rendering: RenderingPlan | None = None,
) -> tuple[PlannedBatch, ...]:
    """Divide the URLs of a wave into batches of one kind each. Fetched pages go into render batches.

    A host with many URLs has batches of its own. Hosts with few, one after another, share batches as far as their pace
    allows: each batch has a cost. The order of the URLs is the same in both cases, and so is what gather finds.
    """
    known = validators_of([frontier.key(i) for indices in chosen.values() for i in indices if not frontier.document(i)])
    cutter = _Cutter(frontier, wave, known, rendering)
    urls = sum(map(len, chosen.values()))
    for host, indices in chosen.items():
        speed = speed_of(frontier.url(indices[0]))
        size = _size(speed, waves, urls)
        shares = 1 if speed.pace.interval else max(1, waves.min_batches // 2)
        kind = _shareable(frontier, indices, speed)
        most = _workload(speed, waves, urls)
        if kind is not None and len(indices) <= most:
            seconds = min(len(indices) * speed.seconds_a_page, LONGEST_SHARE)
            few = _Few(host=host, indices=indices, kind=kind, seconds=seconds, size=size, shares=shares)
            cutter.share(few, most=most)
            continue
        cutter.end_sharing()
        cutter.cut_fetched(host, [index for index in indices if frontier.document(index)], size=size, waves=waves)
        by_kind: dict[BatchKind, list[int]] = {}
        for index in indices:
            if not frontier.document(index):
                by_kind.setdefault(batch_kind(frontier.found_by(index)), []).append(index)
        for kind, rest in by_kind.items():
            most = min(size, SMALL_BATCH) if kind is BatchKind.MEDIA else size  # an asset can take long
            cutter.cut_unfetched(host, rest, size=most, shares=shares, kind=kind)
    cutter.end_sharing()
    return tuple(cutter.batches)


class _Few(msgspec.Struct, frozen=True, kw_only=True):
    """The few URLs of a host that may share a batch with other hosts."""

    host: str
    indices: list[int]
    kind: BatchKind
    seconds: float  # expected, with `in_flight` requests always open
    size: int  # of the host's own batches, if no other host shares with it
    shares: int


def _shareable(frontier: Frontier, indices: list[int], speed: Speed) -> BatchKind | None:
    """Return the kind of the URLs of a host if they may share a batch, None if not.

    They are fewer than are worth a batch, and none of them has to wait: it would hold the others up. A host with a long
    interval shares with one URL, so that nobody sleeps.
    """
    count = len(indices)
    if count > 1 and (speed.pace.interval > LONGEST_SLEEP or count * speed.seconds_a_page > LONGEST_SHARE):
        return None
    if count >= SMALL_BATCH or speed.paused_until:
        return None
    kinds = {batch_kind(frontier.found_by(index)) for index in indices}
    waits = any(
        frontier.document(index) or frontier.must_be_alone(index) or frontier.not_before(index) for index in indices
    )
    return None if waits or len(kinds) != 1 or BatchKind.MEDIA in kinds else kinds.pop()


class _Cutter:
    """The batches of one wave so far."""

    def __init__(
        self, frontier: Frontier, wave: int, known: Mapping[str, Validators], rendering: RenderingPlan | None
    ) -> None:
        self._frontier = frontier
        self._wave = wave
        self._known = known
        self._rendering = rendering
        self._wishes: dict[int, Wish] = {}
        self._sharing: list[_Few] = []
        self._most = maxsize  # URLs of the batch that they share
        self.batches: list[PlannedBatch] = []

    def share(self, few: _Few, *, most: int) -> None:
        """Add the URLs of a host to the batch that several share, or to the next one if they do not fit.

        `most`: URLs of the batch.
        """
        together = [*self._sharing, few]
        is_full = sum(len(one.indices) for one in together) > min(most, self._most)
        if is_full or sum(one.seconds for one in together) > LONGEST_BATCH or few.kind is not together[0].kind:
            self.end_sharing()
        self._sharing.append(few)
        self._most = min(most, self._most)

    def end_sharing(self) -> None:
        """End the batch that several hosts share."""
        sharing, self._sharing, self._most = self._sharing, [], maxsize
        if len(sharing) == 1:
            few = sharing[0]
            self.cut_unfetched(few.host, few.indices, size=few.size, shares=few.shares, kind=few.kind)
        elif sharing:
            indices = [index for few in sharing for index in few.indices]
            self.cut(sharing[0].host, indices, sizes=(len(indices),), kind=sharing[0].kind, shared=True)

    def cut_fetched(self, host: str, indices: list[int], *, size: int, waves: WaveSettings) -> None:
        """Divide fetched pages. Those that are rendered have small batches of their own, as each takes seconds."""
        wishes = {index: self._rendering.wish(index) if self._rendering else NO_WISH for index in indices}
        self._wishes |= wishes
        alone = [index for index in indices if self._frontier.must_be_alone(index)]
        shared = [index for index in indices if not self._frontier.must_be_alone(index)]
        slow = [index for index in shared if wishes[index].render]
        quick = [index for index in shared if not wishes[index].render]
        first_tries = [index for index in slow if not self._frontier.failed_renders(index)]
        retries = [index for index in slow if self._frontier.failed_renders(index)]  # not before their time
        for group in (first_tries, retries):
            self.cut(host, group, sizes=repeat(min(size, waves.render_batch_size)), kind=BatchKind.RENDER)
        self.cut(host, quick, sizes=repeat(size), kind=BatchKind.RENDER)
        self.cut(host, alone, sizes=repeat(1), kind=BatchKind.RENDER)

    def cut_unfetched(self, host: str, indices: list[int], *, size: int, shares: int, kind: BatchKind) -> None:
        """Divide URLs to request: first tries, retries, and those that must be alone apart from each other."""
        frontier = self._frontier
        alone = [index for index in indices if frontier.must_be_alone(index)]
        first_tries = [index for index in indices if not frontier.not_before(index)]
        retries = [index for index in indices if frontier.not_before(index) and not frontier.must_be_alone(index)]
        for group in (first_tries, retries):
            self.cut(host, group, sizes=_sizes(len(group), size, shares), kind=kind)
        self.cut(host, alone, sizes=repeat(1, len(alone)), kind=kind)

    def cut(
        self, host: str, indices: list[int], *, sizes: Iterable[int], kind: BatchKind, shared: bool = False
    ) -> None:
        """Divide URLs into batches of these sizes, or smaller ones if they do not fit in a message."""
        rest = list(indices)
        for size in sizes:
            if not rest:
                return
            some, rest = rest[:size], rest[size:]
            for part in self._fitting(some, _PART if shared else 0):
                number = len(self.batches)
                not_before = max(self._frontier.not_before(index) for index, _ in part)
                for index, _ in part:
                    self._frontier.plan(index, wave=self._wave, batch=number)
                items = tuple(item for _, item in part)
                if shared:
                    host = host_of(items[0].url)
                batch = PlannedBatch(
                    number=number, host=host, items=items, not_before=not_before, kind=kind, shared=shared
                )
                self.batches.append(batch)

    def _fitting(self, indices: Iterable[int], more: int) -> Iterator[list[tuple[int, JobItem]]]:
        """Yield the URLs in parts that each fit in one message, with `more` bytes and the host of each.

        JSON at most doubles the length of a URL.
        """
        part: list[tuple[int, JobItem]] = []
        size = 0
        for index in indices:
            item = self._item(index)
            length = 2 * len(item.url) * (2 if more else 1) + len(item.document) + _ITEM + more
            length += item.validators.longest_json if item.validators else 0
            length += sum(cookie.size for cookie in item.cookies)
            if part and size + length > LONGEST_ITEMS:
                yield part
                part, size = [], 0
            part.append((index, item))
            size += length
        yield part

    def _item(self, index: int) -> JobItem:
        frontier, key = self._frontier, self._frontier.key(index)
        wish = self._wishes.get(index) or (self._rendering.wish(index) if self._rendering else NO_WISH)
        return JobItem(
            url=frontier.url(index),
            key=key,
            depth=frontier.depth(index),
            tries=frontier.tries(index) + 1,
            validators=self._known.get(key),
            render=wish.render,
            barren=wish.barren,
            failing=wish.failing,
            sample=wish.sample,
            has_browser=wish.has_browser,
            over_budget=wish.over_budget,
            failed_renders=frontier.failed_renders(index),
            document=frontier.document(index),
            cookies=frontier.cookies(index),
            media=_EXPECTED.get(frontier.found_by(index)),
            reads_css=frontier.found_by(index) is FoundBy.CHECKED_STYLESHEET,
            other_known=not frontier.lacks(other_spelling(key)),
        )


def _size(speed: Speed, waves: WaveSettings, urls: int) -> int:
    """Return the batch size for one host in a wave of `urls` URLs."""
    if speed.pace.interval > LONGEST_SLEEP:
        return 1
    return min(_workload(speed, waves, urls), speed.pages_within(LONGEST_BATCH))


def _workload(speed: Speed, waves: WaveSettings, urls: int) -> int:
    """Return the number of URLs of a batch that suits the number of workers.

    Each batch has a cost. A rate-limited host is not crawled faster by more workers, so its batches are large. A host
    without an interval is, so its batches are small.
    """
    if speed.pace.interval:
        size = max(SMALL_BATCH, ceil(urls / max(1, waves.min_batches // 2)))
    else:
        size = min(SMALL_BATCH, ceil(urls / waves.min_batches))
    return min(size, waves.batch_size)


def _sizes(count: int, size: int, shares: int) -> Iterator[int]:
    """Yield the size of each batch of one host: `size`, and towards the end a share of the remaining URLs.

    Decreasing sizes let all workers finish at about the same time.
    """
    while count > 0:
        part = min(size, count, max(LAST_BATCHES, ceil(count / shares)))
        yield part
        count -= part
