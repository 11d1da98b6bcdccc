"""What becomes of the passages of a page after a crawl."""

from enum import StrEnum

from wavecrawl.domain.crawl.states import UrlState


class Fate(StrEnum):
    """What becomes of the passages of a page.

    - `text`: they are those of its text now
    - `part`: they stay, if there are any; otherwise they are those of its text now, which is a part of it
    - `gone`: they are removed
    - `kept`: they stay, because the crawl has no newer text
    """

    TEXT = "text"
    PART = "part"
    GONE = "gone"
    KEPT = "kept"


def fate_of(state: UrlState, *, has_text: bool, is_duplicate: bool, is_hidden: bool, is_part: bool = False) -> Fate:
    """Return what becomes of the passages of a page that a crawl requested.

    `is_part`: whether only a part of its content could be read. A page that could not be read keeps its last text: the
    site's page memory knows which pages are deleted (`domain.recrawl.deletion`). A page with the text of another page
    is found under that page's URL. Directives for public search engines, such as `noindex`, do not matter: the index
    belongs to the tenant.
    """
    if is_hidden:
        return Fate.GONE
    if not state.has_content:
        return Fate.KEPT
    if is_part:
        return Fate.PART if has_text else Fate.KEPT
    return Fate.TEXT if has_text and not is_duplicate else Fate.GONE
