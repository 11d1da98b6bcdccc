"""Pages as models of the API."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec.structs import asdict

from wavecrawl.api.serializers import same_fields
from wavecrawl.api_models.pages import (
    MOST_TEXT,
    MOST_TEXTS,
    AlternateLanguage,
    Heading,
    Included,
    OpenGraphProperty,
    Page,
    PageDetail,
    PageLink,
    PageLinks,
    PageMedia,
    PageResponse,
    ResponseHeader,
)
from wavecrawl.api_models.types import timestamp_or_none
from wavecrawl.application.page_markdown import PageMarkdown
from wavecrawl.ports import media_results, results
from wavecrawl.ports.archive import StoredResponse

_MOST_PROPERTIES: Final = 100
_LONGEST: Final = 2_000  # characters of a title or a property


def page_response(response: StoredResponse) -> PageResponse:
    """Return status and headers of a stored response."""
    headers = [ResponseHeader(name=name, value=value) for name, value in response.headers]
    return PageResponse(crawl=response.crawl.crawl, url=response.url, status=response.status, headers=headers)


def page_models(
    pages: Sequence[results.PageRow],
    *,
    limit: int,
    include: Included | None,
    markdown: Mapping[str, PageMarkdown],
) -> list[Page]:
    """Return the pages of a list of at most `limit`. Texts are cut, so that a response fits into the 6 MB of Lambda.

    `markdown` has that of the pages with text, by key.
    """
    most = min(MOST_TEXT, MOST_TEXTS // limit)
    return [Page(**_fields(page) | _text_of(page, include, most, markdown.get(page.key))) for page in pages]


def _text_of(
    page: results.PageRow, include: Included | None, most: int, markdown: PageMarkdown | None
) -> dict[str, str | None]:
    if include is Included.MARKDOWN:
        found = markdown or PageMarkdown(text="")
        return {"text": None, "markdown": _cut(found.text, most), "markdown_problem": found.problem or None}
    return {"text": _cut(page.text, most), "markdown": None, "markdown_problem": None}


def _cut(text: str | None, most: int) -> str | None:
    return None if text is None else text[:most]


def page_detail(
    found: results.PageDetail,
    *,
    markdown: PageMarkdown,
    media: Sequence[media_results.PageMedia],
    screenshot_url: str | None,
    as_of_wave: int | None,
) -> PageDetail:
    """Return everything about a page. Long texts are cut, so that a response fits into the 6 MB of Lambda."""
    lists = {name: getattr(found, name) for name in ("hreflang", "json_ld_types", "open_graph")}
    converted = {
        "full_title": found.full_title[:_LONGEST],
        "description": found.description[:_LONGEST],
        "keywords": found.keywords[:_LONGEST],
        "robots": list(found.robots),
        "headings": [Heading(level=level, text=text) for level, text in found.headings],
        "hreflang": [AlternateLanguage(language=one, url=url) for one, url in found.hreflang[:_MOST_PROPERTIES]],
        "open_graph": [
            OpenGraphProperty(property=name[:_LONGEST], content=content[:_LONGEST])
            for name, content in found.open_graph[:_MOST_PROPERTIES]
        ],
        "json_ld_types": list(found.json_ld_types[:_MOST_PROPERTIES]),
        "cut_facts": sorted({*found.cut_facts, *(name for name, one in lists.items() if len(one) > _MOST_PROPERTIES)}),
        "text": found.text[:MOST_TEXT],
        "text_length": len(found.text),
        "markdown": _cut(markdown.text, MOST_TEXT),
        "markdown_length": None if markdown.text is None else len(markdown.text),
        "markdown_problem": markdown.problem,
        "simhash": f"{found.simhash:016x}",
        "media": [PageMedia(**asdict(one)) for one in media],
        "links": _links(found.links),
        "linked_from": _links(found.linked_from),
        "screenshot_url": screenshot_url,
        "as_of_wave": as_of_wave,
    }
    return PageDetail(**_fields(found.page) | same_fields(PageDetail, found) | converted)


def _fields(page: results.PageRow) -> dict[str, Any]:
    return asdict(page) | {"fetched_at": timestamp_or_none(page.fetched_at), "title": page.title[:_LONGEST]}


def _links(links: results.PageLinks) -> PageLinks:
    return PageLinks(total=links.total, pages=links.pages, shown=[PageLink(**asdict(link)) for link in links.shown])
