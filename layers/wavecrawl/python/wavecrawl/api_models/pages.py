"""Pages of a crawl: responses."""

from enum import StrEnum
from typing import Final

from pydantic import Field

from wavecrawl.api_models.types import (
    LANE,
    ORPHAN,
    SCORE,
    AsOfWave,
    RenderAdded,
    Rendered,
    RenderProblem,
    ResponseModel,
    ScreenshotUrl,
    Shell,
    Timestamp,
    Total,
)
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.focus.lane import Lane
from wavecrawl.domain.media.kinds import MediaKind, MediaSource

MOST_TEXT: Final = 100_000
"""Maximum number of characters of a page's text in a response. The exports contain the whole text."""

MOST_TEXTS: Final = 600_000
"""Maximum number of characters of all texts in a list of pages. Each page has an equal share."""

_SO_FAR = "Until the crawl has results, this is the value so far."
_AT_END = "`null` until the crawl has results."


class Included(StrEnum):
    """What a list of pages can include in addition."""

    TEXT = "text"
    MARKDOWN = "markdown"


class CrawledPage(ResponseModel):
    """A URL that the crawl tried to fetch, without its text."""

    key: str = Field(description="Key of the page, derived from its URL.")
    url: str
    state: UrlState
    reason: str = Field(description="Why the page is in this state. Empty if the state needs no reason.")
    status: int | None = Field(
        description="Status code of the response. `null` if there was no response. Of an unchanged page, that of the "
        "response with its content."
    )
    revalidated: bool = Field(
        description="Whether the server confirmed with status 304 that the page is unchanged. Its status and its sizes "
        "are those of the response with its content, of an earlier crawl."
    )
    depth: int = Field(
        description="Number of links on the shortest path from the root; for orphans, see `Orphan`. As "
        "planned until the crawl has results."
    )
    lane: Lane | None = Field(description=LANE)
    score: float | None = Field(description=SCORE)
    title: str = Field(
        description="Page title; without a title element, `og:title` or the first heading of level 1. Once the crawl "
        "has results, endings that many titles share, such as the site's name, are removed; see `full_title` of the "
        "page."
    )
    content_type: str = Field(description="Media type.")
    words: int = Field(description="Number of words of the main text.")
    bytes: int = Field(description="Bytes of the response body, as transferred.")
    elapsed: float = Field(description="Duration of the last request in seconds, including the time to connect.")
    fetched_at: Timestamp | None = Field(description="Start of the last request.")
    redirect_to: str = Field(
        description="URL of another page that this page redirects to. Empty if it does not redirect."
    )
    parent: str | None = Field(description=f"URL of the previous page on the shortest path from the root. {_SO_FAR}")
    in_links: int | None = Field(
        description="Number of other pages that link to the page, also through redirects; canonical links do not "
        f"count. {_SO_FAR}"
    )
    out_links: int | None = Field(
        description="Number of other pages of the site that the page links to; redirects and canonical links as in "
        f"`in_links`. {_SO_FAR}"
    )
    pagerank: float | None = Field(description=f"PageRank. {_AT_END}")
    indexable: bool | None = Field(description=f"Whether search engines may index the page. {_SO_FAR}")
    not_indexable: str | None = Field(
        description="Why search engines may not index the page: its state, `not_html`, `noindex`, `unavailable_after` "
        "(its date of expiry is over), or `canonical_elsewhere` (it names another page as its canonical page). Empty "
        f"if they may. {_SO_FAR}"
    )
    in_sitemap: bool | None = Field(description=f"Whether a sitemap lists the page. {_SO_FAR}")
    orphan: str | None = Field(description=f"{ORPHAN} Empty: the page is no orphan. {_SO_FAR}")
    duplicate_of: str | None = Field(
        description="URL of the page that is kept instead of this one. Both have the same or nearly the same text "
        f"(setting `duplicates.same`). Empty if the page is not a duplicate. {_AT_END}"
    )
    near_duplicate_of: str | None = Field(
        description="URL of a page with a similar text (setting `duplicates.review`). The page is not a duplicate, but "
        f"worth a review. Empty if there is none. {_AT_END}"
    )
    similarity: float | None = Field(
        description="Similarity to the page in `duplicate_of` or `near_duplicate_of`, up to 1. `null` if both are "
        "empty, and until the crawl has results."
    )


class Page(CrawledPage):
    """A URL that the crawl tried to fetch."""

    text: str | None = Field(description="Main text without markup. `null` if it was not requested.")
    markdown: str | None = Field(
        description="Main text as Markdown. `null` if it was not requested, or if it cannot be made."
    )
    markdown_problem: str | None = Field(
        description="Why the Markdown cannot be made, for example because the stored response has expired. `null` if "
        "it can, or was not requested."
    )


class PageList(ResponseModel):
    """Paginated list of pages."""

    pages: list[Page]
    next_cursor: str | None = Field(
        description="Pass it as `cursor` to continue the list. `null`: the list is complete. While the crawl is "
        "running, it is never `null` if the order is `crawl`: send it again later to get the pages that were added "
        "since."
    )
    total: Total
    as_of_wave: AsOfWave
    running: bool = Field(description="Whether the crawl is running, so that more pages may follow.")


class PageLink(ResponseModel):
    """A link or a redirect between this page and another URL."""

    url: str = Field(description="The other URL.")
    key: str = Field(description="Key of the other URL. Empty if the crawl did not try to fetch that URL.")
    kind: str = Field(
        description="`a`, `area`, `frame`, `canonical`, `alternate`, `next`, `prev`, `refresh`, `feed`, `data` or "
        "`redirect`."
    )
    text: str = Field(description="Link text.")
    region: str = Field(description="Part of the page that contains the link.")
    nofollow: bool
    reason: str = Field(
        description="Why the settings exclude the target, such as `out_of_scope` or `excluded`. Empty if they do not."
    )
    found_in: str = Field(description="`html`, or `dom` if only the rendered page has the link.")
    rel: str = Field(description="`ugc`, `sponsored`, or both separated by a space, if the link says so.")


class PageLinks(ResponseModel):
    """Links and redirects in one direction."""

    total: int = Field(
        description="Number of links and redirects, each once: also those to files and other sites, canonical links, "
        "and several from one page."
    )
    pages: int = Field(
        description="Number of other pages of the site at their other ends: `in_links`, or `out_links`. Of a URL that "
        "redirects, the pages that link to the URL itself; in `in_links`, they count for the page that it leads to."
    )
    shown: list[PageLink] = Field(description="The first 100 links.")


class Heading(ResponseModel):
    """A heading."""

    level: int = Field(description="From 1 to 6.")
    text: str


class AlternateLanguage(ResponseModel):
    """The page in another language (`hreflang`)."""

    language: str
    url: str


class OpenGraphProperty(ResponseModel):
    """An Open Graph property."""

    property: str
    content: str


class PageMedia(ResponseModel):
    """An image, video or document that the page uses."""

    url: str = Field(description="Media URL.")
    key: str = Field(description="Key of the media URL. It differs from that of a page with the same URL.")
    hash: str = Field(description="SHA-256 of the stored asset, see `get_asset`. Empty if none is stored.")
    kind: MediaKind
    source: MediaSource
    text: str = Field(description="Alternative text of an image, text of a link, title of a frame.")
    position: int | None = Field(
        description="Position among the media of the page, from 1. `null` for a document that was found when it was "
        "requested as a page."
    )
    state: UrlState
    reason: str = Field(description="Why the media URL is in this state. Empty if the state needs no reason.")


class ResponseHeader(ResponseModel):
    """A header of a response."""

    name: str
    value: str


class PageResponse(ResponseModel):
    """The response from which a page was made, without its body."""

    crawl: str = Field(description="ID of the crawl that fetched it; an earlier one if the page was not modified.")
    url: str = Field(description="Requested URL.")
    status: int = Field(description="Status code.")
    headers: list[ResponseHeader] = Field(description="Headers in their order. A name can occur several times.")


class WholePage(CrawledPage):
    """All facts about one page, without its links: the same in exports and in the API."""

    detail: str = Field(description="Details of the reason, such as an error message.")
    full_title: str = Field(description="Complete text of the title element. Empty if the page has none.")
    description: str = Field(description="Content of the meta description. Empty if the page has none.")
    keywords: str = Field(description="Meta keywords.")
    language: str = Field(description="Language that the page declares.")
    canonical: str = Field(description="Canonical URL that the page declares.")
    robots: list[str] = Field(description="Robots directives of the page and its headers.")
    charset: str = Field(description="Character encoding.")
    headings: list[Heading]
    hreflang: list[AlternateLanguage]
    open_graph: list[OpenGraphProperty]
    json_ld_types: list[str] = Field(description="Types of the JSON-LD objects.")
    cut_facts: list[str] = Field(
        description="Names of the lists that have more values on the page than here, and `text` if the main text was "
        "cut. Other texts that were cut end with `…`.",
        examples=[["headings"]],
    )
    extracted: dict[str, list[str]] = Field(
        description="Values that the rules in the setting `extract.rules` extracted, by the name of the rule.",
        examples=[{"price": ["12.50"]}],
    )
    rule_problems: list[str] = Field(
        description="Why rules have no value from this page, or not all: the name of the rule and the reason.",
        examples=[
            ["odd: the selectors of this and earlier rules would visit more than 100,000,000 elements of this page"]
        ],
    )
    text_hash: str = Field(
        description="SHA-256 of the whole main text without markup; of the page, if the setting `text` is `none`."
    )
    simhash: str = Field(description="SimHash of the main text: 64 bits as 16 hexadecimal digits.")
    etag: str = Field(description="`ETag` of the response, including its quotes.")
    last_modified: str = Field(description="`Last-Modified` of the response.")
    final_url: str = Field(
        description="URL of the response, if the page redirected to a variant of its own URL, such as one with another "
        "order of its parameters. Otherwise empty. For redirects to another page, see `redirect_to`."
    )
    tries: int = Field(description="Number of attempts to fetch the page.")
    decoded_bytes: int = Field(description="Bytes of the body after content decoding.")
    truncated: bool = Field(description="Whether the end of the page is missing.")
    truncated_reason: str = Field(
        description="Why the end of the page is missing: `length` (the size limit), `time` (the time limit), "
        "`disconnect` (the connection ended) or `unspecified` (the body breaks the rules of HTTP, cannot be decoded, "
        "or is a stream). Empty if the page is complete."
    )
    shell: Shell
    rendered: Rendered
    render_added: RenderAdded
    render_problem: RenderProblem
    response_time: float = Field(
        description="Seconds from the start of the last request, including the time to connect, to the end of the "
        "response headers."
    )
    sitemap_lastmod: str | None = Field(description="`lastmod` of the sitemap entry.")
    changed_on: str | None = Field(description="Date of the last known change of the text. Empty if unknown.")
    text: str = Field(description="Main text without markup.")


class PageLine(WholePage):
    """A line of `pages.jsonl.gz`: one URL that the crawl tried to fetch."""

    phase: str = Field(description="Phase of the crawl in which the URL was found: `bfs`, `sitemap` or `orphan`.")
    screenshot: str = Field(
        description="Name of the screenshot, below the folder of the crawl. Empty if there is none."
    )
    batch: str = Field(description="Batch and attempt that fetched the page, by which its WARC file is named.")
    markdown: str | None = Field(
        default=None,
        description="Main text as Markdown, in files of `wavecrawl export jsonl --markdown` only. `null` if the stored "
        "page cannot be read any more.",
    )


class PageDetail(WholePage):
    """Everything about one page."""

    text: str = Field(description=f"Main text without markup: the first {MOST_TEXT:,} characters.")
    text_length: int = Field(description="Number of characters of the whole main text without markup.")
    markdown: str | None = Field(
        description=f"Main text as Markdown: the first {MOST_TEXT:,} characters. It is made of the stored response. "
        "`null` if it cannot be made."
    )
    markdown_length: int | None = Field(
        description="Number of characters of the whole main text as Markdown. `null` if it cannot be made."
    )
    markdown_problem: str = Field(
        description="Why the Markdown cannot be made, for example because the stored response has expired. Empty if it "
        "can."
    )
    screenshot_url: ScreenshotUrl
    media: list[PageMedia] = Field(
        description="The first 100 media that the page uses. Empty if the crawl stores no media."
    )
    links: PageLinks = Field(description="Links and redirects from the page.")
    linked_from: PageLinks = Field(
        description=f"Links and redirects to the page, and links to URLs that redirect to it. {_SO_FAR}"
    )
    as_of_wave: AsOfWave
