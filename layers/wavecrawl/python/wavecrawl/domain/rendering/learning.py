"""Learning where rendering adds something: pages of a path template, or of a folder, are alike.

The state is a function of the rendered pages and of the plans, in their order. It is bounded: at the end of each wave
the lessons that were not used for the longest time are dropped.
"""

from collections.abc import Iterable

from msgspec import Struct

from wavecrawl.domain.rendering.settings import RenderSettings
from wavecrawl.domain.urls.templates import template_of

LIMIT = 10_000
"""Maximum number of lessons."""

_FOLDER_FACTOR = 2  # the pages of a folder are less alike than those of a template: more of them must add nothing
_SAMPLED_TEMPLATES = 5  # of a folder, in a row and without gain, until its other templates are no longer sampled
_SLASHES_OF_ROOT = 3  # of a URL in the first folder, whose pages are less alike than those of others


class Lesson(Struct, array_like=True, kw_only=True, gc=False):
    """The rendered pages of one path template or folder, counted."""

    key: str
    rendered: int = 0
    gains: int = 0  # pages to which rendering added links or text
    barren: int = 0  # pages in a row to which it added nothing, without those that were complete
    unasked: int = 0  # pages that were not rendered since the last sample
    samples: int = 0  # pages that were planned as samples and are not rendered yet: 0 or 1
    failed: int = 0  # pages in a row whose rendering failed, in all its tries
    unneeded: int = 0  # complete pages in a row to which it added nothing
    unrendered: int = 0  # URLs that ended without a browser, counted up to the number of samples


class RenderLessons:
    """All lessons by key, the last used ones last."""

    __slots__ = ("_lessons", "_limit", "_touched")

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._lessons: dict[str, Lesson] = {}
        self._touched: set[str] = set()  # since the last `delta`

    def __len__(self) -> int:
        return len(self._lessons)

    def learn(self, url: str, *, added: bool, is_complete: bool = False) -> None:
        """Learn whether rendering a page added links or text; `is_complete`: its HTML was no shell."""
        for key in _keys(url):
            lesson = self._use(key)
            lesson.rendered += 1
            lesson.gains += added
            lesson.barren = 0 if added else lesson.barren + (not is_complete)
            lesson.unneeded = 0 if added else lesson.unneeded + is_complete
            lesson.failed = 0

    def fail(self, url: str) -> None:
        """Note that the rendering of a page failed, which says nothing of what it adds."""
        for key in _keys(url):
            self._use(key).failed += 1

    def pass_by(self, url: str, settings: RenderSettings) -> None:
        """Note that a URL ended without a browser: pages like it may have no scripts."""
        if not self._lessons:  # of a site without scripts, for each URL
            return
        key = sample_key(url)
        lesson = self._lessons.get(key)
        if lesson is None or lesson.unrendered < settings.samples:
            self._use(key).unrendered += 1

    def awaits_samples(self, url: str, settings: RenderSettings) -> bool:
        """Return whether it is not known yet if pages like this one, which is not requested yet, need a browser.

        Of a site without scripts, that is not asked.
        """
        if not self._lessons or self.leaves_complete(url, settings):
            return False
        lesson = self._lessons.get(sample_key(url))
        return lesson is None or not (lesson.gains or lesson.unrendered >= settings.samples)

    def may_ask(self, url: str, settings: RenderSettings) -> bool:
        """Return whether a page that is requested next is rendered if it is a shell; count it if it is not."""
        lesson = self._closing(url, settings)
        if lesson is None:
            return True
        lesson = self._use(lesson.key)
        lesson.unasked += 1
        if not settings.sample_every or lesson.samples or lesson.unasked < settings.sample_every:
            return False
        lesson.unasked, lesson.samples = 0, 1
        return True

    def still_wants(self, url: str, settings: RenderSettings) -> bool:
        """Return whether a page that asked for rendering is still rendered: earlier ones may have added nothing."""
        lesson = self._closing(url, settings)
        if lesson is None:
            return True
        if not lesson.samples:
            return False
        self._use(lesson.key).samples = 0
        return True

    def is_failing(self, url: str, settings: RenderSettings) -> bool:
        """Return whether the rendering of pages like this one failed too often in a row."""
        lesson = self._lessons.get(template_of(url)) if self._lessons else None
        return lesson is not None and lesson.failed >= settings.learn_after

    def is_closed(self, url: str, settings: RenderSettings) -> bool:
        """Return whether a page that asked for rendering will not be rendered: a decision that changes nothing."""
        lesson = self._closing(url, settings)
        return lesson is not None and not lesson.samples

    def leaves_complete(self, url: str, settings: RenderSettings) -> bool:
        """Return whether pages like this one, with complete HTML, are known to gain nothing by rendering.

        At first a sample of each template is rendered. A template without placeholders has a single page, so it shares
        the sample of its folder; those in the first folder of a site do not, as they often are pages of lists.
        """
        if not settings.takes_samples:
            return True
        if not self._lessons:  # of a site without scripts, for each URL
            return False
        folder = self._lessons.get(_keys(url)[1])
        if folder is not None and not folder.gains and folder.unneeded >= _SAMPLED_TEMPLATES * settings.samples:
            return True
        lesson = self._lessons.get(sample_key(url))
        if lesson is None:
            return False
        if lesson.failed >= settings.learn_after:
            return True
        return lesson.unneeded >= (settings.learn_after if lesson.gains else settings.samples)

    def sample_rooms(self, url: str, settings: RenderSettings) -> tuple[tuple[str, int], ...]:
        """Return the lessons of a complete page, each with the number of its pages that one wave may render."""
        key, folder = sample_key(url), _keys(url)[1]
        gains = self._gains(key)
        return (
            (f"sample {key}", settings.learn_after + gains if gains else settings.samples),
            (f"samples {folder}", _SAMPLED_TEMPLATES * settings.samples + self._gains(folder)),
        )

    def rooms(self, url: str, settings: RenderSettings) -> tuple[tuple[str, int], ...]:
        """Return the lessons of a page, each with the number of its pages that one wave may render.

        At first they are few; later as many more as pages to which rendering added something.
        """
        template, folder = _keys(url)
        return (
            (template, settings.learn_after + self._gains(template)),
            (folder, _FOLDER_FACTOR * (settings.learn_after + self._gains(folder))),
        )

    def delta(self) -> list[Lesson]:
        """Return the lessons that were used since the last call, in order; drop those beyond the limit."""
        self._trim()
        used = [lesson for key, lesson in self._lessons.items() if key in self._touched]
        self._touched.clear()
        return used

    def whole(self) -> list[Lesson]:
        """Return all lessons, in order."""
        return list(self._lessons.values())

    def apply(self, lessons: Iterable[Lesson]) -> None:
        """Replay the changes of a wave."""
        for lesson in lessons:
            self._lessons.pop(lesson.key, None)
            self._lessons[lesson.key] = lesson
        self._trim()

    def _closing(self, url: str, settings: RenderSettings) -> Lesson | None:
        """Return the lesson that rendering adds nothing to pages like this one, None if there is none.

        What is known of the template counts more than what is known of the folder.
        """
        if not self._lessons:  # of a site without shells, for each URL
            return None
        template, folder = (self._lessons.get(key) for key in _keys(url))
        if template is not None and max(template.barren, template.failed) >= settings.learn_after:
            return template
        if template is not None and template.gains:
            return None
        if folder is not None and folder.barren >= _FOLDER_FACTOR * settings.learn_after:
            return folder
        return None

    def _gains(self, key: str) -> int:
        lesson = self._lessons.get(key)
        return lesson.gains if lesson is not None else 0

    def _use(self, key: str) -> Lesson:
        """Return a lesson to change it; it becomes the last used one."""
        lesson = self._lessons.pop(key, None) or Lesson(key=key)
        self._lessons[key] = lesson
        self._touched.add(key)
        return lesson

    def _trim(self) -> None:
        surplus = len(self._lessons) - self._limit
        for key in list(self._lessons)[: max(0, surplus)]:
            del self._lessons[key]


def sample_key(url: str) -> str:
    """Return the key of the lesson that decides on a complete page: its template, or the folder of a single page."""
    template, folder = _keys(url)
    is_single = "{" not in template and "?" not in template and template.count("/") > _SLASHES_OF_ROOT
    return folder if is_single else template


def _keys(url: str) -> tuple[str, str]:
    """Return the keys of a page: its template, and the folder of the template."""
    template = template_of(url)
    return template, template.partition("?")[0].rpartition("/")[0] + "/*"
