"""What proves that a page of an earlier crawl is gone.

A page is deleted, and leaves the search index, only

- by its own response: 404 or 410, a permanent redirect, or a temporary redirect in two crawls in a row;
- by a rule in robots.txt that disallows it now; a robots.txt that cannot be fetched is no rule;
- because a crawl that could find it, and that has no gap, did not find it (`domain.recrawl.reach`).

Everything else proves nothing: the page is not seen, and keeps its last text.
"""

from enum import StrEnum
from typing import Final

from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.states import UrlState

_PERMANENT: Final = (301, 308)
_LEADS_ON: Final = (Reason.STATUS, Reason.REDIRECT_OUT_OF_SCOPE)  # other redirects are loops, or lead nowhere


class Answer(StrEnum):
    """What the end of a URL in one crawl says of the page that was read there before.

    - `here`: it was read
    - `gone`: it is gone
    - `away`: it redirects temporarily, and is gone if it does so in two crawls in a row
    - `nothing`: it may still exist
    """

    HERE = "here"
    GONE = "gone"
    AWAY = "away"
    NOTHING = "nothing"


def answer_of(state: UrlState, reason: Reason, status: int | None) -> Answer:
    """Return what the state of a URL, its reason and the status of its last response say of its page."""
    if state.has_content:
        return Answer.HERE
    if state is UrlState.NOT_FOUND or (state is UrlState.ROBOTS_DENIED and reason is Reason.ROBOTS_RULE):
        return Answer.GONE
    if state is UrlState.REDIRECTED and reason in _LEADS_ON:
        return Answer.GONE if status in _PERMANENT else Answer.AWAY
    return Answer.NOTHING
