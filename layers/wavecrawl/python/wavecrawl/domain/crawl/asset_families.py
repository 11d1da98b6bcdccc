"""Pages that are named like files: the evidence of a few responses decides.

The extension of a path does not say what a URL is (RFC 9110, section 8.3): `/blog/intro-to-node.js` may be a page. The
URLs of one folder template with one extension are a family. When no other page is left, the first URL of each family
that pages link to is requested, until `MOST_PROBES` of these requests led to no page. If it is a page, the others of
its family are requested too. The ledger has the evidence, or that the URL was not requested.

If the crawl checks files, a request for evidence is the check of its URL, so each family is tried
(`LaterUrls.add_result`). What pages show or load is no page, and is not tried.

Sites also link to real files, so the families that may have pages come first: those whose extension is that of names of
things (`.js`), that have a query, or that have many URLs.
"""

from collections import Counter
from collections.abc import Callable, Iterable

import msgspec

from wavecrawl.domain.crawl.frontier import Frontier
from wavecrawl.domain.crawl.ledger import BY_PAGES
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.urls.link_filter import is_asset
from wavecrawl.domain.urls.templates import template_of_path

MOST_PROBES = 5
"""Requests per crawl for URLs that are named like files and turn out to be no pages."""

_MANY = 10  # URLs of a family that is tried before others
_DOUBTFUL = (".js", ".mjs", ".map", ".bin", ".jar", ".rar", ".iso")  # endings that names of things have too
_WITH_QUERY = "?"

NOT_FOLLOWED = "the first link to it is not followed"
"""Detail of a URL that is never requested for evidence."""

NOT_TRIED = f"not requested: {MOST_PROBES} URLs that are named like files were no pages"
"""Detail of a URL of a family that was not tried."""

EMBEDDED = "not requested as a page: pages show or load it"
"""Detail of a URL of a family that is not tried, as pages use all its URLs as images, videos, scripts or the like."""

DENIED = "not requested: robots.txt denies it"
"""Detail of a URL of a family that is not tried, as none of its URLs may be requested."""

_OPEN = ("", NOT_TRIED, EMBEDDED, DENIED)  # details of URLs of families without evidence


def family_of(url: str) -> str:
    """Return the folder template of a URL with its extension, and a question mark if it has a query."""
    address, mark, _ = url.partition("?")
    folder, _, name = address.rpartition("/")
    return f"{template_of_path(folder)}/*.{name.rpartition('.')[2].lower()}{mark}"


class _Evidence(msgspec.Struct):
    """What the responses so far say of families."""

    pages: set[str] = msgspec.field(default_factory=set)
    files: dict[str, str] = msgspec.field(default_factory=dict)  # family: evidence
    # URLs of a family that pages led to and that were requested.
    tried: Counter[str] = msgspec.field(default_factory=Counter)

    @property
    def wasted(self) -> int:
        """Number of requests of URLs whose families have no page."""
        return sum(count for family, count in self.tried.items() if family not in self.pages)


def due_members(frontier: Frontier, why_not: Callable[[int], str], *, checks: int = 0) -> list[int]:
    """Return the skipped URLs that are requested now: all of families with pages, and one of each untried family.

    The others get the evidence as their detail, or why they are not requested. `why_not` returns why a URL must not be
    requested as a page: `EMBEDDED` or `DENIED`; "" if it may be. `checks`: how many files may still be checked, each
    by the same request.
    """
    members = _open_members(frontier)
    if not members:
        return []
    evidence = _evidence(frontier)
    due: list[int] = []
    untried: list[str] = []
    for family, indices in members.items():
        if family in evidence.files:
            _explain(frontier, indices, evidence.files[family])
        elif family in evidence.pages:
            due += indices
        else:
            untried.append(family)
    untried.sort(key=lambda family: (evidence.tried[family], not _is_likely(family, members[family])))
    room = max(MOST_PROBES - evidence.wasted, checks)
    for family in untried:
        first = next((index for index in members[family] if not why_not(index)), None)
        if first is None:
            _explain(frontier, members[family], why_not(members[family][0]))
        elif room > 0 and evidence.tried[family] < MOST_PROBES:
            room -= 1
            due.append(first)
        else:
            _explain(frontier, members[family], NOT_TRIED)
    return due


def _is_likely(family: str, indices: list[int]) -> bool:
    """Return whether pages are likelier in a family than in others."""
    return family.endswith((*_DOUBTFUL, _WITH_QUERY)) or len(indices) >= _MANY


def _explain(frontier: Frontier, indices: Iterable[int], detail: str) -> None:
    for index in indices:
        if frontier.detail(index) != detail:
            frontier.suppress(index, Reason.ASSET, detail)


def _open_members(frontier: Frontier) -> dict[str, list[int]]:
    """Return the skipped URLs without evidence that pages led to, by family."""
    members: dict[str, list[int]] = {}
    for index in frontier.skipped_for(Reason.ASSET):
        is_open = not frontier.tries(index) and frontier.detail(index) in _OPEN
        if is_open and frontier.found_by(index) in BY_PAGES:
            members.setdefault(family_of(frontier.url(index)), []).append(index)
    return members


def _evidence(frontier: Frontier) -> _Evidence:
    evidence = _Evidence()
    for index in range(len(frontier)):
        url = frontier.url(index) if frontier.tries(index) else ""
        if not url or not is_asset(url.partition("?")[0]):
            continue
        family = family_of(url)
        if frontier.state(index).has_content:
            evidence.pages.add(family)
        elif frontier.reason(index) in (Reason.ASSET, Reason.DOCUMENT):
            evidence.files.setdefault(family, f"like {url}: {frontier.detail(index) or 'its response is a document'}")
        if frontier.found_by(index) in BY_PAGES:
            evidence.tried[family] += 1
    return evidence
