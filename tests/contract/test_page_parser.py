"""The contract of page parsers, in the process itself and with a child process."""

from collections.abc import Iterator
from functools import partial

import pytest
from msgspec import structs

from wavecrawl.adapters.pages.parser import BudgetedParser
from wavecrawl.adapters.pages.parsers import Parsers
from wavecrawl.domain.pages.extraction.reading import BOUNDED_BYTES, Reading, read_page
from wavecrawl.domain.pages.extraction_rules import ExtractSettings
from wavecrawl.domain.pages.page import MediaSearch
from wavecrawl.domain.rendering.settings import DetectSettings
from wavecrawl.ports.page_parser import PageParser, UnlimitedParser, never

HOW = Reading(url="https://site.example/a/")
RULES = ExtractSettings(
    rules=("price = .price", "sku = /SKU-([0-9]+)/", "wide = li:nth-child(2n+1)", "old = has(.old)")
)
PADDING = "<!--" + "x" * BOUNDED_BYTES + "-->"
PAGE = """<!DOCTYPE html><html lang=de><title>A lamp</title><base href=/b/><link rel=canonical href=c>
<link rel=alternate hreflang=en href=/en><meta name=robots content="noindex, max-snippet:5"><meta property=og:title
content=Lamp><script type=application/ld+json>{"@type":["Product","Thing"]}</script><script src=x.js></script>
<nav><a href=/nav rel=nofollow>Nav</a></nav><main><h1>Lamp</h1><p class=price>12 € <a href="x?q=ü">A link</a> and some
text that is long enough to be taken for prose.<img src=http://a.example/i.png><ul><li>one<li>two<li>three</ul></main>SKU-17"""


@pytest.fixture(scope="module", params=[UnlimitedParser, BudgetedParser, partial(Parsers, 2)])
def parser(request: pytest.FixtureRequest) -> Iterator[PageParser]:
    made: PageParser = request.param()
    yield made
    made.close()


@pytest.mark.parametrize(
    ("html", "how"),
    [
        pytest.param(PAGE.encode(), HOW, id="bytes"),
        pytest.param(PAGE, HOW, id="text"),
        pytest.param(PAGE + PADDING, HOW, id="a large page"),
        pytest.param((PAGE + PADDING).encode(), structs.replace(HOW, encoding="windows-1252"), id="another encoding"),
        pytest.param(PAGE + PADDING, structs.replace(HOW, is_dom=True), id="a DOM"),
        pytest.param(PAGE + "\ud800" + PADDING, structs.replace(HOW, is_dom=True), id="a DOM with half a character"),
        pytest.param(PAGE, structs.replace(HOW, rules=RULES), id="rules"),
        pytest.param(PAGE, structs.replace(HOW, max_links=1, max_url_length=20), id="limits"),
        pytest.param(
            PAGE + PADDING,
            structs.replace(HOW, search=MediaSearch(media=True, resources=True)),
            id="media and resources",
        ),
        pytest.param(
            PAGE + PADDING, structs.replace(HOW, search=MediaSearch(media=True), only_media=True), id="only media"
        ),
        pytest.param(PAGE + PADDING, structs.replace(HOW, only_markdown=True), id="only Markdown"),
        pytest.param(
            "<script></script><div id=app></div>" + PADDING,
            structs.replace(HOW, detect=DetectSettings(roots=("#app",)), trackers=("tracker.example",)),
            id="a shell",
        ),
        pytest.param(PAGE + PADDING, structs.replace(HOW, plain_type="text/plain"), id="a plain text"),
        pytest.param("", HOW, id="nothing"),
    ],
)
def test_a_page_has_the_same_content_wherever_it_is_read(parser: PageParser, html: bytes | str, how: Reading) -> None:
    assert parser.read(html, how) == read_page(html, how)


def test_a_closed_parser_can_be_used_again(parser: PageParser) -> None:
    parser.close()
    assert parser.read(PAGE + PADDING, HOW) == read_page(PAGE + PADDING, HOW)


def test_work_goes_on_unless_someone_says_that_it_is_stopped(parser: PageParser) -> None:
    assert not never()
    assert parser.read(PAGE, HOW, is_stopped=never) == parser.read(PAGE, HOW)
