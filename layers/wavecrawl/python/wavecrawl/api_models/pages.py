"""Pages of a crawl, as they are shown."""

from dataclasses import asdict
from typing import Any

from pydantic import Field

from wavecrawl.api_models.types import Moment, Shown, moment_or_none
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.ports.results import PageDetail, PageLink, PageLinks, PageRow

MOST_TEXT = 100_000
"""Characters of a page's text in one answer, which Lambda bounds to 6 MB; the exports have all of it."""

_MOST_PROPERTIES = 100
_LONGEST = 2_000  # characters of a title or a property


class PageShown(Shown):
    """One URL that was tried. What only the whole crawl can tell is null while it runs."""

    key: str = Field(description="names the page in this API")
    url: str
    state: UrlState
    reason: str = Field(description="why it is in this state, where the state alone does not say")
    status: int | None = Field(description="of the HTTP answer; null without one")
    depth: int = Field(description="links from the root; as planned while the crawl runs, exact when it is over")
    title: str = Field(description="without the site's own name, once the crawl is over")
    content_type: str
    words: int = Field(description="of the main text")
    bytes: int = Field(description="as transferred")
    elapsed: float = Field(description="seconds to the last byte")
    fetched_at: Moment | None
    redirect_to: str = Field(description="another page of the site that it redirects to")
    parent: str | None = Field(description="the URL of the page on the shortest way from the root")
    in_links: int | None = Field(description="pages that link to it")
    out_links: int | None = Field(description="pages that it links to")
    pagerank: float | None
    indexable: bool | None
    in_sitemap: bool | None
    orphan: str | None = Field(description="orphan or inconclusive, where no crawled page links to it; else empty")
    duplicate_of: str | None = Field(description="the page nearest to the root with the same text")
    near_duplicate_of: str | None


class PageList(Shown):
    """Pages of a crawl."""

    pages: list[PageShown]
    next_cursor: str | None = Field(
        description="asks for the next page; null on the last one. A running crawl has none"
    )
    running: bool = Field(description="whether there may be more pages later: ask again with the same cursor")


class LinkShown(Shown):
    """A link or redirect; `url` is its other end."""

    url: str
    key: str = Field(description="of the other end; empty where that was not tried")
    kind: str = Field(description="a, area, frame, canonical, alternate, next, prev, refresh or redirect")
    text: str
    region: str = Field(description="the part of the page it stands in")
    nofollow: bool
    reason: str = Field(description="why its target could not be crawled; empty where it could")


class LinksShown(Shown):
    """Links one way."""

    total: int
    shown: list[LinkShown] = Field(description="the first 100")


class HeadingShown(Shown):
    """A heading."""

    level: int
    text: str


class AlternateShown(Shown):
    """The page in another language (hreflang)."""

    language: str
    url: str


class PropertyShown(Shown):
    """A property of Open Graph."""

    property: str
    content: str


class PageInFull(PageShown):
    """Everything about one page."""

    detail: str
    full_title: str = Field(description="as the page has it")
    description: str
    keywords: str
    language: str
    canonical: str
    robots: list[str]
    charset: str
    headings: list[HeadingShown]
    hreflang: list[AlternateShown]
    open_graph: list[PropertyShown]
    json_ld_types: list[str]
    text: str = Field(description=f"the main text, its first {MOST_TEXT:,} characters")
    text_length: int = Field(description="characters of the whole of it")
    text_hash: str = Field(description="SHA-256 of the whole of it")
    simhash: str = Field(description="64 bits, 16 hex digits")
    entity_tag: str = Field(description="the ETag of its answer, with its quotes")
    last_modified: str
    final_url: str = Field(description="where redirects to the same page ended; empty without any")
    tries: int
    decoded_bytes: int
    truncated: bool = Field(description="whether it was not read to its end")
    response_time: float = Field(description="seconds to the end of the headers")
    sitemap_lastmod: str | None
    changed_on: str | None = Field(description="the day its text was last seen to change; empty where that is unknown")
    links: LinksShown
    linked_from: LinksShown | None = Field(description="null while the crawl runs")


def page_shown(page: PageRow) -> PageShown:
    """Return a page as lists have it."""
    return PageShown(**_fields(page))


def page_in_full(found: PageDetail) -> PageInFull:
    """Return everything about a page."""
    simple: dict[str, Any] = {
        name: getattr(found, name)
        for name in PageInFull.model_fields
        if name in PageDetail.__dataclass_fields__ and name not in _OF_ITS_OWN
    }
    return PageInFull(
        **_fields(found.page),
        **simple,
        full_title=found.full_title[:_LONGEST],
        description=found.description[:_LONGEST],
        keywords=found.keywords[:_LONGEST],
        robots=list(found.robots),
        headings=[HeadingShown(level=level, text=text) for level, text in found.headings],
        hreflang=[AlternateShown(language=one, url=url) for one, url in found.hreflang[:_MOST_PROPERTIES]],
        open_graph=[
            PropertyShown(property=name[:_LONGEST], content=content[:_LONGEST])
            for name, content in found.open_graph[:_MOST_PROPERTIES]
        ],
        json_ld_types=list(found.json_ld_types[:_MOST_PROPERTIES]),
        text=found.text[:MOST_TEXT],
        text_length=len(found.text),
        entity_tag=found.etag,
        simhash=f"{found.simhash:016x}",
        links=_links(found.links),
        linked_from=_links(found.linked_from) if found.linked_from else None,
    )


_OF_ITS_OWN = frozenset(
    "full_title description keywords robots headings hreflang open_graph json_ld_types text simhash links "
    "linked_from".split()
)


def _fields(page: PageRow) -> dict[str, Any]:
    return asdict(page) | {"fetched_at": moment_or_none(page.fetched_at), "title": page.title[:_LONGEST]}


def _links(links: PageLinks) -> LinksShown:
    return LinksShown(total=links.total, shown=[_link(link) for link in links.shown])


def _link(link: PageLink) -> LinkShown:
    return LinkShown(**asdict(link))
