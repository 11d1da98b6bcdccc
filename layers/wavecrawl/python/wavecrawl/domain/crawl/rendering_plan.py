"""What a plan renders: which fetched pages get a browser in this wave, and which pages may ask for one."""

from collections import Counter
from functools import cached_property
from sys import maxsize

from msgspec import Struct

from wavecrawl.domain.crawl.frontier import Frontier
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.rendering.learning import RenderLessons, sample_key
from wavecrawl.domain.rendering.settings import RenderMode, RenderSettings


class Wish(Struct, frozen=True, kw_only=True, gc=False):
    """What the plan decides for one page."""

    render: bool = False  # to fetch: the page may ask for a browser; fetched: it is rendered
    barren: bool = False  # rendering added nothing to pages like it, so it counts as no shell
    failing: bool = False  # the rendering of pages like it failed, so it stays a shell
    sample: bool = False  # to fetch: the page may be rendered although it is complete
    over_budget: bool = False  # too few bytes are left to render pages
    has_browser: bool = False  # scripts of complete pages run, as far as pages like them gain something by it


NO_WISH = Wish()


class RenderingPlan:
    """The decisions of one wave. Each is made once, in planned order, as it may change the lessons."""

    def __init__(
        self,
        frontier: Frontier,
        lessons: RenderLessons,
        settings: RenderSettings,
        *,
        root: str,
        is_available: bool,
        room: int = maxsize,
    ) -> None:
        """`root`: the url key of the root. `is_available`: whether the workers have a browser.

        `room`: how many pages may be rendered before the bytes of the crawl are counted again. 0 = no more pages.
        """
        self._frontier = frontier
        self._lessons = lessons
        self._settings = settings
        self._root = root
        self._is_on = is_available and settings.mode is not RenderMode.NEVER
        self._samples = settings.takes_samples
        self._has_browser = self._is_on and (self._samples or settings.mode is RenderMode.ALWAYS)
        self._is_over = room == 0
        self._room = room
        self._left: dict[str, int] = {}  # pages that the wave may still render, by lesson
        self._requests_left: dict[str, int] = {}  # pages that it may still request, by lesson

    def joining(self, fetched: list[int]) -> list[int]:
        """Return which of the fetched pages, in crawl order, join this wave to be rendered or because they need not."""
        return [index for index in fetched if self._may_join(index)]

    def may_request(self, index: int) -> bool:
        """Return whether a URL may join the wave to be requested, and count it if so.

        Of pages that are alike, a few are requested first. When it is known whether these gain by a browser, the others
        need not wait for that with their response stored.
        """
        if not (self._is_on and self._samples) or self._is_over or self._is_certain(index):
            return True
        url, settings = self._frontier.url(index), self._settings
        if not self._lessons.awaits_samples(url, settings):
            return True
        key = sample_key(url)
        left = self._requests_left.get(key, settings.samples - self._waiting_samples[key])
        if left <= 0:
            return False
        self._requests_left[key] = left - 1
        return True

    @cached_property
    def _waiting_samples(self) -> Counter[str]:
        """The number of fetched pages that wait to be rendered as samples, by lesson."""
        frontier = self._frontier
        return Counter(sample_key(frontier.url(index)) for index in frontier.fetched() if self._is_sample(index))

    def wish(self, index: int) -> Wish:
        """Return the decision for a page of the wave."""
        if not self._is_on:
            return NO_WISH
        if self._is_over:
            return self._without_bytes(index)
        if self._is_certain(index):
            return Wish(render=True, has_browser=self._has_browser)
        url, lessons, settings = self._frontier.url(index), self._lessons, self._settings
        if self._is_sample(index):
            return Wish(render=not lessons.leaves_complete(url, settings), has_browser=True)
        fetched = self._frontier.document(index)
        if fetched and self._frontier.failed_renders(index):  # what a sample found must not depend on the last failure
            failing = lessons.is_failing(url, settings)
            return Wish(render=not failing, failing=failing, has_browser=self._has_browser)
        wanted = (lessons.still_wants if fetched else lessons.may_ask)(url, settings)
        failing = not wanted and lessons.is_failing(url, settings)
        return Wish(
            render=wanted,
            barren=not (wanted or failing),
            failing=failing,
            sample=not fetched and self._samples and not lessons.leaves_complete(url, settings),
            has_browser=self._has_browser,
        )

    def _without_bytes(self, index: int) -> Wish:
        """Return the decision for a page if no page is rendered any more. It changes no lesson."""
        url, lessons, settings = self._frontier.url(index), self._lessons, self._settings
        is_complete = lessons.leaves_complete(url, settings)
        if self._is_certain(index) or not lessons.is_closed(url, settings):
            return Wish(over_budget=True, has_browser=self._has_browser and is_complete)
        failing = lessons.is_failing(url, settings)
        return Wish(barren=not failing, failing=failing, has_browser=self._has_browser and is_complete)

    def _is_certain(self, index: int) -> bool:
        """Return whether a page is rendered whatever rendering added to others."""
        return self._settings.is_certain(is_root=self._frontier.key(index) == self._root)

    def _is_sample(self, index: int) -> bool:
        """Return whether a fetched page is complete, and waits for the sample of pages like it."""
        return self._frontier.reason(index) is Reason.RENDER_SAMPLE

    def _may_join(self, index: int) -> bool:
        """Return whether a fetched page joins the wave, and count it if it may be rendered."""
        if not self._is_on or self._is_over:
            return True
        if self._is_certain(index):
            return self._takes_room()
        url, lessons, settings = self._frontier.url(index), self._lessons, self._settings
        is_sample = self._is_sample(index)
        if (lessons.leaves_complete if is_sample else lessons.is_closed)(url, settings):
            return True
        rooms = (lessons.sample_rooms if is_sample else lessons.rooms)(url, settings)
        left = {key: self._left.get(key, most) for key, most in rooms}
        if not all(left.values()) or not self._takes_room():
            return False
        self._left.update((key, most - 1) for key, most in left.items())
        return True

    def _takes_room(self) -> bool:
        """Return whether one more page may be rendered, and count it if so."""
        if self._room <= 0:
            return False
        self._room -= 1
        return True
