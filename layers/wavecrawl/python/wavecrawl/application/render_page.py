"""Render one page: load its stored response in the browser, make its record from the DOM."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import BoundedSemaphore

from msgspec import structs

from wavecrawl.application.fetched_page import FetchedPage
from wavecrawl.application.site_rules import site_rules
from wavecrawl.domain.brand.brand import Brand
from wavecrawl.domain.crawl.job import CrawlId, JobItem
from wavecrawl.domain.crawl.record import Link, PageRecord, Reason
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.crawl.unchanged import link_hash, reference_to
from wavecrawl.domain.fetching.exchange import Cut
from wavecrawl.domain.media.references import MediaRules
from wavecrawl.domain.pages.extraction import extract
from wavecrawl.domain.pages.extraction.rules import Extractor
from wavecrawl.domain.pages.page import Extraction, LinkKind, PageFacts, Region
from wavecrawl.domain.rendering.conversion import Conversion
from wavecrawl.domain.rendering.gain import adds_text
from wavecrawl.domain.urls.link_filter import LinkFilter, are_cut
from wavecrawl.domain.urls.spellings import other_spelling
from wavecrawl.errors import BrowserMissingError, CorruptDataError
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.archive import Archive, StoredResponse
from wavecrawl.ports.browser import Browser, RenderedPage, RenderRequest
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.screenshots import Screenshots

_CODINGS = ("content-encoding", "content-length", "transfer-encoding")  # the stored body has none of these
_NO_RESPONSE = "the stored response cannot be read"
_NO_CONTENT = "the rendered page has no content"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Document:
    """A fetched page: its record, and the record with its content, which an unchanged page has in an earlier crawl."""

    record: PageRecord
    content: PageRecord
    exchange_at: str  # place of the record with the exchange


class PageRenderer:
    """Renders pages of one crawl. Safe to share between threads."""

    def __init__(
        self,
        *,
        crawl: CrawlId,
        browser: Browser,
        archive: Archive,
        links: LinkFilter,
        media: MediaRules,
        screenshots: Screenshots,
        clock: Clock,
        settings: CrawlSettings,
        root: str = "",
    ) -> None:
        """`root`: url key of the root, which shows the brand, and of which a screenshot may be made."""
        self._crawl = crawl
        self._browser = browser
        self._archive = archive
        self._links = links
        self._media = media
        self._screenshots = screenshots
        self._clock = clock
        self._settings = settings
        self._root = root
        self._extractor = Extractor(settings.extract)
        self._pages = BoundedSemaphore(settings.render.in_flight)

    @contextmanager
    def room(self) -> Iterator[None]:
        """Wait until the browser renders fewer pages than it may at the same time."""
        with self._pages:
            yield

    def render(self, item: JobItem) -> FetchedPage:
        """Render a fetched page, unless the plan decided otherwise meanwhile.

        If that fails, or the plan decided otherwise, the record has the content of the response.
        """
        document = self._document(item)
        if document is None:
            return FetchedPage(record=self._lost_record(item))
        if not item.render:
            return FetchedPage(record=_as_fetched(item, document))
        response = self._response(document)
        if response is None:
            return FetchedPage(record=_as_fetched(item, document, problem=_NO_RESPONSE))
        request = self._request(item, response, document)
        try:
            page = self._browser.render(request)
        except BrowserMissingError as error:
            return FetchedPage(record=_as_fetched(item, document, problem=f"there is no browser: {error}"))
        if page.problem:
            record = _as_fetched(item, document, problem=page.problem, failed=True)
            return FetchedPage(record=self._leading(item, record, page.away))
        return self._rendered(item, document, response, page)

    def give_up(self, item: JobItem) -> FetchedPage:
        """Return the record of a page that may kill every worker, with the content of its response."""
        document = self._document(item)
        if document is None:
            return FetchedPage(record=self._lost_record(item))
        problem = "the worker ended each time that the page was rendered" if item.render else ""
        return FetchedPage(record=_as_fetched(item, document, problem=problem, failed=item.render))

    def _document(self, item: JobItem) -> _Document | None:
        """Return the fetched page, None if its record is lost."""
        record = self._archive.record_at(item.document)
        if record is None:
            return None
        if not record.body_at:
            return _Document(record=record, content=record, exchange_at=item.document)
        before = record if record.facts is not None else self._archive.record_at(record.body_at)
        if before is None:
            return None
        earlier = self._archive.record_at(record.body_at)
        place = earlier.exchange_at if earlier is not None else ""
        return _Document(record=record, content=before, exchange_at=place or record.body_at)

    def _response(self, document: _Document) -> StoredResponse | None:
        with suppress(CorruptDataError):
            return self._archive.response_at(document.exchange_at, limit=self._settings.limits.max_decoded_bytes)
        return None

    def _request(self, item: JobItem, response: StoredResponse, document: _Document) -> RenderRequest:
        shows = self._settings.render.takes_screenshot(is_root=item.key == self._root)
        return RenderRequest(
            url=response.url,
            status=response.status,
            headers=tuple((name, value) for name, value in response.headers if name.lower() not in _CODINGS),
            body=response.body,
            screenshot=shows and not (document.record.body_at and document.content.screenshot),
            styles=item.key == self._root and self._settings.brand.enabled,
        )

    def _rendered(
        self, item: JobItem, document: _Document, response: StoredResponse, page: RenderedPage
    ) -> FetchedPage:
        """Return the record with the content of the DOM; of an unchanged page, a reference if the content is too."""
        url = page.url or response.url
        settings = self._settings
        found = extract(
            page.html,
            url=url,
            encoding=document.content.charset,
            max_links=settings.max_links,
            max_url_length=settings.max_url_length,
            search=self._media.search,
            extractor=self._extractor,
        )
        media, resources = self._media.references(found), self._media.resources(found)
        links, opened = self._links_of(item, found, page, document.content, url)
        facts, before = found.facts, document.content
        if not (facts.word_count or found.links or page.opened) and (before.facts or PageFacts()).word_count:
            record = _as_fetched(item, document, problem=_NO_CONTENT, failed=True)
            return FetchedPage(record=self._leading(item, record, page.away))
        name = self._screenshots.put(self._crawl, item.key, page.screenshot) if page.screenshot else before.screenshot
        hash_ = link_hash(links, key=item.key, url=item.url)
        unchanged = bool(document.record.body_at) and before.rendered
        same = (facts.text_hash, hash_, media) == (_text_hash(before), before.link_hash, document.record.media)
        same = same and facts.extracted == (before.facts or PageFacts()).extracted
        same = same and resources == document.record.resources
        if unchanged and same:
            return FetchedPage(record=_as_fetched(item, document))
        in_menus = frozenset(opened)
        adds_links = any(link.dom and not link.skip and link.key not in in_menus for link in links)
        added = before.render_added if document.record.body_at else adds_text(facts, before.facts)
        record = structs.replace(
            _with_content_of(document),
            state=UrlState.FETCHED,
            reason=Reason.NONE,
            retry_after=0.0,
            facts=facts,
            rules_hash=self._extractor.hash,
            links=links,
            truncated=document.content.truncated or are_cut(links),
            truncated_reason=document.content.truncated_reason or (Cut.LENGTH if are_cut(links) else Cut.NONE),
            media=media,
            resources=resources,
            link_hash=hash_,
            rendered=True,
            render_added=adds_links or added,
            opened=opened,
            exchange_at=document.exchange_at,
            body_at="",
            screenshot=name,
            brand=self._brand(item, page, url, before),
        )
        conversion = Conversion(
            url=url, html=page.html.encode("utf-8", "replace"), refers_to=response.id, made_at=self._clock.now()
        )
        return FetchedPage(record=record, conversion=conversion)

    def _brand(self, item: JobItem, page: RenderedPage, url: str, before: PageRecord) -> Brand | None:
        """Return the brand of the root page: of each value the more certain one, of the response or of the DOM."""
        if item.key != self._root or not self._settings.brand.enabled:
            return None
        from wavecrawl.domain.brand.extraction import brand_of  # noqa: PLC0415 - for one page of a crawl
        from wavecrawl.domain.brand.merging import merged  # noqa: PLC0415 - the same

        return merged(before.brand, brand_of(page.html, url=url, computed=page.styles))

    def _links_of(
        self, item: JobItem, found: Extraction, page: RenderedPage, before: PageRecord, url: str
    ) -> tuple[tuple[Link, ...], tuple[str, ...]]:
        """Return the links of the page, and the keys of those that only opened menus have and that may be crawled.

        Links that the response does not have are marked.
        """
        links = self._links.links(found.links, base=found.base_url, page_key=item.key)
        in_dom = {link.key for link in links}
        if page.opened:
            most = self._settings.max_links
            in_menus = extract(page.opened, url=url, encoding=before.charset, max_links=most).links
            raw_links = (*found.links, *in_menus)[:most]
            links = self._links.links(raw_links, base=found.base_url, page_key=item.key)
        known = {link.key for link in before.links if not link.dom}
        new = tuple(link.key for link in links if link.key not in in_dom and link.key not in known and not link.skip)
        links = self._with_address(item, self._with_address(item, links, page.away), url)
        return tuple(structs.replace(link, dom=True) if link.key not in known else link for link in links), new

    def _leading(self, item: JobItem, record: PageRecord, away: str) -> PageRecord:
        """Return the record of a page that could not be rendered; it leads to where its scripts wanted to go."""
        if record.facts is None or record.body_at:
            return record
        known = {link.key for link in record.links}
        links = self._with_address(item, record.links, away)
        links = tuple(structs.replace(link, dom=link.dom or link.key not in known) for link in links)
        return structs.replace(record, links=links, link_hash=link_hash(links, key=item.key, url=item.url))

    def _with_address(self, item: JobItem, links: tuple[Link, ...], url: str) -> tuple[Link, ...]:
        """Return the links of a page, with one to a URL where its scripts lead, if that is another page."""
        target = self._links.target(url) if url else None
        own = (item.key, other_spelling(item.key))
        if target is not None and target.page.key not in {*own, *(link.key for link in links)}:
            moved = Link(
                url=target.page.url,
                key=target.page.key,
                kind=LinkKind.REFRESH,
                region=Region.HEAD,
                skip=target.skip,
            )
            return (moved, *links)
        return links

    def _lost_record(self, item: JobItem) -> PageRecord:
        """Return the record of a page that must be fetched again, as its record is lost."""
        return PageRecord(
            key=item.key,
            url=item.url,
            depth=item.depth,
            state=UrlState.DEFERRED,
            reason=Reason.RECORDS_LOST,
            tries=item.tries - 1,
            fetched_at=self._clock.now(),
        )


def page_renderer(crawl: CrawlRow, ports: Ports, browser: Browser) -> PageRenderer:
    """Return the renderer of a crawl whose root URL is known."""
    rules = site_rules(crawl, client=None, cache=ports.robots, clock=ports.clock)
    return PageRenderer(
        crawl=crawl.id,
        browser=browser,
        archive=ports.archive,
        links=rules.links,
        media=rules.media,
        screenshots=ports.screenshots,
        clock=ports.clock,
        settings=crawl.settings,
        root=rules.root.key,
    )


def _as_fetched(item: JobItem, document: _Document, *, problem: str = "", failed: bool = False) -> PageRecord:
    """Return the terminal record of a page with the content of its response, or of an unchanged page its reference.

    `problem` is why it was not rendered; `failed`, whether a browser loaded it in vain.
    """
    record = structs.replace(
        document.record, reason=Reason.NONE, retry_after=0.0, render_problem=problem, render_failed=failed
    )
    if record.body_at:
        record = structs.replace(record, state=UrlState.UNCHANGED)
        return record if record.facts is not None else reference_to(document.content, record.body_at, record)
    return structs.replace(
        record,
        state=UrlState.FETCHED,
        depth=item.depth,
        shell="" if item.barren else record.shell,
        exchange_at=document.exchange_at,
    )


def _with_content_of(document: _Document) -> PageRecord:
    """Return the record of the page as it was requested, with the fields of the content."""
    record, content = document.record, document.content
    if record is content:
        return record
    return structs.replace(
        record,
        content_type=content.content_type,
        charset=content.charset,
        is_html=True,
        header_canonical=content.header_canonical,
        header_robots=content.header_robots,
        header_policies=content.header_policies,
        truncated=content.truncated,
        truncated_reason=content.truncated_reason,
        etag=record.etag or content.etag,
        last_modified=record.last_modified or content.last_modified,
        body_hash=content.body_hash,
        payload=content.payload,
        shell=content.shell,
    )


def _text_hash(record: PageRecord) -> str:
    return record.facts.text_hash if record.facts else ""
