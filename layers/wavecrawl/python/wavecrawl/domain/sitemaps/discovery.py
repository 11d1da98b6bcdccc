"""The order in which the sitemaps of a site are read."""

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
    guessed: bool = False  # at a well-known path; not reported if missing


@dataclass(frozen=True, slots=True, kw_only=True)
class WalkState:
    """The state of a walk."""

    read: tuple[SitemapFile, ...] = ()  # in reading order
    waiting: tuple[SitemapFile, ...] = ()


class SitemapWalk:
    """The queue of files to read: those in robots.txt, the well-known ones, then those in indexes; each once."""

    def __init__(
        self, named: tuple[str, ...], origin: str, settings: SitemapSettings, *, state: WalkState | None = None
    ) -> None:
        """Start a walk, or continue one from its state."""
        before = state or WalkState()
        self._settings = settings
        self._read = list(before.read)
        self._waiting = deque(before.waiting)
        self._seen = {file.url for file in (*before.read, *before.waiting)}
        if state is None:
            for written in named:
                self._queue(resolve(written, f"{origin}/robots.txt"))
            for path in WELL_KNOWN:
                self._queue(origin + path, guessed=True)

    @property
    def state(self) -> WalkState:
        """The current state."""
        return WalkState(read=tuple(self._read), waiting=tuple(self._waiting))

    def next(self) -> SitemapFile | None:
        """Return the next file to read, or None if all files or `max_files` files were read."""
        return self._waiting[0] if self._waiting else None

    def was_read(self, content: SitemapContent | None) -> None:
        """Mark the next file as read; if it is an index above `max_depth`, queue its files."""
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
