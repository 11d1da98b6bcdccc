"""Page extraction: links and facts of an HTML page.

The page is parsed once. One walk over its elements sorts them by use, for links and facts. Then the tree is serialized
without scripts and the like, and one pass over its tags finds the main content and writes its text. Speed depends on
how few nodes Python code visits. The main content as Markdown is made when someone asks for it (`read_markdown`).
"""

from collections.abc import Iterator
from hashlib import sha256

from msgspec.structs import replace
from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

from wavecrawl.domain.pages.extraction.encoded_queries import encode_queries
from wavecrawl.domain.pages.extraction.facts import base_url, head_facts
from wavecrawl.domain.pages.extraction.fragments import anchors, fragment_links
from wavecrawl.domain.pages.extraction.growth import limit_growth
from wavecrawl.domain.pages.extraction.heading_fragments import heading_fragments
from wavecrawl.domain.pages.extraction.links import links
from wavecrawl.domain.pages.extraction.main_text import main_markdown, main_text
from wavecrawl.domain.pages.extraction.page_checks import with_checks
from wavecrawl.domain.pages.extraction.regions import landmarks, regions
from wavecrawl.domain.pages.extraction.resources import media_and_resources
from wavecrawl.domain.pages.extraction.rules import Extractor
from wavecrawl.domain.pages.extraction.survey import survey
from wavecrawl.domain.pages.page import Extraction, LinkKind, MediaSearch, PageFacts, RawLink, Region
from wavecrawl.domain.pages.robots_directives import PRODUCT
from wavecrawl.domain.pages.simhash import hashes_of_words
from wavecrawl.domain.pages.text_choice import TextChoice
from wavecrawl.domain.pages.word_sketch import sketch_of_words
from wavecrawl.domain.pages.words import words_of
from wavecrawl.domain.rendering.actions import needed_action
from wavecrawl.domain.rendering.detection import shell_evidence, unfilled
from wavecrawl.domain.rendering.page_scripts import id_scripts, may_add_links
from wavecrawl.domain.rendering.settings import HOSTS, DetectSettings
from wavecrawl.domain.urls.limits import MAX_LINKS, MAX_URL_LENGTH

_DETECT = DetectSettings()
_NO_MEDIA = MediaSearch()
_NO_EVENTS = int(LexborDocumentOptions.WO_EVENTS)  # events would copy the content of <option>


def extract(
    html: bytes | str,
    *,
    url: str,
    encoding: str = "utf-8",
    max_links: int = MAX_LINKS,
    max_url_length: int = MAX_URL_LENGTH,
    detect: DetectSettings = _DETECT,
    trackers: tuple[str, ...] = HOSTS,
    search: MediaSearch = _NO_MEDIA,
    extractor: Extractor | None = None,
    alternates: tuple[tuple[str, str], ...] = (),
    refresh: str = "",
    product: str = PRODUCT,
    is_dom: bool = False,
    choice: TextChoice = TextChoice.MAIN,
) -> Extraction:
    """Return the links and facts of a page, and whether it is a shell, as `detect` decides it. Never raises.

    `html` as bytes is UTF-8; `url` is absolute; `encoding`: that of the document before it was decoded, in which its
    references have their queries. `trackers`: hosts whose scripts add no links. `search`: what else to look for.
    `product`: the product token of the crawler, for which the page may have directives in `<meta>`.
    `alternates`: (language or "", absolute URL) of other versions of the page that the header of the response declares.
    `refresh`: absolute URL that its Refresh header leads to; "" without one.
    `is_dom`: whether scripts have run, so that what they should have filled is looked at. `choice`: the text to read.
    """
    content = html.encode("utf-8", "replace") if isinstance(html, str) else html
    parsed = limit_growth(content)
    page = survey(LexborHTMLParser(parsed, options=_NO_EVENTS))
    extracted = extractor.found_in(page.tree, html, url) if extractor else None
    if encoding != "utf-8" and encode_queries(page.tree, encoding):
        page = survey(page.tree)
    base = base_url(page, url)
    marks = landmarks(page)
    found = links(page, regions(page, marks), most=max_links)
    if alternates or refresh:
        found = (*_header_links(alternates, refresh), *found)[:max_links]
    media, resources = media_and_resources(page.tree, search, most=max_links)
    facts = head_facts(page, base, source=content, longest=max_url_length, product=product, alternates=alternates)
    facts = with_checks(facts, page, base, url)
    shell = shell_evidence(page, size=len(html), detect=detect)
    scripted = may_add_links(page, trackers=trackers)
    names = anchors(page) if parsed is content else None
    parts, all_parts = fragment_links(page, content, names)
    lacks = unfilled(page, detect) if is_dom else ""
    action = needed_action(page, base)
    main = main_text(page, choice)
    hashed = content if choice is TextChoice.NONE else main.text.encode("utf-8")
    words = words_of(main.text)
    fingerprint, word_set = hashes_of_words(words.found)
    facts = replace(
        facts,
        cut_facts=_cut_facts(
            facts.cut_facts,
            text=main.is_cut,
            extracted=extracted is not None and extracted.cut,
            anchors=names is None,
            fragment_links=not all_parts,
        ),
        anchors=names,
        id_scripts=0 if is_dom else id_scripts(page, base, trackers=trackers),
        extracted=extracted.values if extracted else (),
        rule_problems=extracted.problems if extracted else (),
        word_count=words.count,
        text=main.text,
        text_hash=sha256(hashed).hexdigest() if hashed else "",
        simhash=fingerprint,
        word_set=word_set,
        word_sketch=sketch_of_words(words.found),
        refresh=refresh or facts.refresh,
    )
    return Extraction(
        facts=facts,
        base_url=base,
        links=found,
        fragment_links=parts,
        shell=shell,
        scripted=scripted,
        unfilled=lacks,
        needed_action=action,
        media=media,
        resources=resources,
    )


def _header_links(alternates: tuple[tuple[str, str], ...], refresh: str) -> Iterator[RawLink]:
    """Yield the links of the header of a response."""
    for language, url in alternates:
        yield RawLink(href=url, kind=LinkKind.ALTERNATE, region=Region.HEAD, hreflang=language)
    if refresh:
        yield RawLink(href=refresh, kind=LinkKind.REFRESH, region=Region.HEAD)


def _cut_facts(of_head: tuple[str, ...], **others: bool) -> tuple[str, ...]:
    return tuple(sorted((*of_head, *(name for name, is_cut in others.items() if is_cut))))


def read_media(html: bytes | str, *, url: str, encoding: str, max_links: int, search: MediaSearch) -> Extraction:
    """Return the media and resources of a page as `extract` does, and its base URL, without the rest. Never raises."""
    content = html.encode("utf-8", "replace") if isinstance(html, str) else html
    page = survey(LexborHTMLParser(limit_growth(content), options=_NO_EVENTS))
    if encoding != "utf-8":
        encode_queries(page.tree, encoding)
    media, resources = media_and_resources(page.tree, search, most=max_links)
    return Extraction(facts=PageFacts(), base_url=base_url(page, url), links=(), media=media, resources=resources)


def read_markdown(html: bytes | str, *, url: str, encoding: str, choice: TextChoice = TextChoice.MAIN) -> Extraction:
    """Return the chosen text of a page as Markdown, without the rest. It is the text of `extract`. Never raises."""
    content = html.encode("utf-8", "replace") if isinstance(html, str) else html
    page = survey(LexborHTMLParser(limit_growth(content), options=_NO_EVENTS))
    if encoding != "utf-8" and encode_queries(page.tree, encoding):
        page = survey(page.tree)
    base = base_url(page, url)
    markdown = main_markdown(page, base, choice)
    fragments = heading_fragments(page.tree, markdown)
    return Extraction(facts=PageFacts(), base_url=base, links=(), markdown=markdown, fragments=fragments)
