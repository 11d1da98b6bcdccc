"""The correct result of a crawl: breadth-first search over the model, without any code of the crawler.

It assumes the default settings: same origin, links first, robots.txt obeyed, nofollow not followed, two retries. Of the
rules against traps it knows the one for repeated path segments; the other rules need more pages than its sites have.

*Order.* The queue of one depth starts with the link targets of the depth before, in queue order, then link position.
Redirect targets of this depth follow as they are found. A redirect is an edge of length 0: its target has the depth and
the parent of the redirecting page, for at most five redirects in a row. URLs that only sitemaps list start one level
below the deepest URL found by links, in file order and without a parent. `max_depth` does not apply to them; it applies
to their children.

*Files.* URLs that are named like files are requested if a sitemap lists them. After the links, and again at the end,
the first of each folder and extension is requested, to see if it is a page.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from tests.support.known_answer.endings import ending, is_truncated
from tests.support.known_answer.walk import Seen, Served, Walk, other_name

from wavecrawl.demo.model import Page, Robots, Site, name_of
from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.states import UrlState

_RETRIED = (408, 421, 425, 429)  # the crawler retries these and every 5xx
_WITHOUT_CONTENT = (204, 205)  # an empty response with another status may be a fault
_LEGAL = 451  # unavailable for legal reasons
_BLOCKING_SKIPS = (
    Reason.MAX_DEPTH,
    Reason.REDIRECT_LIMIT,
    Reason.MAX_PAGES,
    Reason.TIME_LIMIT,
    Reason.FRONTIER_CAP,
)


class Verdict(StrEnum):
    """The verdict on a sitemap page that no crawled page links to."""

    ORPHAN = "orphan"
    LIKELY = "likely"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What a crawl should report about one URL."""

    name: str
    state: UrlState
    reason: Reason
    reasons: frozenset[Reason]  # the reasons of all paths to the URL; several only if it was skipped
    depth: int  # exact if the URL was tried, otherwise the depth at which it was first seen
    parent: str | None
    phase: Phase  # the phase in which it was found

    @property
    def tried(self) -> bool:
        """Return whether the URL is requested."""
        return self.state not in (UrlState.SKIPPED, UrlState.ROBOTS_DENIED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The whole result. URLs are named as in the model (`model.name_of`)."""

    root: str
    urls: Mapping[str, Expected]  # in order of discovery
    edges: frozenset[tuple[str, str]]  # links of all kinds between URLs of the site, without self links and assets
    redirects: Mapping[str, str]  # redirects to other URLs of the site
    orphans: Mapping[str, Verdict]
    repeats: Mapping[str, str]  # second spellings with the text of a page -> the spelling that counts
    blocking: Mapping[str, str]  # URL or sitemap whose content is missing -> `incomplete`, or `barred` if forbidden

    def named(self, *states: UrlState) -> frozenset[str]:
        """Return the names of the URLs in these states."""
        return frozenset(name for name, expected in self.urls.items() if expected.state in states)

    @property
    def complete(self) -> bool:
        """Return whether no link can be missing."""
        return not self.blocking


def answer_of(site: Site, *, max_depth: int = 25) -> Answer:
    """Return the correct result for a site."""
    walk = Walk(pages=Served(site.by_name()), robots=site.robots or Robots(), max_depth=max_depth)
    root = walk.settled_root(name_of(site.root))
    walk.start([root], depth=0, phase=Phase.BFS)
    walk.try_files(Phase.BFS)
    deepest = max((walk.seen[name].depth for name in walk.tried), default=-1)
    listed = [name_of(to) for to in site.listed()]
    walk.start(listed, depth=deepest + 1, phase=Phase.SITEMAP)
    walk.try_files(Phase.ORPHAN)
    urls = {name: _expected(name, seen, walk.pages.get(name)) for name, seen in walk.seen.items()}
    edges = frozenset(walk.edges())
    redirects = {name: target for name in walk.tried if (target := walk.redirect_inside(name))}
    found = {name: _blocks(urls[name], walk.pages.get(name)) for name in urls}
    blocking = {name: kind for name, kind in found.items() if kind}
    blocking |= {file.path: "incomplete" for file in site.sitemaps if file.readable is not None}  # read in part
    repeats = walk.repeats()
    read = {name for name, expected in urls.items() if expected.state is UrlState.FETCHED}
    spelled = {**{name: to for name, to in redirects.items() if to == other_name(name) and to in read}, **repeats}
    linked = {target for source, target in _collapsed(edges, {**redirects, **repeats}) if source != target}
    verdict = Verdict.LIKELY if blocking else Verdict.ORPHAN
    if "incomplete" in blocking.values():
        verdict = Verdict.INCONCLUSIVE
    pages = [spelled.get(name, name) for name in listed]
    orphans = {
        name: verdict
        for name in pages
        if name not in linked
        and name != root
        and (urls[name].state is UrlState.FETCHED or blocking.get(name) == "incomplete")
    }
    return Answer(
        root=root,
        urls=urls,
        edges=edges,
        redirects=redirects,
        orphans=orphans,
        repeats=repeats,
        blocking=blocking,
    )


def _expected(name: str, seen: Seen, page: Page | None) -> Expected:
    if seen.admitted:
        state, reason = ending(page)
        reasons = frozenset((reason,))
    else:
        reasons = frozenset(seen.reasons)
        reason = Reason.ROBOTS_RULE if Reason.ROBOTS_RULE in reasons else seen.reasons[0]
        state = UrlState.ROBOTS_DENIED if reason is Reason.ROBOTS_RULE else UrlState.SKIPPED
    return Expected(
        name=name,
        state=state,
        reason=reason,
        reasons=reasons,
        depth=seen.depth,
        parent=seen.parent,
        phase=seen.phase,
    )


def _collapsed(edges: frozenset[tuple[str, str]], redirects: Mapping[str, str]) -> set[tuple[str, str]]:
    """Replace each edge's target by the end of its redirects. Edges into redirect loops keep their target."""
    return {(source, _final(target, redirects)) for source, target in edges}


def _final(name: str, redirects: Mapping[str, str]) -> str:
    passed = {name}
    end = name
    while end in redirects:
        end = redirects[end]
        if end in passed:
            return name
        passed.add(end)
    return end


def _blocks(expected: Expected, page: Page | None) -> str:
    """Return whether missing content may contain links, and why it is missing: `incomplete`, `barred`, or ""."""
    state = expected.state
    if state in (UrlState.FORBIDDEN, UrlState.ROBOTS_DENIED):
        return "barred"
    if state is UrlState.SKIPPED and expected.reasons.intersection(_BLOCKING_SKIPS):
        return "incomplete"
    if state is UrlState.SKIPPED:
        return "barred" if Reason.NOFOLLOW in expected.reasons else ""
    if page is None:
        return "incomplete" if state is UrlState.FAILED else ""
    is_doubtful = is_truncated(page) or (expected.reason is Reason.EMPTY and page.status not in _WITHOUT_CONTENT)
    blocks = state is UrlState.FAILED or (state is UrlState.FETCHED and is_doubtful)
    if state is UrlState.HTTP_ERROR:
        status = page.failure.status if page.failure else page.status
        if status == _LEGAL:
            return "barred"
        blocks = status >= 500 or status in _RETRIED
    return "incomplete" if blocks else ""
