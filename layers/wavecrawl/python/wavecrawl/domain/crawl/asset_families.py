"""Pages that are named like files: the evidence of a few responses decides.

The extension of a path does not say what a URL is (RFC 9110, section 8.3): `/blog/intro-to-node.js` may be a page. The
URLs of one folder template with one extension are a family. When no other page is left, the first member of a family
that pages link to is requested, for a few families per crawl. If it is a page, the other members are requested too.
Most links to pictures and documents lead to files. A family of these is only tried if it has a query or many members.
"""

from dataclasses import dataclass, field

from wavecrawl.domain.crawl.frontier import Frontier
from wavecrawl.domain.crawl.ledger import BY_PAGES
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.urls.link_filter import is_asset
from wavecrawl.domain.urls.templates import template_of_path

MOST_PROBES = 5
"""Requests per crawl that only find out what a family is. Sites link to real files, too."""

_LEAST_MEMBERS = 10  # of a family that is tried without a doubt about what its URLs are
_DOUBTFUL = (".js", ".mjs", ".map", ".bin", ".jar", ".rar", ".iso")  # endings that names of things have too
_WITH_QUERY = "?"

NOT_FOLLOWED = "the first link to it is not followed"
"""Detail of a URL that is never requested for evidence."""


def family_of(url: str) -> str:
    """Return the folder template of a URL with its extension, and a question mark if it has a query."""
    address, mark, _ = url.partition("?")
    folder, _, name = address.rpartition("/")
    return f"{template_of_path(folder)}/*.{name.rpartition('.')[2].lower()}{mark}"


@dataclass(slots=True)
class _Evidence:
    """What the responses so far say of families."""

    pages: set[str] = field(default_factory=set)
    files: dict[str, str] = field(default_factory=dict)  # family: evidence
    probes: set[str] = field(default_factory=set)  # requests that pages led to; those of a family of pages count once


def due_members(frontier: Frontier, *, most_probes: int = MOST_PROBES) -> list[int]:
    """Return the skipped URLs that are requested now: members of families that have pages, and probes of others.

    Members of families that have no pages get the evidence as their detail.
    """
    members = _open_members(frontier)
    if not members:
        return []
    evidence = _evidence(frontier)
    due: list[int] = []
    room = most_probes - len(evidence.probes)
    for family, indices in members.items():
        if family in evidence.files:
            for index in indices:
                frontier.suppress(index, Reason.ASSET, evidence.files[family])
        elif family in evidence.pages:
            due += indices
        elif room > 0 and (family.endswith((*_DOUBTFUL, _WITH_QUERY)) or len(indices) >= _LEAST_MEMBERS):
            room -= 1
            due.append(indices[0])
    return due


def _open_members(frontier: Frontier) -> dict[str, list[int]]:
    """Return the skipped URLs without evidence that pages led to, by family."""
    members: dict[str, list[int]] = {}
    for index in frontier.skipped_for(Reason.ASSET):
        if not (frontier.tries(index) or frontier.detail(index)) and frontier.found_by(index) in BY_PAGES:
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
            evidence.probes.add(family if family in evidence.pages else url)
    return evidence
