"""Render one page: load its stored response in the browser, make its record from the DOM."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from threading import BoundedSemaphore

import msgspec
from msgspec import structs

from wavecrawl.application.fetched_page import Ending, FetchedPage, no_end, unfetched_record
from wavecrawl.application.page_to_render import PageToRender, page_to_render
from wavecrawl.application.read_page import is_content_cut, reading_of, rules_hash, why_unrendered
from wavecrawl.application.shown_errors import without_folders
from wavecrawl.application.site_rules import site_rules
from wavecrawl.domain.brand.brand import Brand
from wavecrawl.domain.crawl.job import CrawlId, JobItem
from wavecrawl.domain.crawl.record import IdsAdded, Link, MediaReference, PageRecord, Reason, ResourceReference
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.crawl.unchanged import link_hash
from wavecrawl.domain.fetching.exchange import Cut
from wavecrawl.domain.media.kinds import MediaSource
from wavecrawl.domain.media.references import MediaRules
from wavecrawl.domain.pages.extraction.reading import Reading
from wavecrawl.domain.pages.extraction.resources import RESOURCE_RULES
from wavecrawl.domain.pages.page import Extraction, LinkKind, PageFacts, Region
from wavecrawl.domain.rendering.actions import SCROLLING
from wavecrawl.domain.rendering.conversion import Conversion
from wavecrawl.domain.rendering.gain import adds_text
from wavecrawl.domain.rendering.trouble import NO_BROWSER, Trouble, trouble_of
from wavecrawl.domain.urls.link_filter import LinkFilter
from wavecrawl.domain.urls.spellings import other_spelling
from wavecrawl.errors import BrowserMissingError, CorruptDataError, ReadingStoppedError, TooExpensiveError
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.archive import Archive, StoredResponse
from wavecrawl.ports.browser import Browser, RenderedPage, RenderRequest
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.page_parser import PageParser, UnlimitedParser
from wavecrawl.ports.screenshots import Screenshots

_CODINGS = ("content-encoding", "content-length", "transfer-encoding")  # the stored body has none of these
_NO_RESPONSE = "the stored response cannot be read"
_NO_CONTENT = "the rendered page has no content"
_OUT_OF_TIME = "the worker ran out of time before it had read the rendered page"

_Read = Callable[[str, Reading], Extraction]


class _Dom(msgspec.Struct, frozen=True, kw_only=True):
    """What a page has after rendering."""

    url: str
    found: Extraction
    links: tuple[Link, ...]
    link_hash: str
    opened: tuple[str, ...]  # url keys that only opened menus link to
    media: tuple[MediaReference, ...] | None
    resources: tuple[ResourceReference, ...] | None
    adds_links: bool  # without those of opened menus
    text_added: bool
    ids_added: IdsAdded
    has_gained: bool  # whether the page has more links or text than its response
    trouble: Trouble

    def is_content_of(self, document: PageToRender) -> bool:
        """Return whether an unchanged page has the content that it had when it was rendered before."""
        before, facts = document.content, self.found.facts
        return (facts.text_hash, self.link_hash, _named(self.media), self.resources) == (
            _text_hash(before),
            before.link_hash,
            _named(document.record.media),
            document.record.resources,
        ) and facts.extracted == (before.facts or PageFacts()).extracted


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
        parser: PageParser | None = None,
    ) -> None:
        """`root`: url key of the root, which shows the brand, and of which a screenshot may be made.

        `parser`: None = pages are read in this process without a budget.
        """
        self._crawl = crawl
        self._browser = browser
        self._archive = archive
        self._links = links
        self._media = media
        self._screenshots = screenshots
        self._clock = clock
        self._settings = settings
        self._root = root
        self._parser = parser or UnlimitedParser()
        self._rules_hash = rules_hash(settings)
        self._pages = BoundedSemaphore(settings.render.in_flight)

    def cpu_seconds(self) -> float:
        """Return the processor time of the processes that read pages for the calling thread, without the browser's."""
        return self._parser.cpu_seconds()

    @contextmanager
    def room(self) -> Iterator[None]:
        """Wait until the browser renders fewer pages than it may at the same time."""
        with self._pages:
            yield

    def render(self, item: JobItem, *, ending: Ending = no_end) -> FetchedPage:
        """Render a fetched page, unless the plan decided otherwise meanwhile.

        If that fails, or the plan decided otherwise, the record has the content of the response. `ending` is called
        while an expensive page is read.
        """
        document = page_to_render(item, self._archive)
        if document is None:
            return FetchedPage(record=self._lost_record(item))
        if not item.render:
            return FetchedPage(record=document.as_fetched(item, problem=self._why_unrendered(item, document)))
        response = self._response(document)
        if response is None:
            return FetchedPage(record=document.as_fetched(item, problem=_NO_RESPONSE))
        request = self._request(item, response, document)
        try:
            page = self._browser.render(request)
        except BrowserMissingError as error:
            return FetchedPage(record=document.as_fetched(item, problem=f"{NO_BROWSER}: {without_folders(str(error))}"))
        read = (
            self._broken(item, document, page) if page.problem else self._read(item, document, response, page, ending)
        )
        return self._counted(read, page)

    def _counted(self, fetched: FetchedPage, page: RenderedPage) -> FetchedPage:
        """Return the result with the bytes that the page received, and for a full archive with what it requested."""
        record = structs.replace(fetched.record, render_bytes=page.bytes)
        if record.state.terminal:
            record = structs.replace(record, media=self._media.with_requested(_named(record.media), page.requested))
        return structs.replace(fetched, record=record)

    def give_up(self, item: JobItem) -> FetchedPage:
        """Return the record of a page that may kill every worker, with the content of its response."""
        document = page_to_render(item, self._archive)
        if document is None:
            return FetchedPage(record=self._lost_record(item))
        problem = "the worker ended each time that the page was rendered" if item.render else ""
        return FetchedPage(record=document.as_fetched(item, problem=problem, failed=item.render))

    def _why_unrendered(self, item: JobItem, document: PageToRender) -> str:
        certain = self._settings.render.is_certain(is_root=item.key == self._root)
        return why_unrendered(item, is_shell=bool(document.content.shell), is_certain=certain)

    def _response(self, document: PageToRender) -> StoredResponse | None:
        with suppress(CorruptDataError):
            return self._archive.response_at(document.exchange_at, limit=self._settings.limits.max_decoded_bytes)
        return None

    def _request(self, item: JobItem, response: StoredResponse, document: PageToRender) -> RenderRequest:
        shows = self._settings.render.takes_screenshot(is_root=item.key == self._root)
        return RenderRequest(
            url=response.url,
            status=response.status,
            headers=tuple((name, value) for name, value in response.headers if name.lower() not in _CODINGS),
            body=response.body,
            cookies=item.cookies,
            screenshot=shows and not (document.is_unchanged and document.content.screenshot),
            styles=item.key == self._root and self._settings.brand.enabled,
        )

    def _broken(self, item: JobItem, document: PageToRender, page: RenderedPage) -> FetchedPage:
        """Return the record of a page that could not be loaded; its problem may pass if only its time was over."""
        if page.is_late and self._may_try_again(item):
            return FetchedPage(record=self._again(document, page.problem))
        record = document.as_fetched(item, problem=page.problem, failed=True)
        return FetchedPage(record=self._leading(item, record, page.away))

    def _stopped(self, item: JobItem, document: PageToRender, reason: Reason) -> FetchedPage:
        """Return the record of a page whose crawl, or the time of its worker, ended before its DOM was read."""
        if reason is not Reason.WORKER_OUT_OF_TIME:
            record = unfetched_record(item, UrlState.DEFERRED, reason, self._clock.now())
            return FetchedPage(record=structs.replace(record, tries=item.tries - 1))
        if self._may_try_again(item):
            return FetchedPage(record=self._again(document, _OUT_OF_TIME))
        return FetchedPage(record=document.as_fetched(item, problem=_OUT_OF_TIME, failed=True))

    def _read(
        self, item: JobItem, document: PageToRender, response: StoredResponse, page: RenderedPage, ending: Ending
    ) -> FetchedPage:
        """Return the record with the content of the DOM, or of the response if the DOM is too expensive to read."""
        read = partial(self._parser.read, is_stopped=lambda: ending() is not Reason.NONE)
        try:
            return self._rendered(item, document, response, page, read)
        except ReadingStoppedError:
            return self._stopped(item, document, ending() or Reason.CANCELLED)
        except TooExpensiveError as error:
            return FetchedPage(record=document.as_fetched(item, problem=str(error), failed=True))

    def _rendered(
        self, item: JobItem, document: PageToRender, response: StoredResponse, page: RenderedPage, read: _Read
    ) -> FetchedPage:
        """Return the record with the content of the DOM; of an unchanged page, a reference if the content is too."""
        dom, before = self._dom(item, document, response, page, read), document.content
        may_help = dom.trouble.may_pass or not dom.has_gained
        if dom.trouble.problem and may_help and self._may_try_again(item):
            return FetchedPage(record=self._again(document, dom.trouble.problem, page.retry_after))
        was_rendered = document.is_unchanged and before.rendered
        if dom.trouble.problem and (was_rendered or not dom.has_gained):
            record = document.as_fetched(item, problem=dom.trouble.problem, failed=True)
            return FetchedPage(record=self._leading(item, record, page.away))
        if was_rendered and dom.is_content_of(document):
            return FetchedPage(record=document.as_fetched(item))
        if self._is_sample(item, document) and not (dom.has_gained or page.away):
            return FetchedPage(record=_sampled(document.as_fetched(item), page, dom))
        record = self._record(item, document, page, dom)
        conversion = Conversion(
            url=dom.url, html=page.html.encode("utf-8", "replace"), refers_to=response.id, made_at=self._clock.now()
        )
        return FetchedPage(record=record, conversion=conversion)

    def _dom(
        self, item: JobItem, document: PageToRender, response: StoredResponse, page: RenderedPage, read: _Read
    ) -> "_Dom":
        """Return what the page has after rendering, and what is wrong with it."""
        url, settings, before = page.url or response.url, self._settings, document.content
        how = reading_of(settings, self._media, before, url=url, encoding=before.charset)
        found = read(page.html, structs.replace(how, is_dom=True))
        links, opened = self._links_of(item, found, page, before, url, read=read)
        unlike = {item.key, *opened}
        adds_links = any(link.dom and not link.skip and link.key not in unlike for link in links)
        text_added = adds_text(found.facts, before.facts, to_complete=not before.shell)
        is_lost = not (found.facts.word_count or found.links or page.opened) and bool(before.facts)
        is_lost = is_lost and (before.facts or PageFacts()).word_count > 0
        has_gained = not is_lost and (adds_links or bool(opened) or (text_added and not found.unfilled))
        trouble = trouble_of(
            failure=page.failure,
            is_passing=page.is_passing,
            error=page.error,
            loading=page.loading,
            unfilled=_NO_CONTENT if is_lost else found.unfilled,
            was_shell=bool(before.shell) or is_lost,
            has_gained=has_gained,
        )
        return _Dom(
            url=url,
            found=found,
            links=links,
            link_hash=link_hash(links, key=item.key, url=item.url),
            opened=opened,
            media=self._media.references(found),
            resources=self._media.resources(found),
            adds_links=adds_links,
            text_added=text_added,
            ids_added=_ids_added(before, found.facts, trouble),
            has_gained=has_gained,
            trouble=trouble,
        )

    def _record(self, item: JobItem, document: PageToRender, page: RenderedPage, dom: "_Dom") -> PageRecord:
        """Return the record of a page with the content of its DOM."""
        before = document.content
        name = self._screenshots.put(self._crawl, item.key, page.screenshot) if page.screenshot else before.screenshot
        is_known = document.is_unchanged
        is_cut = is_content_cut(dom.links, dom.media, dom.resources, most=self._settings.max_links)
        return structs.replace(
            document.with_content(),
            state=UrlState.FETCHED,
            reason=Reason.NONE,
            retry_after=0.0,
            facts=structs.replace(dom.found.facts, id_scripts=before.facts.id_scripts if before.facts else 0),
            rules_hash=self._rules_hash,
            links=dom.links,
            fragments=self._links.fragments(
                dom.found.fragment_links, dom.links, base=dom.found.base_url, page_key=item.key
            ),
            truncated=before.truncated or is_cut,
            truncated_reason=before.truncated_reason or (Cut.LENGTH if is_cut else Cut.NONE),
            media=dom.media,
            resources=dom.resources,
            resource_rules=RESOURCE_RULES,
            link_hash=dom.link_hash,
            rendered=True,
            render_added=dom.adds_links or (before.render_added if is_known else dom.text_added),
            render_problem=dom.trouble.problem,
            text_added=before.text_added if is_known and before.rendered else dom.text_added,
            ids_added=dom.ids_added,
            scripts_not_run=False,
            needed_action=dom.found.needed_action or (SCROLLING if page.scrolls else ""),
            opened=dom.opened,
            exchange_at=document.exchange_at,
            body_at="",
            screenshot=name,
            brand=self._brand(item, page, dom.url, before),
        )

    def _may_try_again(self, item: JobItem) -> bool:
        return item.failed_renders < self._settings.max_retries

    def _again(self, document: PageToRender, problem: str, retry_after: float = 0.0) -> PageRecord:
        """Return the record of a page that is rendered again in a later wave. Nothing is learned from it until then."""
        return structs.replace(
            document.record,
            state=UrlState.DEFERRED,
            reason=Reason.RENDER_FAILED,
            detail=problem,
            retry_after=retry_after,
            fetched_at=self._clock.now(),
            elapsed=0.0,
            facts=None,
            links=(),
            fragments=(),
            media=None,
            resources=None,
            body_at="",
        )

    def _is_sample(self, item: JobItem, document: PageToRender) -> bool:
        """Return whether a page is rendered only to find out if its scripts add something."""
        certain = self._settings.render.is_certain(is_root=item.key == self._root)
        return not (certain or document.content.shell or document.content.rendered)

    def _brand(self, item: JobItem, page: RenderedPage, url: str, before: PageRecord) -> Brand | None:
        """Return the brand of the root page: of each value the more certain one, of the response or of the DOM."""
        if item.key != self._root or not self._settings.brand.enabled:
            return None
        from wavecrawl.domain.brand.extraction import brand_of  # noqa: PLC0415 - for one page of a crawl
        from wavecrawl.domain.brand.merging import merged  # noqa: PLC0415 - the same

        return merged(before.brand, brand_of(page.html, url=url, computed=page.styles))

    def _links_of(
        self, item: JobItem, found: Extraction, page: RenderedPage, before: PageRecord, url: str, *, read: _Read
    ) -> tuple[tuple[Link, ...], tuple[str, ...]]:
        """Return the links of the page, and the keys of those that only opened menus have and that may be crawled.

        Links that the response does not have are marked.
        """
        links = self._links.links(found.links, base=found.base_url, page_key=item.key)
        in_dom = {link.key for link in links}
        if page.opened:
            how = Reading(
                url=url,
                encoding=before.charset,
                max_links=self._settings.max_links,
                cpu_seconds=self._settings.max_page_cpu,
            )
            in_menus = read(page.opened, how).links
            raw_links = (*found.links, *in_menus)[: self._settings.max_links]
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
        added = len(links) - len(record.links)  # before the others
        fragments = tuple(structs.replace(one, link=one.link and one.link + added) for one in record.fragments)
        hash_ = link_hash(links, key=item.key, url=item.url)
        return structs.replace(record, links=links, fragments=fragments, link_hash=hash_)

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


def page_renderer(crawl: CrawlRow, ports: Ports, browser: Browser, parser: PageParser | None = None) -> PageRenderer:
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
        parser=parser,
    )


def _sampled(record: PageRecord, page: RenderedPage, dom: _Dom) -> PageRecord:
    """Return the record of a complete page to which rendering added nothing: it keeps its content."""
    needed_action = record.needed_action or (SCROLLING * page.scrolls)
    return structs.replace(record, sampled=True, ids_added=dom.ids_added, needed_action=needed_action)


def _ids_added(before: PageRecord, after: PageFacts, trouble: Trouble) -> IdsAdded:
    """Return whether the DOM has ids that the page with the content `before` lacked."""
    known = before.facts.anchors if before.facts else None
    if before.rendered:
        return before.ids_added
    if before.shell or trouble.problem or known is None or after.anchors is None:
        return IdsAdded.UNKNOWN
    return IdsAdded.SOME if set(after.anchors).difference(known) else IdsAdded.NONE


def _named(media: tuple[MediaReference, ...] | None) -> tuple[MediaReference, ...] | None:
    """Return what the DOM names: the URLs that scripts request can differ each time."""
    return media and tuple(one for one in media if one.source is not MediaSource.BROWSER)


def _text_hash(record: PageRecord) -> str:
    return record.facts.text_hash if record.facts else ""
