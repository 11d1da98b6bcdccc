"""Completeness: what a crawl could not see, so that it may have missed links or pages.

A URL or a sitemap that was not read, or only in part, is a *blocker* of definite statements: "no page links to this
one", "this page is gone". There are two kinds:

- `incomplete`: a gap of this crawl, such as a limit, a failure or a page that was not rendered. Another crawl may
  read it, so nothing definite follows from the absence of a link or a page.
- `barred`: no crawler that obeys the site and its settings reads it. Search engines do not follow most of these links.

Orphan verdicts, marks of deleted pages and comparisons of crawls ask this module, and nothing else decides.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final

import msgspec

from wavecrawl.domain.counts import counted
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.settings import Discovery
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.graph.blocker_kind import BlockerKind


class Way(StrEnum):
    """A way of discovery: what would have led to further pages.

    - `links`: the links of a page
    - `sitemap`: the entries of a sitemap
    """

    LINKS = "links"
    SITEMAP = "sitemap"


class Blocker(msgspec.Struct, frozen=True, kw_only=True):
    """Something that a crawl did not see."""

    why: str  # such as "not read (robots)"
    kind: BlockerKind
    way: Way = Way.LINKS
    is_way: bool = False  # whether the crawl did not use the way at all, or left out where it starts

    @property
    def is_incomplete(self) -> bool:
        """Whether it is a gap of the crawl itself."""
        return self.kind is BlockerKind.INCOMPLETE


class SiteBlocker(msgspec.Struct, frozen=True, kw_only=True):
    """A blocker that is no URL of the ledger."""

    subject: str  # the URL of a sitemap, or of the start page
    blocker: Blocker


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """How a URL ended: what decides whether its links were read."""

    state: UrlState
    reason: Reason = Reason.NONE
    status: int | None = None
    own_host: bool = True  # whether its origin is that of the start page
    cut: bool = False  # whether only a part of its HTML or of its links was read
    is_shell: bool = False  # whether scripts fill its page
    rendered: bool = False
    render_problem: bool = False  # whether a browser was to render it and could not, or not completely
    scripts_not_run: bool = False  # whether scripts may add links to it, and no browser ran them or those of its kind
    empty: bool = False  # whether the response had no content, although it was to be a page
    needs_action: bool = False  # whether it shows more links only when it is scrolled or a button is pressed


WITHOUT_SITEMAPS: Final = (Discovery.LINKS_ONLY, Discovery.LIST)
"""The ways of discovery that do not look for sitemaps."""

_NOUNS: Final = MappingProxyType({Way.LINKS: "page", Way.SITEMAP: "sitemap"})
ROBOTS: Final = "robots"
_WALLS: Final = (402, 407, 451)  # beside 401 and 403, which have a state of their own
_TEMPORARY: Final = (408, 421, 425, 429)  # as are all 5xx
_SERVER_ERRORS: Final = 500
_BARRED: Final = frozenset((Reason.NOFOLLOW, Reason.EXCLUDED, Reason.NOT_INCLUDED))
_NOT_MISSING: Final = frozenset(
    (
        Reason.ASSET,
        Reason.DOCUMENT,
        Reason.INVALID_URL,
        Reason.FEED,
        Reason.DATA,
        # By the evidence of these rules, there is nothing new. That of `trap_template` compares texts only.
        Reason.TRAP_CALENDAR,
        Reason.TRAP_PAGINATION,
        Reason.TRAP_PARAMETERS,
        Reason.TRAP_SEGMENTS,
        Reason.TRAP_SESSION,
        Reason.TRAP_JSON,
    )
)


def blocker_of(ending: Ending) -> Blocker | None:
    """Return what a crawl did not see of a URL; None if it read all, or if the URL has nothing to read."""
    found: Blocker | None = None
    match ending.state:
        case UrlState.FETCHED | UrlState.UNCHANGED:
            found = _of_page(ending)
        case UrlState.SKIPPED:
            found = _of_skipped(ending)
        case UrlState.HTTP_ERROR:
            found = _of_error(ending.status)
        case UrlState.FORBIDDEN:
            found = _barred("forbidden")
        case UrlState.BLOCKED:
            found = _barred("bot protection")
        case UrlState.ROBOTS_DENIED if ending.reason is not Reason.ROBOTS_UNREACHABLE:
            found = _barred(ROBOTS)
        case UrlState.FAILED if ending.reason in (Reason.BLOCKED_ADDRESS, Reason.DENIED_HOST):
            found = _barred(ending.reason)
        case UrlState.FAILED | UrlState.ROBOTS_DENIED:
            found = _unread(ending.reason or "failed")
        case UrlState.PENDING | UrlState.DEFERRED:
            found = _unread("waiting")
    return found  # None: a redirect, or there is no page


def unread_sitemap(why: str, *, barred: bool = False) -> Blocker:
    """Return the blocker of a sitemap that was not read; `why` in a few words, such as "HTTP 503"."""
    kind = BlockerKind.BARRED if barred else BlockerKind.INCOMPLETE
    return Blocker(why=f"not read ({why})", kind=kind, way=Way.SITEMAP)


def cut_sitemap(why: str) -> Blocker:
    """Return the blocker of a sitemap that was read in part."""
    return Blocker(why=f"read in part ({why})", kind=BlockerKind.INCOMPLETE, way=Way.SITEMAP)


def emptied_sitemap() -> Blocker:
    """Return the blocker of a sitemap that names nothing, and did before."""
    return Blocker(why="without its entries", kind=BlockerKind.INCOMPLETE, way=Way.SITEMAP)


def unread_root(discovery: Discovery) -> Blocker:
    """Return the blocker of a start page that is not in the ledger, as the way of discovery left it out."""
    return _unused(Way.LINKS, f"start page not read ({discovery.value})")


def unread_sitemaps(discovery: Discovery, *, stopped: Reason) -> Blocker:
    """Return the blocker of a crawl that has not looked for sitemaps. `stopped`: why it ended early."""
    why = discovery.value if discovery in WITHOUT_SITEMAPS else stopped or "waiting"
    return _unused(Way.SITEMAP, f"sitemaps not read ({why})")


class Completeness(msgspec.Struct, frozen=True, kw_only=True):
    """How much of its site a crawl saw: the number of blockers of each sort."""

    blockers: Mapping[Blocker, int]

    @classmethod
    def of(cls, blockers: Iterable[tuple[Blocker, int]]) -> "Completeness":
        """Return the sum of these blockers."""
        sums: dict[Blocker, int] = {}
        for blocker, count in blockers:
            sums[blocker] = sums.get(blocker, 0) + count
        return cls(blockers=sums)

    def count(self, kind: BlockerKind) -> int:
        """Return the number of blockers of a kind."""
        return sum(count for blocker, count in self.blockers.items() if blocker.kind is kind)

    def of_way(self, way: Way) -> "Completeness":
        """Return what was not seen of one way of discovery."""
        return Completeness(blockers={one: count for one, count in self.blockers.items() if one.way is way})

    @property
    def is_incomplete(self) -> bool:
        """Whether the crawl has gaps of its own, so that nothing definite follows from what it did not find."""
        return self.count(BlockerKind.INCOMPLETE) > 0

    @property
    def is_whole(self) -> bool:
        """Whether the crawl saw everything."""
        return not self.blockers

    def __str__(self) -> str:
        """Return what was not seen, the most frequent first: 2 pages not read (robots), 1 sitemap read in part."""
        by_number = sorted(
            self.blockers.items(), key=lambda item: (not item[0].is_way, -item[1], item[0].way, item[0].why)
        )
        return ", ".join(_counted(number, blocker) for blocker, number in by_number)


def _of_page(ending: Ending) -> Blocker | None:
    if ending.cut:
        return Blocker(why="read in part", kind=BlockerKind.INCOMPLETE)
    if ending.empty:
        return Blocker(why="without content", kind=BlockerKind.INCOMPLETE)
    if ending.render_problem or (ending.is_shell and not ending.rendered):
        return Blocker(why="rendered in part" if ending.rendered else "not rendered", kind=BlockerKind.INCOMPLETE)
    if ending.scripts_not_run:
        return Blocker(why="read without running its scripts", kind=BlockerKind.INCOMPLETE)
    if ending.needs_action:
        return Blocker(why="read without scrolling or buttons", kind=BlockerKind.INCOMPLETE)
    return None


def _of_skipped(ending: Ending) -> Blocker | None:
    reason = ending.reason
    if reason in _NOT_MISSING:
        return None
    if reason is Reason.OUT_OF_SCOPE:  # of the site's own host, the path prefix excludes it
        return _barred(reason) if ending.own_host else None
    return _barred(reason) if reason in _BARRED else _unread(reason or "skipped")


def _of_error(status: int | None) -> Blocker | None:
    if status in _WALLS:
        return _barred(f"HTTP {status}")
    if status is None or status >= _SERVER_ERRORS or status in _TEMPORARY:
        return _unread("failed" if status is None else f"HTTP {status}")
    return None


def _counted(number: int, blocker: Blocker) -> str:
    return blocker.why if blocker.is_way else f"{counted(number, _NOUNS[blocker.way])} {blocker.why}"


def _barred(why: str) -> Blocker:
    return Blocker(why=f"not read ({why})", kind=BlockerKind.BARRED)


def _unread(why: str) -> Blocker:
    return Blocker(why=f"not read ({why})", kind=BlockerKind.INCOMPLETE)


def _unused(way: Way, why: str) -> Blocker:
    return Blocker(why=why, kind=BlockerKind.INCOMPLETE, way=way, is_way=True)
