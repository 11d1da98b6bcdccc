"""The final state of each page of a generated site, with two retries."""

from wavecrawl.demo.model import ORIGIN, FailureKind, Page, name_of
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.states import UrlState

MAX_RETRIES = 2
MAX_BYTES = 5 * 1024 * 1024  # of one body as transferred
MAX_DECODED_BYTES = 20 * 1024 * 1024

_FILES = frozenset(  # extensions that generated sites use; the crawler knows more
    "png jpg jpeg gif svg webp ico css js mjs woff woff2 mp3 mp4 webm zip gz tar exe pdf docx xlsx".split()
)
_REDIRECTS = (301, 302, 303, 307, 308)
_STATES = {
    401: UrlState.FORBIDDEN,
    403: UrlState.FORBIDDEN,
    404: UrlState.NOT_FOUND,
    410: UrlState.NOT_FOUND,
}
_FAILURES = {  # a page that breaks off is requested once more, then read as far as it arrived
    FailureKind.STATUS: (UrlState.HTTP_ERROR, Reason.STATUS),
    FailureKind.RESET: (UrlState.FAILED, Reason.RESET),
    FailureKind.GARBAGE: (UrlState.FAILED, Reason.PROTOCOL),
}


def ending(page: Page | None) -> tuple[UrlState, Reason]:
    """Return state and reason of a requested URL. None means that the page does not exist."""
    if page is None:
        return UrlState.NOT_FOUND, Reason.STATUS
    if page.failure is not None and page.failure.times > MAX_RETRIES:
        return _FAILURES[page.failure.kind]
    if 200 <= page.status < 300 and is_named_like_a_file(page.path) and not page.is_html:
        return UrlState.SKIPPED, Reason.DOCUMENT if page.content_type == "application/pdf" else Reason.ASSET
    if 200 <= page.status < 300:
        return UrlState.FETCHED, _content(page)
    if is_redirect(page):
        return UrlState.REDIRECTED, _way_on(page)
    return _STATES.get(page.status, UrlState.HTTP_ERROR), Reason.STATUS


def is_named_like_a_file(name: str) -> bool:
    """Return whether the name of a URL has the extension of a file."""
    file = name.partition("?")[0].rpartition("/")[2]
    stem, dot, extension = file.rpartition(".")
    return bool(stem and dot) and "://" not in name and extension.lower() in _FILES


def is_redirect(page: Page) -> bool:
    """Return whether the response is a redirect with a target."""
    return page.status in _REDIRECTS and bool(page.redirect)


def is_read(page: Page | None) -> bool:
    """Return whether the page's links are read."""
    return page is not None and ending(page) == (UrlState.FETCHED, Reason.NONE) and page.body is None


def is_truncated(page: Page) -> bool:
    """Return whether the end of the body is missing. All links stand before it, so none is lost."""
    if page.failure is not None and page.failure.kind is FailureKind.SHORT and page.failure.times > 1:
        return page.is_html  # also after the request that follows a cut body
    return page.filler > (MAX_DECODED_BYTES if page.coding else MAX_BYTES)


def _content(page: Page) -> Reason:
    if page.body is not None and not page.body.strip():
        return Reason.EMPTY
    return Reason.NONE if page.is_html else Reason.NOT_HTML


def _way_on(page: Page) -> Reason:
    if not page.redirect.startswith(("/", "http://", "https://", ORIGIN)):
        return Reason.REDIRECT_BAD_TARGET
    target = name_of(page.redirect)
    if target == page.name:
        return Reason.REDIRECT_LOOP  # the page's other spellings redirect back to it
    return Reason.REDIRECT_OUT_OF_SCOPE if "://" in target else Reason.STATUS
