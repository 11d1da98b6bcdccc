"""Breadth-first search over the model of a site: the URLs a crawl tries, with their depth and parent."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from msgspec.structs import replace
from tests.support.known_answer.endings import ending, is_named_like_a_file, is_read, is_redirect

from wavecrawl.demo.model import Link, OtherSpelling, Page, Robots, in_document_order, name_of
from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.pages.page import LinkKind

MAX_REDIRECTS = 5
_REPEATED = re.compile(r"((?:/[^/]+)*?/[^/]*[a-z][^/]*(?:/[^/]+)*?)\1\1(?=/|$)")  # a sequence with a name, three times
MOST_FILES = 5
"""Files that are requested to see if they are pages, and are none."""


@dataclass(frozen=True, slots=True)
class Served:
    """What a site's server has at each name. A page's path with the other trailing slash has a response, too."""

    pages: Mapping[str, Page]

    def get(self, name: str) -> Page | None:
        """Return the response at a name, as a page; None if it is 404."""
        page = self.pages.get(name)
        if page is not None or name == "/":
            return page
        other = self.pages.get(other_name(name))
        if other is None or other.other is OtherSpelling.MISSING:
            return None
        if other.other is OtherSpelling.SAME:
            return replace(other, path=name)
        return Page(path=name, status=301, redirect=other.path)


def other_name(name: str) -> str:
    """Return a name with the other trailing slash: without one, or with one."""
    path, mark, query = name.partition("?")
    return (path[:-1] if path.endswith("/") else f"{path}/") + mark + query


@dataclass(slots=True)
class Seen:
    """The state of one URL in the walk."""

    depth: int
    parent: str | None
    phase: Phase
    chain: int = 0  # redirects in a row that led to this URL
    admitted: bool = False  # whether it may be requested
    reasons: list[Reason] = field(default_factory=list)  # why it may not be, one for each path to it
    link: "Seen | None" = None  # of a file: the shortest path to it that would be followed to a page
    may_be_tried: bool = False  # of a file: whether the first path to it would be


@dataclass(slots=True, kw_only=True)
class Walk:
    """One walk over one site."""

    pages: "Served"
    robots: Robots
    max_depth: int
    seen: dict[str, Seen] = field(default_factory=dict)  # in order of discovery
    tried: dict[str, None] = field(default_factory=dict)  # in crawl order

    def settled_root(self, root: str) -> str:
        """Return the end of the root's redirects, if it is on the site."""
        name = root
        for _ in range(MAX_REDIRECTS + 1):
            page = self.pages.get(name)
            if page is None or not is_redirect(page) or ending(page)[1] is not Reason.STATUS:
                return name
            name = name_of(page.redirect)
        return root

    def start(self, names: list[str], *, depth: int, phase: Phase) -> None:
        """Admit the seeds at `depth`, then walk on by depth until nothing is left."""
        level: dict[str, None] = {}
        for name in names:
            self._sight(name, Reason.NONE, Seen(depth=depth, parent=None, phase=phase), level)
        found_in = Phase.BFS if phase is Phase.BFS else Phase.ORPHAN
        while level:
            level = self._walk_level(level, found_in)

    def try_files(self, phase: Phase) -> None:
        """Request the first file of each family, and those whose family has a page, until five were no pages."""
        while due := self._due_files():
            level: dict[str, None] = {}
            for name in due:
                known = self.seen[name]
                way = known.link or known
                known.depth, known.parent, known.phase, known.chain = way.depth, way.parent, way.phase, way.chain
                known.admitted = True
                level[name] = None
            while level:
                level = self._walk_level(level, phase)

    def _due_files(self) -> list[str]:
        """Return the files that are requested next: those that a link leads to which would be followed to a page."""
        families: dict[tuple[str, str, bool], list[str]] = {}
        for name in self.seen:
            if _reason_of_url(name) is Reason.ASSET:
                path, mark, _ = name.partition("?")
                families.setdefault((path.rpartition("/")[0], path.rpartition(".")[2], bool(mark)), []).append(name)
        due: list[str] = []
        untried: list[tuple[bool, str]] = []
        left = MOST_FILES
        for (_, ending_, with_query), names in families.items():
            tried = [name for name in names if name in self.tried]
            states = {ending(self.pages.get(name))[0] for name in tried}
            waiting = [name for name in names if self.seen[name].may_be_tried and not self.seen[name].admitted]
            if UrlState.FETCHED not in states:
                left -= sum(self.seen[name].parent is not None for name in tried)
            if UrlState.SKIPPED in states or not waiting:
                continue  # a file shows what the others are
            if UrlState.FETCHED in states:
                due += waiting
            else:
                untried.append((not (with_query or ending_ in ("js", "mjs") or len(waiting) >= 10), waiting[0]))
        first = [name for _, name in sorted(untried, key=lambda one: one[0])]
        return sorted([*due, *first[: max(0, left)]], key=list(self.seen).index)

    def edges(self) -> Iterator[tuple[str, str]]:
        """Yield the links between URLs of the site, without self links and assets, and without those of `repeats`."""
        repeats = self.repeats()
        for name in self.tried:
            if name in repeats:
                continue
            for link, _ in self._links(name):
                if link.target != name and self._is_page(link.target):
                    yield name, link.target

    def _is_page(self, name: str) -> bool:
        """Return whether a URL is on the site and no file."""
        reason = _reason_of_url(name)
        if reason is not Reason.ASSET:
            return not reason
        seen = self.seen.get(name)
        return seen is not None and seen.admitted and ending(self.pages.get(name))[0] is not UrlState.SKIPPED

    def repeats(self) -> dict[str, str]:
        """Return the second spellings of pages that have the same text, each with the spelling that counts."""
        found: dict[str, str] = {}
        for name in self.tried:
            page, other = self.pages.get(name), other_name(name)
            if page is None or page.other is not OtherSpelling.SAME or other not in self.tried:
                continue
            if ending(page)[0] is UrlState.FETCHED and self._counts(other) < self._counts(name):
                found[name] = other
        return found

    def _counts(self, name: str) -> tuple[int, int]:
        """Return the place of a spelling: the one that is nearer to the root counts, then the one found first."""
        return self.seen[name].depth, list(self.seen).index(name)

    def redirect_inside(self, name: str) -> str:
        """Return the other URL of the site that `name` redirects to, or "" if there is none."""
        page = self.pages.get(name)
        if page is None or ending(page) != (UrlState.REDIRECTED, Reason.STATUS):
            return ""
        target = name_of(page.redirect)
        return target if self._is_page(target) else ""

    def _walk_level(self, level: dict[str, None], phase: Phase) -> dict[str, None]:
        below: dict[str, None] = {}
        queue = list(level)
        for name in queue:  # the queue grows as redirects are found
            self.tried[name] = None
            page = self.pages.get(name)
            if page is not None and ending(page)[0] is UrlState.REDIRECTED:
                self._follow_redirect(name, page, queue, below)
            depth = self.seen[name].depth + 1
            for link, skip in self._links(name):
                too_deep = Reason.MAX_DEPTH if depth > self.max_depth else Reason.NONE
                way = Seen(depth=depth, parent=name, phase=phase)
                self._sight(link.target, skip or too_deep, way, below)
        return below

    def _follow_redirect(self, name: str, page: Page, queue: list[str], below: dict[str, None]) -> None:
        if ending(page)[1] not in (Reason.STATUS, Reason.REDIRECT_OUT_OF_SCOPE):
            return
        target, here = name_of(page.redirect), self.seen[name]
        phase = Phase.BFS if here.phase is Phase.BFS else Phase.ORPHAN
        way = Seen(depth=here.depth, parent=here.parent, phase=phase, chain=here.chain + 1)
        limit = Reason.REDIRECT_LIMIT if way.chain > MAX_REDIRECTS else Reason.NONE
        if target in below and not limit:  # a link gave it a greater depth
            del below[target]
            self.seen[target].admitted = False
        joined: dict[str, None] = {}
        self._sight(target, limit, way, joined)
        queue.extend(joined)

    def _sight(self, name: str, skip: Reason, way: Seen, level: dict[str, None]) -> None:
        """Record a path to a URL. Add the URL to the level if this is its first permitted path."""
        known = self.seen.setdefault(name, way)
        if known.admitted:
            return
        of_url, of_way = _reason_of_url(name), skip or self._robots_reason(name) or _trap_reason(name, way)
        if of_url is Reason.ASSET and way.phase is Phase.SITEMAP and way.parent is None:
            of_url, way = Reason.NONE, known.link or way  # a sitemap lists it
        elif of_url is Reason.ASSET and not of_way:
            known.may_be_tried |= known is way
            if known.link is None or (known.link.phase is way.phase and way.depth < known.link.depth):
                known.link = way
        reason = of_url or of_way
        if reason:
            known.reasons.append(reason)
            return
        known.depth, known.parent, known.phase, known.chain = way.depth, way.parent, way.phase, way.chain
        known.admitted = True
        level[name] = None

    def _robots_reason(self, name: str) -> Reason:
        page = self.pages.get(name)
        return Reason.ROBOTS_RULE if _denied(self.robots, page.path if page else name) else Reason.NONE

    def _links(self, name: str) -> Iterator[tuple[Link, Reason]]:
        """Yield each target of a page at its first position, with the reason to skip it if no link permits it."""
        page = self.pages.get(name)
        if page is None or not is_read(page):
            return
        links = [_meant(link, name) for link in page.links]
        followed = {link.target for link in links if not (link.nofollow or forbids_following(page))}
        firsts: dict[str, Link] = {}
        for link in in_document_order(tuple(links)):
            firsts.setdefault(link.target, link)
        for target, link in firsts.items():
            yield link, Reason.NONE if target in followed else Reason.NOFOLLOW


def _meant(link: Link, name: str) -> Link:
    """Return a link of a page. A canonical or alternate link to its other spelling means the page itself."""
    is_declared = link.kind in (LinkKind.CANONICAL, LinkKind.ALTERNATE)
    return replace(link, to=name) if is_declared and name != "/" and link.target == other_name(name) else link


def _reason_of_url(name: str) -> Reason:
    if "://" in name:
        return Reason.OUT_OF_SCOPE
    return Reason.ASSET if is_named_like_a_file(name) else Reason.NONE


def _trap_reason(name: str, way: Seen) -> Reason:
    repeats = way.parent is not None and _REPEATED.search(name.partition("?")[0])
    return Reason.TRAP_SEGMENTS if repeats else Reason.NONE


def forbids_following(page: Page) -> bool:
    """Return whether meta robots or X-Robots-Tag forbids following the page's links."""
    said = [page.robots_meta, *(value for name, value in page.headers if name.lower() == "x-robots-tag")]
    return any(word.strip().lower() in ("nofollow", "none") for value in said for word in value.split(","))


def _denied(robots: Robots, path: str) -> bool:
    """Return whether the longest matching rule forbids the path. If two are equal, allow wins (RFC 9309 2.2.2)."""
    denied = max((len(prefix) for prefix in robots.disallow if path.startswith(prefix)), default=0)
    allowed = max((len(prefix) for prefix in robots.allow if path.startswith(prefix)), default=0)
    return denied > allowed
