"""A page while the crawl runs."""

import builtins
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

from wavecrawl.domain.crawl import record as records
from wavecrawl.domain.crawl.record import PageRecord
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.pages.extraction_rules import values_by_rule
from wavecrawl.domain.pages.page import LinkKind, PageFacts, Region


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """A link of a page. A page has at most one link to a URL: the first."""

    url: str  # absolute, without fragment and tracking parameters
    key: str  # of the URL
    kind: LinkKind
    region: Region  # part of the page that contains the link
    text: str
    nofollow: bool
    reason: str  # why the settings exclude the target, such as out_of_scope; "" if they do not
    rel: str  # `ugc`, `sponsored`, both separated by a space, or ""


class Heading(NamedTuple):
    """A heading."""

    level: int  # 1 to 6
    text: str


class AlternateLanguage(NamedTuple):
    """The page in another language (`hreflang`)."""

    language: str
    url: str


class OpenGraphProperty(NamedTuple):
    """An Open Graph property."""

    property: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page that the crawl has read. Texts that a page lacks are "" and lists are empty, also if it is not HTML."""

    key: str  # derived from the URL; the same in all results
    url: str
    state: UrlState  # fetched, or unchanged: as in the crawl before
    status: int | None
    depth: int  # links from the root, as planned; the results have the shortest path
    final_url: str  # of the response, if the page redirected to a variant of its own URL; else ""
    content_type: str
    charset: str
    bytes: int  # of the body as transferred
    elapsed: float  # seconds
    fetched_at: datetime
    title: str
    description: str
    keywords: str
    language: str
    canonical: str  # that of the header, or of the page
    robots: tuple[str, ...]  # directives of headers and page
    headings: tuple[Heading, ...]
    hreflang: tuple[AlternateLanguage, ...]
    open_graph: tuple[OpenGraphProperty, ...]
    json_ld_types: tuple[str, ...]
    cut_facts: tuple[str, ...]  # the lists that have more values on the page than here
    extracted: dict[str, list[str]]
    rule_problems: tuple[str, ...]  # why rules have no value, or not all: `name: reason`
    words: int  # of the main text
    text: str  # the main text without markup
    rendered: bool  # whether this is the page as a browser shows it
    links: tuple[Link, ...]
    _body: "Callable[[], builtins.bytes | None]" = field(repr=False, compare=False)
    _markdown: "Callable[[], str]" = field(repr=False, compare=False)

    @property
    def markdown(self) -> str:
        """The main text as Markdown. It is made of the stored page each time that it is read.

        The stored page is read from the crawl's folder, as by `body`.

        Raises:
            NotFoundError: The folder or the stored page is deleted, or the page cannot be read.
        """
        return self._markdown()

    def body(self) -> "builtins.bytes | None":
        """Return the stored body of the response without content codings, such as the HTML; None if it is deleted.

        The body is read from the crawl's folder. Without `data`, that folder is deleted when the crawl is closed, or
        when the loop of `iter_crawl` ends.

        Raises:
            NotFoundError: The folder is deleted.
        """
        return self._body()


def page_of(record: PageRecord, body: Callable[[], bytes | None], markdown: Callable[[], str]) -> Page:
    """Return the page of a record. `body` and `markdown` read what is stored of it."""
    facts = record.facts or PageFacts()
    return Page(
        key=record.key,
        url=record.url,
        state=record.state,
        status=record.status,
        depth=record.depth,
        final_url=record.final_url,
        content_type=record.content_type,
        charset=record.charset,
        bytes=record.bytes,
        elapsed=record.elapsed,
        fetched_at=datetime.fromtimestamp(record.fetched_at, tz=UTC),
        title=facts.title,
        description=facts.description,
        keywords=facts.keywords,
        language=facts.language,
        canonical=record.header_canonical or facts.canonical,
        robots=tuple(sorted({*record.header_robots, *facts.robots})),
        headings=tuple(map(Heading._make, facts.headings)),
        hreflang=tuple(map(AlternateLanguage._make, facts.hreflang)),
        open_graph=tuple(map(OpenGraphProperty._make, facts.open_graph)),
        json_ld_types=facts.json_ld_types,
        cut_facts=facts.cut_facts,
        extracted=values_by_rule(facts.extracted),
        rule_problems=facts.rule_problems,
        words=facts.word_count,
        text=facts.text,
        rendered=record.rendered,
        links=tuple(map(_link_of, record.links)),
        _body=body,
        _markdown=markdown,
    )


def _link_of(link: records.Link) -> Link:
    return Link(
        url=link.url,
        key=link.key,
        kind=link.kind,
        region=link.region,
        text=link.text,
        nofollow=link.nofollow,
        reason=link.skip.value,
        rel=link.rel,
    )
