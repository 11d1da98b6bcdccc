"""The Markdown of stored pages, over an archive on disk."""

from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TypeAlias

import pytest
from msgspec import structs

from wavecrawl.adapters.batch_objects import records_name, warc_name
from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.embedded.folder import FolderArchive
from wavecrawl.adapters.embedded.hidden_pages import SqliteHiddenPages
from wavecrawl.adapters.pages.parsers import Parsers
from wavecrawl.application.page_markdown import MarkdownView, PageMarkdown, RequestLimits
from wavecrawl.domain.crawl.job import BatchId, CrawlId
from wavecrawl.domain.crawl.record import PageRecord
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.crawl.unchanged import reference_to
from wavecrawl.domain.fetching.exchange import Exchange
from wavecrawl.domain.pages.extraction.reading import Reading
from wavecrawl.domain.pages.page import Extraction, PageFacts
from wavecrawl.domain.rendering.conversion import Conversion
from wavecrawl.errors import CorruptDataError, PermanentError, ReadingStoppedError, StoreBusyError, TooExpensiveError
from wavecrawl.ports.archive import StoredResponse
from wavecrawl.ports.page_parser import UnlimitedParser, never

FIRST = BatchId(crawl=CrawlId(tenant="t", site="s", crawl="c1"), wave=1, batch=0)
LATER = BatchId(crawl=CrawlId(tenant="t", site="s", crawl="c2"), wave=1, batch=0)
URL = "https://site.example/a/"
HTML = '<meta charset=windows-1252><main><h1>Äpfel</h1><p>A <b>red</b> <a href="b?q=ä">apple</a>.'.encode("cp1252")
WRITTEN = "# Äpfel\n\nA **red** [apple](https://site.example/a/b?q=%E4)."
Stored: TypeAlias = tuple[PageRecord, Sequence[Exchange], Conversion | None]
OUT_OF_TIME = "there was no time left to make it; request fewer pages at once"
LOST = "the stored response of the page cannot be read any more: "


def record(key: str = "k", body: bytes = HTML) -> PageRecord:
    return PageRecord(
        key=key, url=URL, depth=0, state=UrlState.FETCHED, status=200, decoded_bytes=len(body),
        facts=PageFacts(text="text"), charset="windows-1252",
    )  # fmt: skip


def exchange(body: bytes = HTML, content_type: str = "text/html") -> Exchange:
    return Exchange(
        url=URL, status=200, reason="OK", headers=(("Content-Type", content_type),), raw_body=body, body=body,
        started_at=1.0, request_headers=(),
    )  # fmt: skip


def store(
    archive: FolderArchive, batch: BatchId, *stored: tuple[PageRecord, Sequence[Exchange], Conversion | None]
) -> str:
    """Store records; return the place of the last one."""
    objects = archive.open(batch, attempt=1)
    for one, exchanges, conversion in stored:
        objects.add(one, exchanges, conversion)
    objects.commit()
    return archive.place(batch, attempt=1, key=stored[-1][0].key)


@pytest.fixture(name="archive")
def an_archive(tmp_path: Path) -> FolderArchive:
    return FolderArchive(tmp_path)


def made(archive: FolderArchive, place: str) -> PageMarkdown:
    return MarkdownView(archive, UnlimitedParser(), CrawlSettings()).at(place)


@pytest.mark.parametrize(
    ("content_type", "markdown"),
    [("text/markdown", "# Pears &amp; *plums*"), ("text/plain;charset=utf-8", "```\n# Pears &amp; *plums*\n```")],
)
def test_the_markdown_of_a_text_has_its_characters(archive: FolderArchive, content_type: str, markdown: str) -> None:
    sent = exchange(b"# Pears &amp; *plums*", content_type)
    place = store(archive, FIRST, (record(body=sent.body), [sent], None))
    assert made(archive, place) == PageMarkdown(text=markdown)


def test_the_markdown_is_that_of_the_stored_response(archive: FolderArchive) -> None:
    place = store(archive, FIRST, (record(), [exchange()], None))
    assert made(archive, place) == PageMarkdown(text=WRITTEN)


def test_a_record_that_does_not_say_how_long_its_body_is_is_read_whole(archive: FolderArchive) -> None:
    place = store(archive, FIRST, (structs.replace(record(), decoded_bytes=0), [exchange()], None))
    assert made(archive, place) == PageMarkdown(text=WRITTEN)


def test_what_the_crawl_left_out_of_a_long_body_is_left_out(archive: FolderArchive) -> None:
    cut = HTML.index(b" <a href")
    place = store(archive, FIRST, (record(body=HTML[:cut]), [exchange()], None))
    assert made(archive, place) == PageMarkdown(text="# Äpfel\n\nA **red**")


def test_that_of_a_rendered_page_is_made_of_its_dom(archive: FolderArchive) -> None:
    document = store(archive, FIRST, (record(), [exchange()], None))
    dom = Conversion(
        url=f"{URL}end", html="<main><h2>Ö</h2><a href='x?q=ä'>Rendered".encode(), refers_to="", made_at=1.0
    )
    place = store(archive, LATER, (structs.replace(record(), rendered=True, exchange_at=document), [], dom))
    assert made(archive, place) == PageMarkdown(text="## Ö\n\n[Rendered](https://site.example/a/x?q=%E4)")


def test_that_of_a_page_whose_rendering_failed_is_made_of_its_response(archive: FolderArchive) -> None:
    document = store(archive, FIRST, (record(), [exchange()], None))
    place = store(archive, LATER, (structs.replace(record(), exchange_at=document), [], None))
    assert made(archive, place) == PageMarkdown(text=WRITTEN)


def test_that_of_an_unchanged_page_is_made_of_what_the_earlier_crawl_stored(archive: FolderArchive) -> None:
    before = store(archive, FIRST, (record(), [exchange()], None))
    unchanged = reference_to(record(), before, structs.replace(record(), state=UrlState.UNCHANGED, status=304))
    place = store(archive, LATER, (unchanged, [], None))
    assert made(archive, place) == PageMarkdown(text=WRITTEN)


def test_a_page_that_cannot_be_read_any_more_says_so(archive: FolderArchive, tmp_path: Path) -> None:
    before = store(archive, FIRST, (record(), [exchange()], None), (record("silent"), [], None))
    unchanged = reference_to(record(), before, structs.replace(record(), state=UrlState.UNCHANGED, status=304))
    place = store(archive, LATER, (unchanged, [], None))
    expired = PageMarkdown(text=None, problem=f"{LOST}it was deleted, or has expired")
    assert made(archive, before) == expired
    (tmp_path / warc_name(FIRST, 1)).unlink()
    assert made(archive, place) == expired
    (tmp_path / records_name(FIRST, 1)).unlink()
    gone = PageMarkdown(text=None, problem=f"{LOST}the crawl that stored it was deleted")
    assert made(FolderArchive(tmp_path), place) == gone
    assert made(FolderArchive(tmp_path), before) == gone


@pytest.mark.parametrize("is_rendered", [False, True])
def test_nothing_is_made_of_a_response_that_was_deleted_from_the_earlier_crawl(
    archive: FolderArchive, tmp_path: Path, *, is_rendered: bool
) -> None:
    hidden = SqliteHiddenPages(Database(tmp_path / "hidden.sqlite"))
    dom = Conversion(url=URL, html=b"<main><h2>Rendered</h2>", refers_to="", made_at=1.0) if is_rendered else None
    first = structs.replace(record(), rendered=is_rendered)
    before = store(archive, FIRST, (first, [exchange()], dom))
    unchanged = reference_to(record(), before, structs.replace(record(), state=UrlState.UNCHANGED, status=304))
    place = store(archive, LATER, (unchanged, [], None))

    def seen() -> PageMarkdown:
        return MarkdownView(archive, UnlimitedParser(), CrawlSettings(), hidden=hidden).at(place)

    hidden.hide(FIRST.crawl, "other", now=1.0)
    assert seen().text == ("## Rendered" if is_rendered else WRITTEN)
    hidden.hide(FIRST.crawl, "k", now=1.0)
    assert seen() == PageMarkdown(text=None, problem=f"{LOST}the page was deleted from crawl c1, which fetched it")


class Damaged(FolderArchive):
    """An archive whose responses cannot be read."""

    def response_at(self, place: str, *, limit: int) -> StoredResponse | None:  # noqa: ARG002 - as the port says
        """Raise CorruptDataError."""
        raise CorruptDataError("a WARC record cannot be read")


class Costly(UnlimitedParser):
    """A parser for which every page is too expensive."""

    def read(self, html: bytes | str, how: Reading, *, is_stopped: Callable[[], bool] = never) -> Extraction:  # noqa: ARG002 - as the port says
        """Raise TooExpensiveError."""
        raise TooExpensiveError("reading it takes more than 1 s")


def test_a_damaged_response_and_an_expensive_page_are_problems_of_the_page(
    archive: FolderArchive, tmp_path: Path
) -> None:
    place = store(archive, FIRST, (record(), [exchange()], None))
    found = made(Damaged(tmp_path), place)
    assert found == PageMarkdown(text=None, problem="a WARC record cannot be read")
    found = MarkdownView(archive, Costly(), CrawlSettings()).at(place)
    assert found == PageMarkdown(text=None, problem="reading it takes more than 1 s")


class Failing(UnlimitedParser):
    """A parser that raises an error. It notes how it was asked."""

    def __init__(self, error: Exception) -> None:
        self.error = error
        self.asked: list[Reading] = []

    def read(self, html: bytes | str, how: Reading, *, is_stopped: Callable[[], bool] = never) -> Extraction:  # noqa: ARG002 - as the port says
        """Raise the error."""
        self.asked.append(how)
        raise self.error


class Slow(UnlimitedParser):
    """A parser that looks once whether its work is still wanted."""

    def read(self, html: bytes | str, how: Reading, *, is_stopped: Callable[[], bool] = never) -> Extraction:
        """Return the content of a page, or raise ReadingStoppedError."""
        if is_stopped():
            raise ReadingStoppedError("reading ended early")
        return super().read(html, how)


@pytest.mark.parametrize(
    "error",
    [
        PermanentError("reading https://site.example/a/ failed: Traceback:\n  File x, line 1\nValueError: odd\n"),
        ValueError("ValueError: odd"),
    ],
)
def test_a_page_of_which_the_writer_can_make_nothing_is_a_problem_of_the_page(
    archive: FolderArchive, error: Exception
) -> None:
    place = store(archive, FIRST, (record(), [exchange()], None))
    view = MarkdownView(archive, Failing(error), CrawlSettings())
    problem = PageMarkdown(text=None, problem="writing it as Markdown failed: ValueError: odd")
    assert list(view.of_all([place, ""], str)) == [(place, problem), ("", PageMarkdown(text=""))]


def test_a_store_that_does_not_respond_is_a_problem_only_of_a_request(archive: FolderArchive) -> None:
    place = store(archive, FIRST, (record(), [exchange()], None))
    parser = Failing(StoreBusyError("bucket b did not respond"))
    with pytest.raises(StoreBusyError):
        MarkdownView(archive, parser, CrawlSettings()).at(place)
    view = MarkdownView(archive, parser, CrawlSettings(), limits=RequestLimits(cpu_seconds=1, is_over=never))
    problem = "the stored page cannot be read now; request it again later"
    assert view.at(place) == PageMarkdown(text=None, problem=problem)


@pytest.mark.parametrize(("of_crawl", "of_request", "least"), [(600.0, 2.0, 2.0), (1.0, 2.0, 1.0)])
def test_a_request_takes_at_most_its_own_budget(
    archive: FolderArchive, of_crawl: float, of_request: float, least: float
) -> None:
    place = store(archive, FIRST, (record(), [exchange()], None))
    parser = Failing(TooExpensiveError("too expensive"))
    settings = CrawlSettings(max_page_cpu=of_crawl)
    MarkdownView(archive, parser, settings).at(place)
    MarkdownView(archive, parser, settings, limits=RequestLimits(cpu_seconds=of_request, is_over=never)).at(place)
    assert [how.cpu_seconds for how in parser.asked] == [of_crawl, least]


def test_a_page_that_is_read_when_the_time_ends_is_stopped(archive: FolderArchive) -> None:
    place = store(archive, FIRST, (record(), [exchange()], None))
    looks = iter([False])  # before the page is read; the next look is while it is read
    limits = RequestLimits(cpu_seconds=1, is_over=lambda: next(looks, True))
    view = MarkdownView(archive, Slow(), CrawlSettings(), limits=limits)
    assert view.at(place) == PageMarkdown(text=None, problem=OUT_OF_TIME)


def test_many_pages_come_in_order_from_several_processes(archive: FolderArchive) -> None:
    bodies = [f"<main><h1>Page {number}</h1><p>Text of it.".encode() for number in range(40)]
    pages = [(record(f"{number:032x}", body), [exchange(body)], None) for number, body in enumerate(bodies)]
    store(archive, FIRST, *pages)
    keys = [page.key for page, _, _ in pages]
    places = {key: archive.place(FIRST, attempt=1, key=key) for key in keys[1:]}
    with closing(Parsers(2)) as parsers:
        view = MarkdownView(archive, parsers, CrawlSettings(), at_once=2)
        found = list(view.of_all(keys, lambda key: places.get(key, "")))
        assert parsers.cpu_seconds() == 0  # of this thread
    expected = ["", *(f"# Page {number}\n\nText of it." for number in range(1, 40))]
    assert found == [(key, PageMarkdown(text=text)) for key, text in zip(keys, expected, strict=True)]


def test_pages_after_the_end_of_the_time_say_so_and_a_caller_may_stop(archive: FolderArchive) -> None:
    place = store(archive, FIRST, (record(), [exchange()], None))
    over = RequestLimits(cpu_seconds=1, is_over=lambda: True)
    late = MarkdownView(archive, UnlimitedParser(), CrawlSettings(), limits=over).of_all([place, ""], str)
    assert [one for _, one in late] == [PageMarkdown(text=None, problem=OUT_OF_TIME), PageMarkdown(text="")]
    view = MarkdownView(archive, UnlimitedParser(), CrawlSettings())
    with closing(view.of_all([place] * 100, str)) as few:
        assert next(few)[1] == PageMarkdown(text=WRITTEN)
