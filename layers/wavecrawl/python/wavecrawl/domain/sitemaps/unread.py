"""Sitemap files that were not read: whether there is such a file, and what follows if there is."""

from typing import Final

import msgspec
from msgspec.structs import replace

from wavecrawl.domain.crawl.record import UNREACHABLE, Reason
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.fetching.outcome import Outcome
from wavecrawl.domain.graph.blocker_kind import BlockerKind
from wavecrawl.domain.graph.completeness import ROBOTS, Blocker, Ending, Way, blocker_of, unread_sitemap

_LATER: Final = "pages that only this sitemap lists may be missing; start another crawl when it can be read"
_NAMED_IN_VAIN: Final = "remove it where it is named, or restore the file"
_DENIED: Final = "allow it there: search engines cannot read it either"
_FORBIDDEN: Final = "allow crawlers to read it, or set credentials of the site"
_BLOCKED: Final = "allow the crawler in the bot protection of the site"
_S3_STATUS: Final = 403  # of storage services, for a file that does not exist


class Unread(msgspec.Struct, frozen=True, kw_only=True):
    """A file that exists, or should exist, and was not read."""

    problem: str  # for a notice: what happened, and what to do
    blocker: Blocker | None = None  # None: the file does not exist, so that nothing is missing
    retry: bool = False  # whether a retry may help
    wait: float = 0.0  # seconds; the server's Retry-After


def unread_response(outcome: Outcome, status: int | None, *, guessed: bool, known: bool) -> Unread | None:
    """Return the file whose response is an error; None if there is no such file.

    `guessed`: nothing names the file; its path is a default one. `known`: an earlier crawl of the site has read it.
    """
    no_file = status == _S3_STATUS and not known and outcome.state is not UrlState.BLOCKED
    is_gone = outcome.state is UrlState.NOT_FOUND or no_file
    if guessed and is_gone:
        return None
    what = f"not read: {outcome.detail or outcome.reason.value}"
    if outcome.state is UrlState.NOT_FOUND:
        return Unread(problem=f"{what}; {_NAMED_IN_VAIN}")
    found = blocker_of(Ending(state=outcome.state, reason=outcome.reason, status=status))
    blocker = unread_sitemap(f"HTTP {status}") if found is None else replace(found, way=Way.SITEMAP)
    if known:  # it could be read once, so this crawl has a gap
        blocker = replace(blocker, kind=BlockerKind.INCOMPLETE)
    advice = {UrlState.FORBIDDEN: _FORBIDDEN, UrlState.BLOCKED: _BLOCKED}.get(outcome.state, _LATER)
    return Unread(problem=f"{what}; {advice}", blocker=blocker, retry=outcome.retry, wait=outcome.wait)


def disallowed(reason: Reason, *, may_exist: bool, known: bool) -> Unread | None:
    """Return the file that robots.txt denies, or whose host cannot be reached.

    `may_exist`: whether something names it, or nothing names any sitemap. None: it is a guess, and there are others.
    `known`: an earlier crawl of the site has read the file.
    """
    if reason is Reason.ROBOTS_UNREACHABLE:
        return Unread(problem=f"not read: robots.txt cannot be read; {_LATER}", blocker=unread_sitemap(reason))
    if reason in UNREACHABLE:
        return Unread(problem=f"not read: {UNREACHABLE[reason]}; {_LATER}", blocker=unread_sitemap(reason))
    if not may_exist and not known:
        return None
    blocker = unread_sitemap(ROBOTS, barred=not known)  # if it could be read once, this crawl has a gap
    return Unread(problem=f"not read: robots.txt disallows it; {_DENIED}", blocker=blocker)


def no_sitemap(url: str, problem: str, *, guessed: bool, known: bool) -> Unread | None:
    """Return the file whose response is no sitemap; None if there is no such file.

    `url`: that of the response, after redirects. An application that answers every URL has such responses, and so has a
    site that redirects to its login page. `known`: an earlier crawl of the site has read the file.
    """
    if guessed and not known:
        return None
    what = f"not read: the response of {url} is no sitemap ({problem}); {_LATER}"
    return Unread(problem=what, blocker=unread_sitemap("no sitemap"), retry=known)


def too_many_redirects() -> Unread:
    """Return a file whose redirects do not end."""
    return Unread(problem=f"not read: too many redirects; {_LATER}", blocker=unread_sitemap("redirects"))


def nothing_arrived(detail: str) -> Unread:
    """Return a file whose response broke off before its content."""
    return Unread(problem=f"not read: {detail}; {_LATER}", blocker=unread_sitemap("cut"), retry=True)
