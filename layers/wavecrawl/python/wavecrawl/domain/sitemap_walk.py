"""In which order the sitemaps of a site are read, and how far (spec [8])."""

from collections import deque
from dataclasses import dataclass

from wavecrawl.domain.settings import SitemapSettings
from wavecrawl.domain.sitemap import SitemapContent
from wavecrawl.domain.url import resolve

WELL_KNOWN = ("/sitemap.xml", "/sitemap_index.xml")


@dataclass(frozen=True, slots=True, kw_only=True)
class SitemapFile:
    """One file to read."""

    url: str
    depth: int = 0  # indexes above it
    guessed: bool = False  # tried at a well-known place: that it is not there is no news


class SitemapWalk:
    """The files still to read: those robots.txt names, the well-known ones, then what indexes name; each once."""

    def __init__(self, named: tuple[str, ...], origin: str, settings: SitemapSettings) -> None:
        self._settings = settings
        self._seen: set[str] = set()
        self._waiting: deque[SitemapFile] = deque()
        self._given = 0
        for written in named:
            self._queue(resolve(written, f"{origin}/robots.txt"))
        for path in WELL_KNOWN:
            self._queue(origin + path, guessed=True)

    def pop(self) -> SitemapFile | None:
        """Return the next file, or None when all are read or `max_files` have been."""
        if not self._waiting or self._given >= self._settings.max_files:
            return None
        self._given += 1
        return self._waiting.popleft()

    def add(self, file: SitemapFile, content: SitemapContent) -> None:
        """Queue what an index names, down to `max_depth`."""
        if file.depth < self._settings.max_depth:
            for child in content.children:
                self._queue(child.loc, depth=file.depth + 1)

    def _queue(self, url: str | None, *, depth: int = 0, guessed: bool = False) -> None:
        if url is not None and url.startswith(("http://", "https://")) and url not in self._seen:
            self._seen.add(url)
            self._waiting.append(SitemapFile(url=url, depth=depth, guessed=guessed))
