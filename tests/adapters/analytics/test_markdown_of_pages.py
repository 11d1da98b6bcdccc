"""The Markdown of pages in the API and the library, which is made of what the crawl stored."""

import shutil
from collections.abc import Callable, Iterator
from math import inf
from pathlib import Path

import pytest
from tests.adapters.analytics.conftest import Crawled
from tests.adapters.analytics.results_service import ResultsService

from wavecrawl.api.routes import pages as routes
from wavecrawl.domain.pages.extraction.reading import Reading
from wavecrawl.domain.pages.page import Extraction
from wavecrawl.domain.pages.plain_text import plain_text
from wavecrawl.errors import StoreBusyError
from wavecrawl.library.results import open_crawl
from wavecrawl.ports.page_parser import UnlimitedParser, never

MOST = 6_000
"""Characters of a text in a list of 100 pages."""

LOST = "the stored response of the page cannot be read any more: it was deleted, or has expired"


@pytest.fixture(name="root")
def a_copy_of_the_data_folder(crawled: Crawled, tmp_path: Path) -> Path:
    return shutil.copytree(crawled.done.folder.parents[5], tmp_path / "data")


@pytest.fixture(name="service")
def an_api_over_it(root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ResultsService]:
    monkeypatch.setattr(routes, "_MOST_SECONDS", inf)
    service = ResultsService(root)
    yield service
    service.close()


def test_lists_and_details_have_the_markdown_of_the_stored_pages(crawled: Crawled, service: ResultsService) -> None:
    crawl = crawled.done.row.id.crawl
    texts = {line["key"]: line["text"] for line in crawled.done.pages()}
    listed = service.ask("GET", f"/v1/crawls/{crawl}/pages", query={"include": "markdown", "limit": "100"}).body[
        "pages"
    ]
    assert len(listed) == 100
    whole = [page for page in listed if len(page["markdown"]) < MOST]
    assert len(whole) > 90
    assert {page["key"]: plain_text(page["markdown"]) for page in whole}.items() <= texts.items()
    assert {(page["text"], page["markdown_problem"]) for page in listed} == {(None, None)}
    linked = next(page for page in whole if "](http" in page["markdown"])
    page = service.ask("GET", f"/v1/crawls/{crawl}/pages/{linked['key']}").body
    assert (page["markdown"], page["text"]) == (linked["markdown"], texts[linked["key"]])
    assert (page["markdown_length"], page["markdown_problem"]) == (len(page["markdown"]), "")
    with_texts = service.ask("GET", f"/v1/crawls/{crawl}/pages", query={"include": "text", "limit": "100"}).body[
        "pages"
    ]
    assert {page["key"]: page["text"] for page in with_texts} == {
        page["key"]: texts[page["key"]][:MOST] for page in listed
    }
    assert {page["markdown"] for page in with_texts} == {None}


def test_a_list_that_takes_too_long_says_which_pages_are_missing(
    crawled: Crawled, service: ResultsService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes, "_MOST_SECONDS", -1.0)
    path = f"/v1/crawls/{crawled.done.row.id.crawl}/pages"
    (page,) = service.ask("GET", path, query={"include": "markdown", "limit": "1"}).body["pages"]
    assert (page["markdown"], page["markdown_problem"]) == (
        None,
        "there was no time left to make it; request fewer pages at once",
    )


class Busy(UnlimitedParser):
    """A parser over a store that does not respond. It notes the budget of each page."""

    def __init__(self) -> None:
        self.budgets: list[float] = []

    def read(self, html: bytes | str, how: Reading, *, is_stopped: Callable[[], bool] = never) -> Extraction:  # noqa: ARG002 - as the port says
        """Raise StoreBusyError."""
        self.budgets.append(how.cpu_seconds)
        raise StoreBusyError("it did not respond")


def test_a_page_whose_markdown_cannot_be_made_now_still_has_its_facts(
    crawled: Crawled, service: ResultsService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(service.store.__dict__, "parser", parser := Busy())
    line = crawled.done.pages()[0]
    page = service.ask("GET", f"/v1/crawls/{crawled.done.row.id.crawl}/pages/{line['key']}").body
    assert (page["text"], page["markdown"]) == (line["text"], None)
    assert page["markdown_problem"] == "the stored page cannot be read now; request it again later"
    assert parser.budgets == [2.0]


def test_without_the_stored_responses_the_plain_text_is_left_and_the_reason_is_named(
    crawled: Crawled, service: ResultsService, root: Path
) -> None:
    shutil.rmtree(root.joinpath(*crawled.done.folder.parts[-6:], "warc"))
    crawl = crawled.done.row.id.crawl
    (page,) = service.ask("GET", f"/v1/crawls/{crawl}/pages", query={"include": "markdown", "limit": "1"}).body["pages"]
    assert (page["markdown"], page["markdown_problem"]) == (None, LOST)
    page = service.ask("GET", f"/v1/crawls/{crawl}/pages/{page['key']}").body
    assert (page["markdown"], page["markdown_length"], page["markdown_problem"]) == (None, None, LOST)
    assert page["text"] == crawled.done.pages()[0]["text"] != ""
    with open_crawl(root) as opened:
        written = list(opened.markdown())
    assert len(written) > 10
    assert {markdown for _, markdown in written} == {None}
