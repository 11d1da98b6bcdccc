"""The scope of a site: hosts, path prefix, include and exclude patterns."""

from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.settings import ScopeMode, ScopeSettings
from wavecrawl.domain.urls.url import PageUrl


class Scope:
    """The scope of one site, relative to its root URL."""

    __slots__ = ("_exclude", "_host", "_include", "_mode", "_prefix", "_root")

    def __init__(self, root: PageUrl, settings: ScopeSettings) -> None:
        self._root = root
        self._mode = settings.mode
        self._host = root.host.removeprefix("www.")
        self._prefix = settings.path_prefix
        self._include = tuple(_pieces(p) for p in settings.include)
        self._exclude = tuple(_pieces(p) for p in settings.exclude)

    def reason_outside(self, page: PageUrl) -> Reason:
        """Return why the URL does not belong to the site, or Reason.NONE if it does. The root always belongs."""
        if page.key == self._root.key:
            return Reason.NONE
        if not self._host_belongs(page) or not self._path_belongs(page.path):
            return Reason.OUT_OF_SCOPE
        if self._include and not _matches(self._include, page):
            return Reason.NOT_INCLUDED
        if self._exclude and _matches(self._exclude, page):
            return Reason.EXCLUDED
        return Reason.NONE

    def _host_belongs(self, page: PageUrl) -> bool:
        if self._mode is ScopeMode.ORIGIN:
            return page.origin == self._root.origin
        if self._mode is ScopeMode.HOST_AND_WWW:
            return page.host.removeprefix("www.") == self._host
        return page.host == self._host or page.host.endswith("." + self._host)

    def _path_belongs(self, path: str) -> bool:
        prefix = self._prefix
        return path.startswith(prefix) or (prefix.endswith("/") and path == prefix[:-1])


def _matches(patterns: tuple[tuple[str, ...], ...], page: PageUrl) -> bool:
    texts = (page.url, page.path, f"{page.path}?{page.query}") if page.query else (page.url, page.path)
    return any(_matches_whole(pattern, text) for pattern in patterns for text in texts)


def _pieces(pattern: str) -> tuple[str, ...]:
    return tuple(pattern.strip().split("*"))


def _matches_whole(pieces: tuple[str, ...], text: str) -> bool:
    """Return whether a pattern, split at its stars, matches the whole text; linear time for any number of stars."""
    first, *rest = pieces
    if not rest:
        return text == first
    *middle, last = rest
    if not text.startswith(first) or len(text) < len(first) + len(last):
        return False
    position, end = len(first), len(text) - len(last)
    for piece in middle:
        found = text.find(piece, position, end)
        if found < 0:
            return False
        position = found + len(piece)
    return text.endswith(last)
