"""What becomes of the passages of a page after a crawl."""

from enum import StrEnum

from wavecrawl.domain.crawl.states import UrlState

_UNDECIDED = (UrlState.PENDING, UrlState.DEFERRED, UrlState.HTTP_ERROR, UrlState.FAILED, UrlState.SKIPPED)


class Fate(StrEnum):
    """What becomes of the passages of a page.

    - `text`: they are those of its text now
    - `gone`: they are removed
    - `kept`: they stay, because this crawl does not know whether the page has changed
    """

    TEXT = "text"
    GONE = "gone"
    KEPT = "kept"


def fate_of(state: UrlState, *, has_text: bool, is_duplicate: bool, is_hidden: bool) -> Fate:
    """Return what becomes of the passages of a page that a crawl requested.

    Pages that are deleted, redirect, need a login, or must not be requested any more are gone. An error of the server
    may be temporary. A page with the text of another page is found under that page's URL. Directives for public search
    engines, such as `noindex`, do not matter: the index belongs to the tenant.
    """
    if is_hidden:
        return Fate.GONE
    if state in _UNDECIDED:
        return Fate.KEPT
    return Fate.TEXT if state.has_content and has_text and not is_duplicate else Fate.GONE
