"""In which order the sitemaps of a site are read, and how far (spec [8])."""

from collections import deque
from dataclasses import dataclass

from wavecrawl.domain.crawl.settings import SitemapSettings
from wavecrawl.domain.sitemaps.parser import SitemapContent
from wavecrawl.domain.urls.url import resolve

WELL_KNOWN = ("/sitemap.xml", "/sitemap_index.xml")


@dataclass(frozen=True, slots=True, kw_only=True)
class SitemapFile:
    """One file to read."""

    url: str
    depth: int = 0  # indexes above it
    guessed: bool = False  # tried at a well-known place: that it is not there is no news


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkStand:
    """Where a walk stands."""

    read: tuple[SitemapFile, ...] = ()  # in the order they were given
    waiting: tuple[SitemapFile, ...] = ()


class SitemapWalk:
    """The files still to read: those robots.txt names, the well-known ones, then what indexes name; each once."""

    def __init__(
        self, named: tuple[str, ...], origin: str, settings: SitemapSettings, *, stand: WalkStand | None = None
    ) -> None:
        """Begin a walk, or go on with one from where it stood."""
        before = stand or WalkStand()
        self._settings = settings
        self._read = list(before.read)
        self._waiting = deque(before.waiting)
        self._seen = {file.url for file in (*before.read, *before.waiting)}
        if stand is None:
            for written in named:
                self._queue(resolve(written, f"{origin}/robots.txt"))
            for path in WELL_KNOWN:
                self._queue(origin + path, guessed=True)

    @property
    def stand(self) -> WalkStand:
        """Where it stands now."""
        return WalkStand(read=tuple(self._read), waiting=tuple(self._waiting))

    def next(self) -> SitemapFile | None:
        """Return the file that is to be read now, or None when all are or `max_files` have been."""
        return self._waiting[0] if self._waiting else None

    def was_read(self, content: SitemapContent | None) -> None:
        """Take the next file as read, and queue what it names where it is an index, down to `max_depth`."""
        file = self._waiting.popleft()
        self._read.append(file)
        if content is not None and file.depth < self._settings.max_depth:
            for child in content.children:
                self._queue(child.loc, depth=file.depth + 1)

    def _queue(self, url: str | None, *, depth: int = 0, guessed: bool = False) -> None:
        if url is None or not url.startswith(("http://", "https://")):
            return
        if url not in self._seen and len(self._seen) < self._settings.max_files:
            self._seen.add(url)
            self._waiting.append(SitemapFile(url=url, depth=depth, guessed=guessed))
