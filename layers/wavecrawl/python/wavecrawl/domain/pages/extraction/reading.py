"""Reading a page: all that the result depends on but its HTML, as one value that another process can be given."""

from functools import lru_cache

from msgspec import Struct

from wavecrawl.domain.pages.extraction import extract, read_markdown, read_media
from wavecrawl.domain.pages.extraction.plain import MARKDOWN_TYPES, plain_facts, plain_markdown
from wavecrawl.domain.pages.extraction.rules import Extractor
from wavecrawl.domain.pages.extraction_rules import ExtractSettings
from wavecrawl.domain.pages.page import Extraction, MediaSearch, PageFacts
from wavecrawl.domain.pages.robots_directives import PRODUCT
from wavecrawl.domain.pages.text_choice import TextChoice
from wavecrawl.domain.rendering.settings import HOSTS, DetectSettings
from wavecrawl.domain.urls.limits import MAX_LINKS, MAX_PAGE_CPU, MAX_URL_LENGTH

BOUNDED_BYTES = 1_048_576
"""Bytes of HTML, or characters of a DOM. A page with at most this many takes less than 2 s of processor time and 300 MB
of memory, whatever it contains (docs/security.md, "What one page may cost"), unless rules extract values from it."""


class Reading(Struct, frozen=True, kw_only=True):
    """How to read a page. The fields are the arguments of `extraction.extract`."""

    url: str
    encoding: str = "utf-8"
    max_links: int = MAX_LINKS
    max_url_length: int = MAX_URL_LENGTH
    detect: DetectSettings = DetectSettings()
    trackers: tuple[str, ...] = HOSTS
    search: MediaSearch = MediaSearch()
    rules: ExtractSettings = ExtractSettings()
    alternates: tuple[tuple[str, str], ...] = ()  # that the header of the response declares
    refresh: str = ""  # where a Refresh header leads
    product: str = PRODUCT  # whose directives in <meta> apply
    is_dom: bool = False
    text: TextChoice = TextChoice.MAIN
    plain_type: str = ""  # media type of a page that is no HTML but a text, see `extraction.plain`
    only_media: bool = False  # read the media and resources alone
    only_markdown: bool = False  # read the main text as Markdown alone
    cpu_seconds: float = MAX_PAGE_CPU  # budget of processor time

    def is_bounded(self, html: bytes | str) -> bool:
        """Return whether the size of a page alone bounds what reading it costs."""
        return len(html) <= BOUNDED_BYTES and (
            bool(self.plain_type) or self.only_media or self.only_markdown or extractor_of(self.rules).is_bounded
        )


def read_page(html: bytes | str, how: Reading) -> Extraction:
    """Return the content of a page: the same in whichever process it is read."""
    if how.plain_type:
        return _read_plain(html, how)
    if how.only_media:
        return read_media(html, url=how.url, encoding=how.encoding, max_links=how.max_links, search=how.search)
    if how.only_markdown:
        return read_markdown(html, url=how.url, encoding=how.encoding, choice=how.text)
    return extract(
        html,
        url=how.url,
        encoding=how.encoding,
        max_links=how.max_links,
        max_url_length=how.max_url_length,
        detect=how.detect,
        trackers=how.trackers,
        search=how.search,
        extractor=extractor_of(how.rules),
        alternates=how.alternates,
        refresh=how.refresh,
        is_dom=how.is_dom,
        product=how.product,
        choice=how.text,
    )


def _read_plain(content: bytes | str, how: Reading) -> Extraction:
    if how.only_markdown:
        markdown = plain_markdown(content, how.text, is_markdown=how.plain_type in MARKDOWN_TYPES)
        return Extraction(facts=PageFacts(), base_url=how.url, links=(), markdown=markdown)
    return Extraction(facts=plain_facts(content, how.text), base_url=how.url, links=())


@lru_cache(maxsize=16)  # a process reads the pages of a few crawls at a time
def extractor_of(settings: ExtractSettings) -> Extractor:
    """Return the compiled rules of a crawl."""
    return Extractor(settings)
