"""What a perfect crawl of a site would find: plain breadth-first search over the model, by no code of the crawler.

The default settings are meant: same origin, links first, robots.txt obeyed, nofollow not followed, two retries.

*Order.* The queue of one depth holds first the targets of the links of the depth before (in queue order, then link
position), then the targets of its own redirects as they come up: a redirect is an edge of length 0, its target takes
the depth and the parent of the page that redirects, at most five in a row. What only the sitemaps know
starts one below the deepest URL that links brought, in the order of the files, without a parent, and whatever
`max_depth` says; its children are bound by `max_depth` again.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from tests.support.known_answer.endings import ending, is_truncated
from tests.support.known_answer.walk import Seen, Walk

from wavecrawl.demo.model import Page, Robots, Site, name_of
from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.states import UrlState

_RETRIED = (408, 421, 425, 429)  # and every 5xx
_BLOCKING_SKIPS = (
    Reason.NOFOLLOW,
    Reason.MAX_DEPTH,
    Reason.REDIRECT_LIMIT,
    Reason.MAX_PAGES,
    Reason.TIME_LIMIT,
    Reason.FRONTIER_CAP,
)


class Verdict(StrEnum):
    """What is said of a sitemap page that no crawled page links to."""

    ORPHAN = "orphan"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What a crawl should know of one URL."""

    name: str
    state: UrlState
    reason: Reason
    reasons: frozenset[Reason]  # every reason that any way to it gives; more than one only where it was skipped
    depth: int  # exact where the URL was tried, that of the first sighting where not
    parent: str | None
    phase: Phase  # in which it was found

    @property
    def tried(self) -> bool:
        """Tell whether it is requested."""
        return self.state not in (UrlState.SKIPPED, UrlState.ROBOTS_DENIED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The whole answer. URLs are named as in the model (`model.name_of`)."""

    root: str
    urls: Mapping[str, Expected]  # in order of discovery
    edges: frozenset[tuple[str, str]]  # links between URLs of the site, whatever their kind; no self links, no assets
    redirects: Mapping[str, str]  # to other URLs of the site
    orphans: Mapping[str, Verdict]
    blocking: tuple[str, ...]  # URLs whose missing content keeps the crawl from being complete, sorted

    def named(self, *states: UrlState) -> frozenset[str]:
        """Return the names of the URLs in these states."""
        return frozenset(name for name, expected in self.urls.items() if expected.state in states)

    @property
    def complete(self) -> bool:
        """Tell whether no link can be missing."""
        return not self.blocking


def answer_of(site: Site, *, max_depth: int = 25) -> Answer:
    """Work out the answer for a site."""
    walk = Walk(pages=site.by_name(), robots=site.robots or Robots(), max_depth=max_depth)
    root = walk.settled_root(name_of(site.root))
    walk.start([root], depth=0, phase=Phase.BFS)
    deepest = max((walk.seen[name].depth for name in walk.tried), default=-1)
    listed = [name_of(to) for to in site.listed()]
    walk.start(listed, depth=deepest + 1, phase=Phase.SITEMAP)
    urls = {name: _expected(name, seen, walk.pages.get(name)) for name, seen in walk.seen.items()}
    edges = frozenset(walk.edges())
    redirects = {name: target for name in walk.tried if (target := walk.redirect_inside(name))}
    blocking = tuple(sorted(name for name in urls if _blocks(urls[name], walk.pages.get(name))))
    linked = {target for source, target in _collapsed(edges, redirects) if source != target}
    verdict = Verdict.INCONCLUSIVE if blocking else Verdict.ORPHAN
    orphans = {
        name: verdict for name in listed if urls[name].state is UrlState.FETCHED and name not in linked and name != root
    }
    return Answer(root=root, urls=urls, edges=edges, redirects=redirects, orphans=orphans, blocking=blocking)


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
    """Let every edge end where its redirects do; those that end nowhere (loops) keep their first target."""
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


def _blocks(expected: Expected, page: Page | None) -> bool:
    """Tell whether content is missing that may hold links."""
    state = expected.state
    if state in (UrlState.FAILED, UrlState.FORBIDDEN, UrlState.ROBOTS_DENIED):
        return True
    if state is UrlState.SKIPPED:
        return bool(expected.reasons.intersection(_BLOCKING_SKIPS))
    if page is None:
        return False
    if state is UrlState.HTTP_ERROR:
        status = page.failure.status if page.failure else page.status
        return status >= 500 or status in _RETRIED
    return state is UrlState.FETCHED and is_truncated(page)
