"""The scope of a site: hosts, path prefix, include and exclude patterns."""

from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.settings import ScopeMode, ScopeSettings
from wavecrawl.domain.urls.patterns import Patterns, readable
from wavecrawl.domain.urls.spellings import SHARED
from wavecrawl.domain.urls.url import PageUrl


class Scope:
    """The scope of one site, relative to its root URL."""

    __slots__ = ("_exclude", "_host", "_include", "_mode", "_prefix", "_root")

    def __init__(self, root: PageUrl, settings: ScopeSettings) -> None:
        self._root = root
        self._mode = settings.mode
        self._host = root.host.removeprefix("www.")
        self._prefix = readable(settings.path_prefix)
        self._include = Patterns(settings.include) if settings.include else None
        self._exclude = Patterns(settings.exclude) if settings.exclude else None

    def reason_outside(self, page: PageUrl) -> Reason:
        """Return why the URL does not belong to the site, or Reason.NONE if it does. Both spellings of the root do."""
        if page.key[:SHARED] == self._root.key[:SHARED]:
            return Reason.NONE
        if not self._host_belongs(page) or not is_below(page.path, self._prefix):
            return Reason.OUT_OF_SCOPE
        if self._include is not None and not self._include.match_any(_texts(page)):
            return Reason.NOT_INCLUDED
        return Reason.EXCLUDED if self.excludes(page) else Reason.NONE

    def excludes(self, page: PageUrl) -> bool:
        """Return whether an exclude pattern matches the URL."""
        return self._exclude is not None and self._exclude.match_any(_texts(page))

    def _host_belongs(self, page: PageUrl) -> bool:
        if self._mode is ScopeMode.ORIGIN:
            return page.origin == self._root.origin
        if self._mode is ScopeMode.HOST_AND_WWW:
            return page.host.removeprefix("www.") == self._host
        return page.host == self._host or page.host.endswith("." + self._host)


def is_below(path: str, prefix: str) -> bool:
    """Return whether a path begins with a readable prefix, or is the folder that the prefix names."""
    path = readable(path) if "%" in path else path
    return path.startswith(prefix) or (prefix.endswith("/") and path == prefix[:-1])


def _texts(page: PageUrl) -> tuple[str, ...]:
    return (page.url, page.path, f"{page.path}?{page.query}") if page.query else (page.url, page.path)
