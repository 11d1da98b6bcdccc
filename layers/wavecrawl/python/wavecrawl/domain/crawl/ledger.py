"""The ledger: one row per discovered URL, with the reason why it is or is not in the crawl."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

import msgspec

from wavecrawl.domain.checks.kinds import CheckKind
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.focus.score import ScoreColumns
from wavecrawl.domain.media.kinds import MediaKind


class FoundBy(StrEnum):
    """How a URL was found."""

    ROOT = "root"
    LINK = "link"
    REDIRECT = "redirect"
    SITEMAP = "sitemap"
    LIST = "list"
    MEMORY = "memory"  # known from an earlier crawl; new members go to the end, as stored codes are positions
    # media URLs: what the page that names them expects
    IMAGE = "image"
    VIDEO = "video"
    DOCUMENT = "document"
    # checked URLs: what the page that names them first loads them as
    CHECKED_LINK = "checked_link"
    CHECKED_IMAGE = "checked_image"
    CHECKED_SCRIPT = "checked_script"
    CHECKED_STYLESHEET = "checked_stylesheet"
    CHECKED_FILE = "checked_file"
    FEED = "feed"  # only a feed of the site lists it
    RESOURCE = "resource"  # what a browser needs to show a page, in full archives
    CHECKED_RESOURCE = "checked_resource"


BY_PAGES = (FoundBy.LINK, FoundBy.REDIRECT)
"""URLs of sitemaps and lists are never suppressed."""


FOUND_AS: Mapping[MediaKind, FoundBy] = MappingProxyType(
    {
        MediaKind.IMAGE: FoundBy.IMAGE,
        MediaKind.VIDEO: FoundBy.VIDEO,
        MediaKind.DOCUMENT: FoundBy.DOCUMENT,
        MediaKind.RESOURCE: FoundBy.RESOURCE,
    }
)
"""How media URLs are found, by what they are expected to be."""

CHECKED_AS: Mapping[CheckKind, FoundBy] = MappingProxyType(
    {
        CheckKind.LINK: FoundBy.CHECKED_LINK,
        CheckKind.FILE: FoundBy.CHECKED_FILE,
        CheckKind.IMAGE: FoundBy.CHECKED_IMAGE,
        CheckKind.SCRIPT: FoundBy.CHECKED_SCRIPT,
        CheckKind.STYLESHEET: FoundBy.CHECKED_STYLESHEET,
        CheckKind.RESOURCE: FoundBy.CHECKED_RESOURCE,
    }
)
"""How checked URLs are found."""


class Phase(StrEnum):
    """The phases of a crawl, in order."""

    BFS = "bfs"
    SITEMAP = "sitemap"
    ORPHAN = "orphan"
    MEDIA = "media"  # of checked URLs and media URLs, after the last page


class LedgerRow(ScoreColumns, frozen=True, kw_only=True, gc=False):
    """The state of one URL and how it was found."""

    order: int  # position in the order of discovery, from 0
    url: str  # fetch URL
    key: str
    state: UrlState
    reason: Reason
    detail: str
    depth: int
    parent: str  # fetch URL of the page it was first found on; "" for root, list and sitemap entries
    found_by: FoundBy
    phase: Phase  # in which it was found
    wave: int  # in which it was found
    found_at: float  # Unix seconds: the plan of that wave
    tries: int


class UrlChange(ScoreColumns, frozen=True, kw_only=True, gc=False):
    """The state of one URL after some waves that changed it."""

    id: int  # position in the order of discovery, from 0
    url: str  # fetch URL
    key: str
    state: UrlState
    reason: Reason
    detail: str
    depth: int
    parent: int | None  # id of the page it was first found on; None for root, list and sitemap entries
    found_by: FoundBy
    phase: Phase  # in which it was found
    found_in: int  # the wave in which it was found
    found_at: float | None  # Unix seconds: the plan of that wave; None if it was found before these waves
    tries: int
    batch_wave: int  # of its latest batch; 0 if it was in none
    batch: int  # number of its latest batch in that wave

    @property
    def is_settled_without_request(self) -> bool:
        """Whether the URL has a result although it was in no batch, because another request had it."""
        return not self.batch_wave and self.state.terminal and self.state is not UrlState.SKIPPED


class Notice(msgspec.Struct, frozen=True, kw_only=True):
    """A problem that did not end the crawl, such as a broken sitemap or an unreadable robots.txt."""

    subject: str  # usually a URL
    message: str
