"""URLs requested after the last page, in a frontier of their own: checked URLs, then media URLs and resources."""

from collections.abc import Callable, Iterable

from wavecrawl.domain.checks.kinds import CheckKind, check_key
from wavecrawl.domain.crawl.frontier import Frontier
from wavecrawl.domain.crawl.frontier_rows import NO_PARENT, FoundUrl
from wavecrawl.domain.crawl.job import BatchKind
from wavecrawl.domain.crawl.ledger import BY_PAGES, CHECKED_AS, FOUND_AS, FoundBy, Phase
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.record_view import MediaView, RecordView, ResourceView
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.media.kinds import MediaKind, media_key

_CHECKED = frozenset(CHECKED_AS.values())
_KINDS = {
    **dict.fromkeys(FOUND_AS.values(), BatchKind.MEDIA),
    **dict.fromkeys(_CHECKED, BatchKind.CHECK),
    FoundBy.RESOURCE: BatchKind.RESOURCE,
}
_MAY_BE_PAGES = (FoundBy.DOCUMENT, FoundBy.CHECKED_FILE, FoundBy.CHECKED_LINK, FoundBy.CHECKED_RESOURCE)
_STORED = (CheckKind.IMAGE, CheckKind.RESOURCE)  # images and videos
_FILES = (Reason.ASSET, Reason.DOCUMENT)  # of responses that are files
_FOLLOWED = (Reason.NONE, Reason.ASSET)  # of redirects to pages, and to what may be one
_IS_PAGE = "its response is a page"
_CHECKS_FIRST, _MEDIA_AFTERWARDS = 0, 1  # depths: crawl order is order of discovery, but checks come first


def batch_kind(found_by: FoundBy) -> BatchKind:
    """Return the kind of batches of a URL that was found in this way, unless it is a page to render."""
    return _KINDS.get(found_by, BatchKind.FETCH)


class LaterUrls:
    """Adds URLs to the frontier of those that are requested after the last page."""

    def __init__(self, frontier: Frontier, settings: CrawlSettings) -> None:
        self._frontier = frontier
        self._settings = settings
        self._checked = frontier.count_found_by(_CHECKED)
        self._resources = frontier.count_found_by([FoundBy.RESOURCE])

    @property
    def media_room(self) -> int:
        """How many more media URLs may be added."""
        return self._settings.media.max_assets - (len(self._frontier) - self._checked - self._resources)

    @property
    def resource_room(self) -> int:
        """How many more resources of the archive may be added."""
        return self._settings.archive.max_resources - self._resources

    @property
    def check_room(self) -> int:
        """How many more URLs may be added to be checked."""
        return self._settings.checks.max_urls - self._checked

    def lacks(self, key: str) -> bool:
        """Return whether a URL was not added."""
        return self._frontier.find(key) is None

    def lacks_asset(self, key: str) -> bool:
        """Return whether a URL was not added as an asset. A waiting resource of the archive can become one."""
        index = self._frontier.find(key)
        return index is None or self._is_waiting_resource(index)

    def _is_waiting_resource(self, index: int) -> bool:
        is_resource = self._frontier.found_by(index) is FoundBy.RESOURCE
        return is_resource and self._frontier.state(index) is UrlState.PENDING

    @property
    def has_files(self) -> bool:
        """Whether the crawl checks or stores files of the site."""
        return self._settings.checks.resources or bool(self._settings.media.include)

    def embeds(self, url_key: str) -> bool:
        """Return whether a page shows or loads a URL, which therefore is no page."""
        found = (self._frontier.find(key) for key in (media_key(url_key), check_key(url_key)))
        return any(index is not None and self._frontier.found_by(index) not in _MAY_BE_PAGES for index in found)

    def add_result(self, record: RecordView, *, wave: int) -> None:
        """Add the result of a URL that pages link to, that is named like a file and that was requested as a page.

        It is the result of the check, or of the media URL, so these are not requested. Only a file that exists is
        still downloaded as media. If the URL redirects to a page, the result is that of the page.
        """
        state, reason, detail = record.state, record.reason, record.detail
        index = self._frontier.find(media_key(record.key))
        if state.has_content:
            is_linked = index is not None and self._frontier.found_by(index) is FoundBy.DOCUMENT
            state, reason, detail = UrlState.SKIPPED, Reason.NOT_MEDIA, _IS_PAGE
            index = index if is_linked else None
        elif state is UrlState.REDIRECTED and record.redirect_skip in _FOLLOWED:
            return
        elif index is None and self._settings.checks.resources:
            self._add_check(record.url, check_key(record.key), CheckKind.FILE, wave)
            index = self._frontier.find(check_key(record.key))
            if reason in _FILES:
                state, reason, detail = UrlState.FETCHED, Reason.NONE, ""
        elif reason in _FILES:
            return
        if index is not None and state is not UrlState.REDIRECTED and not self._frontier.state(index).terminal:
            self._frontier.settle(index, state, reason=reason, detail=detail, tries=record.tries)

    def add_media(self, references: Iterable[MediaView], *, wave: int) -> None:
        """Add the assets and resources that a page or stylesheet uses, unless they are known.

        There are at most `media.max_assets` of the former and `archive.max_resources` of the latter. A URL that is a
        resource of one page and an asset of another one becomes an asset: archives contain both.
        """
        for one in references:
            is_resource = one.kind is MediaKind.RESOURCE
            room = self.resource_room if is_resource else self.media_room
            if room <= 0 or one.skip:
                continue
            index = self._frontier.find(one.key)
            if index is None:
                self._add(one.url, one.key, FOUND_AS[one.kind], wave, depth=_MEDIA_AFTERWARDS)
                self._resources += is_resource
            elif not is_resource and self._is_waiting_resource(index):
                self._frontier.rename(index, FOUND_AS[one.kind])
                self._resources -= 1

    def add_resources(self, references: Iterable[ResourceView], *, wave: int) -> None:
        """Add the resources that a page loads, unless they are known or `checks.max_urls` are checked already.

        Images and videos that the crawl stores are not checked as well. Call `add_media` for the page first.
        """
        for one in references:
            if not one.skip and not (one.kind in _STORED and self._is_stored(one.key)):
                self._add_check(one.url, one.key, one.kind, wave)

    def _is_stored(self, key: str) -> bool:
        """Return whether the URL of a check is that of an asset."""
        if not self._settings.media.include:
            return False
        index = self._frontier.find(media_key(check_key(key)))
        return index is not None and self._frontier.found_by(index) is not FoundBy.RESOURCE

    def add_links(self, pages: Frontier, may_check: Callable[[str], bool], *, wave: int) -> None:
        """Add files of the site and URLs of other sites that `pages` link or redirect to, if `may_check` allows them.

        Files that are requested as media are not checked as well. Call this whenever no page is left to plan: known
        URLs are not added again.
        """
        if self._settings.checks.resources:
            for index in pages.skipped_for(Reason.ASSET):
                if self.lacks(media_key(pages.key(index))):
                    self._add_link(pages, index, CheckKind.FILE, may_check, wave)
        if self._settings.checks.external:
            for index in pages.skipped_for(Reason.OUT_OF_SCOPE):
                self._add_link(pages, index, CheckKind.LINK, may_check, wave)

    def _add_link(
        self, pages: Frontier, index: int, kind: CheckKind, may_check: Callable[[str], bool], wave: int
    ) -> None:
        if pages.found_by(index) in BY_PAGES and may_check(pages.url(index)):
            self._add_check(pages.url(index), check_key(pages.key(index)), kind, wave)

    def _add_check(self, url: str, key: str, kind: CheckKind, wave: int) -> None:
        if self.check_room > 0 and self.lacks(key):
            self._add(url, key, CHECKED_AS[kind], wave, depth=_CHECKS_FIRST)
            self._checked += 1

    def _add(self, url: str, key: str, found_by: FoundBy, wave: int, *, depth: int) -> None:
        self._frontier.add(
            FoundUrl(
                url=url,
                key=key,
                depth=depth,
                parent=NO_PARENT,  # pages are in another frontier
                found_by=found_by,
                phase=Phase.MEDIA,
                wave=wave,
            )
        )
