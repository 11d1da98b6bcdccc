"""Page extraction: links and facts of an HTML page.

The page is parsed once and walked twice: over all elements, to sort them by use, and over the main text. Speed depends
on how few nodes Python code visits.
"""

from hashlib import sha256

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

from wavecrawl.domain.pages.extraction.facts import base_url, head_facts
from wavecrawl.domain.pages.extraction.growth import limit_growth
from wavecrawl.domain.pages.extraction.links import links
from wavecrawl.domain.pages.extraction.main_text import main_words
from wavecrawl.domain.pages.extraction.regions import landmarks, regions
from wavecrawl.domain.pages.extraction.survey import survey
from wavecrawl.domain.pages.page import Extraction, PageFacts
from wavecrawl.domain.pages.simhash import simhash_of_words
from wavecrawl.domain.pages.word_sketch import sketch_of_words

__all__ = ["extract"]

_NO_EVENTS = int(LexborDocumentOptions.WO_EVENTS)  # events would copy the content of <option>


def extract(html: bytes | str, *, url: str, max_links: int = 10_000) -> Extraction:
    """Return the links and facts of a page. `html` as bytes is UTF-8; `url` is absolute. Never raises."""
    content = html.encode("utf-8", "replace") if isinstance(html, str) else html
    page = survey(LexborHTMLParser(limit_growth(content), options=_NO_EVENTS))
    base = base_url(page, url)
    marks = landmarks(page)
    found = links(page, regions(page, marks), most=max_links)
    head = head_facts(page, base)
    words = main_words(page, marks)
    text = " ".join(words)
    facts = PageFacts(
        title=head.title,
        description=head.description,
        keywords=head.keywords,
        canonical=head.canonical,
        robots=head.robots,
        language=head.language,
        hreflang=head.hreflang,
        headings=head.headings,
        open_graph=head.open_graph,
        json_ld_types=head.json_ld_types,
        word_count=len(words),
        text=text,
        text_hash=sha256(text.encode("utf-8")).hexdigest() if text else "",
        simhash=simhash_of_words(words),
        word_sketch=sketch_of_words(words),
    )
    return Extraction(facts=facts, base_url=base, links=found)
