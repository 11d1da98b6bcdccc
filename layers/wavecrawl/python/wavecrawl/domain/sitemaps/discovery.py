"""The order in which the sitemaps of a site are read."""

from collections import deque
from collections.abc import Iterator
from itertools import islice, takewhile

import msgspec
from msgspec.structs import replace

from wavecrawl.domain.counts import counted
from wavecrawl.domain.crawl.ledger import Notice
from wavecrawl.domain.graph.completeness import SiteBlocker, cut_sitemap, unread_sitemap
from wavecrawl.domain.sitemaps.parser import SitemapContent
from wavecrawl.domain.sitemaps.settings import SitemapSettings
from wavecrawl.domain.urls.url import resolve

WELL_KNOWN = ("/sitemap.xml", "/sitemap_index.xml")
"""Paths of sitemaps that robots.txt need not name. The second is read only if there is nothing at the first."""


class SitemapFile(msgspec.Struct, frozen=True, kw_only=True):
    """One file to read."""

    url: str
    depth: int = 0  # indexes above it
    guessed: bool = False  # at a well-known path; not reported if missing
    feed: bool = False  # a feed of the site, whose entries no sitemap lists
    tried: bool = False  # whether a request has failed, and it is to be requested again


class WalkState(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a walk."""

    read: tuple[SitemapFile, ...] = ()  # in reading order
    waiting: tuple[SitemapFile, ...] = ()
    listed: int = 0  # URLs in the files that were read
    left_out: bool = False  # whether there are more files than `max_files`
    later: tuple[SitemapFile, ...] = ()  # to be requested again, after all that wait
    too_deep: tuple[str, ...] = ()  # URLs of indexes whose files are deeper than `max_depth`


class SitemapWalk:
    """The queue of files to read, each once: those in robots.txt, the well-known ones, feeds, then those in indexes."""

    def __init__(
        self,
        named: tuple[str, ...],
        origin: str,
        settings: SitemapSettings,
        *,
        feeds: tuple[str, ...] = (),
        state: WalkState | None = None,
    ) -> None:
        """Start a walk, or continue one from its state."""
        before = state or WalkState()
        self._settings = settings
        self._read = list(before.read)
        self._waiting = deque(before.waiting)
        self._later = list(before.later)
        self._too_deep = list(before.too_deep)
        self._seen = {file.url for file in (*before.read, *before.waiting, *before.later) if not file.feed}
        self._listed = before.listed
        self._left_out = before.left_out
        if state is None:
            for written in named:
                self._queue(resolve(written, f"{origin}/robots.txt"))
            for path in WELL_KNOWN:
                self._queue(origin + path, guessed=True)
            self._waiting.extend(SitemapFile(url=url, feed=True) for url in feeds if url not in self._seen)

    @property
    def state(self) -> WalkState:
        """The current state."""
        return WalkState(
            read=tuple(self._read),
            waiting=tuple(self._waiting),
            listed=self._listed,
            left_out=self._left_out,
            later=tuple(self._later),
            too_deep=tuple(self._too_deep),
        )

    def next(self) -> SitemapFile | None:
        """Return the next file to read, or None if all files were read or a limit is reached."""
        if not self._waiting:
            self._waiting.extend(self._later)
            self._later.clear()
        return self._waiting[0] if self._waiting and self._listed < self._settings.max_listed else None

    def next_files(self, most: int) -> tuple[SitemapFile, ...]:
        """Return the next file to read, and those that follow it whatever it contains; at most `most`."""
        first = self.next()
        if first is None:
            return ()
        return (first, *takewhile(lambda file: not _is_second(file), islice(self._waiting, 1, most)))

    def was_read(self, content: SitemapContent | None) -> None:
        """Mark the next file as read; if it is an index above `max_depth`, queue its files."""
        file = self._waiting.popleft()
        self._read.append(file)
        if content is None:
            return
        self._listed += len(content.entries)
        if file.feed:
            return
        if file.url.endswith(WELL_KNOWN[0]) and (content.entries or content.children):
            self._seen.difference_update(file.url for file in self._waiting if _is_second(file))
            self._waiting = deque(file for file in self._waiting if not _is_second(file))
        if file.depth < self._settings.max_depth:
            for child in content.children:
                self._queue(child.loc, depth=file.depth + 1)
        elif any(child.loc not in self._seen for child in content.children):
            self._too_deep.append(file.url)

    def postpone(self) -> None:
        """Read the next file again, after all others."""
        self._later.append(replace(self._waiting.popleft(), tried=True))

    @property
    def unread(self) -> tuple[SitemapFile, ...]:
        """The files that were not read, without guesses and feeds that were not tried."""
        waiting = (*self._waiting, *self._later)
        return tuple(file for file in waiting if file.tried or not (file.guessed or file.feed))

    def blockers(self, *, stopped: str = "") -> Iterator[SiteBlocker]:
        """Yield what was not read because of limits. `stopped`: why reading ended early, in a word."""
        for file in (*self._waiting, *self._later) if stopped else self.unread:
            yield SiteBlocker(subject=file.url, blocker=unread_sitemap(stopped or "sitemaps.max_listed"))
        for url in self._too_deep:
            yield SiteBlocker(subject=url, blocker=cut_sitemap("sitemaps.max_depth"))
        if self._left_out:
            yield SiteBlocker(subject="sitemaps.max_files", blocker=unread_sitemap("sitemaps.max_files"))

    def notices(self) -> Iterator[Notice]:
        """Yield a notice for each limit that kept files from being read. Call this if `next` returns None."""
        unread = len(self.unread)
        if unread:
            files = counted(unread, "sitemap file was", "sitemap files were")
            yield Notice(
                subject="sitemaps.max_listed",
                message=f"{files} not read, as the files before list {counted(self._listed, 'URL')}; raise the setting "
                "sitemaps.max_listed",
            )
        for url in self._too_deep:
            yield Notice(
                subject=url,
                message=f"the sitemaps in it were not read, as it is below {self._settings.max_depth} other indexes; "
                "raise the setting sitemaps.max_depth",
            )
        if self._left_out:
            yield Notice(
                subject="sitemaps.max_files",
                message=f"only {self._settings.max_files:,} sitemap files were read, and there are more; raise the "
                "setting sitemaps.max_files",
            )

    def _queue(self, url: str | None, *, depth: int = 0, guessed: bool = False) -> None:
        if url is None or not url.startswith(("http://", "https://")):
            return
        if url in self._seen:
            return
        if len(self._seen) >= self._settings.max_files:
            self._left_out = self._left_out or not guessed
            return
        self._seen.add(url)
        self._waiting.append(SitemapFile(url=url, depth=depth, guessed=guessed))


def _is_second(file: SitemapFile) -> bool:
    return file.guessed and file.url.endswith(WELL_KNOWN[1])
