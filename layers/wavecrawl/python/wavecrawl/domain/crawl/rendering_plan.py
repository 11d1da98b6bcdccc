"""What a plan renders: which fetched pages get a browser in this wave, and which pages may ask for one."""

from msgspec import Struct

from wavecrawl.domain.crawl.frontier import Frontier
from wavecrawl.domain.rendering.learning import RenderLessons
from wavecrawl.domain.rendering.settings import RenderMode, RenderSettings


class Wish(Struct, frozen=True, kw_only=True, gc=False):
    """What the plan decides for one page."""

    render: bool = False  # to fetch: the page may ask for a browser; fetched: it is rendered
    barren: bool = False  # rendering added nothing to pages like it, so it counts as no shell


NO_WISH = Wish()


class RenderingPlan:
    """The decisions of one wave. Each is made once, in planned order, as it may change the lessons."""

    def __init__(
        self, frontier: Frontier, lessons: RenderLessons, settings: RenderSettings, *, root: str, is_available: bool
    ) -> None:
        """`root`: the url key of the root. `is_available`: whether the workers have a browser."""
        self._frontier = frontier
        self._lessons = lessons
        self._settings = settings
        self._root = root
        self._is_on = is_available and settings.mode is not RenderMode.NEVER
        self._left: dict[str, int] = {}  # pages that the wave may still render, by lesson

    def joining(self, fetched: list[int]) -> list[int]:
        """Return which of the fetched pages, in crawl order, join this wave to be rendered or because they need not."""
        return [index for index in fetched if self._may_join(index)]

    def wish(self, index: int) -> Wish:
        """Return the decision for a page of the wave."""
        if not self._is_on:
            return NO_WISH
        if self._is_certain(index):
            return Wish(render=True)
        decide = self._lessons.still_wants if self._frontier.document(index) else self._lessons.may_ask
        wanted = decide(self._frontier.url(index), self._settings)
        return Wish(render=wanted, barren=not wanted)

    def _is_certain(self, index: int) -> bool:
        """Return whether a page is rendered whatever rendering added to others."""
        return self._settings.is_certain(is_root=self._frontier.key(index) == self._root)

    def _may_join(self, index: int) -> bool:
        """Return whether a fetched page joins the wave, and count it if so."""
        if not self._is_on or self._is_certain(index):
            return True
        rooms = self._lessons.rooms(self._frontier.url(index), self._settings)
        left = {key: self._left.get(key, most) for key, most in rooms}
        if not all(left.values()):
            return False
        self._left.update((key, most - 1) for key, most in left.items())
        return True
