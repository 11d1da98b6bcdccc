"""The main text of a page as Markdown: a view of what a crawl has stored of the page.

A crawl stores the plain text alone. The Markdown is made when someone asks for it, from the stored response, or from
the stored rendered page if the text is that of the rendered page. It is not stored: files that are exported and the
knowledge index keep what they need.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final, TypeVar

from msgspec import Struct

from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.fetching.exchange import first_header
from wavecrawl.domain.pages.charset import decode_html
from wavecrawl.domain.pages.extraction.reading import Reading
from wavecrawl.domain.urls.url import host_of
from wavecrawl.errors import CorruptDataError, TooExpensiveError
from wavecrawl.ports.archive import Archive
from wavecrawl.ports.page_parser import PageParser, never

_AHEAD: Final = 4  # pages per thread that are made before they are taken
_MOST_BYTES: Final = 64 * 1024 * 1024  # of a body whose record does not say how long it is; more than a crawl stores

_Page = TypeVar("_Page")


class _Stored(Struct, gc=False):
    """The fields of a record that say what its text was read from."""

    charset: str = ""
    decoded_bytes: int = 0
    body_at: str = ""
    rendered: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PageMarkdown:
    """The main text of a page as Markdown."""

    text: str | None  # None if it cannot be made
    problem: str = ""  # why it cannot


_NO_TEXT: Final = PageMarkdown(text="")
_OUT_OF_TIME: Final = PageMarkdown(text=None, problem="there was no time left to make it; request fewer pages at once")


class MarkdownView:
    """Makes the Markdown of pages. Safe to share between threads."""

    def __init__(self, archive: Archive, parser: PageParser, settings: CrawlSettings, *, at_once: int = 1) -> None:
        """`settings`: those of the crawl. `at_once`: pages to make at the same time."""
        self._archive = archive
        self._parser = parser
        self._at_once = at_once
        self._settings = settings

    def at(self, place: str) -> PageMarkdown:
        """Return the Markdown of the page whose record is at a place; "" = a page without text."""
        if not place:
            return _NO_TEXT
        try:
            return self._made(place)
        except (CorruptDataError, TooExpensiveError) as error:
            return PageMarkdown(text=None, problem=str(error))

    def of_all(
        self, pages: Iterable[_Page], place_of: Callable[[_Page], str], *, is_over: Callable[[], bool] = never
    ) -> Generator[tuple[_Page, PageMarkdown]]:
        """Yield pages with their Markdown, in order. When `is_over` says so, further pages have none.

        Close the generator if you stop early.
        """

        def made(place: str) -> PageMarkdown:
            return _OUT_OF_TIME if place and is_over() else self.at(place)

        ahead: deque[tuple[_Page, Future[PageMarkdown]]] = deque()
        with ThreadPoolExecutor(self._at_once, thread_name_prefix="markdown") as pool:
            try:
                for page in pages:
                    ahead.append((page, pool.submit(made, place_of(page))))
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
        stored = self._stored(place)
        if stored is not None and stored.body_at:  # an unchanged page
            place = stored.body_at
            stored = self._stored(place)
        if stored is None:
            return _lost("the crawl that stored it was deleted")
        found = self._rendered(place, stored) if stored.rendered else self._response(place, stored)
        if found is None:
            return _lost("it was deleted, or has expired")
        html, url, encoding = found
        settings = self._settings
        how = Reading(
            url=url, encoding=encoding, text=settings.text, only_markdown=True, cpu_seconds=settings.max_page_cpu
        )
        return PageMarkdown(text=self._parser.read(html, how).markdown)

    def _stored(self, place: str) -> _Stored | None:
        return self._archive.contents([place], _Stored).get(place)

    def _rendered(self, place: str, stored: _Stored) -> tuple[str | bytes, str, str] | None:
        page = self._archive.rendered_at(place)
        return None if page is None else (page.html, page.url, stored.charset)

    def _response(self, place: str, stored: _Stored) -> tuple[str | bytes, str, str] | None:
        response = self._archive.response_at(place, limit=stored.decoded_bytes or _MOST_BYTES)
        if response is None:
            return None
        content_type = first_header(response.headers, "Content-Type") or ""
        decoded = decode_html(response.body, content_type, host=host_of(response.url))
        return decoded.html, response.url, decoded.encoding


def _lost(why: str) -> PageMarkdown:
    return PageMarkdown(text=None, problem=f"the stored response of the page cannot be read any more: {why}")
