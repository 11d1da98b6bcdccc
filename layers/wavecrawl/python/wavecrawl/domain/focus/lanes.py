"""The rules of lanes."""

from wavecrawl.domain.focus.lane import Lane
from wavecrawl.domain.focus.paths import Place, date_in
from wavecrawl.domain.focus.settings import LaneSettings
from wavecrawl.domain.urls.patterns import Patterns


class Lanes:
    """The lanes of one crawl."""

    __slots__ = ("_blog", "_critical", "_docs")

    def __init__(self, settings: LaneSettings) -> None:
        self._critical = Patterns(settings.critical)
        self._docs = Patterns(settings.docs)
        self._blog = Patterns(settings.blog)

    def lane_of(self, place: Place) -> Lane:
        """Return the lane of a URL."""
        if place.query:
            whole: tuple[str, ...] = (place.url, f"{place.path}?{place.query}")
            texts = (*whole, place.path, place.plain)
        else:
            whole = texts = (place.url, place.path, place.plain)
            if not place.plain:
                return Lane.P0
        if self._critical.match_any(whole):
            return Lane.P0
        if place.is_data:
            return Lane.P3
        if self._docs.match_any(texts):
            return Lane.P1
        return Lane.P2 if self._blog.match_any(texts) or date_in(place.path) else Lane.P3
