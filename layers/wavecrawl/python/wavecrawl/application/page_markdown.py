"""The main text of a page as Markdown: a view of what a crawl has stored of the page.

A crawl stores the plain text alone. The Markdown is made when someone asks for it, from the stored response, or from
the stored rendered page if the text is that of the rendered page. It is not stored: files that are exported and the
knowledge index keep what they need.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final, TypeAlias, TypeVar

import msgspec
from msgspec import Struct

from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.fetching.exchange import first_header
from wavecrawl.domain.fetching.outcome import media_type
from wavecrawl.domain.pages.charset import decode_html
from wavecrawl.domain.pages.extraction.plain import PLAIN_TYPES
from wavecrawl.domain.pages.extraction.reading import Reading
from wavecrawl.domain.urls.url import host_of
from wavecrawl.errors import PermanentError, ReadingStoppedError, TooExpensiveError, TransientError
from wavecrawl.ports.archive import Archive, StoredResponse
from wavecrawl.ports.hidden_pages import HiddenPages
from wavecrawl.ports.page_parser import PageParser, never

_AHEAD: Final = 4  # pages per thread that are made before they are taken
_MOST_BYTES: Final = 64 * 1024 * 1024  # of a body whose record does not say how long it is; more than a crawl stores

_Page = TypeVar("_Page")
_Content: TypeAlias = tuple[str | bytes, str, str, str]  # content, URL, encoding, media type of a plain text or ""


class _Stored(Struct, gc=False):
    """The fields of a record that say what its text was read from."""

    charset: str = ""
    decoded_bytes: int = 0
    body_at: str = ""
    rendered: bool = False


class PageMarkdown(msgspec.Struct, frozen=True, kw_only=True):
    """The main text of a page as Markdown."""

    text: str | None  # None if it cannot be made
    problem: str = ""  # why it cannot
    fragments: tuple[tuple[int, str], ...] = ()  # of the URLs of headings, with the headings' lines from 0


class RequestLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits for a caller who waits. A page that exceeds them, or cannot be read now, has a problem."""

    cpu_seconds: float  # processor time per page, if the crawl does not allow less
    is_over: Callable[[], bool]  # whether the caller has waited long enough


_NO_TEXT: Final = PageMarkdown(text="")
_OUT_OF_TIME: Final = PageMarkdown(text=None, problem="there was no time left to make it; request fewer pages at once")
_UNREADABLE_NOW: Final = PageMarkdown(text=None, problem="the stored page cannot be read now; request it again later")


class MarkdownView:
    """Makes the Markdown of pages. Safe to share between threads."""

    def __init__(
        self,
        archive: Archive,
        parser: PageParser,
        settings: CrawlSettings,
        *,
        hidden: HiddenPages | None = None,
        at_once: int = 1,
        limits: RequestLimits | None = None,
    ) -> None:
        """`settings`: those of the crawl. `at_once`: pages to make at the same time.

        `hidden`: nothing is made of the response of an unchanged page if the page is hidden in the earlier crawl that
        fetched it. Without `limits`, the budget of the crawl applies, and a TransientError is raised.
        """
        self._archive = archive
        self._parser = parser
        self._hidden = hidden
        self._hidden_in: dict[CrawlId, frozenset[str]] = {}
        self._at_once = at_once
        self._settings = settings
        self._limits = limits
        self._is_over = limits.is_over if limits else never

    def at(self, place: str) -> PageMarkdown:
        """Return the Markdown of the page whose record is at a place; "" = a page without text."""
        if not place:
            return _NO_TEXT
        if self._is_over():
            return _OUT_OF_TIME
        try:
            return self._made(place)
        except ReadingStoppedError:
            return _OUT_OF_TIME
        except PermanentError as error:
            return PageMarkdown(text=None, problem=str(error))
        except TransientError:
            if self._limits is None:
                raise
            return _UNREADABLE_NOW

    def of_all(self, pages: Iterable[_Page], place_of: Callable[[_Page], str]) -> Generator[tuple[_Page, PageMarkdown]]:
        """Yield pages with their Markdown, in order. Close the generator if you stop early."""
        ahead: deque[tuple[_Page, Future[PageMarkdown]]] = deque()
        with ThreadPoolExecutor(self._at_once, thread_name_prefix="markdown") as pool:
            try:
                for page in pages:
                    ahead.append((page, pool.submit(self.at, place_of(page))))
                    if len(ahead) > _AHEAD * self._at_once:
                        first, future = ahead.popleft()
                        yield first, future.result()
                while ahead:
                    first, future = ahead.popleft()
                    yield first, future.result()
            finally:
                for _, future in ahead:
                    future.cancel()

    def _made(self, place: str) -> PageMarkdown:
        key = place.rpartition("#")[2]
        stored = self._stored(place)
        is_earlier = stored is not None and bool(stored.body_at)
        if stored is not None and stored.body_at:  # an unchanged page
            place = stored.body_at
            stored = self._stored(place)
        if stored is None:
            return _lost("the crawl that stored it was deleted")
        response = None
        if is_earlier or not stored.rendered:
            limit = 0 if stored.rendered else stored.decoded_bytes or _MOST_BYTES
            response = self._archive.response_at(place, limit=limit)
        if is_earlier and response is not None and self._is_hidden(key, response.crawl):
            return _lost(f"the page was deleted from crawl {response.crawl.crawl}, which fetched it")
        found = self._rendered(place, stored) if stored.rendered else _decoded(response)
        if found is None:
            return _lost("it was deleted, or has expired")
        return self._written(*found)

    def _stored(self, place: str) -> _Stored | None:
        return self._archive.contents([place], _Stored).get(place)

    def _is_hidden(self, key: str, crawl: CrawlId) -> bool:
        """Return whether a page is hidden in the crawl that fetched it, as `application.pages.page_content` does."""
        if self._hidden is None:
            return False
        if crawl not in self._hidden_in:
            self._hidden_in[crawl] = self._hidden.of(crawl)
        return key in self._hidden_in[crawl]

    def _rendered(self, place: str, stored: _Stored) -> _Content | None:
        page = self._archive.rendered_at(place)
        return None if page is None else (page.html, page.url, stored.charset, "")

    def _written(self, html: str | bytes, url: str, encoding: str, plain_type: str) -> PageMarkdown:
        seconds = self._settings.max_page_cpu
        if self._limits is not None:
            seconds = min(seconds, self._limits.cpu_seconds)
        how = Reading(
            url=url,
            encoding=encoding,
            text=self._settings.text,
            plain_type=plain_type,
            only_markdown=True,
            cpu_seconds=seconds,
        )
        try:
            found = self._parser.read(html, how, is_stopped=self._is_over)
        except (TooExpensiveError, TransientError):
            raise
        except Exception as error:  # a small page is read in this process, and may make the writer raise anything
            cause = str(error).strip().rpartition("\n")[2]  # the last line of a traceback of the child process
            raise PermanentError(f"writing it as Markdown failed: {cause}") from error
        return PageMarkdown(text=found.markdown, fragments=found.fragments)


def _decoded(response: StoredResponse | None) -> _Content | None:
    if response is None:
        return None
    content_type = first_header(response.headers, "Content-Type") or ""
    decoded = decode_html(response.body, content_type, host=host_of(response.url))
    plain_type = media_type(content_type) if media_type(content_type) in PLAIN_TYPES else ""
    return decoded.html, response.url, decoded.encoding, plain_type


def _lost(why: str) -> PageMarkdown:
    return PageMarkdown(text=None, problem=f"the stored response of the page cannot be read any more: {why}")
